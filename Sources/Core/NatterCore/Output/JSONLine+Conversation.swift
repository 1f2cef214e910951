import JSONLines
import XMPP

extension Conversation {
  /// The kind in the output for programs: `direct`, `room`, or `private` for a chat with an
  /// occupant of a room.
  package var outputKind: String { kind == .room ? "room" : isPrivate ? "private" : "direct" }
}

extension JSONLine {
  /// Adds the members of a conversation, without its texts.
  package mutating func add(_ conversation: Conversation, of account: JID) {
    add("account", account.description)
    add("conversation", conversation.jid.description)
    add("kind", conversation.outputKind)
    add("name", conversation.name)
    add("unread", conversation.unread)
    add("mentions", conversation.mentions)
    add("last", conversation.lastActivity)
  }
}
