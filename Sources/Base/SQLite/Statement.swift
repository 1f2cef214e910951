import CSQLite

/// A prepared statement, finalized when it is deinitialized.
final class Statement {
  let handle: OpaquePointer
  let sql: String
  let isReadOnly: Bool
  /// Indicates whether a loop is at one of its rows: until then it must not be used again.
  var isRunning = false

  init(_ sql: String, on database: OpaquePointer) throws(SQLiteError) {
    var handle: OpaquePointer?
    let result = sqlite3_prepare_v3(
      database, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &handle, nil)
    guard result == SQLITE_OK else { throw SQLiteError(result, handle: database, sql: sql) }
    guard let handle else {
      throw SQLiteError(code: SQLITE_MISUSE, message: "an empty statement", sql: sql)
    }
    self.handle = handle
    self.sql = sql
    isReadOnly = sqlite3_stmt_readonly(handle) != 0
  }

  deinit { sqlite3_finalize(handle) }

  func bind(_ arguments: [any SQLConvertible]) throws(SQLiteError) {
    precondition(
      Int(sqlite3_bind_parameter_count(handle)) == arguments.count,
      "\(arguments.count) arguments for: \(sql)")
    for (offset, argument) in arguments.enumerated() {
      let index = Int32(offset + 1)
      let result =
        switch argument.sqlValue {
        case .null: sqlite3_bind_null(handle, index)
        case .integer(let value): sqlite3_bind_int64(handle, index, value)
        case .real(let value): sqlite3_bind_double(handle, index, value)
        case .text(var value):
          value.withUTF8 { utf8 in
            utf8.withMemoryRebound(to: CChar.self) { text in
              // An empty string may have no address, and binding no address would bind NULL.
              text.baseAddress.map {
                natter_sqlite_bind_text(handle, index, $0, UInt64(text.count))
              } ?? natter_sqlite_bind_text(handle, index, "", 0)
            }
          }
        case .blob(let value):
          value.withUnsafeBytes {
            natter_sqlite_bind_blob(handle, index, $0.baseAddress, UInt64($0.count))
          }
        }
      guard result == SQLITE_OK else {
        throw SQLiteError(result, handle: sqlite3_db_handle(handle), sql: sql)
      }
    }
  }

  /// Advances to the next row.
  /// - Returns: `true` if there is a next row.
  func step() throws(SQLiteError) -> Bool {
    switch sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let result: throw SQLiteError(result, handle: sqlite3_db_handle(handle), sql: sql)
    }
  }

  /// Returns the steps of the virtual machine since the last call.
  func takeWork() -> Int { Int(sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_VM_STEP, 1)) }

  /// Makes the statement ready to run again, and clears its arguments.
  /// - Returns: The result code of the last step, whose error was thrown already, or of a statement
  ///   that ends here before its last step.
  @discardableResult func reset() -> Int32 {
    defer { sqlite3_clear_bindings(handle) }
    return sqlite3_reset(handle)
  }
}
