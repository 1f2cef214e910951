import Diagnostics
import FoundationEssentials
import NatterCore

// The waits between connections.
extension ConnectionSupervisor {
  func rest(after problem: ConnectionProblem) async {
    // One line for each attempt.
    let line = "not connected: \(problem.kind.rawValue) at \(problem.address)"
    guard isWanted else { return log.warning(line) }
    if problem.isPermanent {
      log.warning(line)
      change(to: .refused(problem))
      if problem.asksForCredentials { hub.publish(.credentialRefused(problem)) }
      isTryingQuietly = problem.mayPass
      await pause(problem.mayPass ? backoff.longest : nil)
      return
    }
    let delay = max(backoff.wait(random: random()), .seconds(problem.retryAfter ?? 0))
    let seconds = Double(delay.components.seconds) + Double(delay.components.attoseconds) / 1e18
    let next = delay > .zero ? "in \((seconds * 10).rounded() / 10) s" : "at once"
    log.warning("\(line), next attempt \(next)")
    change(to: .waiting(until: now().addingTimeInterval(seconds), reason: problem))
    if delay > .zero { await pause(delay) }
  }

  /// Waits for `limit`, or until a request of the user ends the wait; without a limit only for
  /// that.
  func pause(_ limit: Duration?) async {
    let (end, continuation) = AsyncStream<Void>.makeStream()
    wakeUp = continuation
    defer { wakeUp = nil }
    do { try await wait(limit, orUntil: end) } catch {
      // Cancelled: the wait is over too, and the caller checks what there is to do.
    }
  }

  /// Waits for `limit`, or until `end` ends; without a limit only for that.
  /// - Throws: `CancellationError`.
  func wait(_ limit: Duration?, orUntil end: AsyncStream<Void>) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { for await _ in end {} }
      if let limit { group.addTask { [sleep] in try await sleep(limit) } }
      defer { group.cancelAll() }
      try await group.next()
    }
  }
}
