import FoundationEssentials
import NatterCore
import SQLite
import XMPP

/// The cards of contacts, and the account's own.
package struct CardStore: Sendable {
  private let database: Database
  init(_ database: Database) { self.database = database }

  /// Returns the known fields; those of a later version are left out.
  private static func texts(_ rows: [(String, String)]) -> [PersonCard.Field: String] {
    Dictionary(
      rows.compactMap { name, text in PersonCard.Field(rawValue: name).map { ($0, text) } },
      uniquingKeysWith: { first, _ in first })
  }

  private static func readAt(of address: String, in db: DatabaseConnection) throws -> Date? {
    try db.firstRow("SELECT read_at FROM card WHERE jid = ?", address) {
      ColumnCoding.date($0.int64(0))
    }
  }

  private static func save(
    _ card: StoredCard, of address: String, in db: DatabaseConnection
  ) throws {
    try db.run("DELETE FROM card WHERE jid = ?", address)
    try db.run(
      "INSERT INTO card (jid, read_at) VALUES (?, ?)", address,
      ColumnCoding.microseconds(card.readAt))
    for (field, text) in card.card.texts {
      try db.run("INSERT INTO card_text VALUES (?, ?, ?)", address, field.rawValue, text)
    }
  }
}

extension CardStore: CardStoring {
  package func card(of jid: JID) async throws -> StoredCard? {
    let address = jid.bare.description
    return try await database.storing { database in
      try await database.read { db in
        guard let readAt = try Self.readAt(of: address, in: db) else { return nil }
        let rows = try db.rows("SELECT field, text FROM card_text WHERE jid = ?", address) {
          ($0.string(0), $0.string(1))
        }
        return StoredCard(card: PersonCard(Self.texts(rows)), readAt: readAt)
      }
    }
  }

  package func save(_ card: StoredCard, of jid: JID) async throws {
    let address = jid.bare.description
    try await database.storing { database in
      try await database.write { db in try Self.save(card, of: address, in: db) }
    }
  }

  package func save(_ card: StoredCard, of jid: JID, replacing known: StoredCard?) async throws {
    let address = jid.bare.description
    try await database.storing { database in
      try await database.write { db in
        guard try Self.readAt(of: address, in: db) == known?.readAt else { return }
        try Self.save(card, of: address, in: db)
      }
    }
  }
}
