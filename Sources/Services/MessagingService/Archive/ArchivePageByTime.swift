import FoundationEssentials
import NatterCore
import XML
import XMPP

/// The page of an archive before a position whose id is gone: by time, which returns some messages
/// that are known.
struct ArchivePageByTime {
  let archive: JID
  /// The only peer of the page; `nil`: the whole archive.
  let peer: JID?
  let channel: any StanzaChannel
  /// The most pages of which nothing could be read, one after the other.
  private static let mostUnreadable = 200

  /// Returns the page before `point`; `nil` when the server does not go back.
  func page(endingAt point: ArchivePosition) async throws -> XEP0313Page? {
    let end = point.at.addingTimeInterval(ArchiveReader.stampTolerance)
    let start = point.at.addingTimeInterval(-ArchiveReader.stampTolerance)
    // From the newest on: the results that do not fit are what the next page begins with, and the
    // id before which that is queried is one that the archive has just returned.
    var gathered = GatheredResults(archive: archive, isBackward: false)
    var position = XEP0059Request.Position.last
    var seen: Set<String> = []
    while true {
      let page = try await channel.archivePage(
        XEP0313Query(with: peer, end: end, position, limit: ArchiveReader.pageSize),
        of: archive)
      if page.oldest != nil,
        page.oldest == point.id || page.oldest == gathered.results.last?.id
      {
        return nil
      }
      for result in page.results.reversed() {
        gathered.take(result, weighing: result.message.element.weight)
      }
      // A page of which nothing could be read is not the end, unless the server goes in circles or
      // has no end.
      if !page.isComplete, page.results.isEmpty, let oldest = page.oldest,
        seen.count < Self.mostUnreadable, seen.insert(oldest).inserted
      {
        position = .before(oldest)
        continue
      }
      // Many messages may have one timestamp: continue until there is an older one, so that none
      // between are skipped.
      guard !gathered.isCut, !page.isComplete, let oldest = page.results.first,
        oldest.stamp > start
      else {
        let isWhole = !gathered.isCut && (page.isComplete || page.results.isEmpty)
        return XEP0313Page(
          results: gathered.results.reversed(), isComplete: isWhole, isByTime: true)
      }
      position = .before(oldest.id)
    }
  }
}
