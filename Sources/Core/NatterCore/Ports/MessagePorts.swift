import FoundationEssentials
import XMPP

/// The changes that storing a batch of messages made.
package struct StoredMessages: Hashable, Sendable {
  /// The new ones, in the batch's order.
  package var messages: [Message]
  /// Known outgoing ones that proved to have reached the server.
  package var changed: [Message]
  /// The conversations that are new or changed.
  package var conversations: [Conversation]
  /// Messages that were stored as their own and proved to be corrections of others (XEP-0308), by
  /// conversation.
  package var absorbed: [JID: [Message.ID]] = [:]

  package init(
    messages: [Message] = [], changed: [Message] = [], conversations: [Conversation] = []
  ) {
    self.messages = messages
    self.changed = changed
    self.conversations = conversations
  }
}

/// Stores received messages. All of a batch is committed before the call returns, or none of it.
package protocol MessageStoring: Sendable {
  /// Stores the new ones among `messages`, in order, and counts them as unread where `countsUnread`
  /// returns `true`.
  ///
  /// A message is known if its stanza-id is, or its origin-id together with its bare sender (its
  /// full sender in a room) and its text. Unknown conversations are created. A queued message that
  /// comes back from the server becomes `.sent`; a new outgoing one, which another client sent,
  /// marks its conversation read.
  ///
  /// A correction of a message of the same sender (XEP-0308) changes that one and is not counted;
  /// if the original is not stored yet, the correction is a message of its own until it is.
  /// Reactions and retractions change their messages, too, and are stored invisibly while those are
  /// missing.
  /// - Throws: `StorageError`.
  func insert(_ messages: [IncomingMessage], countsUnread: @Sendable (IncomingMessage) -> Bool)
    async throws -> StoredMessages
  /// Returns the state of the stored messages of `account`.
  /// - Throws: `StorageError`.
  func arrived(of account: JID) async throws -> IncomingMessage.Arrived
}

/// Reads a conversation's messages. Every result is oldest first.
package protocol TimelineReading: Sendable {
  /// Returns the newest `count` messages.
  func latest(_ count: Int, in conversation: JID) async throws -> [Message]
  /// Returns the `count` messages just before `position`.
  func messages(before position: MessagePosition, _ count: Int, in conversation: JID) async throws
    -> [Message]
  /// Returns the `count` messages just after `position`.
  func messages(after position: MessagePosition, _ count: Int, in conversation: JID) async throws
    -> [Message]
  /// Returns the newest message with the sender's or archive's `id`; `nil` if it is not stored.
  func storedMessage(named id: String, in conversation: JID) async throws -> Message?
  /// Returns the message of this row; `nil` if it was removed.
  func storedMessage(_ id: Message.ID) async throws -> Message?
  /// Returns the whole text of a message, even if its `body` is shortened; `nil` if it was removed.
  func wholeText(of id: Message.ID) async throws -> String?
}

extension TimelineReading {
  package func wholeText(of id: Message.ID) async throws -> String? {
    try await storedMessage(id)?.body
  }

  /// Returns the message with its whole text.
  package func whole(_ message: Message) async throws -> Message {
    guard message.isShortened, let text = try await wholeText(of: message.id) else {
      return message
    }
    return message.showing(whole: text)
  }
}

/// The outbox: local messages and their state of delivery (flows.md, "Sending").
package protocol OutboxStoring: Sendable {
  /// Stores a local message as `.queued`, before a byte of it is sent.
  /// - Parameter originID: unique; it becomes the stanza's id.
  /// - Parameter file: the attached file; then `body` is its URL.
  /// - Parameter reply: the message that it replies to.
  func enqueue(
    body: String, file: SharedFile?, reply: Message.Reply?, to conversation: JID, from sender: JID,
    originID: String,
    at date: Date
  )
    async throws -> (message: Message, conversation: Conversation)
  /// Stores a message that another process of the user passed on, with its state of delivery there,
  /// in one step: at no moment is it stored as unsent if it was sent. A second call with the same
  /// `originID` stores nothing new.
  func takeOver(
    _ body: String, to conversation: JID, from sender: JID, originID: String, typedAt date: Date,
    fate: HandoffState
  ) async throws -> HandoffResult
  /// Stores a correction of a local message (XEP-0308) as `.queued`, and changes that message.
  /// - Returns: the changed message; `nil` if it does not exist, or its original text was not sent.
  func enqueueCorrection(
    of id: Message.ID, body: String, from sender: JID, originID: String, at date: Date
  ) async throws -> Message?
  /// Stores a reaction to a message (XEP-0444) as `.queued`: adds `emoji` to the user's previous
  /// ones, or removes it if it is among them.
  /// - Returns: the changed message; `nil` if it does not exist, or no id would identify it to
  ///   others.
  func enqueueReaction(
    _ emoji: String, to id: Message.ID, from sender: JID, originID: String, at date: Date
  ) async throws -> Message?
  /// Retracts a local message (XEP-0424): removes its content, and stores the retraction as
  /// `.queued`. A message that was never sent is removed from the outbox.
  /// - Returns: `nil` if it does not exist, is not the user's own, or no id would identify it to
  ///   others.
  func enqueueRetraction(
    of id: Message.ID, from sender: JID, originID: String, at date: Date
  ) async throws -> OutboxRetraction?
  /// Returns all `.queued` messages, in the order of input: each with the text to send.
  func queued() async throws -> [Message]
  /// Returns the times at which queued messages were first written to a connection, by origin-id:
  /// the server may have them. A message that is queued again after a failure counts as not
  /// written.
  func attempts() async throws -> [String: Date]
  /// Returns the refused copies of messages that are queued again, by origin-id.
  func refusals() async throws -> [String: RefusedCopies]
  /// Stores the complete list of the archive's copies of a refused message, before it is sent
  /// again.
  func closeRefusal(of originID: String, copies: Set<String>) async throws
  /// Marks queued messages as about to be written.
  /// - Returns: those of `originIDs` that are still queued.
  @discardableResult
  func markAttempted(_ originIDs: [String], at date: Date) async throws -> Set<String>
  /// Changes the delivery of the outgoing message with `originID`; never back from a later state to
  /// an earlier one, except `.failed` to `.queued` (a retry).
  /// - Returns: the changed message, or `nil` if there is none or nothing changed.
  func setDelivery(_ delivery: Delivery, ofOriginID originID: String) async throws -> Message?
  /// Changes the delivery on a report of `peer`, a bare or full address: only for messages that
  /// were sent to it. For a message in a room only the room itself may report, none of its
  /// occupants.
  func setDelivery(_ delivery: Delivery, ofOriginID originID: String, sentTo peer: JID) async throws
    -> Message?
  /// Fails a queued message without a refusal: it is not sent again automatically. Keeps the note
  /// whether the server may have it already.
  /// - Returns: the changed message; `nil` if it is not queued.
  func giveUp(_ originID: String, reason: String) async throws -> Message?
  /// Queues a failed message, or its correction, again; its time limit begins at `date`. Keeps the
  /// note whether the server may have it already, unless the server refused it.
  /// - Returns: the changed message, or `nil` if it does not exist or has not failed.
  func requeue(_ id: Message.ID, at date: Date) async throws -> Message?
  /// Keeps the waiting time of queued messages constant when the clock was set forward by this many
  /// seconds.
  func shiftWaiting(by seconds: TimeInterval) async throws
  /// Fails the messages that were queued before `date` and still are.
  /// - Returns: the changed messages.
  func expire(queuedBefore date: Date, reason: String) async throws -> [Message]
  /// Removes an outgoing message that is `.queued` or `.failed`, or its correction, on request of
  /// the user.
  /// - Returns: `nil` if it does not exist or is in another state.
  func remove(_ id: Message.ID) async throws -> OutboxRemoval?
}

