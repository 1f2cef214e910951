import NatterCore
import SQLite
import XMPP

extension SearchStore {
  /// Returns the messages that contain all terms of `query`, like `messages(having:in:limit:)`, but
  /// changes nothing: messages that wait for the index are searched one by one.
  /// - Parameter conversation: the only conversation to search; `nil`: all of the account.
  package func stored(having query: String, in conversation: JID? = nil, limit: Int) async throws
    -> [Message.ID]
  {
    let terms = SearchTerms(query)
    guard !terms.words.isEmpty, limit > 0 else { return [] }
    return try await database.storing { database -> [Message.ID] in
      var row: Int64?
      if let conversation {
        row = try await database.read { try ConversationRecord.find(conversation, in: $0)?.rowID }
        if row == nil { return [] }
      }
      return try await terms.isIndexed
        ? Self.indexed(terms, in: row, limit, database)
        : Self.plain(terms, in: row, limit, database)
    }
  }

  private static func indexed(
    _ terms: SearchTerms, in conversation: Int64?, _ limit: Int, _ database: Database
  ) async throws -> [Message.ID] {
    try await database.read { db in
      let only: [any SQLConvertible] = conversation.map { [$0] } ?? []
      let patterns: [any SQLConvertible] = terms.patterns
      return try db.rows(
        SearchQuery.stored(
          wordCount: terms.words.count, isInConversation: conversation != nil),
        arguments: [terms.match] + only + patterns + only + [limit]
      ) { Message.ID($0.int64(0)) }
    }
  }

  /// Searches all texts, a bounded number in each transaction: the program that has the database
  /// open writes meanwhile.
  private static func plain(
    _ terms: SearchTerms, in conversation: Int64?, _ limit: Int, _ database: Database
  ) async throws -> [Message.ID] {
    var found: [(position: Int64, id: Int64)] = []
    var end = try await database.read { db in
      try db.firstRow("SELECT COALESCE(MAX(id), 0) + 1 FROM message") { $0.int64(0) } ?? 1
    }
    while end > 0 {
      let (start, after) = (end - Int64(Database.readingLimit), end)
      let page = try await database.read { db in
        let only: [any SQLConvertible] = conversation.map { [$0] } ?? []
        let patterns: [any SQLConvertible] = terms.patterns
        return try db.rows(
          SearchQuery.range(
            wordCount: terms.words.count, isInConversation: conversation != nil),
          arguments: [start, after] + only + patterns
        ) { (position: $0.int64(0), id: $0.int64(1)) }
      }
      found = Array(
        (found + page).sorted { ($0.position, $0.id) > ($1.position, $1.id) }.prefix(limit))
      end = start
    }
    return found.map { Message.ID($0.id) }
  }
}

/// The terms of a query, each of which has to be found.
struct SearchTerms: Sendable {
  let words: [String]

  init(_ query: String) { words = query.split(whereSeparator: \.isWhitespace).map(String.init) }

  /// Indicates whether the index can find them. It has terms between spaces: a run of Chinese
  /// is one, and punctuation alone is none.
  var isIndexed: Bool {
    words.allSatisfy { word in
      word.contains { $0.isLetter || $0.isNumber }
        && word.unicodeScalars.allSatisfy { $0.value < 0x0E00 }
    }
  }

  var match: String { SearchQuery.match(words) }
  var patterns: [String] { words.map { SearchQuery.pattern($0) } }
}

extension SearchQuery {
  private static func conditions(_ wordCount: Int, _ isInConversation: Bool) -> String {
    // The plus keeps SQLite from walking along all messages of the conversation.
    String(repeating: " AND body LIKE ? ESCAPE '\\'", count: wordCount)
      + (isInConversation ? " AND +conversation = ?" : "")
  }

  /// The matches in the index, and those among the messages that wait for it.
  static func stored(wordCount: Int, isInConversation: Bool) -> String {
    """
    SELECT message.id AS id, position FROM message_text
      CROSS JOIN message ON message.id = message_text.rowid
      WHERE message_text MATCH ?\(isInConversation ? " AND message.conversation = ?" : "")
    UNION ALL
    SELECT id, position FROM message
      WHERE id > COALESCE((SELECT MAX(id) FROM message_text_docsize), 0)\
    \(conditions(wordCount, isInConversation))
    ORDER BY position DESC, id DESC LIMIT ?
    """
  }

  /// The matches among the texts of a range of rows.
  static func range(wordCount: Int, isInConversation: Bool) -> String {
    """
    SELECT position, id FROM message WHERE id >= ? AND id < ?\
    \(isInConversation ? " AND +conversation = ?" : "")\
    \(conditions(wordCount, false))
    """
  }
}
