import Glibc
import SQLite

/// The copy of a database that goes into an archive of `natter export`.
enum ArchiveCopy {
  /// The statements that remove secrets, and what only means something to the server and the
  /// instance that it belongs to (database.md).
  private static let removals = [
    "DELETE FROM stream_session",
    "DELETE FROM stream_stanza",
    // They may contain passwords of rooms and tokens of invitations; the original sends them.
    "DELETE FROM pending_change",
    "DELETE FROM command WHERE is_settled = 0",
    "DELETE FROM own_invitation",
    "UPDATE room SET password = NULL WHERE password IS NOT NULL",
    "UPDATE room_invitation SET password = NULL WHERE password IS NOT NULL",
    // Typed commands, such as one that joins a room with a password.
    "UPDATE conversation SET draft = '' WHERE draft LIKE '/%' OR draft LIKE '／%'",
    "DELETE FROM input_history WHERE text LIKE '/%' OR text LIKE '／%'",
  ]

  /// Removes them from the file at `path`, so that not even its free pages contain them.
  static func removeSecrets(from path: String) async throws {
    let database = try await Database.open(.file(path), migrator: Schema.migrator)
    do {
      try await database.withoutTransaction { db in
        try db.runScript("PRAGMA secure_delete = ON")
      }
      try await database.write { db in
        for statement in removals { try db.run(statement) }
      }
      // The log is part of a database: a single file has none.
      try await database.withoutTransaction { db in
        try db.runScript("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE;")
      }
    } catch {
      await database.close()
      throw error
    }
    await database.close()
  }

  /// Removes the file at `path` and the files that SQLite keeps beside it.
  static func remove(_ path: String) {
    for suffix in ["", "-wal", "-shm", "-journal"] { unlink(path + suffix) }
  }
}
