import FoundationEssentials

/// Tells that this machine's clock was put right, by one that nobody puts right.
struct ClockChangeDetector: Sendable {
  /// Seconds that a clock that is brought into step bit by bit may be off at a look.
  private static let tolerance: TimeInterval = 5

  let now: @Sendable () -> Date
  /// Goes on while the machine sleeps.
  let steady: @Sendable () -> Duration
  private var last: (wall: Date, steady: Duration)?

  init(now: @escaping @Sendable () -> Date, steady: @escaping @Sendable () -> Duration) {
    (self.now, self.steady) = (now, steady)
  }

  /// By how many seconds the clock was put forward since the last look; `nil`: it was not.
  mutating func jump() -> TimeInterval? {
    let reading = (wall: now(), steady: steady())
    defer { last = reading }
    guard let last else { return nil }
    let jump =
      reading.wall.timeIntervalSince(last.wall) - (reading.steady - last.steady) / .seconds(1)
    return abs(jump) >= Self.tolerance ? jump : nil
  }
}
