/// What could not be looked for, and so not be sent: it is tried again after a while. Whoever goes on not answering is asked less
/// and less.
struct RetrySchedule: Sendable {
  private static let shortestWait = Duration.seconds(1)

  /// Whether there is something.
  var areThere = false
  private let longestWait: Duration
  private var wait = shortestWait
  private let wakening = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))

  init(longestWait: Duration) { self.longestWait = longestWait }

  /// Wakes whoever tries them again.
  func wake() { wakening.continuation.yield() }

  /// What such a one follows.
  var wakenings: AsyncStream<Void> { wakening.stream }

  /// How long they are left alone this time.
  mutating func nextWait() -> Duration {
    defer { wait = min(wait * 2, longestWait) }
    return wait
  }

  /// Whoever is asked from now on has answered until now.
  mutating func forgetWaits() { wait = Self.shortestWait }
}
