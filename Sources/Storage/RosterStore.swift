import NatterCore
import SQLite
import XMPP

/// The roster of an account and the version it has (RFC 6121 §2.6).
package struct RosterStore: Sendable {
  private let database: Database
  init(_ database: Database) { self.database = database }

  private static func save(_ contact: Contact, in db: DatabaseConnection) throws {
    let jid = contact.jid.bare.description
    try db.run(
      """
      INSERT INTO contact (jid, name, subscription, is_pending) VALUES (?, ?, ?, ?)
      ON CONFLICT (jid) DO UPDATE SET name = excluded.name, subscription = excluded.subscription,
        is_pending = excluded.is_pending
      """, jid, contact.name, contact.subscription.rawValue, contact.isPending)
    try db.run("DELETE FROM contact_group WHERE contact = ?", jid)
    for (place, group) in contact.groups.enumerated() {
      try db.run("INSERT INTO contact_group VALUES (?, ?, ?)", jid, place, group)
    }
  }

  private static func setVersion(_ version: String?, in db: DatabaseConnection) throws {
    try db.run("UPDATE roster SET version = ?", version)
  }
}

extension RosterStore: RosterStoring {
  package func contacts() async throws -> [Contact] {
    try await database.storing { database in
      try await database.read { db in
        var groups: [String: [String]] = [:]
        _ = try db.rows("SELECT contact, name FROM contact_group ORDER BY contact, place") {
          groups[$0.string(0), default: []].append($0.string(1))
        }
        return try db.rows("SELECT jid, name, subscription, is_pending FROM contact ORDER BY jid") {
          Contact(
            jid: StoredForm.jid($0.string(0)), name: $0.optionalString(1),
            subscription: Contact.Subscription(rawValue: $0.string(2)) ?? .none,
            isPending: $0.bool(3), groups: groups[$0.string(0)] ?? [])
        }
      }
    }
  }

  package func rosterVersion() async throws -> String? {
    try await database.storing { database in
      try await database.read { db in
        try db.firstRow("SELECT version FROM roster") { $0.optionalString(0) } ?? nil
      }
    }
  }

  package func replaceContacts(_ contacts: [Contact], version: String?) async throws {
    try await database.storing { database in
      try await database.write { db in
        try db.run("DELETE FROM contact")
        for contact in contacts { try Self.save(contact, in: db) }
        try Self.setVersion(version, in: db)
      }
    }
  }

  package func saveContact(_ contact: Contact, version: String?) async throws {
    try await database.storing { database in
      try await database.write { db in
        try Self.save(contact, in: db)
        try Self.setVersion(version, in: db)
      }
    }
  }

  package func removeContact(_ jid: JID, version: String?) async throws {
    try await database.storing { database in
      try await database.write { db in
        try db.run("DELETE FROM contact WHERE jid = ?", jid.bare.description)
        try Self.setVersion(version, in: db)
      }
    }
  }
}
