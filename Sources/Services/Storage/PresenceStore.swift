import FoundationEssentials
import NatterCore
import SQLite
import XMPP

/// The own presence, and the unanswered subscription requests.
package struct PresenceStore: Sendable {
  private let database: Database
  init(_ database: Database) { self.database = database }
}

extension PresenceStore: PresenceStoring {
  package func storedPresence() async throws -> StoredPresence {
    try await database.storing { database in
      try await database.read { db in
        StoredPresence(
          own: try PendingChangeRecord.all(PresenceChange.self, in: db).first?.change.presence
            ?? OwnPresence(),
          requests: try db.rows("SELECT jid FROM subscription_request ORDER BY asked_at, jid") {
            ColumnCoding.jid($0.string(0))
          })
      }
    }
  }

  package func unreadableChanges(of kinds: Set<PendingChangeKind>) async throws
    -> [UnreadableChange]
  {
    try await PendingChangeStore(database).unreadableChanges(of: kinds)
  }

  package func keep(_ presence: OwnPresence) async throws {
    let change = PresenceChange(presence)
    try await database.storing { database in
      try await database.write { db in
        if presence == OwnPresence() {
          try PendingChangeRecord.remove(PresenceChange.self, of: change.subject, in: db)
        } else {
          try PendingChangeRecord.keep(change, in: db)
        }
      }
    }
  }

  package func keepRequest(from jid: JID, at date: Date) async throws {
    try await database.storing { database in
      try await database.write { db in
        try db.run(
          "INSERT OR REPLACE INTO subscription_request (jid, asked_at) VALUES (?, ?)",
          jid.description, ColumnCoding.microseconds(date))
      }
    }
  }

  package func removeRequest(from jid: JID) async throws {
    try await database.storing { database in
      try await database.write { db in
        try db.run("DELETE FROM subscription_request WHERE jid = ?", jid.description)
      }
    }
  }
}
