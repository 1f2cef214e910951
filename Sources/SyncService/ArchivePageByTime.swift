import FoundationEssentials
import NatterCore
import XMPP

/// The page of an archive that goes on before a place whose id is gone: by time, which brings some messages that are known.
struct ArchivePageByTime {
  let archive: JID
  /// With whom alone; `nil`: all that the archive has.
  let peer: JID?
  let channel: any StanzaChannel

  /// The page before `place`; `nil` when the server does not go back.
  func page(endingAt place: ArchivePosition) async throws -> XEP0313Page? {
    let end = place.at.addingTimeInterval(ArchiveSynchronizer.stampTolerance)
    let start = place.at.addingTimeInterval(-ArchiveSynchronizer.stampTolerance)
    // From the newest on: what does not fit is what the next page begins with, and the id before which that is asked for is
    // one that the archive has just told.
    var gathered = GatheredResults(archive: archive, isBackward: false)
    var position = XEP0059Request.Position.last
    while true {
      let page = try await channel.archivePage(
        XEP0313Query(with: peer, end: end, position, limit: ArchiveSynchronizer.pageSize),
        of: archive)
      if page.oldest != nil,
        page.oldest == place.id || page.oldest == gathered.results.last?.id
      {
        return nil
      }
      for result in page.results.reversed() {
        gathered.take(result, weighing: result.message.element.weight)
      }
      // Much may have one stamp: it goes on until there is something older, so that nothing between is passed over.
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
