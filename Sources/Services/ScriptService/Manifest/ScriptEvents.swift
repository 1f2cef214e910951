import NatterCore

/// The events that can start a script, by their names on the wire.
package enum ScriptEvents {
  package static let names = [
    "message.new", "message.changed", "message.removed", "typing", "conversation.changed",
    "conversation.removed", "connection.changed", "contact.changed", "contact.removed",
    "presence.changed", "room.changed", "room.member", "transfer.changed",
  ]

  /// Returns the right that a subscription to an event needs; `nil`: there is no such event.
  static func right(for event: String) -> ScriptRight? {
    let permission: BridgePermission? =
      switch event.split(separator: ".").first {
      case "message", "typing": .readMessages
      case "conversation", "connection": .readConversations
      case "contact": .readContacts
      case "presence": .readPresence
      case "room": .readRooms
      case "transfer": .readFiles
      default: nil
      }
    return permission.map { .bridge($0) }
  }
}
