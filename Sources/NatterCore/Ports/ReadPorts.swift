import XMPP

/// A message whose sender wants to be told that it arrived (XEP-0184).
package struct ReceiptRequest: Hashable, Sendable {
  /// The full address that asks.
  package let sender: JID
  /// The message's id.
  package let id: String

  package init(sender: JID, id: String) {
    self.sender = sender
    self.id = id
  }
}

/// A message up to which a conversation was read, or can be, by the id that its sender knows it by (XEP-0333).
package struct ReadMarker: Hashable, Sendable {
  /// The bare address of the contact.
  package let conversation: JID
  package let id: String

  package init(conversation: JID, id: String) {
    self.conversation = conversation
    self.id = id
  }
}

/// How far a conversation was read, for the account's other clients (XEP-0490).
package struct ReadPosition: Hashable, Sendable {
  package let conversation: JID
  package let kind: Conversation.Kind
  /// The archive's id of the newest message that was read.
  package let stanzaID: String
  /// Whether this is the first that is heard of how far the conversation was read: what came after it is unread.
  package var isFirst = false

  package init(conversation: JID, kind: Conversation.Kind = .direct, stanzaID: String) {
    self.conversation = conversation
    self.kind = kind
    self.stanzaID = stanzaID
  }
}

/// Takes note that the person has seen a conversation to its end.
package protocol ConversationReading: Sendable {
  /// Sets unread to 0, and has whoever may know be told: the sender and the account's other clients.
  /// - Returns: the conversation as it is then; `nil` when there is none.
  func markRead(_ conversation: JID) async throws -> Conversation?
}

/// Hears what came from the account's archive, before it is stored and once it is.
///
/// What is stored is not asked for again: what has to be done about it, and would be missed after an end of the program at that
/// moment, is noted before.
package protocol ArchiveFollowing: Sendable {
  /// - Parameter areNews: whether they came since this program last looked; else they are history.
  func archiving(_ messages: [MessageStanza], areNews: Bool) async
  /// - Parameter areNews: whether they came since this program last looked; else they are history.
  func archived(_ messages: [MessageStanza], areNews: Bool) async
}

/// Keeps what has still to be told of messages that arrived and were read, so that an end of the program loses none of it.
///
/// Every call throws `StorageError`.
package protocol ReadStateStoring: Sendable {
  /// Takes note of receipts to be sent; one that is known is kept once.
  func addReceipts(_ requests: [ReceiptRequest]) async throws
  /// The receipts that are to be sent.
  func receiptsDue() async throws -> [ReceiptRequest]
  /// Forgets receipts: they were sent, here or by another client, or must not be.
  func removeReceipts(_ requests: [ReceiptRequest]) async throws

  /// Takes note of messages whose senders want to know when they are read: the last of each conversation counts.
  /// Where the conversation is read already, its marker is due at once.
  func addMarkable(_ markers: [ReadMarker]) async throws
  /// The markers that are to be sent.
  func markersDue() async throws -> [ReadMarker]
  /// Forgets markers that were sent or must not be.
  func removeMarkers(_ markers: [ReadMarker]) async throws

  /// Sets unread to 0; the conversation's marker and its position become due.
  /// - Parameter isCaughtUp: whether all that the account's archive has is here: else a position that another client
  ///   published, of a message that is not here, is further on than anything here.
  func markRead(_ conversation: JID, isCaughtUp: Bool) async throws -> Conversation?
  /// The positions that are to be published.
  func positionsDue() async throws -> [ReadPosition]
  /// Takes note that a position was published.
  func settlePosition(_ position: ReadPosition) async throws

  /// Takes over what other clients of the account have read; never back to an earlier message.
  /// - Returns: the conversations that changed, those whose position is of a message that is not here yet, and of the latter
  ///   those of whose reading nothing was known before.
  func apply(_ positions: [ReadPosition]) async throws
    -> (changed: [Conversation], waiting: [JID], unseen: [JID])
  /// Another client of the account told the sender that it has read up to the message with that id.
  /// - Returns: the conversation, if that changed it.
  func applyOwnMarker(_ marker: ReadMarker) async throws -> Conversation?
  /// The recipient has read all up to the message with that id, which was sent from here.
  /// - Returns: the messages that changed, oldest first.
  func applyMarker(_ marker: ReadMarker) async throws -> [Message]
}
