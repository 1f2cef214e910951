import NatterCore

/// The events that can start a script, by their names on the wire.
package enum ScriptEvents {
  package static let names = [
    "message.new", "message.changed", "message.removed", "typing", "conversation.changed",
    "conversation.removed", "connection.changed", "contact.changed", "contact.removed",
    "presence.changed", "room.changed", "room.member", "transfer.changed",
  ]
}
