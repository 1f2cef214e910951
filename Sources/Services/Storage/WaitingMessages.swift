import SQLite

/// The messages that wait for the index, compared with a search token by token, as the index does.
struct WaitingMessages {
  struct Match {
    let id: Int64
    let position: Int64
    let sentAt: Int64
    let conversation: Int64
  }

  private let expression: SearchExpression
  private let newest: Int64

  init(_ expression: SearchExpression, after newest: Int64) {
    self.expression = expression
    self.newest = newest
  }

  /// Returns the matches among the messages that meet `condition`.
  func find(
    where condition: String, _ arguments: [any SQLConvertible & Sendable],
    _ db: DatabaseConnection
  ) throws -> [Match] {
    // Any other index would lead to all messages of a conversation.
    let waiting = try db.rows(
      """
      SELECT message.id, message.position, message.sent_at, message.conversation, message.body,
        message.file_name
      FROM message NOT INDEXED WHERE message.id > ? AND \(condition)
      """, arguments: [newest] + arguments
    ) { row in
      let match = Match(
        id: row.int64(0), position: row.int64(1), sentAt: row.int64(2),
        conversation: row.int64(3))
      return (match: match, texts: [row.string(4), row.string(5)])
    }
    guard !waiting.isEmpty else { return [] }
    let terms = try expression.terms.map { (tokens: try db.tokens(of: $0.text), term: $0) }
    let excluded = try expression.excluded.map { try db.tokens(of: $0.text) }
    return try waiting.filter { row in
      let texts = try row.texts.map { try db.tokens(of: $0) }
      return terms.allSatisfy { term in
        texts.contains { Self.contains(term.tokens, isPrefix: term.term.isPrefix, in: $0) }
      }
        && !excluded.contains { tokens in
          texts.contains { Self.contains(tokens, isPrefix: false, in: $0) }
        }
    }.map(\.match)
  }

  /// Indicates whether `tokens` follow each other in `text`; with `isPrefix`, the last one may be
  /// the beginning of one.
  private static func contains(_ tokens: [String], isPrefix: Bool, in text: [String]) -> Bool {
    guard let last = tokens.last, text.count >= tokens.count else { return false }
    return text.indices.dropLast(tokens.count - 1).contains { start in
      let part = text[start..<start + tokens.count]
      guard part.dropLast().elementsEqual(tokens.dropLast()), let end = part.last else {
        return false
      }
      return isPrefix ? end.utf8.starts(with: last.utf8) : end == last
    }
  }
}
