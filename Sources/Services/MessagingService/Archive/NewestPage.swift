import FoundationEssentials
import NatterCore
import XMPP

/// The newest page of an archive, and the range that it makes. It does no I/O.
struct NewestPage {
  private let page: XEP0313Page
  private let oldest: String
  private let newest: String
  /// The newest range that is known, if the page is a part of it.
  private let joined: ArchiveRange?
  /// The times of the page's messages.
  let times: [Date]

  /// Creates the newest page of an archive; `nil` if the archive is empty.
  /// - Parameters:
  ///   - older: the newest range that is known.
  ///   - contact: how the page meets the end of that; `nil`: there is none.
  ///   - arrived: the time of the last live message that precedes it; `nil`: none is known to.
  ///   - latest: the latest time for its messages.
  init?(
    _ page: XEP0313Page, after older: ArchiveRange?, contact: ArchiveContact?,
    arrived: Date? = nil, latest: Date
  ) {
    guard let oldest = page.oldest, let newest = page.newest else { return nil }
    (self.page, self.oldest, self.newest) = (page, oldest, newest)
    let isJoined = contact == .met || contact == .beginning
    // With a hole between them it is later all the same, whatever the clocks say.
    let end = isJoined ? older?.end.at : older.map { $0.end.at + ArchiveRange.space }
    times = ArchiveOrder.times(
      of: page.results.map(\.stamp),
      after: [end, arrived.map { $0 + ArchiveRange.space }].compactMap { $0 }.max(), now: latest)
    var range = isJoined ? older : nil
    if contact == .beginning { range?.reachesBeginning = true }
    joined = range
  }

  /// Indicates whether nothing is missing between the known range and the page.
  var isJoined: Bool { joined != nil }

  /// Returns the range that ends with the page.
  /// - Parameter now: the time of a page whose messages could not be read.
  func range(of archive: JID, now: Date) -> ArchiveRange {
    let end = ArchivePosition(id: newest, at: times.last ?? now)
    guard var range = joined else {
      return ArchiveRange(
        archive: archive, start: ArchivePosition(id: oldest, at: times.first ?? now), end: end,
        reachesBeginning: page.isComplete)
    }
    (range.end, range.anchor) = (end, nil)
    return range
  }
}
