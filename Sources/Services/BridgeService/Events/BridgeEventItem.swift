import JSONLines
import NatterCore
import XMPP

/// An event of an account for clients.
struct BridgeEventItem: Sendable {
  let event: BridgeEvent
  /// The conversation that it is about; `nil`: the account.
  let conversation: JID?
  let kind: Conversation.ConversationKind
  let data: JSONLine

  init(
    _ event: BridgeEvent, of conversation: JID?, _ kind: Conversation.ConversationKind,
    _ data: JSONLine
  ) {
    (self.event, self.conversation, self.kind, self.data) = (event, conversation, kind, data)
  }

  /// An event of a contact, or of the account.
  init(_ event: BridgeEvent, of contact: JID? = nil, _ data: JSONLine) {
    self.init(event, of: contact, .direct, data)
  }

  /// The occupants in one event: a room may have thousands.
  private static let occupants = 100

  /// Calls `take` with each event for a domain event, except for new messages. Texts of messages
  /// are read one after the other: a few bytes from others change hundreds of long messages.
  static func forEach(
    of event: DomainEvent, in account: BridgeAccount,
    isolation: isolated (any Actor)? = #isolation, _ take: (BridgeEventItem) -> Void
  ) async throws {
    guard case .messagesChanged(let messages) = event else {
      for item in try await items(of: event, in: account) { take(item) }
      return
    }
    for message in messages {
      let kind = try await account.kind(of: message.conversation)
      take(
        BridgeEventItem(
          .messageChanged, of: message.conversation, kind,
          try await account.stores.object(message, of: account.jid, in: kind, isHistory: false)))
    }
  }

  private static func items(
    of event: DomainEvent, in account: BridgeAccount
  ) async throws -> [BridgeEventItem] {
    let jid = account.jid
    switch event {
    case .messagesRemoved(let conversation, let ids):
      let kind = try await account.kind(of: conversation)
      return ids.map { id in
        BridgeEventItem(
          .messageRemoved, of: conversation, kind,
          .reference(to: conversation, of: jid) { $0.add("id", String(id.rawValue)) })
      }
    case .typingChanged(let conversation, let isTyping):
      let kind = try await account.kind(of: conversation)
      return [
        BridgeEventItem(
          .typing, of: conversation, kind,
          .reference(to: conversation, of: jid) { $0.add("typing", isTyping) })
      ]
    case .conversationsChanged(let conversations):
      return conversations.map { conversation in
        BridgeEventItem(
          .conversationChanged, of: conversation.jid, conversation.kind,
          JSONLine { $0.add(conversation, of: jid) })
      }
    case .conversationsRemoved(let conversations):
      var items: [BridgeEventItem] = []
      for conversation in conversations {
        items.append(
          BridgeEventItem(
            .conversationRemoved, of: conversation, try await account.kind(of: conversation),
            .reference(to: conversation, of: jid)))
      }
      return items
    case .connectionChanged(let state):
      return [BridgeEventItem(.connectionChanged, JSONLine { $0.add(state, of: jid) })]
    case .transfersChanged(let transfers):
      var items: [BridgeEventItem] = []
      for transfer in transfers {
        let kind = try await account.kind(of: transfer.conversation)
        items.append(
          BridgeEventItem(
            .transferChanged, of: transfer.conversation, kind,
            JSONLine { $0.add(transfer, of: jid) }))
      }
      return items
    default: return peopleItems(of: event, in: jid)
    }
  }

  private static func peopleItems(of event: DomainEvent, in account: JID) -> [BridgeEventItem] {
    switch event {
    case .contactsChanged(let contacts):
      contacts.map { contact in
        BridgeEventItem(
          .contactChanged, of: contact.jid, JSONLine { $0.add(contact, of: account) })
      }
    case .contactsRemoved(let contacts):
      contacts.map { contact in
        BridgeEventItem(
          .contactRemoved, of: contact,
          JSONLine {
            $0.add("account", account.description)
            $0.add("address", contact.description)
          })
      }
    case .presenceChanged(let presences):
      presences.map { presence in
        BridgeEventItem(
          .presenceChanged, of: presence.jid, JSONLine { $0.add(presence, of: account) })
      }
    case .roomsChanged(let rooms):
      rooms.map { room in
        BridgeEventItem(.roomChanged, of: room.jid, .room, JSONLine { $0.add(room, of: account) })
      }
    case .roomsRemoved(let rooms):
      rooms.map { room in
        BridgeEventItem(
          .roomChanged, of: room, .room,
          .reference(to: room, of: account) { $0.add("removed", true) })
      }
    case .occupantsChanged(let changes): items(of: changes, in: account)
    default: []
    }
  }

  private static func items(of changes: OccupantChanges, in account: JID) -> [BridgeEventItem] {
    var rest = changes.changed[...]
    var removed = changes.removed[...]
    var items: [BridgeEventItem] = []
    repeat {
      let (some, gone) = (rest.prefix(occupants), removed.prefix(occupants))
      rest = rest.dropFirst(occupants)
      removed = removed.dropFirst(occupants)
      let isReset = changes.isReset && items.isEmpty
      items.append(
        BridgeEventItem(
          .roomMember, of: changes.room, .room,
          .reference(to: changes.room, of: account) {
            if isReset { $0.add("reset", true) }
            if changes.isEntering { $0.add("entering", true) }
            $0.add("changed", some.map { occupant in JSONLine { $0.add(occupant) } })
            $0.add("removed", Array(gone))
          }))
    } while !rest.isEmpty || !removed.isEmpty
    return items
  }
}

extension BridgeEvent {
  /// Returns the events that `forEach` can make of a domain event.
  static func names(of event: DomainEvent) -> Set<BridgeEvent> {
    switch event {
    case .messagesChanged: [.messageChanged]
    case .messagesRemoved: [.messageRemoved]
    case .typingChanged: [.typing]
    case .conversationsChanged: [.conversationChanged]
    case .conversationsRemoved: [.conversationRemoved]
    case .connectionChanged: [.connectionChanged]
    case .contactsChanged: [.contactChanged]
    case .contactsRemoved: [.contactRemoved]
    case .presenceChanged: [.presenceChanged]
    case .roomsChanged, .roomsRemoved: [.roomChanged]
    case .occupantsChanged: [.roomMember]
    case .transfersChanged: [.transferChanged]
    default: []
    }
  }
}
