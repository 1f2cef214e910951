import FoundationEssentials
import NatterCore
import SQLite
import XMPP

extension AccountDatabase {
  /// Opens the database of an account for reading, whether or not an instance has it open. Nothing
  /// is created, changed or migrated, and nothing waits for the lock.
  ///
  /// - Returns: `nil` when there is no database, or nothing was stored in it yet.
  /// - Throws: `StorageError`; `.olderSchema` for a database that has to be migrated first.
  package static func openReading(at path: String) async throws -> AccountDatabase? {
    do {
      return try await Database.openReading(path, migrator: Schema.migrator)
        .map { AccountDatabase($0) }
    } catch {
      throw StorageError(error, path: path)
    }
  }

  /// Stored data of messages that only a few readers need.
  package var details: MessageDetailStore { MessageDetailStore(database) }
}

/// Reads the data of messages that timelines do not show.
package struct MessageDetailStore: Sendable {
  private let database: Database
  init(_ database: Database) { self.database = database }

  /// Returns the lowest id of the messages since `date`; `nil` if there are none.
  package func firstID(since date: Date) async throws -> Message.ID? {
    try await database.storing { database in
      try await database.read { db in
        try db.firstRow(
          "SELECT min(id) FROM message WHERE sent_at >= ?", ColumnCoding.microseconds(date)
        ) { $0.optionalInt64(0) }
      }
    }?.map { Message.ID($0) }
  }

  /// Returns the text that a message had before it was corrected; `nil` if it was not.
  package func firstText(of message: Message) async throws -> String? {
    message.edit == nil ? nil : try await firstText(of: message.id)
  }

  /// Returns the text that a message had before it was corrected; `nil` if there is none.
  package func firstText(of id: Message.ID) async throws -> String? {
    try await database.storing { database in
      try await database.read { db in
        try db.firstRow(
          "SELECT first_body FROM message WHERE id = ? AND edit IS NOT NULL", id.rawValue
        ) { $0.optionalString(0) } ?? nil
      }
    }
  }
}
