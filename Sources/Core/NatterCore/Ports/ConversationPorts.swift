import XMPP

/// Stores the list of conversations with their state.
package protocol ConversationStoring: ConversationReading {
  /// Returns all conversations that are not hidden, unordered.
  func conversations() async throws -> [Conversation]
  /// Returns the hidden conversations, unordered.
  func hiddenConversations() async throws -> [Conversation]
  /// Returns the conversation; `nil` if there is none.
  func conversation(_ jid: JID) async throws -> Conversation?
  /// Creates the conversation if it does not exist, and shows it if it was hidden.
  func open(_ jid: JID, kind: Conversation.ConversationKind) async throws -> Conversation
  /// Hides it from the list; its messages stay, and the next message shows it again.
  func hide(_ jid: JID) async throws
  /// Sets unread to 0 and removes the position of the "new" line, without a report to others.
  func markRead(_ jid: JID) async throws -> Conversation?
  /// Stores the unsent text of the input; an empty text removes it.
  func setDraft(_ text: String, of jid: JID) async throws
  /// Returns the failed local messages that the user has not seen, by conversation.
  /// - Throws: `StorageError`.
  func unseenFailures() async throws -> [JID: Set<Message.ID>]
  /// Marks failed messages as seen. A message that fails again after a retry counts as unseen.
  /// - Throws: `StorageError`.
  func markFailuresSeen(_ ids: Set<Message.ID>) async throws
}

/// Stores the input history of conversations, oldest first.
package protocol InputHistoryStoring: Sendable {
  /// Returns the last `limit` inputs.
  func inputHistory(of jid: JID, limit: Int) async throws -> [String]
  func appendToInputHistory(_ text: String, of jid: JID) async throws
}
