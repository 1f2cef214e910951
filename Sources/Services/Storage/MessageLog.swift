import FoundationEssentials
import NatterCore
import SQLite

/// Reads the messages of an account in the order in which they were stored.
package struct MessageLog: Sendable {
  private let database: Database
  init(_ database: Database) { self.database = database }

  /// The most messages that are read at once.
  package static let pageSize = 500
}

extension AccountDatabase {
  package var messageLog: MessageLog { MessageLog(database) }
}

extension MessageLog: MessageLogReading {
  package func newestMessage() async throws -> Message.ID {
    try await database.storing { database in
      try await database.read { db in
        Message.ID(try db.firstRow("SELECT MAX(id) FROM message") { $0.optionalInt64(0) ?? 0 } ?? 0)
      }
    }
  }

  package func messages(storedAfter cursor: Message.ID, limit: Int) async throws -> [LoggedMessage]
  {
    guard limit > 0 else { return [] }
    return try await database.storing { database in
      try await database.read { db in
        try db.rows(
          """
          SELECT \(MessageRecord.columns), conversation.kind
            FROM message CROSS JOIN conversation ON message.conversation = conversation.id
            WHERE message.id > ? AND corrects IS NULL ORDER BY message.id LIMIT ?
          """, cursor.rawValue, min(limit, Self.pageSize)
        ) {
          LoggedMessage(
            MessageRecord.message($0),
            in: Conversation.ConversationKind(rawValue: $0.string(MessageRecord.columnCount))
              ?? .direct)
        }
      }
    }
  }

  package func timeOfMessage(upTo cursor: Message.ID) async throws -> Date? {
    try await database.storing { database in
      try await database.read { db in
        try db.firstRow(
          "SELECT sent_at FROM message WHERE id <= ? ORDER BY id DESC LIMIT 1", cursor.rawValue
        ) { ColumnCoding.date($0.int64(0)) }
      }
    }
  }

  package func firstText(of id: Message.ID) async throws -> String? {
    try await MessageDetailStore(database).firstText(of: id)
  }
}
