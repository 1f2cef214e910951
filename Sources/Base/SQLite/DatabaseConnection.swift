import CSQLite

/// The result of `sqlite3_config`, which must be called a single time, before the first connection.
/// If it fails, SQLite keeps counting its memory, which only costs time.
private let countsNoMemory = natter_sqlite_count_no_memory()

/// An open database, inside a `read` or `write` closure of its `Database`. It must not leave the
/// closure.
package final class DatabaseConnection {
  /// The most prepared statements that are cached.
  private static let cacheLimit = 128

  let handle: OpaquePointer
  private var cache: [StatementText: Statement] = [:]
  /// Indicates whether statements that change something are programming errors: true inside `read`.
  var isReading = false
  /// Reads texts that are not in an index; `nil` until it is needed.
  private var tokenizer: OpaquePointer?
  /// The steps of SQLite's virtual machine so far: the cost of the statements, independent of the
  /// machine's speed.
  package private(set) var work = 0
  private var hasBegun = false
  /// The reason why SQLite rolled back the whole transaction before its end.
  private var ruin: SQLiteError?

  /// - Parameter flags: The flags of `sqlite3_open_v2`.
  init(path: String, flags: Int32) throws(SQLiteError) {
    if let problem = natter_sqlite_problem() {
      throw SQLiteError(missingLibrary: String(cString: problem))
    }
    var handle: OpaquePointer?
    _ = countsNoMemory
    // A single thread uses it at a time: that of its actor's queue.
    let result = sqlite3_open_v2(path, &handle, flags | SQLITE_OPEN_NOMUTEX, nil)
    guard let handle, result == SQLITE_OK else {
      let error = SQLiteError(result, handle: handle)
      sqlite3_close_v2(handle)
      throw error
    }
    sqlite3_extended_result_codes(handle, 1)
    // Without full-text search in the library, the index that needs it cannot be created or read,
    // which its statements report.
    _ = natter_sqlite_add_tokenizer(handle)
    self.handle = handle
  }

  deinit {
    cache.removeAll()
    natter_sqlite_free_tokenizer(tokenizer)
    sqlite3_close_v2(handle)
  }

  /// Returns the tokenizer of this connection. Making one for each text would prepare a statement
  /// each time.
  /// - Throws: `SQLiteError`, where the library has no full-text search.
  func searchTokenizer() throws(SQLiteError) -> OpaquePointer {
    if let tokenizer { return tokenizer }
    let result = natter_sqlite_make_tokenizer(handle, &tokenizer)
    guard result == SQLITE_OK, let tokenizer else { throw SQLiteError(result, handle: handle) }
    return tokenizer
  }

  /// Runs a statement that returns no rows, or whose rows do not matter.
  package func run(_ sql: String, _ arguments: any SQLConvertible...) throws(SQLiteError) {
    try run(sql, arguments: arguments)
  }

  package func run(_ sql: String, arguments: [any SQLConvertible]) throws(SQLiteError) {
    let statement = try begin(sql, arguments)
    defer { end(statement) }
    while try statement.step() {}
  }

  /// Runs several statements without arguments, separated by `;`.
  package func runScript(_ sql: String) throws(SQLiteError) {
    precondition(!isReading, "a script inside read")
    let result = sqlite3_exec(handle, sql, nil, nil, nil)
    guard result == SQLITE_OK else { throw SQLiteError(result, handle: handle, sql: sql) }
  }

  /// Returns all rows of a query, each converted by `map`.
  package func rows<Value>(
    _ sql: String, _ arguments: any SQLConvertible..., map: (Row) throws -> Value
  ) throws -> [Value] {
    try rows(sql, arguments: arguments, map: map)
  }

  package func rows<Value>(
    _ sql: String, arguments: [any SQLConvertible], map: (Row) throws -> Value
  ) throws -> [Value] {
    let statement = try begin(sql, arguments)
    defer { end(statement) }
    var values: [Value] = []
    while try statement.step() { values.append(try map(Row(statement: statement.handle))) }
    return values
  }

  /// Calls `body` with each row of a query, without keeping the rows.
  package func forEachRow(
    _ sql: String, arguments: [any SQLConvertible] = [], _ body: (Row) throws -> Void
  ) throws {
    try readRows(sql, arguments: arguments) { row in
      try body(row)
      return true
    }
  }

  /// Calls `body` with each row of a query that changes nothing, up to the first one for which it
  /// returns `false`.
  package func readRows(
    _ sql: String, arguments: [any SQLConvertible], while body: (Row) throws -> Bool
  ) throws {
    let statement = try begin(sql, arguments)
    defer { end(statement) }
    while try statement.step(), try body(Row(statement: statement.handle)) {}
  }

  /// Returns the first row of a query, converted by `map`; `nil` when there is none.
  package func firstRow<Value>(
    _ sql: String, _ arguments: any SQLConvertible..., map: (Row) throws -> Value
  ) throws -> Value? {
    let statement = try begin(sql, arguments)
    defer { end(statement) }
    guard try statement.step() else { return nil }
    let value = try map(Row(statement: statement.handle))
    // A change ends with its last step. If it is abandoned earlier, it ends while no statement
    // runs; then the pending writes of the full-text index are refused, because its tables are
    // closed to others (SQLITE_DBCONFIG_DEFENSIVE), and everything is rolled back.
    while !statement.isReadOnly, try statement.step() {}
    return value
  }

  /// The number of rows that the last INSERT, UPDATE or DELETE changed, without triggers.
  package var changes: Int { Int(sqlite3_changes64(handle)) }

  /// The row id of the last successful INSERT.
  package var lastInsertedRowID: Int64 { sqlite3_last_insert_rowid(handle) }

  /// Runs `body` in a savepoint and rolls back its changes when it throws; the transaction
  /// continues.
  package func savepoint<Value>(_ body: () throws -> Value) throws -> Value {
    try run("SAVEPOINT part")
    do {
      let value = try body()
      try run("RELEASE part")
      return value
    } catch {
      if isInTransaction {
        try run("ROLLBACK TO part")
        try run("RELEASE part")
      }
      throw error
    }
  }

  /// Indicates whether a transaction is open; false also after an error that made SQLite itself
  /// roll back, as a full disk does.
  var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

  /// Runs `body` between `begin` and COMMIT; rolls back when either fails.
  func transaction<Value>(
    _ begin: String, _ body: (DatabaseConnection) throws -> Value
  ) throws -> Value {
    precondition(!isInTransaction, "a transaction inside a transaction")
    try run(begin)
    hasBegun = true
    defer { (hasBegun, ruin) = (false, nil) }
    do {
      let value = try body(self)
      if let ruin { throw ruin }
      // From here on, SQLite is expected to end the transaction.
      hasBegun = false
      try run("COMMIT")
      return value
    } catch {
      hasBegun = false
      // The first error is the one to report; a rollback fails only when SQLite has already done
      // it.
      if isInTransaction { try? run("ROLLBACK") }
      throw ruin ?? error
    }
  }

  private func begin(
    _ sql: String, _ arguments: [any SQLConvertible]
  ) throws(SQLiteError) -> Statement {
    // After SQLite's own rollback, a change would be stored alone, without the rest of its
    // transaction.
    if let ruin { throw ruin }
    let statement: Statement
    let text = StatementText(sql: sql)
    if let known = cache[text], !known.isRunning {
      statement = known
    } else {
      statement = try Statement(sql, on: handle)
      if cache.count >= Self.cacheLimit { cache.removeAll() }
      cache[text] = statement
    }
    precondition(!isReading || statement.isReadOnly, "a change inside read: \(sql)")
    statement.isRunning = true
    do {
      try statement.bind(arguments)
    } catch {
      end(statement)
      throw error
    }
    return statement
  }

  private func end(_ statement: Statement) {
    let result = statement.reset()
    work += statement.takeWork()
    statement.isRunning = false
    if hasBegun, !isInTransaction, ruin == nil {
      ruin = SQLiteError(result, handle: handle, sql: statement.sql)
    }
  }
}

/// The cache key of a prepared statement. Few statements share length and ending, and hashing all
/// of a long statement takes as long as running it.
private struct StatementText: Hashable {
  let sql: String

  func hash(into hasher: inout Hasher) {
    hasher.combine(sql.utf8.count)
    for byte in sql.utf8.suffix(4) { hasher.combine(byte) }
  }
}
