import FoundationEssentials
import XMPP

/// A one-to-one chat or a room, as the sidebar lists it.
package struct Conversation: Identifiable, Hashable, Sendable {
  package enum Kind: String, Hashable, Sendable { case direct, room }

  /// The bare address, or for private messages in a room the occupant's: the conversation's identity.
  package let jid: JID
  package var kind: Kind
  /// What the person or the account calls it; `nil`: use the contact's name or the address.
  package var name: String?
  package var unread: Int
  /// How many of the unread messages speak to the person by name (rooms).
  package var mentions: Int
  /// The first message not yet seen, for the "new" line.
  package var firstUnread: MessagePosition?
  /// When the newest message was sent; `nil` when there is none.
  package var lastActivity: Date?
  /// What was typed and not sent.
  package var draft: String

  package var id: JID { jid }

  /// Whether it is with one person in a room (XEP-0045 §7.5).
  package var isPrivate: Bool { kind == .direct && !jid.isBare }

  package init(
    jid: JID, kind: Kind = .direct, name: String? = nil, unread: Int = 0,
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
