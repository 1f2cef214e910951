/// The retries of messages whose archive search failed, and which therefore could not be sent. The
/// waits for an archive that keeps failing grow exponentially.
struct RetrySchedule: Sendable {
  private static let shortestWait = Duration.seconds(1)

  /// `true` if there are such messages.
  var areThere = false
  private let longestWait: Duration
  private var wait = shortestWait
  private let wakening = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))

  init(longestWait: Duration) { self.longestWait = longestWait }

  /// Wakes the task that retries them.
  func wake() { wakening.continuation.yield() }

  /// The stream that the retrying task follows.
  var wakenings: AsyncStream<Void> { wakening.stream }

  /// Returns the wait before the next retry, and doubles it.
  mutating func nextWait() -> Duration {
    defer { wait = min(wait * 2, longestWait) }
    return wait
  }

  /// Resets the wait after a success.
  mutating func forgetWaits() { wait = Self.shortestWait }
}
