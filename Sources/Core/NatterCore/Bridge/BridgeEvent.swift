/// The events that clients can subscribe to, by their names on the wire.
package enum BridgeEvent: String, Sendable, CaseIterable {
  case messageNew = "message.new"
  case messageChanged = "message.changed"
  case messageRemoved = "message.removed"
  case typing
  case conversationChanged = "conversation.changed"
  case conversationRemoved = "conversation.removed"
  case connectionChanged = "connection.changed"
  case contactChanged = "contact.changed"
  case contactRemoved = "contact.removed"
  case presenceChanged = "presence.changed"
  case roomChanged = "room.changed"
  case roomMember = "room.member"
  case transferChanged = "transfer.changed"
  /// Events were dropped, because the client did not read them. Every subscription has it.
  case gap = "event.gap"

  /// The right that it needs.
  package var permission: BridgePermission? {
    switch self {
    case .messageNew, .messageChanged, .messageRemoved, .typing: .readMessages
    case .conversationChanged, .conversationRemoved, .connectionChanged: .readConversations
    case .contactChanged, .contactRemoved: .readContacts
    case .presenceChanged: .readPresence
    case .roomChanged, .roomMember: .readRooms
    case .transferChanged: .readFiles
    case .gap: nil
    }
  }

  /// The names of those that can be subscribed to.
  package static let names = allCases.filter { $0.permission != nil }.map(\.rawValue)
}
