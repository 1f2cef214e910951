import NatterCore
import SQLite
import XMPP

/// Finds the keywords that notify in messages that are stored, however they arrived. The keywords
/// are read in the transaction that stores the messages, when the first of them needs it.
struct KeywordMentions {
  private var words: NotifyKeywords?

  init() {}

  /// Returns whether a message of another sender contains one of the keywords.
  mutating func match(
    _ message: IncomingMessage, in conversation: Conversation, _ db: DatabaseConnection
  ) throws -> Bool {
    // A message of the room itself names occupants without addressing anybody.
    guard message.direction == .incoming,
      !(conversation.kind == .room && message.sender.isBare)
    else { return false }
    let words =
      try words
      ?? NotifyKeywords(
        text: db.firstRow("SELECT value FROM setting WHERE key = ?", NotifyKeywords.key) {
          $0.string(0)
        })
    self.words = words
    return words.match(message.body)
  }
}
