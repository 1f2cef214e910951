import FoundationEssentials
import NatterCore
import SQLite
import XMPP

/// Stores the histories of other programs, each import so that it can be undone.
package struct ImportStore: ImportStoring {
  /// The largest number of messages that one transaction removes.
  static let step = 1000

  private let database: Database
  init(_ database: Database) { self.database = database }

  package func beginImport(format: String, path: String, at date: Date) async throws
    -> ImportBatch.ID
  {
    try await database.storing { database in
      try await database.write { db in
        try db.run(
          "INSERT INTO import_batch (format, path, at) VALUES (?, ?, ?)", format, path,
          ColumnCoding.microseconds(date))
        return db.lastInsertedRowID
      }
    }
  }

  package func add(_ entries: [HistoryEntry], to batch: ImportBatch.ID, shownSince: Date)
    async throws -> ImportTally
  {
    try await database.storing { database in
      try await database.write { db in
        var writer = try ImportWriter(batch: batch, shownSince: shownSince, in: db)
        for entry in entries { try writer.add(entry) }
        return try writer.finish()
      }
    }
  }

  package func endImport(_ batch: ImportBatch.ID) async throws {
    try await database.storing { database in
      try await database.write { db in
        try SearchIndex.takeUp(in: db)
        try db.run("DELETE FROM import_batch WHERE id = ? AND rows = 0", batch)
      }
    }
  }

  package func preview(_ entries: [HistoryEntry]) async throws -> ImportTally {
    try await database.storing { database in
      try await database.read { db in
        var tally = ImportTally()
        for entry in entries {
          let jid = entry.message.conversation
          if let record = try ConversationRecord.find(jid, in: db),
            try ImportWriter.known(entry, in: record, db) != nil
          {
            tally.known += 1
          } else {
            tally.added += 1
            tally.conversations.insert(jid.bare)
          }
        }
        return tally
      }
    }
  }

  package func imports() async throws -> [ImportBatch] {
    try await database.storing { database in
      try await database.read { db in
        try db.rows("SELECT id, format, path, at, rows FROM import_batch ORDER BY id DESC") {
          ImportBatch(
            id: $0.int64(0), format: $0.string(1), path: $0.string(2),
            at: ColumnCoding.date($0.int64(3)), rows: $0.int(4))
        }
      }
    }
  }

  package func undoImport(_ batch: ImportBatch.ID) async throws -> Int? {
    try await database.storing { database in
      let isKnown = try await database.read { db in
        try db.firstRow("SELECT 1 FROM import_batch WHERE id = ?", batch) { _ in true } ?? false
      }
      guard isKnown else { return nil }
      var total = 0
      while true {
        try Task.checkCancellation()
        guard
          let removed = try await database.write({ try ImportRemoval(of: batch, in: $0).step() })
        else { return total }
        total += removed
      }
    }
  }
}

extension AccountDatabase {
  /// The imports of histories of other programs.
  package var imports: ImportStore { ImportStore(database) }

  /// The number of the newest step of the schema that this version knows.
  package static var newestSchema: Int { Schema.migrator.version }
}
