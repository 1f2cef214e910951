import FoundationEssentials

/// The decision which queued messages have waited too long. A clock that is corrected neither
/// extends a wait nor ends it at once.
struct ExpiryPolicy {
  /// Seconds that a message may wait.
  let timeLimit: TimeInterval
  private var clock = ClockChangeDetector()

  init(timeLimit: TimeInterval) { self.timeLimit = timeLimit }

  /// Compares the clocks with the last time.
  /// - Returns: the seconds to add to the times since when messages wait; `nil`: none.
  mutating func correction(at now: Date, steady: Duration) -> TimeInterval? {
    clock.jump(now, steady: steady)
  }

  /// Messages that were queued before this time have waited too long.
  func deadline(at now: Date) -> Date { now.addingTimeInterval(-timeLimit) }
}
