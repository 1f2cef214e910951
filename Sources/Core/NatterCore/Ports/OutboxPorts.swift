import FoundationEssentials
import XMPP

/// The outbox: the queue of local messages (flows.md, "Sending").
package protocol OutboxStoring: Sendable {
  /// Stores a local message as `.queued`, before a byte of it is sent.
  /// - Parameter originID: unique; it becomes the stanza's id.
  /// - Parameter file: the attached file; then `body` is its URL.
  /// - Parameter reply: the message that it replies to.
  /// - Parameter thread: the thread that it belongs to.
  /// - Parameter program: the name of the program that sends it for the user; `nil`: none.
  func enqueue(
    body: String, file: SharedFile?, reply: Message.Reply?, thread: ThreadChoice,
    to conversation: JID, from sender: JID, originID: String, at date: Date, by program: String?
  )
    async throws -> (message: Message, conversation: Conversation)
  /// Stores a message that another process of the user passed on, with its state of delivery there,
  /// in one step: at no moment is it stored as unsent if it was sent. A second call with the same
  /// `originID` stores nothing new.
  /// - Parameter thread: the thread that it belongs to; a message that may have been sent was sent
  ///   in it, or in none.
  func takeOver(
    _ body: String, thread: Message.Thread?, to conversation: JID, from sender: JID,
    originID: String, typedAt date: Date, fate: HandoffState
  ) async throws -> HandoffResult
  /// Returns all `.queued` messages, in the order of input: each with the text to send.
  func queued() async throws -> [Message]
  /// Queues a failed message, or its correction, again; its time limit begins at `date`. Keeps the
  /// time of its first attempt (`attempts`), unless the server refused it.
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
  /// The queued messages of this outbox that change another message.
  var relations: any RelationStoring { get }
}

/// Stores what is known of the delivery of outgoing messages.
package protocol DeliveryStoring: Sendable {
  /// Changes the delivery of the outgoing message with `originID`; never back from a later state to
  /// an earlier one, except `.failed` to `.queued` (a retry).
  /// - Returns: the changed message, or `nil` if there is none or nothing changed.
  func setDelivery(_ delivery: Delivery, ofOriginID originID: String) async throws -> Message?
  /// Changes the delivery on a report of `peer`, a bare or full address: only for messages that
  /// were sent to it. For a message in a room only the room itself may report, none of its
  /// occupants.
  func setDelivery(_ delivery: Delivery, ofOriginID originID: String, sentTo peer: JID) async throws
    -> Message?
  /// Fails a queued message without a refusal: it is not sent again automatically. Keeps the time
  /// of its first attempt.
  /// - Returns: the changed message; `nil` if it is not queued.
  func giveUp(_ originID: String, reason: String) async throws -> Message?
}

/// Stores which queued messages the server may have already, or may not accept.
package protocol AttemptStoring: Sendable {
  /// Returns the times at which queued messages were first written to a connection, by origin-id:
  /// the server may have them. A message that was refused counts as not written.
  func attempts() async throws -> [String: Date]
  /// Marks queued messages as about to be written.
  /// - Returns: those of `originIDs` that are still queued.
  @discardableResult
  func markAttempted(_ originIDs: [String], at date: Date) async throws -> Set<String>
  /// Returns the refused copies of messages that are queued again, by origin-id.
  func refusals() async throws -> [String: RefusedCopies]
  /// Stores the complete list of the archive's copies of a refused message, before it is sent
  /// again.
  func closeRefusal(of originID: String, copies: Set<String>) async throws
  /// Returns the queued messages over one of which the server has ended a session, by origin-id.
  func suspects() async throws -> [String]
  /// Stores these instead; messages that are not queued are left out.
  func setSuspects(_ originIDs: Set<String>) async throws
}

/// Stores local messages that change another message: each is queued in the outbox, and changes
/// that message at once.
package protocol RelationStoring: Sendable {
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

  /// Stores a message that the user wrote.
  package func enqueue(
    body: String, file: SharedFile?, reply: Message.Reply?, thread: ThreadChoice,
    to conversation: JID, from sender: JID, originID: String, at date: Date
  ) async throws -> (message: Message, conversation: Conversation) {
    try await enqueue(
      body: body, file: file, reply: reply, thread: thread, to: conversation, from: sender,
      originID: originID, at: date, by: nil)
  }

  /// Stores a message in the thread of the conversation.
  package func enqueue(
    body: String, file: SharedFile?, reply: Message.Reply?, to conversation: JID, from sender: JID,
    originID: String, at date: Date
  ) async throws -> (message: Message, conversation: Conversation) {
    try await enqueue(
      body: body, file: file, reply: reply, thread: .ofConversation, to: conversation,
      from: sender, originID: originID, at: date)
  }

  /// Stores a message that another process passed on, in no thread of its own.
  package func takeOver(
    _ body: String, to conversation: JID, from sender: JID, originID: String, typedAt date: Date,
    fate: HandoffState
  ) async throws -> HandoffResult {
    try await takeOver(
      body, thread: nil, to: conversation, from: sender, originID: originID, typedAt: date,
      fate: fate)
  }
}
