import FoundationEssentials
import NatterCore
import SQLite
import XMPP

/// The search in all conversations of an account. Matches are in the order of their times.
struct AccountSearch: Sendable {
  private static let newest = "ORDER BY message.sent_at DESC, message.id DESC LIMIT ?"
  private static let matching =
    "message.id IN (SELECT rowid FROM message_text WHERE message_text MATCH ?)"

  private struct Found {
    let id: Int64
    let sentAt: Int64
    let conversation: Int64
    var rank = 0.0
  }

  private let query: SearchQuery
  private let limit: Int
  /// The match before which all matches are; `nil`: there is none.
  private let last: SearchMatches.Match?

  /// The most matches that are read to count them: `natter search` may want more than are counted.
  private var counted: Int { max(limit, SearchMatches.countLimit) }

  init(_ query: SearchQuery, limit: Int, before last: SearchMatches.Match? = nil) {
    self.query = query
    self.limit = limit
    self.last = last
  }

  func find(in db: DatabaseConnection) throws -> SearchMatches {
    let extent = try SearchIndex.extent(in: db)
    var result = SearchMatches()
    result.missingUpTo = try missing(extent, in: db)
    let expression = SearchExpression(query, prefixes: .last)
    var conditions = SearchConditions(query, expression, isPlain: expression.match == nil)
    if let last {
      conditions.add(
        before: ColumnCoding.microseconds(last.sentAt), last.id, by: "message.sent_at")
    }
    let found: [Found]
    if let match = expression.match {
      // A letter alone is in too many messages.
      guard query.hasFilters || !query.terms.allSatisfy({ SearchExpression.isLetter($0.text) })
      else { return result }
      let hasMany = try SearchIndex.hasMany(match, in: db)
      if hasMany, !query.hasFilters { result.count = SearchMatches.countLimit }
      let waiting = try WaitingMessages(expression, after: extent.newest).find(
        where: conditions.sql, conditions.arguments, db)
      found =
        try indexed(match, hasMany, conditions, in: db)
        + waiting.map { Found(id: $0.id, sentAt: $0.sentAt, conversation: $0.conversation) }
    } else if query.hasFilters {
      found = try walked(conditions.sql, conditions.arguments, counted, in: db)
    } else {
      return result
    }
    let sorted = found.sorted { ($0.sentAt, $0.id) > ($1.sentAt, $1.id) }
    result.count = max(result.count, min(sorted.count, SearchMatches.countLimit))
    result.matches = try matches(sorted.prefix(limit), in: db)
    return result
  }

  /// Returns the best matches first, as far as they are among the newest ones in the index. Those
  /// that wait for it have no rank, and get the middle one.
  func findBest(in db: DatabaseConnection) throws -> SearchMatches {
    var result = try find(in: db)
    let expression = SearchExpression(query, prefixes: .last)
    guard let match = expression.match, !result.matches.isEmpty else { return result }
    let conditions = SearchConditions(query, expression, isPlain: false)
    let ranked = try db.rows(
      """
      SELECT message.id, message.sent_at, message.conversation, score FROM (
        SELECT rowid AS found, bm25(message_text) AS score FROM message_text
        WHERE message_text MATCH ? ORDER BY rowid DESC LIMIT \(SearchMatches.rankLimit))
      CROSS JOIN message ON message.id = found WHERE \(conditions.sql)
      ORDER BY score
      """, arguments: [match] + conditions.arguments
    ) {
      Found(id: $0.int64(0), sentAt: $0.int64(1), conversation: $0.int64(2), rank: $0.double(3))
    }
    let middle = ranked.isEmpty ? 0 : ranked[ranked.count / 2].rank
    let waiting = try WaitingMessages(expression, after: SearchIndex.extent(in: db).newest).find(
      where: conditions.sql, conditions.arguments, db)
    let best =
      ranked
      + waiting.map {
        Found(id: $0.id, sentAt: $0.sentAt, conversation: $0.conversation, rank: middle)
      }
    let sorted = best.sorted { ($0.rank, -$0.sentAt, -$0.id) < ($1.rank, -$1.sentAt, -$1.id) }
    result.matches = try matches(sorted.prefix(limit), in: db)
    return result
  }

  private func matches(_ found: ArraySlice<Found>, in db: DatabaseConnection) throws
    -> [SearchMatches.Match]
  {
    var names: [Int64: JID] = [:]
    return try found.compactMap { row in
      guard let jid = try names[row.conversation] ?? name(of: row.conversation, in: db) else {
        return nil
      }
      names[row.conversation] = jid
      return SearchMatches.Match(
        id: Message.ID(row.id), conversation: jid, sentAt: ColumnCoding.date(row.sentAt),
        rank: row.rank)
    }
  }

  /// Returns the newest matches. Few are looked up and sorted; many are met on the way through all
  /// messages, newest first: the two take equally long at about 1,000.
  private func indexed(
    _ match: String, _ hasMany: Bool, _ conditions: SearchConditions, in db: DatabaseConnection
  ) throws -> [Found] {
    guard !hasMany else {
      return try walked(
        "\(Self.matching) AND \(conditions.sql)", [match] + conditions.arguments,
        query.hasFilters ? counted : limit, in: db)
    }
    return try rows(
      """
      FROM (SELECT rowid AS found FROM message_text WHERE message_text MATCH ?)
      CROSS JOIN message INDEXED BY message_place ON message.id = found WHERE \(conditions.sql)
      """, [match] + conditions.arguments, SearchMatches.countLimit, in: db)
  }

  /// Returns the newest rows that meet a condition.
  private func walked(
    _ condition: String, _ arguments: [any SQLConvertible & Sendable], _ limit: Int,
    in db: DatabaseConnection
  ) throws -> [Found] {
    // Links are rare, and have an index of their own.
    let index = query.attachments.contains(.link) ? "message_link" : "message_time"
    return try rows(
      "FROM message INDEXED BY \(index) WHERE \(condition)", arguments, limit, in: db)
  }

  private func rows(
    _ sql: String, _ arguments: [any SQLConvertible & Sendable], _ limit: Int,
    in db: DatabaseConnection
  ) throws -> [Found] {
    try db.rows(
      "SELECT message.id, message.sent_at, message.conversation \(sql) \(Self.newest)",
      arguments: arguments + [limit]
    ) { Found(id: $0.int64(0), sentAt: $0.int64(1), conversation: $0.int64(2)) }
  }

  private func name(of conversation: Int64, in db: DatabaseConnection) throws -> JID? {
    try db.firstRow("SELECT jid FROM conversation WHERE id = ?", conversation) {
      ColumnCoding.jid($0.string(0))
    }
  }

  private func missing(_ extent: SearchIndex.Extent, in db: DatabaseConnection) throws -> Date? {
    guard extent.missingUpTo > 0 else { return nil }
    return try db.firstRow(
      "SELECT sent_at FROM message WHERE id <= ? ORDER BY id DESC LIMIT 1", extent.missingUpTo
    ) { ColumnCoding.date($0.int64(0)) }
  }
}
