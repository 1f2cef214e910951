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
  /// - Throws: `StorageError`.
  func insert(_ messages: [IncomingMessage], countsUnread: @Sendable (IncomingMessage) -> Bool)
    async throws -> StoredMessages
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
  /// The message of that row; `nil` when it is gone.
  func storedMessage(_ id: Message.ID) async throws -> Message?
}

/// The outbox: messages that were typed here and what became of them (FLOWS.md 4).
package protocol OutboxStoring: Sendable {
  /// Stores a message typed here as `.queued`, before a byte of it is sent.
  /// - Parameter originID: unique; it becomes the stanza's id.
  /// - Parameter file: what it offers; `body` is its address then.
  func enqueue(
    body: String, file: SharedFile?, to conversation: JID, from sender: JID, originID: String,
    at date: Date
  )
    async throws -> (message: Message, conversation: Conversation)
  /// All `.queued` messages, in the order they were typed.
  func queued() async throws -> [Message]
  /// When those of the queued messages were first written to a connection that were, by origin-id: the server may have
  /// them. A message that is queued again after it failed counts as not written.
  func attempts() async throws -> [String: Date]
  /// Notes that queued messages are about to be written.
  func markAttempted(_ originIDs: [String], at date: Date) async throws
  /// Changes the delivery of the outgoing message with `originID`; never back from a later state to an earlier one,
  /// but for `.failed` to `.queued` (a retry).
  /// - Returns: the changed message, or `nil` when there is none or nothing changed.
  func setDelivery(_ delivery: Delivery, ofOriginID originID: String) async throws -> Message?
  /// The same for a receipt or marker from `peer`, which may set only messages that were sent to it.
  func setDelivery(_ delivery: Delivery, ofOriginID originID: String, sentTo peer: JID) async throws
    -> Message?
  /// Queues a failed message again; its time limit begins at `date`. Whether the server may have it already is not
  /// forgotten, unless it refused it.
  /// - Returns: the changed message, or `nil` when it is not there or has not failed.
  func requeue(_ id: Message.ID, at date: Date) async throws -> Message?
  /// Fails the messages that were queued before `date` and still are.
  /// - Returns: the changed messages.
  func expire(queuedBefore date: Date, reason: String) async throws -> [Message]
  /// Removes an outgoing message that is `.queued` or `.failed`, at the person's wish.
  /// - Returns: whether it was there and in such a state.
  func remove(_ id: Message.ID) async throws -> Bool
}

extension OutboxStoring {
  /// Stores a message without a file.
  package func enqueue(
    body: String, to conversation: JID, from sender: JID, originID: String, at date: Date
  ) async throws -> (message: Message, conversation: Conversation) {
    try await enqueue(
      body: body, file: nil, to: conversation, from: sender, originID: originID, at: date)
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
