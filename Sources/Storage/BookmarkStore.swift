import FoundationEssentials
import NatterCore
import SQLite
import XMPP

/// The rooms that an account keeps.
package struct BookmarkStore: Sendable {
  private let database: Database
  init(_ database: Database) { self.database = database }

  private static let columns = """
    jid, name, nick, password, autojoin, is_published, is_wanted, subject, exit_cause, exit_actor,
    exit_reason, exit_alternative
    """

  private static func bookmark(_ row: Row) -> Bookmark {
    Bookmark(
      room: StoredForm.jid(row.string(0)), name: row.optionalString(1), nick: row.optionalString(2),
      password: row.optionalString(3), autojoins: row.bool(4), isPublished: row.bool(5),
      isWanted: row.bool(6), subject: row.string(7),
      exit: row.optionalString(8).flatMap(RoomExit.Cause.init).map {
        RoomExit(
          $0, actor: row.optionalString(9), reason: row.optionalString(10),
          alternative: row.optionalString(11).map(StoredForm.jid))
      })
  }
}

extension BookmarkStore: BookmarkStoring {
  package func bookmarks() async throws -> [Bookmark] {
    try await database.storing { database in
      try await database.read { db in
        try db.rows("SELECT \(Self.columns) FROM room ORDER BY jid", map: Self.bookmark)
      }
    }
  }

  package func save(_ bookmark: Bookmark) async throws {
    try await database.storing { database in
      try await database.write { db in
        try db.run(
          """
          INSERT OR REPLACE INTO room (\(Self.columns))
          VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
          """, bookmark.room.description, bookmark.name, bookmark.nick, bookmark.password,
          bookmark.autojoins, bookmark.isPublished, bookmark.isWanted, bookmark.subject,
          bookmark.exit?.cause.rawValue, bookmark.exit?.actor, bookmark.exit?.reason,
          bookmark.exit?.alternative?.description)
      }
    }
  }

  package func removeBookmark(of room: JID) async throws {
    try await database.storing { database in
      try await database.write { db in
        try db.run("DELETE FROM room WHERE jid = ?", room.bare.description)
      }
    }
  }

  package func openConversation(of room: JID, name: String?) async throws -> Conversation {
    try await database.storing { database in
      try await database.write { db in
        var record = try ConversationRecord.findOrCreate(room.bare, kind: .room, in: db)
        let before = (record.conversation, record.isHidden)
        record.isHidden = false
        record.conversation.kind = .room
        if let name { record.conversation.name = name }
        if before != (record.conversation, record.isHidden) { try record.save(in: db) }
        return record.conversation
      }
    }
  }

  package func newestMessage(in room: JID) async throws -> Date? {
    try await database.storing { database in
      try await database.read { db in
        // What waits to be sent says nothing of what the room has told.
        try db.firstRow(
          """
          SELECT sent_at FROM conversation CROSS JOIN message INDEXED BY message_page
            ON message.conversation = conversation.id
          WHERE conversation.jid = ? AND (delivery IS NULL OR delivery = 'sent')
          ORDER BY sent_at DESC LIMIT 1
          """, room.bare.description
        ) { StoredForm.date($0.int64(0)) }
      }
    }
  }
}
