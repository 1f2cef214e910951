import CSQLite
import Glibc

/// A database of another program, opened for reading. Nothing of it is changed, and nothing waits
/// for its lock.
///
/// A database with a log or a journal beside it is in use, or was when its program ended: then a
/// copy is read, which is deleted at the end. Otherwise the file is read in place, as one that does
/// not change; `checkUnchanged` finds out if it did.
package final class ForeignDatabase {
  private let connection: DatabaseConnection
  /// The folder of the copy; `nil`: the file itself is read.
  private let folder: String?
  private let path: String
  private let state: [Int]

  /// - Parameter folder: a folder for copies; one of this database is made in it.
  /// - Throws: `SQLiteError`; `.damaged` for a file of another format.
  package init(path: String, copyingTo folder: String) throws(SQLiteError) {
    self.path = path
    guard let before = Self.state(of: path) else { throw SQLiteError(errno: errno, path: path) }
    let isInUse = ["-wal", "-journal"].contains { (PrivatePath.size(of: path + $0) ?? 0) > 0 }
    state = isInUse ? [] : before
    self.folder = isInUse ? try Self.copy(path, to: folder) : nil
    do throws(SQLiteError) {
      if let copies = self.folder {
        connection = try DatabaseConnection(path: copies + "/copy.db", flags: SQLITE_OPEN_READWRITE)
      } else {
        connection = try DatabaseConnection(
          path: DatabaseOpening.unchanging(path), flags: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI)
      }
      natter_sqlite_set_option(connection.handle, SQLITE_DBCONFIG_DEFENSIVE, 1)
      // A file may have been made to mislead: no function of this program runs in its schema.
      try connection.runScript(
        """
        PRAGMA trusted_schema = OFF;
        PRAGMA cell_size_check = ON;
        PRAGMA query_only = ON;
        PRAGMA temp_store = MEMORY;
        PRAGMA cache_size = -4096;
        """)
    } catch {
      if let copies = self.folder { Self.remove(copies) }
      throw error
    }
  }

  deinit {
    if let folder { Self.remove(folder) }
  }

  /// Calls `body` with each row of a query.
  /// - Throws: `SQLiteError`, and what `body` throws.
  package func forEachRow(
    _ sql: String, _ arguments: any SQLConvertible..., body: (Row) throws -> Void
  ) throws {
    _ = try connection.rows(sql, arguments: arguments) { try body($0) }
  }

  /// Returns the first row of a query, converted by `map`; `nil` when there is none.
  package func firstRow<Value>(
    _ sql: String, _ arguments: any SQLConvertible..., map: (Row) throws -> Value
  ) throws -> Value? {
    var value: Value?
    _ = try connection.rows("SELECT * FROM (\(sql)) LIMIT 1", arguments: arguments) {
      value = try map($0)
    }
    return value
  }

  /// Returns the columns of a table, in small letters; empty when there is no such table. Views are
  /// no tables.
  package func columns(of table: String) throws -> Set<String> {
    var names: Set<String> = []
    try forEachRow(
      """
      SELECT lower(name) FROM pragma_table_info(?1) WHERE EXISTS (
        SELECT 1 FROM sqlite_schema WHERE type = 'table' AND lower(sqlite_schema.name) = lower(?1))
      """, table
    ) { names.insert($0.string(0)) }
    return names
  }

  /// The number that the program that made the file has set.
  package func userVersion() throws -> Int {
    try connection.rows("PRAGMA user_version") { $0.int(0) }.first ?? 0
  }

  /// - Throws: `SQLiteError` if the file that is read in place was changed meanwhile: what was read
  ///   may be a mixture.
  package func checkUnchanged() throws(SQLiteError) {
    guard folder == nil else { return }
    let hasLog = ["-wal", "-journal"].contains { (PrivatePath.size(of: path + $0) ?? 0) > 0 }
    guard hasLog || Self.state(of: path) != state else { return }
    throw SQLiteError(
      code: SQLITE_BUSY, message: "another program changed it while it was read", path: path)
  }

  /// Returns whether a file begins as a database does (Database File Format §1.2).
  package static func isDatabase(_ path: String) -> Bool {
    let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 16)
    return read(descriptor, &bytes, 16) == 16 && bytes == Array("SQLite format 3\0".utf8)
  }

  /// Returns the names of the tables of a database, in small letters, to recognize it. A log beside
  /// it is left alone; empty for anything that cannot be read.
  package static func tables(of path: String) -> Set<String> {
    guard isDatabase(path),
      let connection = try? DatabaseConnection(
        path: DatabaseOpening.unchanging(path), flags: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI),
      let names = try? connection.rows(
        "SELECT lower(name) FROM sqlite_schema WHERE type = 'table'", map: { $0.string(0) })
    else { return [] }
    return Set(names)
  }

  // MARK: - Copies

  private static func state(of path: String) -> [Int]? {
    var information = stat()
    guard stat(path, &information) == 0 else { return nil }
    return [
      Int(information.st_ino), Int(information.st_size), information.st_mtim.tv_sec,
      information.st_mtim.tv_nsec,
    ]
  }

  /// Copies the file with its log and journal, again if it changes meanwhile.
  private static func copy(_ path: String, to folder: String) throws(SQLiteError) -> String {
    var template = Array((folder + "/natter-import-XXXXXX").utf8CString)
    guard mkdtemp(&template) != nil else {
      throw SQLiteError(errno: errno, path: folder)
    }
    let copies = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    do throws(SQLiteError) {
      for _ in 0..<DatabaseReading.repetitions {
        let before = states(of: path)
        for suffix in ["", "-wal", "-journal"] {
          try copyFile(path + suffix, to: copies + "/copy.db" + suffix, isNeeded: suffix == "")
        }
        if states(of: path) == before { return copies }
      }
      throw DatabaseReading.changing(path)
    } catch {
      remove(copies)
      throw error
    }
  }

  private static func states(of path: String) -> [[Int]?] {
    [state(of: path), state(of: path + "-wal"), state(of: path + "-journal")]
  }

  private static func copyFile(
    _ path: String, to target: String, isNeeded: Bool
  ) throws(SQLiteError) {
    unlink(target)
    let source = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
    guard source >= 0 else {
      if errno == ENOENT, !isNeeded { return }
      throw SQLiteError(errno: errno, path: path)
    }
    defer { close(source) }
    let copy = Glibc.open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard copy >= 0 else { throw SQLiteError(errno: errno, path: target) }
    defer { close(copy) }
    var piece = [UInt8](repeating: 0, count: 256 << 10)
    while true {
      let count = read(source, &piece, piece.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw SQLiteError(errno: errno, path: path) }
      guard count > 0 else { return }
      var written = 0
      while written < count {
        let done = piece.withUnsafeBytes {
          write(copy, $0.baseAddress.map { $0 + written }, count - written)
        }
        if done < 0, errno == EINTR { continue }
        guard done > 0 else { throw SQLiteError(errno: errno, path: target) }
        written += done
      }
    }
  }

  private static func remove(_ folder: String) {
    for suffix in ["", "-wal", "-journal", "-shm"] { unlink(folder + "/copy.db" + suffix) }
    rmdir(folder)
  }
}
