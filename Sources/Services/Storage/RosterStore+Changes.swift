import NatterCore
import SQLite
import XMPP

// Changes of contacts and of the block list, until the server has them.
extension RosterStore: ContactChangeStoring {
  static func changes(in db: DatabaseConnection) throws -> [ContactChange] {
    try db.rows("SELECT id, jid, wish, text, detail, refusal FROM contact_change ORDER BY id") {
      row -> ContactChange? in
      // A later version may have stored kinds that are unknown here.
      operation(row.string(2), text: row.optionalString(3), detail: row.optionalString(4)).map {
        ContactChange(
          id: row.int64(0), jid: ColumnCoding.jid(row.string(1)), operation: $0,
          refusal: ColumnCoding.notice(row.optionalString(5)))
      }
    }.compactMap { $0 }
  }

  package func contactChanges() async throws -> [ContactChange] {
    try await database.storing { database in
      try await database.read { try Self.changes(in: $0) }
    }
  }

  package func keep(_ operation: ContactChange.Operation, of jid: JID) async throws -> ContactChange
  {
    try await database.storing { database in
      try await database.write { db in
        for earlier in try Self.changes(in: db)
        where earlier.jid == jid && operation.replaces(earlier.operation) {
          try Self.drop(earlier, in: db)
        }
        let (name, text, detail) = Self.columns(of: operation)
        try db.run(
          "INSERT INTO contact_change (jid, subject, wish, text, detail) VALUES (?, ?, ?, ?, ?)",
          jid.description, operation.subject.rawValue, name, text, detail)
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
          try db.run(
            "UPDATE contact_change SET refusal = ? WHERE id = ?", ColumnCoding.text(of: refusal),
            change.id)
        }
      }
    }
  }

  private static func drop(_ change: ContactChange, in db: DatabaseConnection) throws {
    try db.run("DELETE FROM contact_change WHERE id = ?", change.id)
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

  // MARK: Column values

  private static func columns(of operation: ContactChange.Operation) -> (
    name: String, text: String?, detail: String?
  ) {
    switch operation {
    // A contact's name is one line, too.
    case .add(let name, let invitation, let message):
      ("add", message.map { (name ?? "") + "\n" + $0 } ?? name, invitation)
    case .rename(let name): ("rename", name, nil)
    // A group's name is one line.
    case .regroup(let groups): ("regroup", groups.joined(separator: "\n"), nil)
    case .remove: ("remove", nil, nil)
    case .ask: ("ask", nil, nil)
    case .approve: ("approve", nil, nil)
    case .deny: ("deny", nil, nil)
    case .block(let report): ("block", report?.text, report?.reason.rawValue)
    case .unblock: ("unblock", nil, nil)
    }
  }

  private static func add(_ text: String?, invitation: String?) -> ContactChange.Operation {
    let lines = (text ?? "").split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
      .map { $0.isEmpty ? nil : String($0) }
    return .add(
      name: lines.first ?? nil, invitation: invitation, message: lines.count > 1 ? lines[1] : nil)
  }

  private static func operation(_ name: String, text: String?, detail: String?) -> ContactChange
    .Operation?
  {
    switch name {
    case "add": add(text, invitation: detail)
    case "rename": .rename(text)
    case "regroup": .regroup((text ?? "").split(separator: "\n").map(String.init))
    case "remove": .remove
    case "ask": .ask
    case "approve": .approve
    case "deny": .deny
    case "block":
      .block(
        detail.flatMap { AbuseReport.Reason(rawValue: $0) }.map {
          AbuseReport(reason: $0, text: text ?? "")
        })
    case "unblock": .unblock
    default: nil
    }
  }
}
