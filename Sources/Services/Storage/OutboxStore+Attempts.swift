import FoundationEssentials
import NatterCore
import SQLite
import XMPP

extension OutboxStore: AttemptStoring {
  package func attempts() async throws -> [String: Date] {
    try await database.storing { database in
      try await database.read { db in
        Dictionary(
          try db.rows(OutboxQuery.attempts) { ($0.string(0), ColumnCoding.date($0.int64(1))) },
          uniquingKeysWith: { first, _ in first })
      }
    }
  }

  @discardableResult
  package func markAttempted(_ originIDs: [String], at date: Date) async throws -> Set<String> {
    let time = ColumnCoding.microseconds(date)
    return try await database.storing { database in
      try await database.write { db in
        var marked: Set<String> = []
        for originID in originIDs {
          try db.run(OutboxQuery.markAttempted, time, originID)
          if db.changes > 0 { marked.insert(originID) }
        }
        return marked
      }
    }
  }

  package func refusals() async throws -> [String: RefusedCopies] {
    try await database.storing { database in
      try await database.read { db in
        let rows = try db.rows(
          """
          SELECT origin_id, refused_copy.stanza_id FROM message
            JOIN refused_copy ON refused_copy.message = message.id
          WHERE delivery = 'queued' AND origin_id IS NOT NULL
          """
        ) { (originID: $0.string(0), copy: $0.optionalString(1)) }
        return Dictionary(grouping: rows, by: \.originID).mapValues { rows in
          let copies = rows.map(\.copy)
          return RefusedCopies(ids: Set(copies.compactMap { $0 }), isOpen: copies.contains(nil))
        }
      }
    }
  }

  package func closeRefusal(of originID: String, copies: Set<String>) async throws {
    try await database.storing { database in
      try await database.write { db in
        let id = try db.firstRow(
          "SELECT id FROM message WHERE is_outgoing = 1 AND origin_id = ? AND delivery = 'queued'",
          originID
        ) { $0.int64(0) }
        guard let id else { return }
        try db.run("DELETE FROM refused_copy WHERE message = ? AND stanza_id IS NULL", id)
        for copy in copies {
          try db.run("INSERT OR IGNORE INTO refused_copy VALUES (?, ?)", id, copy)
        }
      }
    }
  }

  package func suspects() async throws -> [String] {
    try await database.storing { database in
      try await database.read { db in
        try db.rows(
          """
          SELECT origin_id FROM suspect_message CROSS JOIN message
            ON message.id = suspect_message.message
          WHERE delivery = 'queued' AND origin_id IS NOT NULL ORDER BY message.id
          """
        ) { $0.string(0) }
      }
    }
  }

  package func setSuspects(_ originIDs: Set<String>) async throws {
    try await database.storing { database in
      try await database.write { db in
        try db.run("DELETE FROM suspect_message")
        for originID in originIDs {
          try db.run(
            """
            INSERT INTO suspect_message SELECT id FROM message
            WHERE is_outgoing = 1 AND origin_id = ? AND delivery = 'queued'
            """, originID)
        }
      }
    }
  }
}
