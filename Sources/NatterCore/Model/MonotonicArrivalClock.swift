import FoundationEssentials

/// When stanzas came, one after the other: the database orders messages by time, and one read of a connection brings many at once.
///
/// Whoever is told of the same reads, later, gets the same times or later ones.
package struct MonotonicArrivalClock: Sendable {
  private var latest = Date.distantPast

  /// Seconds between the stanzas of one read: what only the archive has of them finds its place between later, and what is moved
  /// for it does not pass those that came with it.
  package static let step: TimeInterval = 0.000_02
  /// Seconds that the clock may be set back without a message coming before one that came before it.
  private static let setback: TimeInterval = 60

  package init() {}

  /// The times of `count` stanzas that were read at `now`: that, and little more.
  package mutating func next(_ count: Int, now: Date) -> [Date] {
    let first = latest < now || latest > now + Self.setback ? now : latest + Self.step
    let times = (0..<count).map { first + Double($0) * Self.step }
    latest = times.last ?? latest
    return times
  }
}
