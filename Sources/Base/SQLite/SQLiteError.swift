import CSQLite
import Glibc

/// An error of SQLite or of the file system below it. It never contains bound arguments.
package struct SQLiteError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kinds of error that callers distinguish.
  package enum Category: Hashable, Sendable {
    /// The file system, the quota, the file size limit or `max_page_count` has no room left.
    case full
    /// The file, its directory or the file system is not writable.
    case notWritable
    /// The file is not a database, or a broken one.
    case damaged
    /// Another program or connection holds the database for longer than the time limit.
    case busy
    /// A constraint of the schema was violated.
    case constraint
    /// The file could not be opened for another reason.
    case cannotOpen
    case other
  }

  /// The primary result code, such as `SQLITE_FULL` = 13; 0 when the library is missing.
  package let code: Int32
  /// The extended result code; equal to `code` when there is none.
  package let extendedCode: Int32
  /// `errno` of the failed system call; 0 when there was none.
  package let systemError: Int32
  /// The library's message, or the system's, in English.
  package let text: String
  /// The file, if it is known.
  package let path: String?
  /// The message, after the file's name if that is known.
  package var message: String { path.map { "\($0): \(text)" } ?? text }
  /// The statement, with `?` for each argument; `nil` when none was involved.
  package let sql: String?

  package init(
    code: Int32, extendedCode: Int32? = nil, systemError: Int32 = 0, message: String,
    path: String? = nil, sql: String? = nil
  ) {
    self.code = code
    self.extendedCode = extendedCode ?? code
    self.systemError = systemError
    text = message
    self.path = path
    self.sql = sql
  }

  /// Creates the error that `handle` reports now for `result`.
  init(_ result: Int32, handle: OpaquePointer?, sql: String? = nil) {
    // Read it first, before another call can change it.
    let callError = errno
    let text = handle.flatMap { sqlite3_errmsg($0) } ?? sqlite3_errstr(result)
    // The handle keeps its errno from call to call: it is meaningful only for I/O errors.
    let concernsSystem = [SQLITE_IOERR, SQLITE_FULL, SQLITE_CANTOPEN, SQLITE_READONLY]
      .contains(result & 0xff)
    var systemError = concernsSystem ? handle.map { sqlite3_system_errno($0) } ?? 0 : 0
    // For a failed write, SQLite keeps ENOSPC as the only errno of a lack of room. The thread's
    // errno may be from an earlier call, so only a matching number is used.
    if systemError == 0, Self.isWrite(result), Self.noRoom.contains(callError) {
      systemError = callError
    }
    self.init(
      code: result & 0xff, extendedCode: result, systemError: systemError,
      message: text.map { String(cString: $0) } ?? "unknown error", sql: sql)
  }

  /// Creates the error of a system call on `path` that has just failed with `number`.
  init(errno number: Int32, path: String) {
    let code =
      switch number {
      case ENOSPC, EDQUOT, EFBIG: SQLITE_FULL
      case EACCES, EPERM, EROFS: SQLITE_READONLY
      default: SQLITE_CANTOPEN
      }
    self.init(
      code: code, systemError: number, message: String(cString: strerror(number)), path: path)
  }

  /// Creates the error of a system call on `path` that has just failed, from `errno`.
  package init(callFailedAt path: String) { self.init(errno: errno, path: path) }

  /// Creates the error for a library that could not be loaded; `text` is the loader's message.
  init(missingLibrary text: String) { self.init(code: SQLITE_OK, message: text) }

  /// The errors of the system for a lack of room: on the disk, in the quota, in the file size
  /// limit.
  private static let noRoom: Set<Int32> = [ENOSPC, EDQUOT, EFBIG]

  /// Returns whether `result` is SQLITE_IOERR_WRITE, _FSYNC, _TRUNCATE or _SHMSIZE, with which a
  /// growing file fails.
  private static func isWrite(_ result: Int32) -> Bool {
    [3, 4, 6, 19].contains { SQLITE_IOERR | $0 << 8 == result }
  }

  package var kind: Category {
    switch systemError {
    case let number where Self.noRoom.contains(number): return .full
    case EACCES, EPERM, EROFS: return .notWritable
    default: break
    }
    return switch code {
    case SQLITE_FULL: .full
    case SQLITE_READONLY, SQLITE_PERM: .notWritable
    case SQLITE_CORRUPT, SQLITE_NOTADB: .damaged
    case SQLITE_BUSY, SQLITE_LOCKED: .busy
    case SQLITE_CONSTRAINT: .constraint
    case SQLITE_CANTOPEN: .cannotOpen
    default: .other
    }
  }

  /// A language-independent description: the number of the system's error, or the result code when
  /// there is none; for a missing library the loader's message, because no number describes that.
  package var number: String {
    if systemError != 0 { return String(systemError) }
    return extendedCode == SQLITE_OK ? text : "SQLite \(extendedCode)"
  }

  /// Indicates whether another kind of file is in the path of a file or a directory.
  package var isInTheWay: Bool { [EISDIR, ENOTDIR, ELOOP].contains(systemError) }

  /// Returns the same error with the file's name, if it has none.
  package func naming(_ path: String) -> SQLiteError {
    self.path == nil
      ? SQLiteError(
        code: code, extendedCode: extendedCode, systemError: systemError, message: text,
        path: path, sql: sql) : self
  }

  package var description: String {
    "SQLite \(extendedCode): \(message)" + (sql.map { " [\($0)]" } ?? "")
  }
}
