import NatterCore
import XMPP

/// Archives that take two ids at once (`mam:2#extended`, XEP-0313 §4.1.3): what lies between two places is read without what is
/// known of both sides, and whatever the clocks say.
extension ArchiveSynchronizer {
  /// The newest page of what the archive has between two places; `nil` when it cannot tell: it does not offer that, does not
  /// know one of the ids, or has nothing there, which it also says of two places that stand the other way round.
  func page(
    between floor: ArchivePlace, and place: ArchivePlace, of archive: JID, with peer: JID?,
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
      guard !ids.isEmpty, !ids.contains(floor.id), !ids.contains(place.id) else { return nil }
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
