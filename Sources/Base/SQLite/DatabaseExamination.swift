import CSQLite
import Glibc

extension Database {
  /// Checks whether `open` would succeed and the file is sound, without changing anything. Takes as
  /// long as reading the file.
  ///
  /// - Returns: `true` if there is such a file.
  /// - Throws: The same errors as `open`.
  package static func examine(_ path: String, migrator: Migrator) throws -> Bool {
    try DatabaseOpening(path: path, migrator: migrator).examine()
  }
}

extension DatabaseOpening {
  fileprivate func examine() throws -> Bool {
    try requireDatabaseOrNothing()
    try requireFilesBeside()
    guard let size = PrivatePath.size(of: path) else { return false }
    let beside = (DatabaseFiles.endings + [".lock"]).map { path + $0 }.filter {
      PrivatePath.size(of: $0) != nil
    }
    for name in [path, PrivatePath.directory(of: path)] + beside {
      guard access(name, R_OK | W_OK) == 0 else { throw SQLiteError(errno: errno, path: name) }
    }
    guard size > 0 else { return true }
    // Without a log, SQLite need not create a file beside the database to read it, and leaves none.
    let hasLog = (PrivatePath.size(of: path + "-wal") ?? 0) > 0
    let connection =
      hasLog
      ? try DatabaseConnection(path: path, flags: SQLITE_OPEN_READONLY)
      : try DatabaseConnection(path: unchanging, flags: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI)
    sqlite3_busy_timeout(connection.handle, DatabaseConnection.busyMilliseconds)
    _ = try migrator.pending(in: connection)
    if let fault = try connection.faults(limit: 1, check: "quick_check").first {
      throw SQLiteError(code: SQLITE_CORRUPT, message: fault)
    }
    return true
  }

  /// The file as a URI that declares it unchanging.
  var unchanging: String { Self.unchanging(path) }

  /// Returns `path` as a URI that declares the file unchanging (SQLite, Uniform Resource
  /// Identifiers, 3.3).
  static func unchanging(_ path: String) -> String {
    var uri = "file:"
    for byte in path.utf8 {
      switch Unicode.Scalar(byte) {
      case "a"..."z", "A"..."Z", "0"..."9", "/", ".", "-", "_", "@":
        uri.unicodeScalars.append(Unicode.Scalar(byte))
      default: uri += (byte < 16 ? "%0" : "%") + String(byte, radix: 16)
      }
    }
    return uri + "?immutable=1"
  }
}
