import FoundationEssentials

/// The clocks of a bridge, and of programs in between.
package struct BridgeClock: Sendable {
  /// The time of the day.
  package let now: @Sendable () -> Date
  /// A clock that never goes back.
  package let steady: @Sendable () -> Duration
  /// Waits; throws `CancellationError` when the task is cancelled.
  package let sleep: @Sendable (Duration) async throws -> Void

  package init(
    now: @escaping @Sendable () -> Date = { Date() },
    steady: @escaping @Sendable () -> Duration = BridgeClock.running(),
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  ) {
    (self.now, self.steady, self.sleep) = (now, steady, sleep)
  }

  /// Waits.
  /// - Returns: `false` if the task was cancelled before.
  package func hasPassed(_ duration: Duration) async -> Bool {
    // It throws nothing but `CancellationError`.
    do { try await sleep(duration) } catch { return false }
    return true
  }

  /// Returns a clock that begins now.
  package static func running() -> @Sendable () -> Duration {
    let start = ContinuousClock.now
    return { ContinuousClock.now - start }
  }
}
