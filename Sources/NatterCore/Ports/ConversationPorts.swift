import XMPP

/// The list of conversations and what belongs to each.
package protocol ConversationStoring: ConversationReading {
  /// All conversations that are not hidden, in no particular order.
  func conversations() async throws -> [Conversation]
  /// Those that are hidden, in no particular order.
  func hiddenConversations() async throws -> [Conversation]
  func conversation(_ jid: JID) async throws -> Conversation?
  /// Creates it if it is not there, and shows it if it was hidden.
  func open(_ jid: JID, kind: Conversation.Kind) async throws -> Conversation
  /// Takes it out of the list; its messages stay, and the next one brings it back.
  func hide(_ jid: JID) async throws
  /// Sets unread to 0 and forgets the "new" line's place; nobody is told.
  func markRead(_ jid: JID) async throws -> Conversation?
  /// Keeps what was typed and not sent; an empty text removes it.
  func setDraft(_ text: String, of jid: JID) async throws
  /// The messages typed here that failed, by conversation, but for those that somebody has looked at since.
  /// - Throws: `StorageError`.
  func unseenFailures() async throws -> [JID: Set<Message.ID>]
  /// Takes note that somebody has looked at messages that failed. One that is sent again and fails again is news.
  /// - Throws: `StorageError`.
  func markFailuresSeen(_ ids: Set<Message.ID>) async throws
}

/// What was typed into a conversation's input before, oldest first.
package protocol InputHistoryStoring: Sendable {
  func inputHistory(of jid: JID, limit: Int) async throws -> [String]
  func appendToInputHistory(_ text: String, of jid: JID) async throws
}
