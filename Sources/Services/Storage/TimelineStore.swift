import NatterCore
import SQLite
import XMPP

/// Reads the messages of an account, for the screen: pages of a conversation and single messages.
package struct TimelineStore: Sendable {
  private let database: Database
  init(_ database: Database) { self.database = database }
}

extension TimelineStore: TimelineReading {
  package func latest(_ count: Int, in conversation: JID) async throws -> [Message] {
    return try await database.storing { database in
      try await database.read { db in
        let jid = try ConversationRecord.key(of: conversation, in: db).description
        return try TimelineQuery.latest.messages(in: db, [jid], limit: count).reversed()
      }
    }
  }

  package func messages(before position: MessagePosition, _ count: Int, in conversation: JID)
    async throws -> [Message]
  {
    try await page(
      [.sameTimeBefore, .before], from: position, count, in: conversation
    ).reversed()
  }

  package func messages(after position: MessagePosition, _ count: Int, in conversation: JID)
    async throws -> [Message]
  {
    try await page([.sameTimeAfter, .after], from: position, count, in: conversation)
  }

  package func messages(inThread id: String, _ count: Int, in conversation: JID) async throws
    -> [Message]
  {
    guard count > 0 else { return [] }
    return try await database.storing { database in
      try await database.read { db in
        let jid = try ConversationRecord.key(of: conversation, in: db).description
        return try db.rows(ThreadRecord.messages, jid, id, count, map: MessageRecord.message)
          .reversed()
      }
    }
  }

  package func beginnings(ofThreadsFrom id: String, _ count: Int, in conversation: JID)
    async throws -> [Message]
  {
    guard count > 0 else { return [] }
    return try await database.storing { database in
      try await database.read { db in
        guard let record = try ConversationRecord.find(conversation, in: db) else { return [] }
        return try db.rows(
          ThreadRecord.beginnings, record.rowID, ThreadRecord.childDepth, id, count,
          map: MessageRecord.message)
      }
    }
  }

  package func storedMessage(named id: String, in conversation: JID) async throws -> Message? {
    try await database.storing { database in
      try await database.read { db in
        guard let record = try ConversationRecord.find(conversation, in: db) else { return nil }
        let row = try db.firstRow(
          """
          SELECT id FROM message WHERE id IN (\(MessageRecord.named)) ORDER BY id DESC LIMIT 1
          """, record.rowID, id, record.rowID, id
        ) { $0.int64(0) }
        return try row.flatMap {
          try db.firstRow(OutboxQuery.byID, $0, map: MessageRecord.message)
        }
      }
    }
  }

  package func storedMessage(_ id: Message.ID) async throws -> Message? {
    try await database.storing { database in
      try await database.read { db in
        try db.firstRow(OutboxQuery.byID, id.rawValue, map: MessageRecord.message)
      }
    }
  }

  package func wholeText(of id: Message.ID) async throws -> String? {
    try await database.storing { database in
      try await database.read { db in
        try db.firstRow("SELECT body FROM message WHERE id = ?", id.rawValue) { $0.string(0) }
      }
    }
  }

  /// Returns the rows of the first query and, as far as `count` reaches, of the second.
  private func page(
    _ queries: [TimelineQuery], from position: MessagePosition, _ count: Int, in conversation: JID
  ) async throws -> [Message] {
    let time = ColumnCoding.microseconds(position.time)
    return try await database.storing { database in
      try await database.read { db in
        let jid = try ConversationRecord.key(of: conversation, in: db).description
        var page: [Message] = []
        for query in queries {
          try query.read(
            into: &page, in: db, [jid, time] + (query.comparesID ? [position.id.rawValue] : []),
            limit: count - page.count)
        }
        return page
      }
    }
  }
}

extension TimelineStore: ThreadReading {
  package func thread(of conversation: JID) async throws -> Message.Thread? {
    try await database.storing { database in
      try await database.read { db in
        try ConversationRecord.find(conversation, in: db).flatMap {
          try ThreadRecord.thread(.ofConversation, in: $0, db)
        }
      }
    }
  }
}

/// The statements of paging: each walks along a range of `message_page`, to cost what it returns.
///
/// SQLite does not use an index's row id for `(position, id) < (?, ?)`: messages of the same time
/// and of other times are queried one after the other.
package enum TimelineQuery: CaseIterable, Sendable {
  case latest, sameTimeBefore, before, sameTimeAfter, after

  package var sql: String {
    let range =
      switch self {
      case .latest: "ORDER BY position DESC, message.id DESC"
      case .sameTimeBefore:
        "AND position = ? AND message.id < ? ORDER BY position DESC, message.id DESC"
      case .before: "AND position < ? ORDER BY position DESC, message.id DESC"
      case .sameTimeAfter: "AND position = ? AND message.id > ? ORDER BY position, message.id"
      case .after: "AND position > ? ORDER BY position, message.id"
      }
    return """
      SELECT \(MessageRecord.columns) FROM conversation CROSS JOIN message INDEXED BY message_page
        ON message.conversation = conversation.id
        WHERE conversation.jid = ? AND corrects IS NULL \(range) LIMIT ?
      """
  }

  /// The most messages for which memory is taken at once.
  private static let usualPage = 1000

  var comparesID: Bool { self == .sameTimeBefore || self == .sameTimeAfter }

  func messages(
    in db: DatabaseConnection, _ arguments: [any SQLConvertible], limit: Int
  ) throws -> [Message] {
    var messages: [Message] = []
    try read(into: &messages, in: db, arguments, limit: limit)
    return messages
  }

  /// Appends the messages. Moving them to a larger array would take as long as reading some columns
  /// of all of them.
  func read(
    into messages: inout [Message], in db: DatabaseConnection,
    _ arguments: [any SQLConvertible], limit: Int
  ) throws {
    // A negative LIMIT would mean none.
    guard limit > 0 else { return }
    try db.forEachRow(sql, arguments: arguments + [limit]) { row in
      if messages.isEmpty { messages.reserveCapacity(min(limit, Self.usualPage)) }
      messages.append(MessageRecord.message(row))
    }
  }
}
