import Glibc
import SQLite

/// The copy of a database that goes into an archive of `natter export`.
enum ArchiveCopy {
  /// The statements that remove secrets, and what only means something to the server and the
  /// instance that it belongs to (database.md). A restored database gets them again: an archive
  /// that others made may have anything in it.
  static let removals = [
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

  /// Writes a copy of `database` without them to `path`: a single file, in which not even a free
  /// page contains what was removed.
  /// - Throws: `SQLiteError`, `CancellationError`. There is no copy then.
  static func write(_ database: Database, to path: String) async throws {
    let whole = path + ".whole"
    // SQLite would apply the log of a copy that an ended program left.
    remove(whole)
    defer { remove(whole) }
    try await database.backUp(to: whole)
    let copy = try await Database.open(.file(whole), migrator: Schema.migrator)
    try await copy.closing {
      try await copy.write { db in
        for statement in removals { try db.run(statement) }
      }
      try await copy.writeCompactCopy(to: path)
    }
  }

  /// Removes the file at `path` and the files that SQLite keeps beside it.
  static func remove(_ path: String) {
    for file in DatabaseFiles.paths(of: path) { unlink(file) }
  }
}

extension Database {
  /// Calls `body`, and closes the database, also if it throws.
  nonisolated func closing<Value>(_ body: () async throws -> Value) async throws -> Value {
    do {
      let value = try await body()
      await close()
      return value
    } catch {
      await close()
      throw error
    }
  }
}
