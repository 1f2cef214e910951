import CSQLite
import Glibc

extension DatabaseConnection {
  /// The steps of SQLite's virtual machine after which a copy looks for its cancellation.
  private static let cancellationSteps: Int32 = 10_000

  /// Writes everything that the database contains into a new file: without free pages, which still
  /// have deleted rows in them.
  /// - Parameter isReadOnly: whether the connection refuses changes (`PRAGMA query_only`). SQLite
  ///   counts the copy as one, though the file of the connection stays the same.
  func writeCompactCopy(to path: String, isReadOnly: Bool) throws {
    unlink(path)
    // SQLite takes an empty file for the copy, and would make one that others can read.
    try PrivatePath.make(path)
    sqlite3_progress_handler(
      handle, Self.cancellationSteps, { _ in Task.isCancelled ? 1 : 0 }, nil)
    defer { sqlite3_progress_handler(handle, 0, nil, nil) }
    do {
      if isReadOnly { try run("PRAGMA query_only = OFF") }
      let copy = Result { () throws(SQLiteError) in try run("VACUUM INTO ?", path) }
      if isReadOnly { try run("PRAGMA query_only = ON") }
      try copy.get()
    } catch {
      unlink(path)
      if error.code == SQLITE_INTERRUPT { throw CancellationError() }
      throw error
    }
  }
}
