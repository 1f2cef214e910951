import NatterCore
import XML
import XMPP

/// Archives that take two ids at once (`mam:2#extended`, XEP-0313 §4.1.3): then it is certain that
/// a page ends before the known messages, whatever the clocks say.
extension ArchiveSynchronizer {
  /// The newest page between two positions of the archive, but not all of it; `nil` if the archive
  /// does not support that or know an id. Also `nil` for the last page or an empty one, which an
  /// archive returns for reversed positions, too: known messages give it a position.
  func page(
    between floor: ArchivePosition, and point: ArchivePosition, of archive: JID, with peer: JID?,
    over channel: any StanzaChannel
  ) async throws -> XEP0313Page? {
    guard !floor.id.isEmpty, !point.id.isEmpty, try await isExtended(archive, over: channel) else {
      return nil
    }
    do {
      // The page has an upper end: with an empty `<before/>` Prosody 0.12 ignores `before-id`.
      var page = try await channel.archivePage(
        XEP0313Query(
          with: peer, after: floor.id, .before(point.id), limit: Self.pageSize), of: archive)
      let ids = page.results.map(\.id)
      guard !page.isComplete, !ids.isEmpty, !ids.contains(floor.id), !ids.contains(point.id) else {
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
