import FoundationEssentials
import NatterCore
import SQLite
import XMPP

/// The roster of an account and its version (RFC 6121 §2.6).
package struct RosterStore: Sendable {
  let database: Database
  init(_ database: Database) { self.database = database }

  /// - Parameter jid: the only contact; `nil`: all.
  private static func contacts(_ jid: JID? = nil, in db: DatabaseConnection) throws -> [Contact] {
    var groups: [String: [String]] = [:]
    // For one contact, only its rows are read: a condition on the argument itself would read all of
    // them.
    let arguments = jid.map { [$0.description] } ?? []
    func only(_ column: String) -> String { jid == nil ? "" : "WHERE \(column) = ?" }
    _ = try db.rows(
      "SELECT contact, name FROM contact_group \(only("contact")) ORDER BY contact, place",
      arguments: arguments
    ) { groups[$0.string(0), default: []].append($0.string(1)) }
    return try db.rows(
      """
      SELECT contact.jid, name, subscription, is_pending, nickname FROM contact
        LEFT JOIN profile ON profile.jid = contact.jid \(only("contact.jid"))
        ORDER BY contact.jid
      """, arguments: arguments
    ) {
      Contact(
        jid: ColumnCoding.jid($0.string(0)), name: $0.optionalString(1),
        subscription: Contact.Subscription(rawValue: $0.string(2)) ?? .none,
        isPending: $0.bool(3), groups: groups[$0.string(0)] ?? [],
        nickname: $0.optionalString(4))
    }
  }

  private func confirmedAt(_ column: String) async throws -> Date? {
    try await database.storing { database in
      try await database.read { db in
        try db.firstRow("SELECT \(column) FROM roster") { $0.optionalInt64(0) }
          .flatMap { $0 }.map(ColumnCoding.date)
      }
    }
  }

  private func confirm(_ column: String, at date: Date) async throws {
    try await database.storing { database in
      try await database.write { db in
        try db.run("UPDATE roster SET \(column) = ?", ColumnCoding.microseconds(date))
      }
    }
  }

  private static func save(_ contact: Contact, in db: DatabaseConnection) throws {
    let jid = contact.jid.bare.description
    try db.run(
      """
      INSERT INTO contact (jid, name, subscription, is_pending) VALUES (?, ?, ?, ?)
      ON CONFLICT (jid) DO UPDATE SET name = excluded.name, subscription = excluded.subscription,
        is_pending = excluded.is_pending
      """, jid, contact.name, contact.subscription.rawValue, contact.isPending)
    try save(contact.groups, of: jid, in: db)
  }

  static func save(_ groups: [String], of jid: String, in db: DatabaseConnection) throws {
    try db.run("DELETE FROM contact_group WHERE contact = ?", jid)
    for (index, group) in groups.enumerated() {
      try db.run("INSERT INTO contact_group VALUES (?, ?, ?)", jid, index, group)
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
        Contact.list(try Self.contacts(in: db), with: try Self.changes(in: db))
      }
    }
  }

  package func contact(_ jid: JID) async throws -> Contact? {
    let jid = jid.bare
    return try await database.storing { database in
      try await database.read { db in
        Contact.list(
          try Self.contacts(jid, in: db), with: try Self.changes(of: jid, in: db)
        ).first
      }
    }
  }

  package func acquaintances(among jids: Set<JID>) async throws -> Set<JID> {
    try await database.storing { database in
      try await database.read { db in
        try jids.filter { jid in
          try db.firstRow(
            """
            SELECT EXISTS (SELECT 1 FROM contact WHERE jid = ?1)
              OR EXISTS (SELECT 1 FROM conversation WHERE jid = ?1 AND is_hidden = 0)
              OR EXISTS (
                SELECT 1 FROM pending_change WHERE kind = 'contact'
                  AND subject > ?1 || char(31) AND subject < ?1 || char(32))
            """, jid.bare.description
          ) { $0.bool(0) } ?? false
        }
      }
    }
  }

  package func rosterConfirmedAt() async throws -> Date? {
    try await confirmedAt("confirmed_at")
  }

  package func confirmRoster(at date: Date) async throws {
    try await confirm("confirmed_at", at: date)
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

  package func apply(_ pushes: [RosterPush]) async throws -> [Contact] {
    guard let last = pushes.last else { return [] }
    return try await database.storing { database in
      try await database.write { db in
        var (seen, order): (Set<JID>, [JID]) = ([], [])
        for push in pushes {
          if seen.insert(push.jid).inserted { order.append(push.jid) }
          if let contact = push.contact {
            try Self.save(contact, in: db)
          } else {
            try db.run("DELETE FROM contact WHERE jid = ?", push.jid.description)
          }
        }
        try Self.setVersion(last.version, in: db)
        return try order.flatMap { jid in
          Contact.list(try Self.contacts(jid, in: db), with: try Self.changes(of: jid, in: db))
        }
      }
    }
  }
}

