import NatterCore
import SQLite
import XMPP

/// The cards of contacts, and the pending changes of the account's own.
package struct CardStore: Sendable {
  private let database: Database
  init(_ database: Database) { self.database = database }

  /// Returns the known fields; those of a later version are left out.
  private static func texts(_ rows: [(String, String)]) -> [PersonCard.Field: String] {
    Dictionary(
      rows.compactMap { name, text in PersonCard.Field(rawValue: name).map { ($0, text) } },
      uniquingKeysWith: { first, _ in first })
  }
}

extension CardStore: CardStoring {
  package func card(of jid: JID) async throws -> StoredCard? {
    let address = jid.bare.description
    return try await database.storing { database in
      try await database.read { db in
        guard
          let readAt = try db.firstRow(
            "SELECT read_at FROM card WHERE jid = ?", address, map: { $0.int64(0) })
        else { return nil }
        let rows = try db.rows("SELECT field, text FROM card_text WHERE jid = ?", address) {
          ($0.string(0), $0.string(1))
        }
        return StoredCard(card: PersonCard(Self.texts(rows)), readAt: ColumnCoding.date(readAt))
      }
    }
  }

  package func save(_ card: StoredCard, of jid: JID) async throws {
    let address = jid.bare.description
    try await database.storing { database in
      try await database.write { db in
        try db.run("DELETE FROM card WHERE jid = ?", address)
        try db.run(
          "INSERT INTO card (jid, read_at) VALUES (?, ?)", address,
          ColumnCoding.microseconds(card.readAt))
        for (field, text) in card.card.texts {
          try db.run("INSERT INTO card_text VALUES (?, ?, ?)", address, field.rawValue, text)
        }
      }
    }
  }

  package func cardChanges() async throws -> [PersonCard.Field: String] {
    try await database.storing { database in
      try await database.read { db in
        Self.texts(
          try db.rows("SELECT field, text FROM card_change") { ($0.string(0), $0.string(1)) })
      }
    }
  }

  package func keepCardChange(_ text: String?, of field: PersonCard.Field) async throws {
    try await database.storing { database in
      try await database.write { db in
        if let text {
          try db.run("INSERT OR REPLACE INTO card_change VALUES (?, ?)", field.rawValue, text)
        } else {
          try db.run("DELETE FROM card_change WHERE field = ?", field.rawValue)
        }
      }
    }
  }

  package func pendingProfileChanges() async throws -> PendingProfileChanges {
    try await database.storing { database in
      try await database.read { db in
        try db.firstRow(
          """
          SELECT visibility, picture, picture_id, data, media_type, byte_count, width, height
          FROM profile_wish
          """
        ) { row in
          let picture: PendingProfileChanges.Picture? =
            switch row.optionalString(1) {
            case "hide": .hide
            case "show":
              .show(
                OwnPicture(
                  id: row.string(2), base64: row.string(3), mediaType: row.string(4),
                  byteCount: Int(row.int64(5)), width: row.optionalInt64(6).map { Int($0) },
                  height: row.optionalInt64(7).map { Int($0) }))
            default: nil
            }
          return PendingProfileChanges(
            picture: picture,
            visibility: row.optionalString(0).flatMap { OwnProfile.Visibility(rawValue: $0) })
        } ?? PendingProfileChanges()
      }
    }
  }

  package func keep(_ changes: PendingProfileChanges) async throws {
    try await database.storing { database in
      try await database.write { db in
        guard changes != PendingProfileChanges() else {
          return try db.run("DELETE FROM profile_wish")
        }
        let picture = changes.picture?.shown
        let verb: String? = changes.picture.map { $0 == .hide ? "hide" : "show" }
        try db.run(
          "INSERT OR REPLACE INTO profile_wish VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?)",
          changes.visibility?.rawValue, verb, picture?.id, picture?.base64, picture?.mediaType,
          picture?.byteCount, picture?.width, picture?.height)
      }
    }
  }
}
