/// When to connect again (flows.md, "Long connection"): at once after a session that lasted, then
/// after 0.3 s, doubling up to a minute.
///
/// The attempts keep to a schedule (at 0.3, 0.9, 2.1, 4.5 s, ...), and the jitter draws each from the second half of the time
/// since the one before. Their sum does not drift, so that an outage of three seconds ends within a second and a half however
/// the dice fall. Where nothing was ever connected, which may be a name with a mistake, the schedule begins with a second.
package struct Backoff: Sendable {
  /// The first wait once there was a session, and before that.
  package let first: Duration
  package let firstEver: Duration
  package let longest: Duration
  /// How many attempts a minute may have, whatever sessions begin and end in it.
  package let limit: Int

  /// How much is waited by the schedule.
  private static let scheduled = Duration.seconds(240)

  /// How often in a row it failed.
  package private(set) var failures = 0
  private var hasConnected = false
  /// Whether the next attempt is made without a wait.
  private var isDue = false
  /// Whether no attempt was made without a wait since a session that lasted.
  private var isFresh = true
  private var gap = Duration.zero
  /// When the next attempt is due at the latest, and how much was waited, both since the first failure.
  private var schedule = Duration.zero
  private var waited = Duration.zero
  /// Waits and sessions so far, and when in that time the last attempts were made: the first one after no wait.
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

  /// It failed once more.
  /// - Parameter random: in 0..<1; where between the earliest time and the latest the next attempt lies.
  /// - Returns: how long to wait.
  package mutating func wait(random: Double) -> Duration {
    var wait = Duration.zero
    if isDue {
      isDue = false
    } else {
      if failures < Int.max { failures += 1 }
      gap = min(failures == 1 ? (hasConnected ? first : firstEver) : gap * 2, longest)
      schedule += gap
      // Later waits keep to no schedule: held to one, all clients of a server would come back to it together.
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

  /// A session has ended.
  /// - Parameter isSound: whether it lasted. A server that takes everybody in and throws everybody out again is asked slower and
  ///   slower, as one that is not there.
  package mutating func sessionEnded(after duration: Duration, isSound: Bool) {
    hasConnected = true
    passed += max(duration, .zero)
    if isSound { restart() }
    isDue = isFresh
    isFresh = false
  }

  /// The network has changed during an attempt: if it fails, the next one follows at once.
  package mutating func hurry() { isDue = true }

  /// An attempt is made now, because the network changed or the user wants it: what was before does not count.
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
