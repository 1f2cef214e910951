import CSQLite
import Glibc

/// The error for a directory or another special file in the path of a regular file.
package struct NotAFile: Error, Hashable, Sendable {
  package let path: String
}

/// The steps from a path to an open database of the newest schema. They never change a file that
/// they do not recognize.
struct DatabaseOpening {
  let path: String
  let migrator: Migrator

  /// The largest file that is checked after a program that did not close it, in bytes; a larger one
  /// would make the user wait.
  private static let examinedSize = 64 << 20

  func open() throws -> DatabaseConnection {
    try PrivatePath.makeDirectory(PrivatePath.directory(of: path))
    try requireDatabaseOrNothing()
    try requireFilesBeside()
    let wasClosed = (PrivatePath.size(of: path + "-wal") ?? 0) == 0
    try PrivatePath.make(path)

    let connection = try DatabaseConnection(path: path, flags: SQLITE_OPEN_READWRITE)
    // A file that proves damaged, newer or unknown keeps the log that its last program left.
    natter_sqlite_set_option(
      connection.handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, wasClosed ? 0 : 1)
    sqlite3_busy_timeout(connection.handle, DatabaseConnection.busyMilliseconds)
    let pending = try migrator.pending(in: connection)
    if !wasClosed, (PrivatePath.size(of: path) ?? 0) <= Self.examinedSize,
      let fault = try connection.faults(limit: 1, check: "quick_check").first
    {
      throw SQLiteError(code: SQLITE_CORRUPT, message: fault)
    }
    // A new file contains nothing to back up.
    if !pending.isEmpty, pending.startIndex > 0 {
      _ = try connection.copy(to: "\(path).before-\(migrator.version).backup")
    }
    try connection.configure()
    try migrator.migrate(connection)
    // An error that would prevent every later write has to show now, not when a message is to be
    // stored.
    try connection.runScript("BEGIN IMMEDIATE; ROLLBACK;")
    natter_sqlite_set_option(connection.handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0)
    return connection
  }

  /// Checks the files that SQLite keeps beside the database (its log, the log's index, an old
  /// journal): something else under such a name is reported by that name. SQLite would only say
  /// that the database cannot be opened, or would open it and store nothing.
  func requireFilesBeside() throws(NotAFile) {
    for suffix in DatabaseFiles.endings {
      var information = stat()
      guard stat(path + suffix, &information) == 0 else { continue }
      guard information.st_mode & S_IFMT == S_IFREG else { throw NotAFile(path: path + suffix) }
    }
  }

  /// Checks the first bytes before SQLite does (Database File Format §1.2): a foreign file is never
  /// changed.
  /// - Throws: `SQLiteError`; `.damaged` for a file of another format.
  func requireDatabaseOrNothing() throws(SQLiteError) {
    let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else {
      if errno == ENOENT { return }
      throw SQLiteError(errno: errno, path: path)
    }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 16)
    let count = read(descriptor, &bytes, bytes.count)
    guard count >= 0 else { throw SQLiteError(errno: errno, path: path) }
    guard count == 0 || bytes == Array("SQLite format 3\0".utf8) else {
      throw SQLiteError(code: SQLITE_NOTADB, message: "\(path) is not a database")
    }
  }
}

extension DatabaseConnection {
  /// The time that a writer waits for another program that has the database, in milliseconds.
  static let busyMilliseconds: Int32 = 5000

  /// Applies the settings of every connection. A page that changes again and again in a burst is
  /// copied from the log into the file each time the log is full: 4,000 pages are 16 MiB.
  func configure() throws {
    sqlite3_busy_timeout(handle, Self.busyMilliseconds)
    natter_sqlite_set_option(handle, SQLITE_DBCONFIG_DEFENSIVE, 1)
    try runScript(
      """
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = FULL;
      PRAGMA foreign_keys = ON;
      PRAGMA temp_store = MEMORY;
      PRAGMA cache_size = -8192;
      PRAGMA journal_size_limit = 16777216;
      PRAGMA wal_autocheckpoint = 4000;
      """)
  }

  /// Returns the faults that `check` (a checking PRAGMA) finds, `limit` at most.
  func faults(limit: Int, check: String) throws -> [String] {
    try rows("PRAGMA \(check)(\(limit))") { $0.string(0) }.filter { $0 != "ok" }
  }
}
