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
  /// The new ones that fill a gap below messages that the user has read.
  package var belowRead: Set<Message.ID> = []

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
  /// Returns the newest `count` messages of a thread (XEP-0201), without retracted ones.
  func messages(inThread id: String, _ count: Int, in conversation: JID) async throws -> [Message]
  /// Returns the first message of each thread that came from the thread `id` (its parent), for the
  /// newest `count` of these threads; only among the last thousands of messages.
  func beginnings(ofThreadsFrom id: String, _ count: Int, in conversation: JID) async throws
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

  package func beginnings(ofThreadsFrom id: String, _ count: Int, in conversation: JID)
    async throws -> [Message]
  { [] }

  /// Returns the message with its whole text.
  package func whole(_ message: Message) async throws -> Message {
    guard message.isShortened, let text = try await wholeText(of: message.id) else {
      return message
    }
    return message.showing(whole: text)
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
