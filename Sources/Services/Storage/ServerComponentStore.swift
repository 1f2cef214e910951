import FoundationEssentials
import NatterCore
import SQLite
import XML
import XMPP

/// The components of the user's server, and the invitations it created for the account.
package struct ServerComponentStore: Sendable {
  private let database: Database
  init(_ database: Database) { self.database = database }
}

extension ServerComponentStore: ServerComponentStoring {
  package func parts() async throws -> ServerParts {
    let rows = try await database.storing { database in
      try await database.read { db in
        try db.rows("SELECT jid, name, discovery, read_at FROM server_part ORDER BY place") {
          ($0.string(0), $0.optionalString(1), $0.optionalString(2), $0.int64(3))
        }
      }
    }
    return ServerParts(
      parts: rows.map { jid, name, discovery, _ in
        ServerComponent(
          jid: ColumnCoding.jid(jid), name: name,
          discovery: discovery.flatMap { ColumnCoding.element($0) }.flatMap { XEP0030Discovery($0) }
        )
      }, readAt: rows.first.map { ColumnCoding.date($0.3) })
  }

  package func replace(_ parts: ServerParts) async throws {
    let writer = XMLWriter()
    let rows = parts.parts.map { ($0, $0.discovery.map { writer.string($0.element()) }) }
    try await database.storing { database in
      try await database.write { db in
        try db.run("DELETE FROM server_part")
        for (index, (part, discovery)) in rows.enumerated() {
          try db.run(
            "INSERT INTO server_part (place, jid, name, discovery, read_at) VALUES (?, ?, ?, ?, ?)",
            index, part.jid.description, part.name, discovery,
            ColumnCoding.microseconds(parts.readAt ?? .distantPast))
        }
      }
    }
  }

  package func invitations() async throws -> [AccountInvitation] {
    try await database.storing { database in
      try await database.read { db in
        try db.rows(
          "SELECT kind, address, page, expires_at FROM own_invitation ORDER BY expires_at, address"
        ) {
          AccountInvitation(
            kind: AccountInvitation.InvitationKind(rawValue: $0.string(0)) ?? .contact,
            address: $0.string(1), page: $0.optionalString(2),
            expires: $0.optionalInt64(3).map(ColumnCoding.date))
        }
      }
    }
  }

  package func save(_ invitation: AccountInvitation) async throws {
    try await database.storing { database in
      try await database.write { db in
        try db.run(
          "INSERT OR REPLACE INTO own_invitation (address, kind, page, expires_at) VALUES (?, ?, ?, ?)",
          invitation.address, invitation.kind.rawValue, invitation.page,
          invitation.expires.map(ColumnCoding.microseconds))
      }
    }
  }

  package func removeInvitation(_ id: AccountInvitation.ID) async throws {
    try await database.storing { database in
      try await database.write { db in
        try db.run("DELETE FROM own_invitation WHERE address = ?", id)
      }
    }
  }
}