extension RosterStore: ProfileStoring {
  package func profile(of jid: JID) async throws -> Profile? {
    try await database.storing { database in
      try await database.read { db in
        try db.firstRow(
          "SELECT nickname, avatar_id FROM profile WHERE jid = ?", jid.bare.description
        ) { Profile(nickname: $0.optionalString(0), avatarID: $0.optionalString(1)) }
      }
    }
  }

  package func addProfile(of jid: JID) async throws {
    try await database.storing { database in
      try await database.write { db in
        try db.run("INSERT OR IGNORE INTO profile (jid) VALUES (?)", jid.bare.description)
      }
    }
  }

  package func setNickname(_ nickname: String?, of jid: JID) async throws {
    try await set("nickname", to: nickname, of: jid)
  }

  package func setAvatarID(_ id: String?, of jid: JID) async throws {
    try await set("avatar_id", to: id, of: jid)
  }

  /// Stores one column of a profile; the others stay.
  private func set(_ column: String, to text: String?, of jid: JID) async throws {
    try await database.storing { database in
      try await database.write { db in
        try db.run(
          """
          INSERT INTO profile (jid, \(column)) VALUES (?, ?)
          ON CONFLICT (jid) DO UPDATE SET \(column) = excluded.\(column)
          """, jid.bare.description, text)
      }
    }
  }

  package func addAvatarID(_ id: String, of jid: JID) async throws -> String {
    let address = jid.bare.description
    return try await database.storing { database in
      try await database.write { db in
        try db.run(
          """
          INSERT INTO profile (jid, avatar_id) VALUES (?, ?)
          ON CONFLICT (jid) DO UPDATE SET avatar_id = excluded.avatar_id WHERE avatar_id IS NULL
          """, address, id)
        return try db.firstRow(
          "SELECT avatar_id FROM profile WHERE jid = ?", address, map: { $0.optionalString(0) }
        )
        .flatMap(\.self) ?? id
      }
    }
  }
}

extension RosterStore: BlockListStoring {
  package func blocked() async throws -> Set<JID> {
    try await database.storing { database in
      try await database.read { db in
        Set(try db.rows("SELECT jid FROM blocked") { ColumnCoding.jid($0.string(0)) })
      }
    }
  }

  package func blockListConfirmedAt() async throws -> Date? {
    try await confirmedAt("blocked_confirmed_at")
  }

  package func confirmBlockList(at date: Date) async throws {
    try await confirm("blocked_confirmed_at", at: date)
  }

  package func replaceBlocked(_ jids: Set<JID>) async throws {
    try await database.storing { database in
      try await database.write { db in
        try db.run("DELETE FROM blocked")
        for jid in jids { try db.run("INSERT INTO blocked (jid) VALUES (?)", jid.description) }
      }
    }
  }

  package func changeBlocked(adding new: [JID], removing gone: [JID]) async throws -> Bool {
    try await database.storing { database in
      try await database.write { db in
        var hasChanged = false
        for jid in new {
          try db.run("INSERT OR IGNORE INTO blocked (jid) VALUES (?)", jid.description)
          if db.changes > 0 { hasChanged = true }
        }
        for jid in gone {
          try db.run("DELETE FROM blocked WHERE jid = ?", jid.description)
          if db.changes > 0 { hasChanged = true }
        }
        return hasChanged
      }
    }
  }
}
