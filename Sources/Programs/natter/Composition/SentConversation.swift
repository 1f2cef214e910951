import NatterCore
import XMPP

/// The conversation of a message of `natter send`. If the server refuses the message, a
/// conversation that the user did not have before does not stay in their list: the command reports
/// the refusal, and nothing in the conversation needs the user.
nonisolated struct SentConversation: Sendable {
  let jid: JID
  /// Indicates whether it was in the list before the message.
  private let wasListed: Bool

  /// - Throws: `StorageError`.
  init(_ jid: JID, in conversations: any ConversationStoring) async throws {
    self.jid = jid
    wasListed = try await conversations.conversations().contains { $0.jid == jid }
  }

  /// Takes it out of the list again, unless it was there before, or something unread has arrived.
  /// Its messages stay stored: otherwise the archive would bring them back as sent.
  /// - Throws: `StorageError`.
  func withdraw(_ refused: Set<Message.ID>, from conversations: any ConversationStoring)
    async throws
  {
    guard !wasListed, let conversation = try await conversations.conversation(jid),
      conversation.unread == 0
    else { return }
    try await conversations.markFailuresSeen(refused)
    try await conversations.hide(jid)
  }
}
