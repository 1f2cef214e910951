import FoundationEssentials
import NatterCore
import SQLite
import XMPP

/// The bookmarks of an account.
package struct BookmarkStore: Sendable {
  private let database: Database
  init(_ database: Database) { self.database = database }

  private static let columns = """
    jid, name, nick, password, autojoin, is_published, is_wanted, subject, exit_cause, exit_actor,
    exit_reason, exit_alternative, about, picture_id, is_archive_refused
    """

  private static func bookmark(_ row: Row) -> Bookmark {
    Bookmark(
      room: ColumnCoding.jid(row.string(0)), name: row.optionalString(1),
      nick: row.optionalString(2),
      password: row.optionalString(3), autojoins: row.bool(4), isPublished: row.bool(5),
      isWanted: row.bool(6), subject: row.string(7),
      exit: row.optionalString(8).flatMap(RoomExit.Cause.init).map {
        RoomExit(
          $0, actor: row.optionalString(9), reason: row.optionalString(10),
          alternative: row.optionalString(11).map(ColumnCoding.jid))
      }, about: row.string(12), pictureID: row.optionalString(13), refusesArchive: row.bool(14))
  }
}

extension BookmarkStore: BookmarkStoring {
  package func bookmarks() async throws -> [Bookmark] {
    try await database.storing { database in
      try await database.read { db in
        let changes = try BookmarkChanges(in: db)
        return try db.rows("SELECT \(Self.columns) FROM room ORDER BY jid") {
          changes.applied(to: Self.bookmark($0))
        }
      }
    }
  }

  package func unreadableChanges(of kinds: Set<PendingChangeKind>) async throws
    -> [UnreadableChange]
  {
    try await PendingChangeStore(database).unreadableChanges(of: kinds)
  }

  package func save(_ bookmark: Bookmark) async throws {
    try await database.storing { database in
      try await database.write { db in
        try db.run(
          """
          INSERT OR REPLACE INTO room (\(Self.columns))
          VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
          """, bookmark.room.description, bookmark.name, bookmark.nick, bookmark.password,
          bookmark.autojoins, bookmark.isPublished, bookmark.isWanted, bookmark.subject,
          bookmark.exit?.cause.rawValue, bookmark.exit?.actor, bookmark.exit?.reason,
          bookmark.exit?.alternative?.description, bookmark.about, bookmark.pictureID,
          bookmark.refusesArchive)
        try BookmarkChanges.save(bookmark, in: db)
      }
    }
  }

  package func openConversation(of room: JID, name: String?) async throws -> Conversation {
    try await conversation(of: room, name: name, opens: true).conversation
  }

  package func learnConversation(of room: JID, name: String?) async throws -> Conversation? {
    let record = try await conversation(of: room, name: name, opens: false)
    return record.isHidden ? nil : record.conversation
  }

  private func conversation(of room: JID, name: String?, opens: Bool) async throws
    -> ConversationRecord
  {
    try await database.storing { database in
      try await database.write { db in
        var record = try ConversationRecord.findOrCreate(room.bare, kind: .room, in: db)
        let before = (record.conversation, record.isHidden)
        if opens { record.isHidden = false }
        record.conversation.kind = .room
        if let name { record.conversation.name = name }
        if before != (record.conversation, record.isHidden) { try record.save(in: db) }
        return record
      }
    }
  }

  package func newestMessage(in room: JID) async throws -> (
    at: Date, isRoomsWord: Bool, id: String?
  )? {
    try await database.storing { database in
      try await database.read { db in
        // A pending message does not belong to the history that the room has sent. The position may
        // be on another clock's scale; a local message may have waited before it was sent.
        try db.firstRow(
          """
          SELECT COALESCE(attempted_at, sent_at), is_delayed, stanza_id
          FROM conversation CROSS JOIN message INDEXED BY message_page
            ON message.conversation = conversation.id
          WHERE conversation.jid = ? AND (delivery IS NULL OR delivery = 'sent')
          ORDER BY position DESC LIMIT 1
          """, room.bare.description
        ) {
          (
            at: ColumnCoding.date($0.int64(0)), isRoomsWord: $0.bool(1), id: $0.optionalString(2)
          )
        }
      }
    }
  }
}

extension BookmarkStore: RoomPeopleStoring {
  package func invitations() async throws -> [(invitation: RoomInvitation, password: String?)] {
    try await database.storing { database in
      try await database.read { db in
        try db.rows(
          """
          SELECT room, inviter, reason, is_mediated, password FROM room_invitation ORDER BY room
          """
        ) { row in
          (
            RoomInvitation(
              room: ColumnCoding.jid(row.string(0)), inviter: ColumnCoding.jid(row.string(1)),
              reason: row.optionalString(2), isMediated: row.bool(3)),
            row.optionalString(4)
          )
        }
      }
    }
  }

  package func save(_ invitation: RoomInvitation, password: String?) async throws {
    try await database.storing { database in
      try await database.write { db in
        try db.run(
          """
          INSERT OR REPLACE INTO room_invitation (room, inviter, reason, is_mediated, password)
          VALUES (?, ?, ?, ?, ?)
          """, invitation.room.bare.description, invitation.inviter.description,
          invitation.reason, invitation.isMediated, password)
      }
    }
  }

  package func removeInvitation(to room: JID) async throws {
    try await database.storing { database in
      try await database.write { db in
        try db.run("DELETE FROM room_invitation WHERE room = ?", room.bare.description)
      }
    }
  }

  package func members(of room: JID) async throws -> [RoomMember] {
    try await database.storing { database in
      try await database.read { db in
        try db.rows(
          "SELECT jid, affiliation, nick FROM room_member WHERE room = ? ORDER BY jid",
          room.bare.description
        ) { row in
          RoomMember(
            jid: ColumnCoding.jid(row.string(0)),
            affiliation: Occupant.Affiliation(rawValue: row.string(1)) ?? .member,
            nick: row.optionalString(2))
        }
      }
    }
  }

  package func replaceMembers(of room: JID, with members: [RoomMember]) async throws {
    let room = room.bare.description
    try await database.storing { database in
      try await database.write { db in
        try db.run("DELETE FROM room_member WHERE room = ?", room)
        for member in members {
          // A member who is listed twice has the affiliation of the first entry: owners come first.
          try db.run(
            "INSERT OR IGNORE INTO room_member (room, jid, affiliation, nick) VALUES (?, ?, ?, ?)",
            room, member.jid.bare.description, member.affiliation.rawValue, member.nick)
        }
      }
    }
  }

  package func setOwnership(of room: JID, by account: JID, _ isOwner: Bool) async throws {
    let (room, account) = (room.bare.description, account.bare.description)
    let owner = Occupant.Affiliation.owner.rawValue
    try await database.storing { database in
      try await database.write { db in
        try db.run(
          "DELETE FROM room_member WHERE room = ? AND jid = ? AND (affiliation = ?) <> ?",
          room, account, owner, isOwner)
        guard isOwner else { return }
        try db.run(
          "INSERT OR IGNORE INTO room_member (room, jid, affiliation, nick) VALUES (?, ?, ?, NULL)",
          room, account, owner)
      }
    }
  }
}
