import FoundationEssentials
import NatterCore
import XMPP

/// A page that was read backwards from the newer side of a gap, and its consequence for the ranges
/// on both sides. It does no I/O.
struct GapPage {
  /// The page's times and ranges, as they are stored.
  struct Plan: Hashable {
    /// The times of the page's messages.
    let times: [Date]
    /// The range that the page belongs to.
    let range: ArchiveRange
    /// Ranges that are a part of it from now on.
    let absorbed: [ArchiveRange]
    /// Indicates whether the range begins with the first message of the page.
    let beginsWithFirst: Bool
  }

  private let page: XEP0313Page
  private let hole: ArchiveCoverage.Hole
  private let ids: Set<String>
  /// The relation of the page to the older side of the gap.
  let contact: ArchiveContact
  /// The stored ranges that the page takes in: the archive's order holds even if times differ.
  private var met: [ArchiveRange] = []

  /// The position before which the page was read.
  private var start: ArchivePosition { hole.newer.start }

  /// Indicates whether the gap's older side is a message that came by itself: nothing is known of
  /// what is before it, and the page may go beyond it.
  static func isLoose(_ hole: ArchiveCoverage.Hole) -> Bool { hole.older.last.row == nil }
  private var isLoose: Bool { Self.isLoose(hole) }

  /// Creates the page of a gap.
  /// - Parameter contact: how the page meets the end of the gap's older side.
  /// - Returns: `nil` if the page brings nothing new: the gap does not get smaller.
  init?(_ page: XEP0313Page, of hole: ArchiveCoverage.Hole, contact: ArchiveContact) {
    (self.page, self.hole) = (page, hole)
    ids = Set(page.results.map(\.id))
    // Where it has begun: then what is after the hole has begun in the middle of it.
    self.contact = contact == .none && ids.contains(hole.older.start.id) ? .met : contact
    guard self.contact != .none || (page.oldest != nil && page.oldest != hole.newer.start.id) else {
      return nil
    }
  }

  /// Indicates whether the page may meet other ranges than the one that ends the older side.
  var mayMeetRanges: Bool { contact == .none || isLoose }

  /// The first range that the page met and that begins before it.
  private var before: ArchiveRange? { met.first { !ids.contains($0.start.id) } }

  /// Takes in the ranges that the page meets.
  /// - Parameter ranges: the stored ranges of the gap's archive or conversation, oldest first.
  mutating func meet(_ ranges: [ArchiveRange]) {
    met = ranges.filter {
      $0.row != hole.newer.first.row && (ids.contains($0.start.id) || ids.contains($0.end.id))
    }
    // Live messages right before the end of a session are later than the range that they follow;
    // without such a range, the page begins with them.
    if isLoose && before == nil { met = [] }
  }

  /// Indicates whether the page comes after the last range that is known before the gap's older
  /// side, and not after that side itself.
  var followsOlderRange: Bool { met.isEmpty && isLoose && contact != .none }

  /// Returns what to store.
  /// - Parameters:
  ///   - newer: the range that pages before the gap's newer side belong to.
  ///   - end: the end of the last range before the gap's older side; `nil`: there is none, or
  ///     `followsOlderRange` is `false`.
  func plan(making newer: ArchiveRange, after end: Date?, now: Date) -> Plan {
    // It stays apart from what is known before it and was not met, whatever the clocks say.
    let floor = met.isEmpty ? (followsOlderRange ? end : hole.older.end.at) : nil
    let stamps = page.results.map(\.stamp)
    let times =
      floor.map { ArchiveOrder.times(of: stamps, after: $0, before: start.at, now: now) }
      ?? ArchiveOrder.times(of: stamps, before: start.at, now: max(now, start.at))
    var range = newer
    var absorbed: [ArchiveRange] = []
    let older = hole.older
    if !met.isEmpty {
      range.start = before?.start ?? first(in: times)
      range.start.at = min(range.start.at, start.at)
      range.reachesBeginning = before?.reachesBeginning ?? (contact == .beginning)
      absorbed = met
    } else if isLoose {
      range.start = first(in: times)
      range.reachesBeginning = contact == .beginning
    } else if contact == .none {
      let first = max(
        times.first ?? start.at, older.end.at.addingTimeInterval(ArchiveRange.step))
      range.start = ArchivePosition(id: page.oldest ?? start.id, at: min(first, start.at))
    } else if older.last.peer == newer.peer {
      // One range from here on.
      range.start = older.last.start
      range.reachesBeginning = older.last.reachesBeginning || contact == .beginning
      absorbed = [older.last]
    } else {
      range.start = older.end
      range.reachesBeginning = contact == .beginning
    }
    return Plan(
      times: times, range: range, absorbed: absorbed, beginsWithFirst: isLoose && met.isEmpty)
  }

  /// The position of the page's first message, before the gap's newer side.
  private func first(in times: [Date]) -> ArchivePosition {
    ArchivePosition(id: page.oldest ?? start.id, at: min(times.first ?? start.at, start.at))
  }

  /// Returns whether the gap is smaller, or gone, with `range` stored.
  func isSmaller(with range: ArchiveRange) -> Bool {
    !isLoose || range.reachesBeginning || range.start.id != start.id
  }
}
