import CSQLite
import Glibc

/// One SQLite database, used by one caller at a time, on a thread of its own.
///
/// A commit is on the disk when `write` returns (write-ahead log, `synchronous=FULL`): neither a
/// killed program nor a power cut takes it back. Writers that have much to write put it into one
/// transaction, for it is the commit that costs.
package actor Database {
  package enum Location: Hashable, Sendable {
    /// A file, made 0600 with the directories above it if it is not there.
    case file(String)
    /// A database that is gone when it is closed.
    case memory
  }

  private let executor: QueueExecutor
  private var connection: DatabaseConnection?
  /// Held until the database is closed.
  private var lock: DatabaseLock?
  /// Where it is; the log and the shared memory lie beside it under the names that SQLite gives them.
  package nonisolated let location: Location
  /// Has one element when a call finds the file damaged that was opened as a good one; ends then, or with the database.
  package nonisolated let damage: AsyncStream<Void>
  private nonisolated let damageFound: AsyncStream<Void>.Continuation

  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }

  private init(_ location: Location, lock: DatabaseLock?) {
    self.location = location
    self.lock = lock
    executor = QueueExecutor(label: "natter.database")
    (damage, damageFound) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(1))
  }

  /// Opens the database and brings it to the newest schema; a copy of an existing file is kept before that
  /// (`NAME.before-VERSION.backup`, VERSION being the number of the schema that it is brought to).
  ///
  /// - Parameter lock: kept until the database is closed; `nil`: others may use the file as well.
  /// - Throws: `SQLiteError` (`.damaged`: not a database, or broken; `.notWritable`, `.full`, `.cannotOpen`) and
  ///   `Migrator.Failure`. The file is then as it was.
  package static func open(
    _ location: Location, migrator: Migrator, lock: DatabaseLock? = nil
  ) async throws -> Database {
    let database = Database(location, lock: lock)
    try await database.connect(migrator)
    return database
  }

  /// Runs `body` in a transaction that is committed when it returns and rolled back when it throws.
  package func write<Value: Sendable>(
    _ body: @Sendable (DatabaseConnection) throws -> Value
  ) throws -> Value {
    try tellingDamage { try connected().transaction("BEGIN IMMEDIATE", body) }
  }

  /// Runs `body`, which sees one state of the database and changes nothing.
  package func read<Value: Sendable>(
    _ body: @Sendable (DatabaseConnection) throws -> Value
  ) throws -> Value {
    let connection = try connected()
    connection.isReading = true
    defer { connection.isReading = false }
    return try tellingDamage { try connection.transaction("BEGIN DEFERRED", body) }
  }

  /// Runs `body` outside any transaction, for what SQLite does not do inside one (PRAGMA, VACUUM).
  package func withoutTransaction<Value: Sendable>(
    _ body: @Sendable (DatabaseConnection) throws -> Value
  ) throws -> Value {
    try body(connected())
  }

  /// Copies all that is committed into a new file of mode 0600, on the disk when this returns.
  package func backUp(to path: String) throws {
    try connected().copy(to: path)
  }

  /// The first faults that an examination finds, at most `limit`; empty when there are none. Takes as long as reading the file.
  package func faults(limit: Int = 10) throws -> [String] {
    try connected().faults(limit: limit, check: "integrity_check")
  }

  /// Writes the log into the file, closes it and gives its lock back. Calls that come later throw.
  package func close() {
    damageFound.finish()
    connection = nil
    lock = nil
  }

  private func tellingDamage<Value>(_ body: () throws -> Value) throws -> Value {
    do { return try body() } catch let error as SQLiteError where error.kind == .damaged {
      // A file that was closed in order is not examined when it is opened: that takes as long as reading it.
      damageFound.yield()
      damageFound.finish()
      throw error
    }
  }

  private func connected() throws(SQLiteError) -> DatabaseConnection {
    guard let connection else {
      throw SQLiteError(code: SQLITE_MISUSE, message: "the database is closed")
    }
    return connection
  }

  private func connect(_ migrator: Migrator) throws {
    switch location {
    case .memory:
      let connection = try DatabaseConnection(
        path: ":memory:", flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
      try connection.configure()
      try migrator.migrate(connection)
      self.connection = connection
    case .file(let path):
      connection = try DatabaseOpening(path: path, migrator: migrator).open()
    }
  }
}
