/// Limits how often something is done: a number at once, and then at a rate.
package struct RateLimit: Sendable {
  private let burst: Double
  /// Per second.
  private let rate: Double
  private var available: Double
  private var last: Duration?

  /// - Parameters:
  ///   - rate: how often in a second, greater than 0.
  ///   - burst: how often at once after a pause.
  package init(_ rate: Double, burst: Double) {
    (self.rate, self.burst, available) = (rate, burst, burst)
  }

  /// Counts one more.
  /// - Parameter now: of a clock that never goes back.
  /// - Returns: `nil`; or the time after which it is allowed again, if it is not now.
  package mutating func take(at now: Duration) -> Duration? {
    let (seconds, attoseconds) = (now - (last ?? now)).components
    available = min(burst, available + (Double(seconds) + Double(attoseconds) / 1e18) * rate)
    last = now
    guard available < 1 else {
      available -= 1
      return nil
    }
    return .milliseconds(max(1, Int(((1 - available) / rate * 1000).rounded(.up))))
  }
}

/// Detects a client that goes on although its requests are refused.
package struct FloodDetector: Sendable {
  /// The refusals within `window` that are too many.
  package static let limit = 1000
  package static let window = Duration.seconds(10)

  private var start: Duration?
  private var count = 0

  package init() {}

  /// Counts a refusal.
  /// - Returns: whether there are too many.
  package mutating func note(at now: Duration) -> Bool {
    if start.map({ now - $0 >= Self.window }) ?? true { (start, count) = (now, 0) }
    count += 1
    return count > Self.limit
  }
}
