import FoundationEssentials

/// The decision which queued messages have waited too long. A clock that is corrected neither
/// extends a wait nor ends it at once.
struct ExpiryPolicy {
  /// Seconds that a clock that is adjusted gradually may be off at one reading.
  private static let tolerance: TimeInterval = 5

  /// Seconds that a message may wait.
  let timeLimit: TimeInterval
  /// The last reading of both clocks.
  private var last: (wall: Date, steady: Duration)?

  init(timeLimit: TimeInterval) { self.timeLimit = timeLimit }

  /// Compares the clocks with the last time.
  /// - Parameter steady: of a clock that is never set, and continues while the machine sleeps.
  /// - Returns: the seconds to add to the times since when messages wait, negative if the clock was
  ///   set back; `nil`: it was not set.
  mutating func correction(at now: Date, steady: Duration) -> TimeInterval? {
    defer { last = (now, steady) }
    guard let last else { return nil }
    let jump = now.timeIntervalSince(last.wall) - (steady - last.steady) / .seconds(1)
    return abs(jump) >= Self.tolerance ? jump : nil
  }

  /// Messages that were queued before this time have waited too long.
  func deadline(at now: Date) -> Date { now.addingTimeInterval(-timeLimit) }
}
