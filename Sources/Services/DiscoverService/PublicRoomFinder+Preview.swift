import NatterCore
import XML
import XMPP

// The preview that a room offers before joining.
extension PublicRoomFinder {
  /// Queries a room for its description, occupants and latest messages.
  /// - Throws: `NatterError` if there is no such room, or without a connection.
  package func preview(of room: JID) async throws -> RoomPreview {
    let channel = try openChannel()
    let jid = room.bare
    do {
      try await load()
      guard let found = try await information(of: jid, over: channel, timeout: .seconds(20)),
        let card = XEP0045Card(found)
      else { throw NatterError(.refused, "error.discover.noRoom", ["address": jid.description]) }
      let room = described(jid, found, card)
      try await keep([room])
      return RoomPreview(
        room: room, description: card.description, nicks: await nicks(in: jid, over: channel),
        lines: room.traits.contains(.archive) ? await lastLines(of: jid, over: channel) : [])
    } catch {
      throw NatterError(answering: error)
    }
  }

  /// Returns the nicks of the occupants, if the room lists them (XEP-0045 §6.5).
  private func nicks(in room: JID, over channel: any StanzaChannel) async -> [String] {
    // Many rooms keep the list private, by an error or without an answer.
    let answer = try? await channel.request(
      XEP0030Item.question(to: room), timeout: .seconds(5))
    let occupants = answer.map { XEP0030Item.items(answer: $0) } ?? []
    return occupants.compactMap(\.jid.resource).sorted()
  }

  /// Returns the latest messages, if the archive is open to non-occupants (XEP-0313 §3.1).
  private func lastLines(of room: JID, over channel: any StanzaChannel) async -> [RoomPreview.Line]
  {
    // A room with a private archive refuses; there are no lines to show then.
    guard
      let page = try? await channel.archivePage(
        XEP0313Query(.last, limit: 5), of: room, timeout: .seconds(5))
    else { return [] }
    return page.results.compactMap { result in
      guard let nick = result.message.from?.resource, let body = result.message.body,
        !body.isEmpty
      else { return nil }
      return RoomPreview.Line(nick: nick, text: body, sentAt: result.stamp)
    }
  }
}
