import FoundationEssentials
import NatterCore
import XMPP

/// The progress of comparing live messages with the archive, page by page. It does no I/O.
struct ArchiveComparison {
  /// The time since which messages are news.
  let since: Date
  /// The progress of reading the archive.
  var walk: ArchiveWalk
  /// The archive ids of what the archive has returned, and of the message before.
  private(set) var ids: [String]
  /// The position up to which the two are compared.
  private(set) var checked: ArchivePosition
  /// Indicates whether the archive has returned everything.
  var isOver = false

  init(from unchecked: OpenArchive.Unchecked) {
    since = unchecked.since
    walk = ArchiveWalk(from: unchecked.point)
    ids = [unchecked.point.id]
    checked = unchecked.point
  }

  /// Takes the page that the walk has reached.
  /// - Returns: the times of its messages; `nil` if the page is empty.
  mutating func take(_ page: XEP0313Page, now: Date) -> [Date]? {
    isOver = walk.isDone
    guard let newest = page.newest else { return nil }
    let times = ArchiveOrder.times(
      of: page.results.map(\.stamp), after: walk.isByTime ? nil : checked.at, now: now)
    checked = ArchivePosition(id: newest, at: max(checked.at, times.last ?? checked.at))
    ids += page.results.map(\.id)
    return times
  }

  /// Goes on from the time at which the page is stored: the server's clock may be behind.
  mutating func noteStored(upTo time: Date) { checked.at = max(checked.at, time) }
}
