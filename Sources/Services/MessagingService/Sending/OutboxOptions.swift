import FoundationEssentials
import NatterCore
import XML

/// The options of an outbox: the additions to its messages, their time limit, and its clocks.
package struct OutboxOptions: Sendable {
  /// The elements that each message to a contact has beside its text.
  let payloads: [Element]
  /// Seconds that a message may wait before the user is asked what to do with it.
  let timeLimit: TimeInterval
  let identifiers: IdentifierSource
  let now: @Sendable () -> Date
  /// A monotonic clock that continues while the machine sleeps.
  let steady: @Sendable () -> Duration
  let sleep: @Sendable (Duration) async throws -> Void

  /// - Parameters:
  ///   - payloads: go with each message to a contact, such as a request for markers (XEP-0333).
  ///   - timeLimit: seconds that a message may wait in the outbox.
  ///   - steady: a clock that is never corrected, and continues while the machine sleeps.
  package init(
    payloads: [Element] = [], timeLimit: TimeInterval = 1800,
    identifiers: IdentifierSource = IdentifierSource(),
    now: @escaping @Sendable () -> Date = { Date() },
    steady: @escaping @Sendable () -> Duration = OutboxOptions.steadyClock(),
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  ) {
    (self.payloads, self.timeLimit, self.identifiers) = (payloads, timeLimit, identifiers)
    (self.now, self.steady, self.sleep) = (now, steady, sleep)
  }

  private static func steadyClock() -> @Sendable () -> Duration {
    let start = ContinuousClock.now
    return { ContinuousClock.now - start }
  }
}
