import CSQLite
import Glibc

/// What SQLite, or the file system below it, had to say. Bound arguments are never part of it.
package struct SQLiteError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What a caller can tell apart.
  package enum Kind: Hashable, Sendable {
    /// The file system, the quota, the file size limit or `max_page_count` has no room left.
    case full
    /// The file, its directory or the file system may not be written to.
    case notWritable
    /// The file is not a database, or a broken one.
    case damaged
    /// Somebody else holds the database for longer than the time limit.
    case busy
    /// A constraint of the schema was violated.
    case constraint
    /// The file could not be opened for another reason.
    case cannotOpen
    case other
  }

  /// The primary result code, `SQLITE_FULL` = 13 and so on; 0 where there is no library that could have one.
  package let code: Int32
  /// The extended result code; equal to `code` where there is none.
  package let extendedCode: Int32
  /// `errno` of the failed system call; 0 when there was none.
  package let systemError: Int32
  /// The library's words, or the system's, in English.
  package let words: String
  /// The file, where it is known.
  package let path: String?
  /// The words, behind the file's name where that is known.
  package var message: String { path.map { "\($0): \(words)" } ?? words }
  /// The statement, with `?` where arguments were; `nil` where none was involved.
  package let sql: String?

  package init(
    code: Int32, extendedCode: Int32? = nil, systemError: Int32 = 0, message: String,
    path: String? = nil, sql: String? = nil
  ) {
    self.code = code
    self.extendedCode = extendedCode ?? code
    self.systemError = systemError
    words = message
    self.path = path
    self.sql = sql
  }

  /// The error that `handle` reports now for `result`.
  init(_ result: Int32, handle: OpaquePointer?, sql: String? = nil) {
    // Before anything else can change it.
    let callError = errno
    let text = handle.flatMap { sqlite3_errmsg($0) } ?? sqlite3_errstr(result)
    // The errno of a handle is kept from call to call: it means something for I/O alone.
    let concernsSystem = [SQLITE_IOERR, SQLITE_FULL, SQLITE_CANTOPEN, SQLITE_READONLY]
      .contains(result & 0xff)
    var systemError = concernsSystem ? handle.map { sqlite3_system_errno($0) } ?? 0 : 0
    // SQLite keeps no number of a write that failed for want of room other than ENOSPC; what the thread has may be from
    // an earlier call, so only what fits is taken.
    if systemError == 0, Self.isWrite(result), Self.noRoom.contains(callError) {
      systemError = callError
    }
    self.init(
      code: result & 0xff, extendedCode: result, systemError: systemError,
      message: text.map { String(cString: $0) } ?? "unknown error", sql: sql)
  }

  /// The error of a system call on `path` that has just failed with `number`.
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

  /// The error of a system call on `path` that has just failed.
  package init(callFailedAt path: String) { self.init(errno: errno, path: path) }

  /// The library could not be loaded; why, in the loader's words.
  init(missingLibrary words: String) { self.init(code: SQLITE_OK, message: words) }

  /// What the system says where no room is left: on the disk, in the quota, in the file size limit.
  private static let noRoom: Set<Int32> = [ENOSPC, EDQUOT, EFBIG]

  /// SQLITE_IOERR_WRITE, _FSYNC, _TRUNCATE and _SHMSIZE: what a file that has to grow fails with.
  private static func isWrite(_ result: Int32) -> Bool {
    [3, 4, 6, 19].contains { SQLITE_IOERR | $0 << 8 == result }
  }

  package var kind: Kind {
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

  /// What it is in any language: the number of the system's error, or the result code where there is none; for a library that
  /// is missing what the loader says, for no number tells that.
  package var number: String {
    if systemError != 0 { return String(systemError) }
    return extendedCode == SQLITE_OK ? words : "SQLite \(extendedCode)"
  }

  /// Whether something else stands where a file or a folder should be.
  package var isInTheWay: Bool { [EISDIR, ENOTDIR, ELOOP].contains(systemError) }

  /// The same with the file's name, where it has none.
  package func naming(_ path: String) -> SQLiteError {
    self.path == nil
      ? SQLiteError(
        code: code, extendedCode: extendedCode, systemError: systemError, message: words,
        path: path, sql: sql) : self
  }

  package var description: String {
    "SQLite \(extendedCode): \(message)" + (sql.map { " [\($0)]" } ?? "")
  }
}
