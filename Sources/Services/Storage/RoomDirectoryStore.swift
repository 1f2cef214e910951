import FoundationEssentials
import NatterCore
import SQLite
import XMPP

/// The directories of rooms, and their content when they were last read.
package struct RoomDirectoryStore: Sendable {
  private let database: Database
  init(_ database: Database) { self.database = database }

  private static let columns =
    "directory, jid, name, topic, people, language, traits, is_described"

  private static func room(_ row: Row) -> PublicRoom {
    PublicRoom(
      jid: ColumnCoding.jid(row.string(1)), directory: ColumnCoding.jid(row.string(0)),
      name: row.string(2), topic: row.string(3), people: row.optionalInt(4),
      language: row.optionalString(5),
      traits: Set(
        row.string(6).split(separator: " ").compactMap { Room.Trait(rawValue: String($0)) }),
      isDescribed: row.bool(7))
  }

  private static func traits(_ room: PublicRoom) -> String {
    room.traits.map(\.rawValue).sorted().joined(separator: " ")
  }
}

extension RoomDirectoryStore: RoomDirectoryStoring {
  package func directories() async throws -> [RoomDirectory] {
    try await database.storing { database in
      try await database.read { db in
        try db.rows("SELECT jid, name, kind, is_added, read_at FROM room_directory ORDER BY jid") {
          RoomDirectory(
            jid: ColumnCoding.jid($0.string(0)), name: $0.optionalString(1),
            kind: RoomDirectory.DirectoryKind(rawValue: $0.string(2)) ?? .rooms,
            isAdded: $0.bool(3),
            readAt: $0.optionalInt64(4).map(ColumnCoding.date))
        }
      }
    }
  }

  package func save(_ directory: RoomDirectory) async throws {
    try await database.storing { database in
      try await database.write { db in
        try db.run(
          """
          INSERT INTO room_directory (jid, name, kind, is_added, read_at) VALUES (?, ?, ?, ?, ?)
          ON CONFLICT (jid) DO UPDATE SET name = excluded.name, kind = excluded.kind,
            is_added = excluded.is_added, read_at = excluded.read_at
          """, directory.jid.description, directory.name, directory.kind.rawValue,
          directory.isAdded, directory.readAt.map(ColumnCoding.microseconds))
      }
    }
  }

  package func removeDirectory(_ jid: JID) async throws {
    try await database.storing { database in
      try await database.write { db in
        try db.run("DELETE FROM room_directory WHERE jid = ?", jid.description)
      }
    }
  }

  package func publicRooms() async throws -> [PublicRoom] {
    try await database.storing { database in
      try await database.read { db in
        try db.rows(
          "SELECT \(Self.columns) FROM public_room ORDER BY directory, jid", map: Self.room)
      }
    }
  }

  package func replaceRooms(of directory: JID, with rooms: [PublicRoom]) async throws {
    try await database.storing { database in
      try await database.write { db in
        try db.run("DELETE FROM public_room WHERE directory = ?", directory.description)
        for room in rooms {
          try db.run(
            "INSERT OR REPLACE INTO public_room (\(Self.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            directory.description, room.jid.description, room.name, room.topic,
            room.people, room.language, Self.traits(room), room.isDescribed)
        }
      }
    }
  }

  package func save(_ rooms: [PublicRoom]) async throws {
    try await database.storing { database in
      try await database.write { db in
        for room in rooms {
          try db.run(
            """
            UPDATE public_room SET name = ?, topic = ?, people = ?, language = ?, traits = ?,
              is_described = ? WHERE directory = ? AND jid = ?
            """, room.name, room.topic, room.people, room.language,
            Self.traits(room), room.isDescribed, room.directory.description,
            room.jid.description)
        }
      }
    }
  }
}