/// The state of a message in the process that hands it off.
package enum HandoffState: Hashable, Sendable {
  /// It was not sent.
  case unsent
  /// It may have reached the server, since this time.
  case attempted(Date)
  /// The server refused it; the reason is a sentence.
  case refused(reason: String)
}

/// The result of taking over a message.
package struct HandoffResult: Hashable, Sendable {
  /// The message as it is stored now.
  package let message: Message
  package let conversation: Conversation
  /// Indicates whether it is new here.
  package let isNew: Bool
  /// Indicates whether it was stored here and has changed.
  package let isChanged: Bool

  package init(message: Message, conversation: Conversation, isNew: Bool, isChanged: Bool) {
    self.message = message
    self.conversation = conversation
    self.isNew = isNew
    self.isChanged = isChanged
  }
}

/// The copies of a message in an archive that do not prove its acceptance: some servers archive a
/// message before they refuse it.
package struct RefusedCopies: Hashable, Sendable {
  /// The archive's ids of the copies.
  package var ids: Set<String>
  /// Indicates whether every copy that is there now counts as one, too: the message was not sent
  /// since.
  package var isOpen: Bool

  package init(ids: Set<String> = [], isOpen: Bool) {
    self.ids = ids
    self.isOpen = isOpen
  }
}

/// The result of removing a message from the outbox.
package enum OutboxRemoval: Hashable, Sendable {
  case gone
  /// The correction is removed; the message has the sent text again.
  case restored(Message)
}

/// The result of retracting a message.
package enum OutboxRetraction: Hashable, Sendable {
  /// It was not sent; it is removed.
  case gone
  /// The message and those that quote it, after the change.
  case retracted([Message])
}

extension OutboxStoring {
  /// Stores a message without a file.
  package func enqueue(
    body: String, to conversation: JID, from sender: JID, originID: String, at date: Date
  ) async throws -> (message: Message, conversation: Conversation) {
    try await enqueue(
      body: body, file: nil, reply: nil, to: conversation, from: sender, originID: originID,
      at: date)
  }
}

/// Sends the user's messages, for view models and commands.
package protocol MessageSending: Sendable {
  /// Queues `body` for `conversation`; it is stored when this returns, and sent when there is a
  /// connection.
  /// - Throws: `NatterError` if it could not be stored: then it was not sent, and the text must
  ///   stay in the input.
  @discardableResult func send(_ body: String, to conversation: JID) async throws -> Message
  /// Queues a failed message again.
  func retry(_ message: Message) async throws
  /// Removes a queued or failed message.
  func cancel(_ message: Message) async throws
}

/// Sends messages that refer to another message. They are stored, queued and sent as by
/// `MessageSending`.
package protocol MessageRelating: Sendable {
  /// Queues `body` as a reply to `message` (XEP-0461), in its conversation.
  /// - Throws: `NatterError` if it could not be stored.
  @discardableResult func send(_ body: String, replyingTo message: Message) async throws -> Message
  /// Queues `body` as a correction of `message`, one of the user's own (XEP-0308).
  /// - Throws: `NatterError` if it could not be stored, or the message cannot be corrected.
  func correct(_ message: Message, with body: String) async throws
  /// Adds the user's reaction `emoji` to `message` (XEP-0444), or removes it if present.
  /// - Throws: `NatterError` if it could not be stored, or no id identifies the message to others.
  func react(_ emoji: String, to message: Message) async throws
  /// Retracts `message`, one of the user's own (XEP-0424).
  /// - Throws: `NatterError` if it could not be stored, or the message cannot be retracted.
  func retract(_ message: Message) async throws
}
