import Diagnostics
import FoundationEssentials
import NatterCore

// Waiting between connections.
extension ConnectionSupervisor {
  func rest(after problem: ConnectionProblem) async {
    log.warning("not connected: \(problem.kind.rawValue) at \(problem.place)")
    guard isWanted else { return }
    if problem.isPermanent {
      change(to: .refused(problem))
      if problem.asksForCredentials { hub.publish(.credentialRefused(problem)) }
      isTryingQuietly = problem.mayPass
      await pause(problem.mayPass ? backoff.longest : nil)
      return
    }
    let delay = max(backoff.wait(random: random()), .seconds(problem.retryAfter ?? 0))
    let seconds = Double(delay.components.seconds) + Double(delay.components.attoseconds) / 1e18
    change(
      to: .waiting(
        until: now().addingTimeInterval(seconds), attempt: backoff.failures, reason: problem))
    await pause(delay)
  }

  /// Waits for `limit`, or until the person's hand ends the wait; without a limit only for that.
  func pause(_ limit: Duration?) async {
    let (stream, continuation) = AsyncStream<Void>.makeStream()
    wakeUp = continuation
    await withTaskGroup(of: Void.self) { group in
      group.addTask { for await _ in stream {} }
      if let limit {
        group.addTask { [sleep] in
          // Cancelled: the wait is over all the same.
          try? await sleep(limit)
        }
      }
      await group.next()
      group.cancelAll()
    }
    wakeUp = nil
  }
}
