import XMPP

/// Looks for words in what was said.
package protocol MessageSearching: Sendable {
  /// The messages of a conversation that have all words of `query`, each as a word or the beginning of one, whatever its
  /// accents and its case; of scripts that put no blanks between words, anywhere. The newest first, `limit` at most.
  func messages(having query: String, in conversation: JID, limit: Int) async throws -> [Message.ID]
}
