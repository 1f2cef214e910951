import FoundationEssentials

/// Assigns increasing arrival times to stanzas: the database orders messages by time, and one read
/// of a connection delivers many at once.
///
/// The same sequence of reads, repeated later, yields the same times or later ones.
package struct MonotonicArrivalClock: Sendable {
  private var latest = Date.distantPast

  /// Seconds between the stanzas of one read. Messages that only the archive has fit between them
  /// later, and a message that moves for them does not pass those that arrived with it.
  package static let step: TimeInterval = 0.000_02
  /// Seconds that the clock may be set back while the times still increase.
  private static let setback: TimeInterval = 60

  package init() {}

  /// Returns the times of `count` stanzas that were read at `now`: that time, with small
  /// increments.
  package mutating func next(_ count: Int, now: Date) -> [Date] {
    let first = latest < now || latest > now + Self.setback ? now : latest + Self.step
    let times = (0..<count).map { first + Double($0) * Self.step }
    latest = times.last ?? latest
    return times
  }
}
