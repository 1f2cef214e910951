import FoundationEssentials

/// The detection that this machine's clock was set, by comparison with a monotonic clock.
struct ClockChangeDetector: Sendable {
  /// Seconds that a clock that is adjusted gradually may be off at one reading.
  private static let tolerance: TimeInterval = 5

  let now: @Sendable () -> Date
  /// A monotonic clock that continues while the machine sleeps.
  let steady: @Sendable () -> Duration
  private var last: (wall: Date, steady: Duration)?

  init(now: @escaping @Sendable () -> Date, steady: @escaping @Sendable () -> Duration) {
    (self.now, self.steady) = (now, steady)
  }

  /// Returns by how many seconds the clock was set forward since the last reading; negative: back;
  /// `nil`: it was not set.
  mutating func jump() -> TimeInterval? {
    let reading = (wall: now(), steady: steady())
    defer { last = reading }
    guard let last else { return nil }
    let jump =
      reading.wall.timeIntervalSince(last.wall) - (reading.steady - last.steady) / .seconds(1)
    return abs(jump) >= Self.tolerance ? jump : nil
  }
}
