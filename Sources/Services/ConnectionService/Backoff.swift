/// The schedule of connection attempts (flows.md, "Long connection"): at once after a session that
/// lasted, then after 0.3 s, doubling up to a minute.
///
/// The attempts follow a schedule (at 0.3, 0.9, 2.1, 4.5 s, ...), and the jitter moves each into
/// the second half of the time since the previous one. Their sum does not drift, so that an outage
/// of three seconds ends within a second and a half for any random values. Before the first
/// connection, when the server name may be misspelt, the schedule begins with one second.
package struct Backoff: Sendable {
  /// The first wait after a session, and before any session.
  package let first: Duration
  package let firstEver: Duration
  /// The longest wait.
  package let longest: Duration
  /// The largest number of attempts in a minute, even if sessions begin and end in it.
  package let limit: Int

  /// The total wait that follows the schedule.
  private static let scheduled = Duration.seconds(240)

  /// The number of failures in a row.
  package private(set) var failures = 0
  private var hasConnected = false
  /// `true` if the next attempt is made without a wait.
  private var isDue = false
  /// `true` if no attempt was made without a wait since a session that lasted.
  private var isFresh = true
  private var gap = Duration.zero
  /// The latest time of the next attempt, and the total wait, both since the first failure.
  private var schedule = Duration.zero
  private var waited = Duration.zero
  /// The total of waits and sessions, and the times of the last attempts on that scale: the first
  /// attempt follows no wait.
  private var passed = Duration.zero
  private var attempts: [Duration] = [.zero]

  package init(
    first: Duration = .milliseconds(300), firstEver: Duration = .seconds(1),
    longest: Duration = .seconds(60), limit: Int = 10
  ) {
    self.first = first
    self.firstEver = firstEver
    self.longest = longest
    self.limit = limit
  }

  /// Records a failure.
  /// - Parameter random: in 0..<1; the position of the next attempt between its earliest and latest
  ///   time.
  /// - Returns: the time to wait.
  package mutating func wait(random: Double) -> Duration {
    var wait = Duration.zero
    if isDue {
      isDue = false
    } else {
      if failures < Int.max { failures += 1 }
      gap = min(failures == 1 ? (hasConnected ? first : firstEver) : gap * 2, longest)
      schedule += gap
      // Later waits follow no schedule: with one, all clients of a server would reconnect together.
      wait =
        waited < Self.scheduled
        ? min(schedule - gap / 2 * (1 - random) - waited, longest) : gap / 2 * (1 + random)
      waited += wait
    }
    if attempts.count == limit, let earliest = attempts.first {
      wait = max(wait, earliest + .seconds(60) - passed)
    }
    passed += wait
    attempts = attempts.suffix(limit - 1) + [passed]
    return wait
  }

  /// Records the end of a session.
  /// - Parameter isSound: `true` if it lasted. A server that accepts every client and drops it
  ///   again is contacted at growing intervals, like an unreachable server.
  package mutating func sessionEnded(after duration: Duration, isSound: Bool) {
    hasConnected = true
    passed += max(duration, .zero)
    if isSound { restart() }
    isDue = isFresh
    isFresh = false
  }

  /// Records that the network has changed during an attempt: if it fails, the next one follows at
  /// once.
  package mutating func hurry() { isDue = true }

  /// Records an attempt that is made now, because the network changed or the user requests it:
  /// earlier failures do not count.
  package mutating func reset() {
    restart()
    isDue = false
    attempts = [passed]
  }

  private mutating func restart() {
    (failures, gap, schedule, waited) = (0, .zero, .zero, .zero)
    isFresh = true
  }
}
