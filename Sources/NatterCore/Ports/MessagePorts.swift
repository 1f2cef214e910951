import FoundationEssentials
import XMPP

/// What storing a batch of messages changed.
package struct StoredMessages: Hashable, Sendable {
  /// Those that were new, in the batch's order.
  package var messages: [Message]
  /// Outgoing ones that were known and are now seen to have reached the server.
  package var changed: [Message]
  /// The conversations that are new or changed.
  package var conversations: [Conversation]
  /// Those that stood for themselves and turned out to take the place of others (XEP-0308), by conversation.
  package var absorbed: [JID: [Message.ID]] = [:]

  package init(
    messages: [Message] = [], changed: [Message] = [], conversations: [Conversation] = []
  ) {
    self.messages = messages
    self.changed = changed
    self.conversations = conversations
  }
}

/// Keeps messages that arrived. All of a batch is committed before the call returns, or none of it.
package protocol MessageStoring: Sendable {
  /// Stores what is new of `messages`, in order, and counts it as unread where `countsUnread` says so.
  ///
  /// A message is known when its stanza-id is, or its origin-id together with its bare sender
  /// (its full sender in a room) and its text. Unknown conversations are created. A queued message that comes
  /// back from the server becomes `.sent`; a new outgoing one, which another client sent, marks its conversation read.
  ///
  /// One that takes the place of another of the same person's (XEP-0308) changes that one and is counted nowhere; where the
  /// other is not here yet, it stands for itself until it comes. Reactions and retractions change their messages, too, and wait
  /// unseen for those that are not here.
  /// - Throws: `StorageError`.
  func insert(_ messages: [IncomingMessage], countsUnread: @Sendable (IncomingMessage) -> Bool)
    async throws -> StoredMessages
  /// What there is now of the account `account`.
  /// - Throws: `StorageError`.
  func arrived(of account: JID) async throws -> IncomingMessage.Arrived
}

/// Reads a conversation's messages. Every result is oldest first.
package protocol TimelineReading: Sendable {
  /// The newest `count` messages.
  func latest(_ count: Int, in conversation: JID) async throws -> [Message]
  /// The `count` messages just before `position`.
  func messages(before position: MessagePosition, _ count: Int, in conversation: JID) async throws
    -> [Message]
  /// The `count` messages just after `position`.
  func messages(after position: MessagePosition, _ count: Int, in conversation: JID) async throws
    -> [Message]
  /// The newest message that its sender, or the archive, calls `id`; `nil` when it is not here.
  func storedMessage(named id: String, in conversation: JID) async throws -> Message?
  /// The message of that row; `nil` when it is gone.
  func storedMessage(_ id: Message.ID) async throws -> Message?
  /// All of a message's text, also where it is shown shortened; `nil` when it is gone.
  func wholeText(of id: Message.ID) async throws -> String?
}

extension TimelineReading {
  package func wholeText(of id: Message.ID) async throws -> String? {
    try await storedMessage(id)?.body
  }

  /// The message with all of its text.
  package func whole(_ message: Message) async throws -> Message {
    guard message.isShortened, let text = try await wholeText(of: message.id) else {
      return message
    }
    return message.showing(whole: text)
  }
}

