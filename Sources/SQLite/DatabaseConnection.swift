import CSQLite

/// What `sqlite3_config` said: it must be called once, before the first connection. Where it refuses, memory is counted as ever.
private let countsNoMemory = natter_sqlite_count_no_memory()

/// An open database, inside a `read` or `write` closure of its `Database`. It does not leave the closure.
package final class DatabaseConnection {
  /// How many prepared statements are kept.
  private static let cacheLimit = 128

  let handle: OpaquePointer
  private var cache: [StatementText: Statement] = [:]
  /// Whether statements that change something are a mistake: inside `read`.
  var isReading = false
  /// The steps of SQLite's virtual machine so far: what the statements cost, however fast the machine is.
  package private(set) var work = 0
  private var hasBegun = false
  /// Why SQLite took the whole transaction back before its end.
  private var ruin: SQLiteError?

  /// - Parameter flags: of `sqlite3_open_v2`.
  init(path: String, flags: Int32) throws(SQLiteError) {
    if let problem = natter_sqlite_problem() {
      throw SQLiteError(missingLibrary: String(cString: problem))
    }
    var handle: OpaquePointer?
    _ = countsNoMemory
    // One thread at a time uses it: that of its actor's queue.
    let result = sqlite3_open_v2(path, &handle, flags | SQLITE_OPEN_NOMUTEX, nil)
    guard let handle, result == SQLITE_OK else {
      let error = SQLiteError(result, handle: handle)
      sqlite3_close_v2(handle)
      throw error
    }
    sqlite3_extended_result_codes(handle, 1)
    self.handle = handle
  }

  deinit {
    cache.removeAll()
    sqlite3_close_v2(handle)
  }

  /// Runs one statement that gives no rows, or whose rows do not matter.
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

  /// All rows of a query, each turned into a value by `map`.
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

  /// The first row of a query; `nil` when there is none.
  package func firstRow<Value>(
    _ sql: String, _ arguments: any SQLConvertible..., map: (Row) throws -> Value
  ) throws -> Value? {
    let statement = try begin(sql, arguments)
    defer { end(statement) }
    guard try statement.step() else { return nil }
    let value = try map(Row(statement: statement.handle))
    // A change ends with its last step. Left before that, it would end while nothing runs; then what the full-text index has
    // still to write is refused, for its tables are closed to others (SQLITE_DBCONFIG_DEFENSIVE), and all is taken back.
    while !statement.isReadOnly, try statement.step() {}
    return value
  }

  /// How many rows the last INSERT, UPDATE or DELETE changed, triggers not counted.
  package var changes: Int { Int(sqlite3_changes64(handle)) }

  /// The row id of the last INSERT that succeeded.
  package var lastInsertedRowID: Int64 { sqlite3_last_insert_rowid(handle) }

  /// Undoes what `body` did when it throws, inside the transaction that goes on.
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

  /// False as well after an error that made SQLite itself roll back, as a full disk does.
  var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

  /// Runs `body` between BEGIN and COMMIT; rolls back when either fails.
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
      // From here on SQLite's own end of it is what is wanted.
      hasBegun = false
      try run("COMMIT")
      return value
    } catch {
      hasBegun = false
      // The first error is the one to tell; a rollback fails only where SQLite did it already.
      if isInTransaction { try? run("ROLLBACK") }
      throw ruin ?? error
    }
  }

  func forgetStatements() { cache.removeAll() }

  private func begin(
    _ sql: String, _ arguments: [any SQLConvertible]
  ) throws(SQLiteError) -> Statement {
    // What came now would be stored by itself, without what belongs to it.
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

/// What a prepared statement is kept under. Few have the same length and end, and to hash all of a long one takes as long as to
/// run it.
private struct StatementText: Hashable {
  let sql: String

  func hash(into hasher: inout Hasher) {
    hasher.combine(sql.utf8.count)
    for byte in sql.utf8.suffix(4) { hasher.combine(byte) }
  }
}
