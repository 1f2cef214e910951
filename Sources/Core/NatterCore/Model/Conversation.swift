import FoundationEssentials
import XMPP

/// A one-to-one chat or a room, as the sidebar lists it.
package struct Conversation: Identifiable, Hashable, Sendable {
  /// A chat with a contact or an occupant, or a room.
  package enum ConversationKind: String, Hashable, Sendable { case direct, room }

  /// The identity of the conversation: the bare address, or for private messages in a room the
  /// occupant's.
  package let jid: JID
  package var kind: ConversationKind
  /// The name that the user or the account gave it; `nil`: use the contact's name or the address.
  package var name: String?
  package var unread: Int
  /// The number of unread messages that mention the user's nick (rooms).
  package var mentions: Int
  /// The first unread message, for the "new" line.
  package var firstUnread: MessagePosition?
  /// The time when the newest message was sent; `nil` if there is none.
  package var lastActivity: Date?
  /// The unsent text of the input.
  package var draft: String

  package var id: JID { jid }

  /// Indicates whether it is with an occupant of a room (XEP-0045 §7.5).
  package var isPrivate: Bool { kind == .direct && !jid.isBare }

  package init(
    jid: JID, kind: ConversationKind = .direct, name: String? = nil, unread: Int = 0,
    mentions: Int = 0, firstUnread: MessagePosition? = nil, lastActivity: Date? = nil,
    draft: String = ""
  ) {
    self.jid = jid
    self.kind = kind
    self.name = name
    self.unread = unread
    self.mentions = mentions
    self.firstUnread = firstUnread
    self.lastActivity = lastActivity
    self.draft = draft
  }
}
