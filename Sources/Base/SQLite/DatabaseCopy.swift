import CSQLite
import Glibc

extension DatabaseConnection {
  /// The pages that are copied between two looks at whether the copy is still wanted.
  private static let pagesAtOnce: Int32 = 1000
  /// The steps of SQLite's virtual machine between two looks at whether a statement is cancelled.
  private static let cancellationSteps: Int32 = 10_000

  /// Copies the database page by page into a file that appears under its name only when it is
  /// complete.
  /// - Parameter mayGoOn: called between pages; `false` cancels.
  /// - Returns: `false` if it was cancelled. There is no file then.
  func copy(
    to path: String, mayGoOn: () -> Bool = { true }
  ) throws(SQLiteError) -> Bool {
    let part = path + ".part"
    unlink(part)
    try PrivatePath.make(part)
    do throws(SQLiteError) {
      guard try copyPages(to: part, mayGoOn) else {
        unlink(part)
        return false
      }
      guard rename(part, path) == 0 else { throw SQLiteError(errno: errno, path: path) }
      return true
    } catch {
      unlink(part)
      throw error
    }
  }

  private func copyPages(to path: String, _ mayGoOn: () -> Bool) throws(SQLiteError) -> Bool {
    let target = try DatabaseConnection(path: path, flags: SQLITE_OPEN_READWRITE)
    guard let backup = sqlite3_backup_init(target.handle, "main", handle, "main") else {
      throw SQLiteError(sqlite3_errcode(target.handle), handle: target.handle)
    }
    var stepped = SQLITE_OK
    var isWanted = mayGoOn()
    while isWanted, stepped == SQLITE_OK {
      stepped = sqlite3_backup_step(backup, Self.pagesAtOnce)
      if stepped == SQLITE_OK { isWanted = mayGoOn() }
    }
    let finished = sqlite3_backup_finish(backup)
    guard isWanted else { return false }
    guard stepped == SQLITE_DONE else { throw SQLiteError(stepped, handle: target.handle) }
    guard finished == SQLITE_OK else { throw SQLiteError(finished, handle: target.handle) }
    return true
  }

  /// Writes everything that the database contains into a new file: without free pages, which still
  /// have deleted rows in them. SQLite can do that from a connection that can write only: otherwise
  /// it fails at columns that are computed.
  func writeCompactCopy(to path: String) throws {
    unlink(path)
    // SQLite takes an empty file for the copy, and would make one that others can read.
    try PrivatePath.make(path)
    sqlite3_progress_handler(
      handle, Self.cancellationSteps, { _ in Task.isCancelled ? 1 : 0 }, nil)
    defer { sqlite3_progress_handler(handle, 0, nil, nil) }
    do throws(SQLiteError) {
      try run("VACUUM INTO ?", path)
    } catch {
      unlink(path)
      if error.code == SQLITE_INTERRUPT { throw CancellationError() }
      throw error
    }
  }
}
