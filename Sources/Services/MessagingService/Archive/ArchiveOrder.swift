import FoundationEssentials
import NatterCore

/// Timestamps for the messages of a page that keep the archive's order.
///
/// Some archives have whole seconds, so that several messages have one timestamp, and messages that
/// were stored live have an earlier timestamp in the archive than here. The database orders by
/// time: shifts are microseconds.
enum ArchiveOrder {
  static let step = 0.000_001
  /// Seconds between the last message before a session and the first live one in it: enough for the
  /// messages of some pages, one step each.
  static let gap = 0.02

  /// Returns the times of a page that follows what is stored up to `position`.
  static func times(of stamps: [Date], after position: Date?, now: Date) -> [Date] {
    guard !stamps.isEmpty else { return [] }
    var last = position ?? .distantPast
    return stamps.map { stamp in
      // A timestamp in the future would keep the message at the bottom permanently.
      let time = min(stamp, now)
      last = time > last ? time : last.addingTimeInterval(step)
      return last
    }
  }

  /// Returns the times of a page that ends where `newer` begins and comes after `older`, with an
  /// unknown number of messages between.
  ///
  /// Timestamps that are too coarse, or of another clock, to be well after `older` are put next to
  /// `newer`: below them there must be space for the messages that are still missing.
  static func times(of stamps: [Date], after older: Date, before newer: Date, now: Date) -> [Date] {
    let border = older + ArchiveRange.space
    return times(of: stamps.map { $0 > border ? $0 : newer }, before: newer, now: max(now, newer))
  }

  /// Returns the time before which a page ends that comes between `older` and `newer`, with an
  /// unknown number of messages on both sides: behind it there must be space for them, too.
  static func limit(before newer: Date, after older: Date?) -> Date {
    let limit = newer - ArchiveRange.space
    return older.map { max(limit, $0 + newer.timeIntervalSince($0) / 2) } ?? limit
  }

  /// Returns the times of a page that comes before what is stored from `position` on.
  static func times(of stamps: [Date], before position: Date?, now: Date) -> [Date] {
    var next = position ?? .distantFuture
    let backwards = stamps.reversed().map { stamp in
      let time = min(stamp, now)
      next = time < next ? time : next.addingTimeInterval(-step)
      return next
    }
    return backwards.reversed()
  }
}
