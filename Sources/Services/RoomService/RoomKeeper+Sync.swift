import Diagnostics
import NatterCore
import XML
import XMPP

// Rooms in data sync (flows.md, "Data sync"): the bookmarks are one of the lists, members are part
// of what is known of a room, and what happened to the account in rooms are commands.
extension RoomKeeper: ConversationListing {
  package func list(over channel: any StanzaChannel) async throws -> [ListedConversation] {
    await load()
    await fetchBookmarks()
    return rooms.values.map {
      ListedConversation(jid: $0.room.jid, kind: .room, opens: $0.bookmark.autojoins)
    }
  }
}

extension RoomKeeper: ConversationDescribing {
  /// Reads the members of the room, as far as it reveals them.
  package func describe(_ conversation: ListedConversation, over channel: any StanzaChannel)
    async throws
  {
    guard conversation.kind == .room, rooms[conversation.jid.bare]?.room.phase != .outside else {
      return
    }
    var members: [RoomMember] = []
    for affiliation in [Occupant.Affiliation.owner, .admin, .member] {
      let answer: Element
      do {
        answer = try await channel.request(
          XEP0045.administration(
            "get", room: conversation.jid.bare,
            [XEP0045.item(affiliation: affiliation.rawValue)]))
      } catch is StanzaError {
        // Most rooms reveal it only to some (XEP-0045 §9.5): what was known stays.
        return
      }
      members += (answer.first("query", XEP0045.admin)?.all("item", XEP0045.admin) ?? [])
        .map { XEP0045Item($0) }
        .compactMap { item in
          item.jid.map { RoomMember(jid: $0, affiliation: affiliation, nick: item.nick) }
        }
    }
    try await store.replaceMembers(of: conversation.jid.bare, with: members)
  }
}

extension RoomKeeper: AccountEventHandling {
  package nonisolated var kinds: Set<AccountEvent.Kind> {
    [.roomInvitation, .roomExit, .roomChanged]
  }

  package func apply(_ command: AccountEvent) async throws {
    switch command.kind {
    case .roomInvitation:
      guard let invitation = XEP0045Invitation(MessageStanza(command.stanza)) else { return }
      try await invited(invitation)
    case .roomExit:
      // `receive` has it in the database by now.
      break
    case .roomChanged:
      guard let room = command.sender?.bare, rooms[room]?.room.phase == .inside else { return }
      changed.insert(room)
      // Beside: the answer comes by the way that this came.
      aside { [weak self] in await self?.refresh(room) }
    default: break
    }
  }

  /// Learns anew what the room is: its name or its kind may have changed (XEP-0045 §10.2.1).
  func refresh(_ room: JID) async {
    guard let channel, changed.remove(room) != nil else { return }
    let question = Element(
      "iq", Namespace.client, ["type": "get", "to": room.description],
      [Element("query", Namespace.discoInfo)])
    do {
      let answer = try await channel.request(question)
      if let found = answer.first("query", Namespace.discoInfo).flatMap({ XEP0030Discovery($0) }) {
        await learn(found, of: room)
      }
    } catch {
      log.info("what a room is now could not be asked: \(error)")
      if error is ChannelError, rooms[room]?.room.phase == .inside { changed.insert(room) }
    }
  }
}
