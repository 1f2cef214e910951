import FoundationEssentials
import NatterCore

/// The repetition of a catch-up that ended early: after a pause that doubles each time, after the
/// session was resumed, or when the user looks at what is missing. It does no I/O.
struct CatchUpRetry: Hashable {
  /// Seconds after which the user may ask for it again.
  static let askPause: TimeInterval = 5
  /// Seconds until catching up is tried again: twice as long each time, up to the limit.
  private static let (pause, pauseLimit) = (15, 600)

  /// Indicates whether it is to be repeated now.
  private(set) var isDue = false
  /// The last time the user asked for it.
  private(set) var askedAt = Date.distantPast
  private var isPausing = false
  private var failures = 0

  /// Has it repeated now.
  mutating func setDue() { isDue = true }

  /// It begins.
  mutating func begin() { isDue = false }

  /// The user looks at what is missing.
  /// - Returns: whether it is to be repeated for that: otherwise it would start over and over.
  mutating func ask(at now: Date) -> Bool {
    guard !askedAt.isRecent(Self.askPause, at: now) else { return false }
    askedAt = now
    isDue = true
    return true
  }

  /// Begins the pause before the next catch-up.
  /// - Parameter isBehind: whether some catch-up ended early.
  /// - Returns: how long it is; `nil` if none is due, or the pause has begun.
  mutating func nextPause(isBehind: Bool) -> Duration? {
    guard isBehind else {
      failures = 0
      return nil
    }
    guard !isPausing else { return nil }
    isPausing = true
    failures += 1
    return .seconds(min(Self.pauseLimit, Self.pause << min(failures - 1, 8)))
  }

  /// The pause is over.
  mutating func endPause() { (isPausing, isDue) = (false, true) }
}
