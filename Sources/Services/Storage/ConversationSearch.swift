import NatterCore
import SQLite

/// The search in one conversation. Matches are in the order of the conversation.
struct ConversationSearch: Sendable {
  /// The rows that match a MATCH expression, by the index of the texts.
  private static let found = """
    FROM (SELECT rowid AS found FROM message_text WHERE message_text MATCH ?)
    CROSS JOIN message INDEXED BY message_place ON message.id = found
    WHERE message.conversation = ?
    """
  /// The same on the way through the conversation, newest first.
  private static let met = """
    FROM message INDEXED BY message_page
    WHERE message.id IN (SELECT rowid FROM message_text WHERE message_text MATCH ?)
      AND message.conversation = ?
    """
  private static let newest = "ORDER BY message.position DESC, message.id DESC LIMIT ?"

  private struct Found {
    let id: Int64
    let position: Int64
  }

  private let query: SearchQuery
  private let limit: Int
  /// The position before which all matches are; `nil`: there is none.
  private let last: MessagePosition?

  init(_ query: SearchQuery, limit: Int, before last: MessagePosition? = nil) {
    self.query = query
    self.limit = limit
    self.last = last
  }

  func find(in conversation: Int64, _ db: DatabaseConnection) throws -> [Message.ID] {
    let expression = SearchExpression(query, prefixes: .all)
    guard let match = expression.match else {
      return try plain(expression, in: conversation, db, upTo: nil).map { Message.ID($0.id) }
    }
    let conditions = conditions(expression, isPlain: false)
    let source = try SearchIndex.hasMany(match, in: db) ? Self.met : Self.found
    var found = try rows(
      "\(source) AND \(conditions.sql)", [match, conversation] + conditions.arguments, db)
    let extent = try SearchIndex.extent(in: db)
    let waiting = try WaitingMessages(expression, after: extent.newest).find(
      where: "message.conversation = ? AND \(conditions.sql)",
      [conversation] + conditions.arguments, db)
    found += waiting.map { Found(id: $0.id, position: $0.position) }
    if extent.missingUpTo > 0 {
      found += try plain(expression, in: conversation, db, upTo: extent.missingUpTo)
    }
    return found.sorted { ($0.position, $0.id) > ($1.position, $1.id) }.prefix(limit)
      .map { Message.ID($0.id) }
  }

  /// Reads the messages of the conversation, or those up to an id.
  private func plain(
    _ expression: SearchExpression, in conversation: Int64, _ db: DatabaseConnection,
    upTo id: Int64?
  ) throws -> [Found] {
    let conditions = conditions(expression, isPlain: true)
    return try rows(
      """
      FROM message INDEXED BY message_page
      WHERE message.conversation = ? AND message.id <= ? AND \(conditions.sql)
      """, [conversation, id ?? .max] + conditions.arguments, db)
  }

  private func conditions(_ expression: SearchExpression, isPlain: Bool) -> SearchConditions {
    var conditions = SearchConditions(query, expression, isPlain: isPlain)
    if let last {
      conditions.add(
        before: ColumnCoding.microseconds(last.time), last.id, by: "message.position")
    }
    return conditions
  }

  private func rows(
    _ sql: String, _ arguments: [any SQLConvertible & Sendable], _ db: DatabaseConnection
  ) throws -> [Found] {
    try db.rows(
      "SELECT message.id, message.position \(sql) \(Self.newest)", arguments: arguments + [limit]
    ) { Found(id: $0.int64(0), position: $0.int64(1)) }
  }
}
