import FoundationEssentials

/// The attempts to enter a room that failed, or did not last: they decide when the next one is.
struct EntryRetries: Sendable {
  /// The number of other nicks that were tried after a conflict.
  private(set) var conflicts = 0
  /// The number of times that the room has lost or refused the user since they were last inside for
  /// a while.
  private(set) var losses = 0
  /// The time of the user's last entry, until the room loses them.
  private var insideSince: Date?

  mutating func entered(at time: Date) { insideSince = time }

  /// Returns `true`, and counts, if another nick may be tried.
  mutating func takeNick() -> Bool {
    guard conflicts < EntryLimits.conflictLimit else { return false }
    conflicts += 1
    return true
  }

  /// Records that the room has admitted the user under a nick.
  mutating func nickAccepted() { conflicts = 0 }

  /// Records that the room has lost or refused the user: two clients with one nick would remove
  /// each other forever, so the pause grows when it repeats.
  /// - Parameter mayReturnAtOnce: `true` if the room has lost the user, and did not refuse them.
  /// - Returns: the pause before the next attempt, in seconds; `nil`: none.
  mutating func pause(lostAt now: Date, mayReturnAtOnce: Bool) -> Int? {
    let isSoon =
      insideSince.map { now.timeIntervalSince($0) < EntryLimits.steadiness } ?? (losses > 0)
    insideSince = nil
    if !isSoon {
      losses = 0
      if mayReturnAtOnce { return nil }
    }
    defer { losses += 1 }
    return min(1 << min(losses, 10), EntryLimits.longestPause)
  }
}
