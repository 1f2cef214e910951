import NatterCore
import XMPP

// Rooms in data sync (flows.md, "Data sync"): the bookmarks are one of the lists, members are part
// of what is known of a room, and what happened to the account in rooms are commands.
extension AccountRooms: ConversationListing {
  package func list(over channel: any StanzaChannel) async throws -> [ListedConversation] {
    await loader.load()
    await bookmarks.fetch()
    return registry.rooms.values.map {
      ListedConversation(jid: $0.room.jid, kind: .room, opens: $0.bookmark.autojoins)
    }
  }
}

extension AccountRooms: ConversationDescribing {
  package func describe(_ conversation: ListedConversation, over channel: any StanzaChannel)
    async throws
  {
    let room = conversation.jid.bare
    guard conversation.kind == .room, registry.rooms[room]?.room.phase != .outside else { return }
    try await members.fetch(of: room, over: channel)
  }
}

extension AccountRooms: AccountEventHandling {
  package nonisolated var kinds: Set<AccountEvent.EventKind> {
    [.roomInvitation, .roomExit, .roomChanged]
  }

  package func apply(_ command: AccountEvent) async throws {
    switch command.kind {
    case .roomInvitation:
      guard let invitation = XEP0045Invitation(MessageStanza(command.stanza)) else { return }
      await loader.load()
      try await invitations.receive(invitation)
    case .roomExit:
      // `receive` has it in the database by now.
      break
    case .roomChanged:
      guard let room = command.sender?.bare else { return }
      information.changed(room)
    default: break
    }
  }
}
