import XMPP

/// A message whose sender requests a receipt (XEP-0184).
package struct ReceiptRequest: Hashable, Sendable {
  /// The full address of the sender.
  package let sender: JID
  /// The message's id.
  package let id: String

  package init(sender: JID, id: String) {
    self.sender = sender
    self.id = id
  }
}

/// A message up to which a conversation was displayed, or can be, with its sender's id (XEP-0333).
package struct ReadMarker: Hashable, Sendable {
  /// The bare address of the contact.
  package let conversation: JID
  package let id: String

  package init(conversation: JID, id: String) {
    self.conversation = conversation
    self.id = id
  }
}

/// The read position of a conversation, for the account's other clients (XEP-0490).
package struct ReadPosition: Hashable, Sendable {
  package let conversation: JID
  package let kind: Conversation.ConversationKind
  /// The archive's id of the newest message that was read.
  package let stanzaID: String
  /// Indicates whether it is the first known read position of the conversation: later messages are
  /// unread.
  package var isFirst = false

  package init(conversation: JID, kind: Conversation.ConversationKind = .direct, stanzaID: String) {
    self.conversation = conversation
    self.kind = kind
    self.stanzaID = stanzaID
  }
}

/// Marks conversations as unread.
package protocol UnreadMarking: Sendable {
  /// Counts the newest received message as unread until the user reads the conversation again; only
  /// on this client.
  /// - Returns: the changed conversation; `nil` if it is unread already, or nothing was received.
  func markUnread(_ conversation: JID) async throws -> Conversation?
}

/// Marks conversations as read.
package protocol ConversationReading: UnreadMarking {
  /// Sets unread to 0, and reports that to those who may know: the sender and the account's other
  /// clients.
  /// - Returns: the changed conversation; `nil` if there is none.
  func markRead(_ conversation: JID) async throws -> Conversation?
}

/// Receives messages from the account's archive, before and after they are stored.
///
/// Stored messages are not requested again: work that they require, and that an exit of the program
/// at that moment would lose, is recorded before.
package protocol ArchiveFollowing: Sendable {
  /// - Parameter areNews: `true` if they arrived since this program last looked; otherwise they are
  ///   history.
  func archiving(_ messages: [MessageStanza], areNews: Bool) async
  /// - Parameter areNews: `true` if they arrived since this program last looked; otherwise they are
  ///   history.
  func archived(_ messages: [MessageStanza], areNews: Bool) async
}

/// Stores pending receipts, markers and read positions, so that an exit of the program loses none
/// of them.
///
/// Every call throws `StorageError`.
package protocol ReadStateStoring: UnreadMarking {
  /// Adds receipts to send; a known one is stored once.
  func addReceipts(_ requests: [ReceiptRequest]) async throws
  /// Returns the receipts to send.
  func receiptsDue() async throws -> [ReceiptRequest]
  /// Removes receipts that were sent, here or by another client, or must not be sent.
  func removeReceipts(_ requests: [ReceiptRequest]) async throws

  /// Adds messages whose senders request markers: the last of each conversation counts. If the
  /// conversation is read already, its marker is due at once.
  func addMarkable(_ markers: [ReadMarker]) async throws
  /// Returns the markers to send.
  func markersDue() async throws -> [ReadMarker]
  /// Removes markers that were sent or must not be sent.
  func removeMarkers(_ markers: [ReadMarker]) async throws

  /// Sets unread to 0; the conversation's marker and its read position become due.
  /// - Parameter isCaughtUp: `true` if the whole account archive is stored: otherwise a position
  ///   that another client published, of a message that is not stored, is later than all stored
  ///   messages.
  func markRead(_ conversation: JID, isCaughtUp: Bool) async throws -> Conversation?
  /// Returns the positions to publish.
  func positionsDue() async throws -> [ReadPosition]
  /// Marks a position as published.
  func settlePosition(_ position: ReadPosition) async throws

  /// Applies the read positions of other clients of the account; never back to an earlier message.
  /// - Returns: the conversations that changed, those whose position refers to a message that is
  ///   not stored yet, and those of the latter without a previously known position.
  func apply(_ positions: [ReadPosition]) async throws
    -> (changed: [Conversation], waiting: [JID], unseen: [JID])
  /// Applies a marker that another client of the account sent to the peer, up to the message with
  /// that id.
  /// - Returns: the conversation, if it changed.
  func applyOwnMarker(_ marker: ReadMarker) async throws -> Conversation?
  /// Applies a marker of the recipient, up to the message with that id, which was sent from this
  /// account.
  /// - Returns: the messages that changed, oldest first.
  func applyMarker(_ marker: ReadMarker) async throws -> [Message]
}
