import FoundationEssentials

/// The detection that this machine's clock was set, by comparison with a monotonic clock.
struct ClockChangeDetector {
  /// Seconds that a clock that is adjusted gradually may be off at one reading.
  private static let tolerance: TimeInterval = 5

  private var last: (wall: Date, steady: Duration)?

  /// Takes a reading of both clocks.
  /// - Parameter steady: of a clock that continues while the machine sleeps.
  /// - Returns: by how many seconds the clock was set forward since the last reading; negative:
  ///   back; `nil`: it was not set.
  mutating func jump(_ wall: Date, steady: Duration) -> TimeInterval? {
    defer { last = (wall, steady) }
    guard let last else { return nil }
    let jump = wall.timeIntervalSince(last.wall) - (steady - last.steady) / .seconds(1)
    return abs(jump) >= Self.tolerance ? jump : nil
  }
}
