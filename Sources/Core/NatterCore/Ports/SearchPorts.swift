import XMPP

/// Searches the text of messages.
package protocol MessageSearching: Sendable {
  /// Returns the messages of a conversation that contain all terms of `query`, each as a word or a
  /// prefix of one, ignoring accents and case; in scripts without spaces between words, anywhere.
  /// Newest first, `limit` at most.
  func messages(having query: String, in conversation: JID, limit: Int) async throws -> [Message.ID]
}
