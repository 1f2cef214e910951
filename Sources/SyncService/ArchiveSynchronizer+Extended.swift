import NatterCore
import XMPP

/// Archives that take two ids at once (`mam:2#extended`, XEP-0313 §4.1.3): that a page does not reach back to what is known is
/// certain then, whatever the clocks say.
extension ArchiveSynchronizer {
  /// The newest page of what the archive has between two places, which leaves some of it; `nil` when it cannot tell: it does not
  /// offer that, or does not know one of the ids. Nor for the last page, or where there is nothing, which an archive also says of
  /// two places that stand the other way round: what is known before it gives the last page its place.
  func page(
    between floor: ArchivePosition, and place: ArchivePosition, of archive: JID, with peer: JID?,
    over channel: any StanzaChannel
  ) async throws -> XEP0313Page? {
    guard !floor.id.isEmpty, !place.id.isEmpty, try await isExtended(archive, over: channel) else {
      return nil
    }
    do {
      // The upper end is the page's own: beside an empty `<before/>` Prosody 0.12 passes `before-id` over.
      var page = try await channel.archivePage(
        XEP0313Query(
          with: peer, after: floor.id, .before(place.id), limit: Self.pageSize), of: archive)
      let ids = page.results.map(\.id)
      guard !page.isComplete, !ids.isEmpty, !ids.contains(floor.id), !ids.contains(place.id) else {
        return nil
      }
      page.isBounded = true
      return page
    } catch let error as StanzaError where !error.mayPass {
      return nil
    }
  }

  private func isExtended(_ archive: JID, over channel: any StanzaChannel) async throws -> Bool {
    if let known = extended[archive] { return known }
    var question = Element(
      "iq", Namespace.client, ["type": "get"], [Element("query", Namespace.discoInfo)])
    question["to"] = archive.description
    do {
      let answer = try await channel.request(question)
      let found = answer.first("query", Namespace.discoInfo).flatMap { XEP0030Discovery($0) }
      let isOffered = found?.features.contains(XEP0313Query.extended) == true
      extended[archive] = isOffered
      return isOffered
    } catch is StanzaError {
      extended[archive] = false
      return false
    }
  }
}
