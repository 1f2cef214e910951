import FoundationEssentials
import NatterCore
import XMPP

/// Where reading an archive forward stands, page by page, and whether the server goes along. It does no I/O.
///
/// Servers differ in what they make of an id that they do not know (it was deleted, or the account moved): one refuses
/// it, one ignores it and begins at the beginning. Then reading goes on from the time of the last known message.
struct ArchiveWalk {
  enum Step: Hashable {
    /// The page is the next one; there are more.
    case next
    /// The page is the last one.
    case last
    /// The page is of no use: ask again.
    case restart
    /// The server does not go on.
    case lost
  }

  private let origin: ArchivePosition
  private var after: String?
  private var start: Date?
  private var seen: Set<String> = []
  private var isFirst = true
  private(set) var isDone = false
  /// Whether it goes on from a time, so that pages may begin with messages from before the last known one.
  var isByTime: Bool { start != nil }

  init(from place: ArchivePosition) {
    origin = place
    // No id: from the beginning of an archive that held nothing.
    after = place.id.isEmpty ? nil : place.id
  }

  func query(limit: Int) -> XEP0313Query {
    XEP0313Query(start: start, after.map { .after($0) } ?? .first, limit: limit)
  }

  /// Goes on from the last known message's time instead of its id.
  /// - Returns: whether that was not tried before.
  mutating func restartFromTime(tolerance: TimeInterval) -> Bool {
    guard start == nil else { return false }
    start = origin.at.addingTimeInterval(-tolerance)
    after = nil
    seen = []
    isFirst = false
    return true
  }

  /// Whether a page looks like the archive's first one in place of what follows the last known message. A clock that was wrong
  /// when that came makes it look so, too.
  func doubts(_ page: XEP0313Page, tolerance: TimeInterval) -> Bool {
    guard isFirst, after != nil, let first = page.results.first else { return false }
    return first.stamp < origin.at.addingTimeInterval(-tolerance)
  }

  /// The server goes along, whatever the clocks say.
  mutating func trust() { isFirst = false }

  mutating func take(_ page: XEP0313Page, tolerance: TimeInterval) -> Step {
    guard let newest = page.newest, !page.results.isEmpty else {
      isDone = true
      return .last
    }
    // It began at the beginning: the id was ignored.
    if doubts(page, tolerance: tolerance) {
      return restartFromTime(tolerance: tolerance) ? .restart : .lost
    }
    isFirst = false
    guard seen.insert(newest).inserted else { return .lost }
    after = newest
    isDone = page.isComplete
    return isDone ? .last : .next
  }
}
