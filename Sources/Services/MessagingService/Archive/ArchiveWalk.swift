import FoundationEssentials
import NatterCore
import XMPP

/// The progress of reading an archive forward, page by page, and its check of the server's answers.
/// It does no I/O.
///
/// Servers treat an id that they do not know (it was deleted, or the account moved) differently:
/// some refuse it, some ignore it and begin at the beginning. Then reading continues from the time
/// of the last known message.
struct ArchiveWalk {
  enum Step: Hashable {
    /// The page is the next one; there are more.
    case next
    /// The page is the last one.
    case last
    /// The page is useless: query again.
    case restart
    /// The server does not advance.
    case lost
  }

  private let origin: ArchivePosition
  private var after: String?
  private var start: Date?
  private var seen: Set<String> = []
  private var isFirst = true
  private(set) var isDone = false
  /// `true` if it continues from a time, so that pages may begin with messages from before the last
  /// known one.
  var isByTime: Bool { start != nil }

  init(from position: ArchivePosition) {
    origin = position
    // No id: from the beginning, after an archive that was empty.
    after = position.id.isEmpty ? nil : position.id
  }

  func query(limit: Int) -> XEP0313Query {
    XEP0313Query(start: start, after.map { .after($0) } ?? .first, limit: limit)
  }

  /// Continues from the last known message's time instead of its id.
  /// - Returns: `true` if that was not tried before.
  mutating func restartFromTime(tolerance: TimeInterval) -> Bool {
    guard start == nil else { return false }
    start = origin.at.addingTimeInterval(-tolerance)
    after = nil
    seen = []
    isFirst = false
    return true
  }

  /// Returns `true` if a page looks like the archive's first one instead of the page after the last
  /// known message. A wrong clock at the time of that message has the same effect.
  func doubts(_ page: XEP0313Page, tolerance: TimeInterval) -> Bool {
    guard isFirst, after != nil, let first = page.results.first else { return false }
    return first.stamp < origin.at.addingTimeInterval(-tolerance)
  }

  /// Accepts the server's order, in spite of the clocks.
  mutating func trust() { isFirst = false }

  mutating func take(_ page: XEP0313Page, tolerance: TimeInterval) -> Step {
    guard let newest = page.newest, !page.isEmpty(beyond: after) else {
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
