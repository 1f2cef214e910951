import NatterCore
import SQLite
import XMPP

// Changes of contacts and of the block list, until the server has them.
extension RosterStore: ContactChangeStoring {
  /// - Parameter jid: the only address; `nil`: all.
  static func changes(of jid: JID? = nil, in db: DatabaseConnection) throws -> [ContactChange] {
    try PendingChangeRecord.all(
      ContactChangeRecord.self, of: jid?.description, in: db
    ).map { row in
      ContactChange(
        id: row.id, jid: ColumnCoding.jid(row.change.jid), operation: row.change.value,
        refusal: row.refusal)
    }
  }

  package func unreadableChanges(of kinds: Set<PendingChangeKind>) async throws
    -> [UnreadableChange]
  {
    try await PendingChangeStore(database).unreadableChanges(of: kinds)
  }

  package func contactChanges() async throws -> [ContactChange] {
    try await database.storing { database in
      try await database.read { try Self.changes(in: $0) }
    }
  }

  package func contactChanges(of jid: JID) async throws -> [ContactChange] {
    try await database.storing { database in
      try await database.read { try Self.changes(of: jid, in: $0) }
    }
  }

  package func keep(_ operation: ContactChange.Operation, of jid: JID) async throws -> ContactChange
  {
    try await database.storing { database in
      try await database.write { db in
        for earlier in try Self.changes(of: jid, in: db)
        where operation.replaces(earlier.operation) {
          try Self.drop(earlier, in: db)
        }
        // A row of its own, also where one of the subject could not be read: it is the last again.
        let record = ContactChangeRecord(operation, of: jid)
        try PendingChangeRecord.remove(ContactChangeRecord.self, of: record.subject, in: db)
        try PendingChangeRecord.keep(record, in: db)
        return ContactChange(id: db.lastInsertedRowID, jid: jid, operation: operation)
      }
    }
  }

  package func settle(_ changes: [ContactChange]) async throws {
    try await database.storing { database in
      try await database.write { db in
        for change in changes {
          try Self.apply(change, in: db)
          try Self.drop(change, in: db)
        }
      }
    }
  }

  package func drop(_ changes: [ContactChange]) async throws {
    try await database.storing { database in
      try await database.write { db in for change in changes { try Self.drop(change, in: db) } }
    }
  }

  package func mark(_ changes: [ContactChange], refusal: StatusNotice?) async throws {
    try await database.storing { database in
      try await database.write { db in
        for change in changes {
          try PendingChangeRecord.mark(change.id, refusal: refusal, in: db)
        }
      }
    }
  }

  private static func drop(_ change: ContactChange, in db: DatabaseConnection) throws {
    try PendingChangeRecord.remove(change.id, in: db)
  }

  /// Stores the state that the server has now, before its push arrives, which may come later.
  private static func apply(_ change: ContactChange, in db: DatabaseConnection) throws {
    let jid = change.jid.description
    switch change.operation {
    case .add(let name, _, _):
      try db.run(
        """
        INSERT INTO contact (jid, name, subscription) VALUES (?, ?, 'none')
        ON CONFLICT (jid) DO UPDATE SET name = coalesce(excluded.name, name)
        """, jid, name)
    case .rename(let name): try db.run("UPDATE contact SET name = ? WHERE jid = ?", name, jid)
    case .regroup(let groups):
      guard try db.firstRow("SELECT 1 FROM contact WHERE jid = ?", jid, map: { _ in true }) != nil
      else { return }
      try save(groups, of: jid, in: db)
    case .remove: try db.run("DELETE FROM contact WHERE jid = ?", jid)
    case .ask, .approve, .deny: break
    case .block: try db.run("INSERT OR IGNORE INTO blocked (jid) VALUES (?)", jid)
    case .unblock: try db.run("DELETE FROM blocked WHERE jid = ?", jid)
    }
  }
}
