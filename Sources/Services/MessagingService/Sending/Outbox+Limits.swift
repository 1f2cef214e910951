import Diagnostics
import FoundationEssentials
import NatterCore

/// The time limit of queued messages, and the retries of failed archive searches
/// (flows.md, "Sending").
extension Outbox {
  /// The interval of the check for expired messages, and of the least frequent retries.
  static let checkInterval = Duration.seconds(60)

  /// Fails expired messages, connected or not, does the archive look-ups that callers leave to it
  /// and repeats failed ones, until the task is cancelled.
  package func run() async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.tryLeftovers() }
      group.addTask { await self.searchArchives() }
      await check()
      group.cancelAll()
    }
  }

  /// A server that has just started does not answer everything at once: failed look-ups do not wait
  /// for the next check.
  private func tryLeftovers() async {
    for await _ in leftovers.wakenings {
      guard leftovers.areThere else { continue }
      // Cancelled: it is over.
      do { try await options.sleep(leftovers.nextWait()) } catch { return }
      if leftovers.areThere { await flush() }
    }
  }

  /// Does the look-ups of callers that do not wait for the network.
  private func searchArchives() async {
    for await _ in postponed.requests where postponed.areThere { await flush() }
  }

  private func check() async {
    while !Task.isCancelled {
      await followClock()
      await expire()
      if leftovers.areThere { await flush() }
      // Cancelled: it is over.
      do { try await options.sleep(Self.checkInterval) } catch { return }
    }
  }

  private func followClock() async {
    guard let correction = expiry.correction(at: now(), steady: options.steady()) else { return }
    do { try await store.shiftWaiting(by: correction) } catch {
      // Then the time limit goes by the clock as it is now.
      log.warning("the clock was put right, and what waits goes by it: \(error)")
    }
  }

  private func expire() async {
    do {
      let expired = try await store.expire(
        queuedBefore: expiry.deadline(at: now()), reason: texts.expiry)
      if !expired.isEmpty { hub.publish(.messagesChanged(expired)) }
    } catch {
      // They wait on, and are looked at again in a minute.
      log.error("looking for messages that waited too long failed: \(error)")
    }
  }
}
