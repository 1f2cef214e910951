import NatterCore
import SQLite
import XMPP

/// Finds messages by their texts.
package struct SearchStore: Sendable {
  let database: Database
  init(_ database: Database) { self.database = database }
}

extension SearchStore: MessageSearching {
  package func messages(having query: String, in conversation: JID, limit: Int) async throws
    -> [Message.ID]
  {
    let words = query.split(whereSeparator: \.isWhitespace).map(String.init)
    guard !words.isEmpty, limit > 0 else { return [] }
    // The index has whole words: a run of Chinese is one, and punctuation alone is none.
    let isIndexed = words.allSatisfy { word in
      word.contains { $0.isLetter || $0.isNumber }
        && word.unicodeScalars.allSatisfy { $0.value < 0x0E00 }
    }
    return try await database.storing { database in
      if isIndexed, try await database.read({ try SearchIndex.waiting(in: $0) }) > 0 {
        try await database.write { try SearchIndex.takeUp(in: $0) }
      }
      return try await database.read { db in
        guard let record = try ConversationRecord.find(conversation, in: db) else { return [] }
        if isIndexed {
          return try db.rows(SearchQuery.indexed, record.rowID, SearchQuery.match(words), limit) {
            Message.ID($0.int64(0))
          }
        }
        let patterns = words.map { SearchQuery.pattern($0) }
        return try db.rows(
          SearchQuery.plain(wordCount: words.count),
          arguments: [record.rowID] + patterns + [limit]
        ) { Message.ID($0.int64(0)) }
      }
    }
  }
}

/// The statements of the text search.
package enum SearchQuery {
  package static let indexed = """
    SELECT message.id FROM message_text CROSS JOIN message ON message.id = message_text.rowid
    WHERE message.conversation = ? AND message_text MATCH ?
    ORDER BY position DESC, message.id DESC LIMIT ?
    """

  package static func plain(wordCount: Int) -> String {
    let conditions = String(repeating: " AND body LIKE ? ESCAPE '\\'", count: wordCount)
    return """
      SELECT id FROM message INDEXED BY message_page WHERE conversation = ?\(conditions)
      ORDER BY position DESC, id DESC LIMIT ?
      """
  }

  /// Returns the query of the index: each word is quoted, so that nothing in it is an operator.
  static func match(_ words: [String]) -> String {
    words.map { "\"" + escaped($0, "\"", by: "\"") + "\"*" }.joined(separator: " ")
  }

  /// For LIKE with `\` as its escape: text that contains `word` literally.
  static func pattern(_ word: String) -> String { "%" + escaped(word, "\\%_", by: "\\") + "%" }

  /// Adds `escape` before each of `special`, by scalars as SQLite reads them: a mark joins the
  /// cluster.
  private static func escaped(_ word: String, _ special: String, by escape: Unicode.Scalar)
    -> String
  {
    var result = String.UnicodeScalarView()
    for scalar in word.unicodeScalars {
      if special.unicodeScalars.contains(scalar) { result.append(escape) }
      result.append(scalar)
    }
    return String(result)
  }
}
