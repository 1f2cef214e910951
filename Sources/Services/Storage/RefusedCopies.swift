import NatterCore
import SQLite
import XMPP

/// Rows of `refused_copy`.
enum RefusedCopyRecord {
  /// Records that the message of the row `id` is refused, for the first time or again: a copy that
  /// an archive has by now is no evidence that it arrived. A message that never left this machine
  /// has no copy; a message that the server has by its state was sent, perhaps by another instance.
  /// To be called before the state says that it is refused.
  static func open(_ id: Int64, in db: DatabaseConnection) throws {
    try db.run(
      """
      INSERT INTO refused_copy (message)
        SELECT id FROM message WHERE id = ?1 AND (attempted_at IS NOT NULL OR delivery IN ('sent', 'delivered', 'read'))
          AND NOT EXISTS (SELECT 1 FROM refused_copy WHERE message = ?1 AND stanza_id IS NULL)
      """, id)
  }

  /// Returns `true` if the archive's copy `stanzaID` of the message is evidence that it arrived.
  static func counts(_ stanzaID: String?, of id: Int64, in db: DatabaseConnection) throws -> Bool {
    let copies = try db.rows("SELECT stanza_id FROM refused_copy WHERE message = ?", id) {
      $0.optionalString(0)
    }
    guard !copies.isEmpty else { return true }
    guard let stanzaID else { return !copies.contains(nil) }
    if copies.contains(nil) {
      try db.run("INSERT OR IGNORE INTO refused_copy VALUES (?, ?)", id, stanzaID)
      return false
    }
    return !copies.contains(stanzaID)
  }
}

extension MessageStore {
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
}