/// The outbox: messages that were typed here and what became of them (flows.md, "Sending").
package protocol OutboxStoring: Sendable {
  /// Stores a message typed here as `.queued`, before a byte of it is sent.
  /// - Parameter originID: unique; it becomes the stanza's id.
  /// - Parameter file: what it offers; `body` is its address then.
  /// - Parameter reply: what it answers.
  func enqueue(
    body: String, file: SharedFile?, reply: Message.Reply?, to conversation: JID, from sender: JID,
    originID: String,
    at date: Date
  )
    async throws -> (message: Message, conversation: Conversation)
  /// Stores a message that another program of this person handed over, together with what became of it there, in one step: at no
  /// moment is it one that nobody has sent. A second call with the same `originID` stores nothing new.
  func takeOver(
    _ body: String, to conversation: JID, from sender: JID, originID: String, typedAt date: Date,
    fate: HandoffState
  ) async throws -> HandoffResult
  /// Stores, as `.queued`, what takes the place of a message typed here (XEP-0308), and changes that one.
  /// - Returns: the changed message; `nil` when it is not there, or its words have not reached anybody.
  func enqueueCorrection(
    of id: Message.ID, body: String, from sender: JID, originID: String, at date: Date
  ) async throws -> Message?
  /// Stores, as `.queued`, that the person feels `emoji` about a message (XEP-0444) beside what he said before, or no more
  /// where he did.
  /// - Returns: the message as it is then; `nil` when it is not there, or nobody could tell which is meant.
  func enqueueReaction(
    _ emoji: String, to id: Message.ID, from sender: JID, originID: String, at date: Date
  ) async throws -> Message?
  /// Takes a message typed here back (XEP-0424): nothing of what it said is left here, and that it is taken back is stored as
  /// `.queued`. What never left is taken out of the outbox.
  /// - Returns: `nil` when it is not there, or none of one's own, or nobody could tell which is meant.
  func enqueueRetraction(
    of id: Message.ID, from sender: JID, originID: String, at date: Date
  ) async throws -> OutboxRetraction?
  /// All `.queued` messages, in the order they were typed: each with the words that it is sent with.
  func queued() async throws -> [Message]
  /// When those of the queued messages were first written to a connection that were, by origin-id: the server may have
  /// them. A message that is queued again after it failed counts as not written.
  func attempts() async throws -> [String: Date]
  /// What was refused of the queued messages before they were queued again, by origin-id.
  func refusals() async throws -> [String: RefusedCopies]
  /// Notes the archive's copies of a message that was refused, all that there are before it is sent again.
  func closeRefusal(of originID: String, copies: Set<String>) async throws
  /// Notes that queued messages are about to be written.
  /// - Returns: those of `originIDs` that are queued still.
  @discardableResult
  func markAttempted(_ originIDs: [String], at date: Date) async throws -> Set<String>
  /// Changes the delivery of the outgoing message with `originID`; never back from a later state to an earlier one,
  /// but for `.failed` to `.queued` (a retry).
  /// - Returns: the changed message, or `nil` when there is none or nothing changed.
  func setDelivery(_ delivery: Delivery, ofOriginID originID: String) async throws -> Message?
  /// The same for what `peer` says, be it a bare address or one with a resource: that may set only messages that were sent to
  /// it. Of what was said in a room only the room itself says anything, and none of those in it.
  func setDelivery(_ delivery: Delivery, ofOriginID originID: String, sentTo peer: JID) async throws
    -> Message?
  /// Fails a queued message that nobody refused: it will not go by itself. Whether the server may have it already is not
  /// forgotten.
  /// - Returns: the changed message; `nil` when it is not queued.
  func giveUp(_ originID: String, reason: String) async throws -> Message?
  /// Queues a failed message, or what takes its place, again; its time limit begins at `date`. Whether the server may have it already is not
  /// forgotten, unless it refused it.
  /// - Returns: the changed message, or `nil` when it is not there or has not failed.
  func requeue(_ id: Message.ID, at date: Date) async throws -> Message?
  /// Has the time that queued messages have waited stay what it is, where the clock was put forward by so many seconds.
  func shiftWaiting(by seconds: TimeInterval) async throws
  /// Fails the messages that were queued before `date` and still are.
  /// - Returns: the changed messages.
  func expire(queuedBefore date: Date, reason: String) async throws -> [Message]
  /// Removes an outgoing message that is `.queued` or `.failed`, or what was to take its place, at the person's wish.
  /// - Returns: `nil` when it is not there or not in such a state.
  func remove(_ id: Message.ID) async throws -> OutboxRemoval?
}

/// What became of a message in the program that hands it over.
package enum HandoffState: Hashable, Sendable {
  /// It has not left that program.
  case unsent
  /// That program may have brought it to the server, since then.
  case attempted(Date)
  /// The server refused it, for a reason that is a sentence.
  case refused(reason: String)
}

/// What taking a message over has changed.
package struct HandoffResult: Hashable, Sendable {
  /// As it is here now.
  package let message: Message
  package let conversation: Conversation
  /// Whether it was not here before.
  package let isNew: Bool
  /// Whether it was here, and is another one now.
  package let isChanged: Bool

  package init(message: Message, conversation: Conversation, isNew: Bool, isChanged: Bool) {
    self.message = message
    self.conversation = conversation
    self.isNew = isNew
    self.isChanged = isChanged
  }
}

/// A message's copies in an archive that do not tell that it arrived: some servers archive a message before they refuse it.
package struct RefusedCopies: Hashable, Sendable {
  /// The archive's ids of them.
  package var ids: Set<String>
  /// Whether any that is there now is one of them, too: the message was not sent since.
  package var isOpen: Bool

  package init(ids: Set<String> = [], isOpen: Bool) {
    self.ids = ids
    self.isOpen = isOpen
  }
}

/// What became of a message that was taken out of the outbox.
package enum OutboxRemoval: Hashable, Sendable {
  case gone
  /// What was to take its place is gone; it says again what was sent.
  case restored(Message)
}

/// What became of a message that was taken back.
package enum OutboxRetraction: Hashable, Sendable {
  /// Nobody had got it.
  case gone
  /// It, and what quoted it, as they are then.
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

/// Sends what a person typed. The way for view models and commands.
package protocol MessageSending: Sendable {
  /// Queues `body` for `conversation`; it is stored when this returns, and sent when there is a connection.
  /// - Throws: `NatterError` when it could not be stored: then it was not sent, and the text must stay in the input.
  @discardableResult func send(_ body: String, to conversation: JID) async throws -> Message
  /// Queues a failed message again.
  func retry(_ message: Message) async throws
  /// Drops a queued or failed message.
  func cancel(_ message: Message) async throws
}

/// Sends what is about another message. Queued, stored and sent as `MessageSending` does.
package protocol MessageRelating: Sendable {
  /// Queues `body` as an answer to `message` (XEP-0461), in its conversation.
  /// - Throws: `NatterError` when it could not be stored.
  @discardableResult func send(_ body: String, replyingTo message: Message) async throws -> Message
  /// Queues `body` to take the place of what `message`, one of the person's own, said (XEP-0308).
  /// - Throws: `NatterError` when it could not be stored, or the message cannot be corrected.
  func correct(_ message: Message, with body: String) async throws
  /// Tells that the person feels `emoji` about `message` (XEP-0444), or no more where he did.
  /// - Throws: `NatterError` when it could not be stored, or nobody could tell which message is meant.
  func react(_ emoji: String, to message: Message) async throws
  /// Takes `message`, one of the person's own, back (XEP-0424).
  /// - Throws: `NatterError` when it could not be stored, or the message cannot be taken back.
  func retract(_ message: Message) async throws
}
