import SQLite
import XML
import XMPP

/// The session that can be resumed, and its unacknowledged stanzas (XEP-0198 §5).
package struct ResumptionStore: ResumptionKeeping {
  private let database: Database
  init(_ database: Database) { self.database = database }

  package func keptSession() async throws -> StreamResumption? {
    try await database.storing { database in
      try await database.read { db in
        let stanzas = try db.rows("SELECT stanza_id, xml FROM stream_stanza ORDER BY id") {
          Self.stanza(id: $0.optionalString(0), xml: $0.optionalString(1))
        }
        return try db.firstRow(
          "SELECT name, jid, location, handled, sent FROM stream_session WHERE id = 1"
        ) { row in
          StreamResumption(
            id: row.string(0),
            session: Session(
              jid: ColumnCoding.jid(row.string(1)), features: StreamFeatures(),
              hasStreamManagement: true),
            handled: UInt32(truncatingIfNeeded: row.int64(3)),
            sent: UInt32(truncatingIfNeeded: row.int64(4)), unacknowledged: stanzas,
            location: row.optionalString(2), isFromEarlierRun: true)
        }
      }
    }
  }

  package func keep(_ change: ResumptionChange) async throws {
    try await database.storing { database in
      try await database.write { db in
        if change.isFirst { try db.run("DELETE FROM stream_stanza") }
        try db.run(
          "INSERT OR REPLACE INTO stream_session VALUES (1, ?, ?, ?, ?, ?)", change.id,
          change.jid.description, change.location, Int64(change.handled), Int64(change.sent))
        for stanza in change.appended {
          try db.run(
            "INSERT INTO stream_stanza (stanza_id, xml) VALUES (?, ?)", stanza["id"],
            stanza.survivesItsProgram ? stanza.keptText : nil)
        }
        // Rows are removed in the order in which they came, so that none is missing between two.
        try db.run(
          "DELETE FROM stream_stanza WHERE id <= (SELECT MAX(id) FROM stream_stanza) - ?",
          Int64(change.openCount))
      }
    }
  }

  package func forgetSession() async throws {
    try await database.storing { database in
      try await database.write { db in
        try db.run("DELETE FROM stream_session")
        try db.run("DELETE FROM stream_stanza")
      }
    }
  }

  private static func stanza(id: String?, xml: String?) -> Element {
    xml.flatMap { Element(keptText: $0) } ?? .counted(id: id)
  }
}
