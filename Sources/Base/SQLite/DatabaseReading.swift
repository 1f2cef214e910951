import CSQLite
import Glibc

/// A read-only connection to a database that other programs may have open.
///
/// It takes no lock that a writer waits for, and creates no file: without a log, SQLite would need
/// files beside the database to read it, so the file is then read as one that does not change, and
/// `isStale` shows if it did.
struct DatabaseReading {
  /// The number of times that a reading is repeated because the file changed meanwhile.
  static let repetitions = 10

  let connection: DatabaseConnection
  private let path: String
  /// The state of the file when it was opened without a log; `nil`: the log is read as well.
  private let state: FileState?

  /// The properties of a file that show that it was written.
  private struct FileState: Equatable {
    let inode: UInt
    let size: Int
    let (seconds, nanoseconds): (Int, Int)

    init?(of path: String) {
      var information = stat()
      guard stat(path, &information) == 0 else { return nil }
      inode = UInt(information.st_ino)
      size = Int(information.st_size)
      (seconds, nanoseconds) = (information.st_mtim.tv_sec, information.st_mtim.tv_nsec)
    }
  }

  /// Opens the database for reading, again if another program opens or closes it meanwhile.
  /// - Returns: `nil` when there is no such file, or nothing was stored in it yet.
  /// - Throws: The errors of `Database.open`, and `Migrator.Failure.olderSchema`.
  static func open(_ path: String, migrator: Migrator) throws -> DatabaseReading? {
    for _ in 0..<repetitions {
      let before = (FileState(of: path), hasLog(path))
      do {
        let reading = try DatabaseReading(path: path, migrator: migrator)
        guard let reading, reading.isStale else { return reading }
      } catch {
        guard before != (FileState(of: path), hasLog(path)) else { throw error }
      }
    }
    throw changing(path)
  }

  /// The error for a file that changes each time that it is read.
  static func changing(_ path: String) -> SQLiteError {
    SQLiteError(code: SQLITE_BUSY, message: "the file changes again and again", path: path)
  }

  private init?(path: String, migrator: Migrator) throws {
    let opening = DatabaseOpening(path: path, migrator: migrator)
    try opening.requireDatabaseOrNothing()
    try opening.requireFilesBeside()
    guard let state = FileState(of: path) else { return nil }
    let hasLog = Self.hasLog(path)
    // A new database may have everything in its log.
    guard state.size > 0 || hasLog else { return nil }
    self.path = path
    self.state = hasLog ? nil : state
    connection =
      hasLog
      ? try DatabaseConnection(path: path, flags: SQLITE_OPEN_READONLY)
      : try DatabaseConnection(
        path: opening.unchanging, flags: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI)
    try connection.configureReading()
    let pending = try migrator.pending(in: connection)
    if pending.count == migrator.version { return nil }
    if let next = pending.first { throw Migrator.Failure.olderSchema(next.name) }
  }

  private static func hasLog(_ path: String) -> Bool {
    (PrivatePath.size(of: path + "-wal") ?? 0) > 0
  }

  /// Indicates whether the file may have changed since it was opened: what was read is not
  /// reliable then. With a log, SQLite itself keeps readers apart from the writer.
  var isStale: Bool {
    guard let state else { return false }
    return Self.hasLog(path) || FileState(of: path) != state
  }
}

extension DatabaseConnection {
  /// The longest time that a reader waits while a writer restores the log, in milliseconds.
  private static let readingMilliseconds: Int32 = 2000
  /// The longest time that closing waits for readers, in milliseconds.
  private static let closingMilliseconds: Int32 = 200

  /// Applies the settings of a connection that changes nothing.
  fileprivate func configureReading() throws {
    sqlite3_busy_timeout(handle, Self.readingMilliseconds)
    natter_sqlite_set_option(handle, SQLITE_DBCONFIG_DEFENSIVE, 1)
    try runScript(
      """
      PRAGMA query_only = ON;
      PRAGMA temp_store = MEMORY;
      PRAGMA cache_size = -8192;
      """)
  }

  /// Writes the log into the file and empties it. Where another program reads the database, closing
  /// it would leave the log, and the next program to open it would treat it as one that was not
  /// closed.
  func emptyLog() {
    sqlite3_busy_timeout(handle, Self.closingMilliseconds)
    // What could not be written stays in the log, and the next program that opens the file writes
    // it.
    _ = try? rows("PRAGMA wal_checkpoint(TRUNCATE)") { _ in }
  }
}
