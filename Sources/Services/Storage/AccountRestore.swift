import Glibc
import NatterCore
import SQLite

/// Replaces a database in which nothing is stored with that of an archive.
///
/// The new file is written beside the old one, checked and migrated there, and then renamed: until
/// that moment the account is as it was, and then it is whole. The account's lock is held
/// meanwhile.
package struct AccountRestore: Sendable {
  /// The outcome.
  package struct Summary: Hashable, Sendable {
    /// The messages of the account.
    package var messages = 0
    /// The messages that had not been sent when the archive was made: they are failed now.
    package var unsent = 0
  }

  /// The database in the archive cannot be used; nothing was changed. Other errors are about the
  /// disk.
  package struct Refusal: Error, Hashable, Sendable {
    package let reason: StorageError
  }

  /// Passes the bytes of the new database to its argument, one piece after the other, and rethrows
  /// its errors.
  package typealias Contents = ((_ piece: [UInt8]) throws -> Void) throws -> Void

  private let path: String
  private let reason: String
  private var part: String { path + ".restore" }

  /// - Parameters:
  ///   - path: of the account's database; for `examine`, of any file that does not exist.
  ///   - reason: why messages failed that had not been sent when the archive was made.
  package init(_ path: String, reason: String) {
    self.path = path
    self.reason = reason
  }

  /// Returns whether nothing is stored in the database, which is only read.
  /// - Throws: `StorageError`.
  package func isPossible() async throws -> Bool {
    do {
      guard hasFile else { return true }
      guard let database = try await Database.openReading(path, migrator: Schema.migrator) else {
        return true
      }
      return try await database.closing { try await isEmpty(database) }
    } catch Migrator.Failure.olderSchema {
      // It would have to be changed to find out.
      return false
    } catch { throw StorageError(error, path: path) }
  }

  /// Restores the account.
  /// - Returns: `nil` if something is stored already: nothing was changed then.
  /// - Throws: `Refusal`, `StorageError`, the errors of `contents`; `CancellationError`. Nothing
  ///   was changed then.
  package func run(_ contents: Contents) async throws -> Summary? {
    try await converting {
      try PrivatePath.makeDirectory(PrivatePath.directory(of: path))
      let lock = try AccountDatabase.lock(of: path)
      defer { withExtendedLifetime(lock) {} }
      guard try await isUnused() else { return nil }
      return try await withPart(contents) { summary in
        try Task.checkCancellation()
        try replace()
        return summary
      }
    }
  }

  /// Does everything but the last step, without a lock: `path` is not changed.
  /// - Throws: as `run`.
  package func examine(_ contents: Contents) async throws -> Summary {
    try await converting { try await withPart(contents) { $0 } }
  }

  private func converting<Value>(_ body: () async throws -> Value) async throws -> Value {
    do { return try await body() } catch {
      switch error {
      case is SQLiteError, is DatabaseLock.Failure, is Migrator.Failure, is NotAFile:
        throw StorageError(error, path: path)
      default: throw error
      }
    }
  }

  // MARK: - The account as it is

  /// Indicates whether there is a file that is not empty; also if that is unknown.
  private var hasFile: Bool {
    var information = stat()
    return stat(path, &information) == 0 ? information.st_size > 0 : errno != ENOENT
  }

  /// Returns whether nothing is stored, and leaves no log of the database.
  private func isUnused() async throws -> Bool {
    guard hasFile else { return true }
    let database = try await Database.open(.file(path), migrator: Schema.migrator)
    return try await database.closing { try await isEmpty(database) }
  }

  /// The tables in which each database has rows.
  private static let filled: Set = ["roster", "schema_migration", "search_progress"]

  private func isEmpty(_ database: Database) async throws -> Bool {
    try await database.read { db in
      let tables = try db.rows("SELECT name FROM sqlite_schema WHERE type = 'table'") {
        $0.string(0)
      }
      return try tables.allSatisfy { table in
        if Self.filled.contains(table) || table.hasPrefix("sqlite_")
          || table.hasPrefix("message_text")
        {
          return true
        }
        return try db.firstRow("SELECT 1 FROM \"\(table)\" LIMIT 1") { _ in true } == nil
      }
    }
  }

  // MARK: - The new database

  /// Writes the new file, checks it, calls `body`, and removes the file unless it was renamed.
  private func withPart(
    _ contents: Contents, _ body: (Summary) throws -> Summary
  ) async throws -> Summary {
    removePart()
    defer { removePart() }
    try write(contents)
    let summary: Summary
    do { summary = try await prepare() } catch {
      switch StorageError(error, path: path) {
      case _ where error is CancellationError: throw error
      case .full, .notWritable, .notAFile, .locked: throw error
      case let reason: throw Refusal(reason: reason)
      }
    }
    return try body(summary)
  }

  private func removePart() {
    for file in Self.files(of: path) { unlink(file) }
  }

  /// Returns the paths of the files that a restore of the database at `path` has until it ends; one
  /// that is killed leaves them there.
  package static func files(of path: String) -> [String] {
    let part = path + ".restore"
    // A migration copies the file first.
    let copy = "\(part).before-\(Schema.migrator.version).backup"
    return DatabaseFiles.paths(of: part) + [copy, copy + ".part"]
  }

  private func write(_ contents: Contents) throws {
    let descriptor = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw SQLiteError(callFailedAt: path) }
    defer { close(descriptor) }
    try contents { piece in
      var done = 0
      while done < piece.count {
        let count = piece.withUnsafeBytes {
          Glibc.write(descriptor, $0.baseAddress?.advanced(by: done), piece.count - done)
        }
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { throw SQLiteError(callFailedAt: path) }
        done += count
      }
    }
    guard fsync(descriptor) == 0 else { throw SQLiteError(callFailedAt: path) }
  }

  /// Checks and migrates the new file, and ends what only the instance that wrote it could go on
  /// with.
  private func prepare() async throws -> Summary {
    var information = stat()
    // SQLite would make a database of an empty file.
    guard stat(part, &information) == 0, information.st_size > 0 else {
      throw StorageError.damaged(path: path)
    }
    try await removeForeignTriggers()
    let database = try await Database.open(.file(part), migrator: Schema.migrator)
    return try await database.closing {
      guard try await database.faults(limit: 1).isEmpty else {
        throw StorageError.damaged(path: path)
      }
      let schema = try await ArchivedSchema()
      return try await database.write { db in
        guard try schema.apply(to: db), try Self.hasFreeNumbers(db) else {
          throw StorageError.damaged(path: path)
        }
        for statement in ArchiveCopy.removals { try db.run(statement) }
        // The user decides whether these go on.
        try db.run("UPDATE transfer SET state = 'paused' WHERE state = 'waiting'")
        let unsent = try Self.endSending(reason, in: db)
        let messages = try db.firstRow(
          "SELECT COUNT(*) FROM message WHERE effect IS NULL AND corrects IS NULL"
        ) { $0.int(0) }
        return Summary(messages: messages ?? 0, unsent: unsent)
      }
    }
  }

  /// Replaces the triggers of a file of an earlier version before it is migrated: those of others
  /// would run with each step, perhaps for ever. Refuses one with anything else that others made.
  private func removeForeignTriggers() async throws {
    let steps = Schema.migrator.migrations
    do {
      // Nothing is migrated where it has the newest schema.
      try await Database.openReading(part, migrator: Schema.migrator)?.close()
    } catch Migrator.Failure.olderSchema(let next) {
      guard let count = steps.firstIndex(where: { $0.name == next }), count > 0 else { return }
      let migrator = Migrator(Array(steps[..<count]), applicationID: Schema.applicationID)
      let schema = try await ArchivedSchema(migrator)
      let database = try await Database.open(.file(part), migrator: migrator)
      try await database.closing {
        try await database.write { db in
          guard try schema.apply(to: db) else { throw StorageError.damaged(path: path) }
        }
      }
    }
  }

  /// The highest number of a row: far more than an account can have, and far from the end.
  private static let highestNumber = Int64(1) << 53

  /// Returns whether each table can take more rows. One that never uses a number again takes none
  /// after the last number: the account would be full for ever.
  private static func hasFreeNumbers(_ db: DatabaseConnection) throws -> Bool {
    let tables = try db.rows(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE '%AUTOINCREMENT%'"
    ) { $0.string(0) }
    let numbers =
      ["SELECT MAX(CAST(seq AS INTEGER)) FROM sqlite_sequence"]
      + tables.map { "SELECT MAX(rowid) FROM \"\($0)\"" }
    return try numbers.allSatisfy { statement in
      try db.firstRow(statement) { $0.int64(0) <= highestNumber } != false
    }
  }

  /// Makes queued messages fail: the instance that wrote them may have sent them since.
  /// - Returns: their number.
  private static func endSending(_ reason: String, in db: DatabaseConnection) throws -> Int {
    let reacted = try db.rows(
      """
      SELECT DISTINCT corrects FROM message
      WHERE delivery = 'queued' AND effect = 'reaction' AND corrects > 0
      """
    ) { $0.int64(0) }
    try db.run(
      "UPDATE message SET delivery = 'failed', failure = ? WHERE delivery = 'queued'", reason)
    let count = Int(db.changes)
    // A reaction that was not sent does not count.
    for message in reacted { try ReactionRecord.settle(message, in: db) }
    return count
  }

  /// Gives the new file the name of the old one. That one was closed, so that it has no log; one
  /// that was left without its database would be taken for the log of the new one.
  private func replace() throws {
    var log = stat()
    // On a full disk the log of the new file is not written into it, and would not be renamed.
    if stat(part + "-wal", &log) == 0, log.st_size > 0 { throw StorageError.full(path: path) }
    for file in DatabaseFiles.paths(of: path).dropFirst() { unlink(file) }
    guard rename(part, path) == 0 else { throw SQLiteError(callFailedAt: path) }
    PrivatePath.syncNames(in: PrivatePath.directory(of: path))
  }
}
