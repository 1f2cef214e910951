import FoundationEssentials
import NatterCore
import XMPP

/// A message of the history that another program wrote.
package struct ImportedMessage: Hashable, Sendable {
  /// The account it belongs to, bare; `nil`: the history does not say which.
  package var account: JID?
  /// The bare address of the contact or room; the occupant's full address for a private chat.
  package var conversation: JID
  package var kind: Conversation.ConversationKind
  package var direction: Message.Direction
  /// In a room, the nick of the sender; `nil`: unknown, or not in a room.
  package var nick: String?
  package var sentAt: Date
  package var precision: HistoryEntry.Precision
  package var body: String
  /// The id that the sender gave it (XEP-0359 origin id, or the stanza's `id`).
  package var originID: String?
  /// The id in the archive of the account or room (XEP-0359 stanza id).
  package var stanzaID: String?
  /// The origin id of the message whose text this one replaces (XEP-0308); `nil`: no correction.
  package var corrects: String?
  /// The address of the file that this message shares.
  package var fileAddress: String?
  /// The values that only exports of Natter have; `nil`: another program wrote it.
  package var details: Details?

  /// What an export of Natter has of a message besides.
  package struct Details: Hashable, Sendable {
    /// The sender's full address.
    package var sender: JID?
    /// The state of an outgoing message.
    package var delivery: Delivery?
    /// Whether it arrived late.
    package var isDelayed = true
    package var reply: Message.Reply?
    package var thread: Message.Thread?
    /// The name of the program that sent it for the user.
    package var sentBy: String?
    package var file: SharedFile?
    /// The text that corrections gave it, where `body` is the first one; `nil`: none did.
    package var correctedText: String?
    package var reactions: [Message.Reaction] = []
    package var retraction: Message.Retraction?
    /// The kind of content, if the body is not the text of the message; `nil` if it is.
    package var content: Message.Content?
    package init() {}
  }

  package init(
    account: JID? = nil, conversation: JID, kind: Conversation.ConversationKind,
    direction: Message.Direction,
    sentAt: Date, precision: HistoryEntry.Precision, body: String
  ) {
    self.account = account
    self.conversation = conversation
    self.kind = kind
    self.direction = direction
    self.sentAt = sentAt
    self.precision = precision
    self.body = body
  }
}

extension ImportedMessage {
  /// Indicates whether its sender can be an address. A nick that no occupant can have is not the
  /// same as no nick, with which the room itself would be the sender.
  var hasReadableNick: Bool {
    guard kind == .room, direction == .incoming, details?.sender == nil, let nick else {
      return true
    }
    return conversation.with(resource: nick) != nil
  }
}
