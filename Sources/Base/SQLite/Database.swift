import CSQLite
import Glibc
import System

/// An SQLite database, used by a single caller at a time, on a thread of its own.
///
/// A commit is on the disk when `write` returns (write-ahead log, `synchronous=FULL`): neither a
/// killed program nor a power cut reverts it. Callers with many changes put them into one
/// transaction, because the commit is the expensive part.
package actor Database {
  /// The location of a database.
  package enum Location: Hashable, Sendable {
    /// A file, created with mode 0600, together with missing directories above it.
    case file(String)
    /// A database that is gone when it is closed.
    case memory
  }

  private let executor: QueueExecutor
  private var connection: DatabaseConnection?
  /// The connection of a database that is only read, with the state of its file.
  private var reading: DatabaseReading?
  /// The schema of a database that is only read; `nil`: it can be written.
  private let readSchema: Migrator?
  /// The connection of `readAside`; `nil` for a database in memory, which has a single one, and
  /// for one that is only read: `read` waits for no writer there.
  private nonisolated let reader: DatabaseReader?
  /// The lock on the file, kept until the database is closed.
  private var lock: DatabaseLock?
  /// The location; the log and the shared memory are beside the file, under SQLite's names.
  package nonisolated let location: Location
  /// A stream with a single element when a call finds that a file, valid when opened, is damaged;
  /// it ends then, or with the database.
  package nonisolated let damage: AsyncStream<Void>
  private nonisolated let damageFound: AsyncStream<Void>.Continuation

  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }

  /// The most rows that one call of `read` should take from a database that another program
  /// writes: as long as it lasts, the log cannot be written back.
  package static let readingLimit = 5000

  private init(_ location: Location, lock: DatabaseLock?, readSchema: Migrator? = nil) {
    self.location = location
    self.lock = lock
    self.readSchema = readSchema
    executor = QueueExecutor(label: "natter.database")
    reader =
      switch location {
      case .file(let path): readSchema == nil ? DatabaseReader(path: path) : nil
      case .memory: nil
      }
    (damage, damageFound) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(1))
  }

  /// Opens the database and migrates it to the newest schema. Before a migration, an existing file
  /// is copied to `NAME.before-VERSION.backup`, where VERSION is the number of the new schema.
  ///
  /// - Parameter lock: Kept until the database is closed; with `nil`, others may use the file as
  ///   well.
  /// - Throws: `SQLiteError` (`.damaged`: not a database, or broken; `.notWritable`, `.full`,
  ///   `.cannotOpen`) and `Migrator.Failure`. The file is then unchanged.
  package static func open(
    _ location: Location, migrator: Migrator, lock: DatabaseLock? = nil
  ) async throws -> Database {
    let database = Database(location, lock: lock)
    try await database.connect(migrator)
    return database
  }

  /// Opens a database for reading, whether or not another program has it open. Nothing is created,
  /// changed or migrated, and nothing waits for the lock.
  ///
  /// - Returns: `nil` when there is no such file, or nothing was stored in it yet.
  /// - Throws: The errors of `open`, and `Migrator.Failure.olderSchema`.
  package static func openReading(_ path: String, migrator: Migrator) async throws -> Database? {
    let database = Database(.file(path), lock: nil, readSchema: migrator)
    return try await database.connectReading(path, migrator) ? database : nil
  }

  /// Indicates whether the database was opened by `openReading`: then `write` throws.
  package nonisolated var isReadOnly: Bool { readSchema != nil }

  /// Runs `body` in a transaction that is committed when it returns and rolled back when it throws.
  package func write<Value: Sendable>(
    _ body: @Sendable (DatabaseConnection) throws -> Value
  ) throws -> Value {
    try reportingDamage { try connected().transaction("BEGIN IMMEDIATE", body) }
  }

  /// Runs `body`, which sees a single state of the database and changes nothing.
  package func read<Value: Sendable>(
    _ body: @Sendable (DatabaseConnection) throws -> Value
  ) throws -> Value {
    try consistently { try Self.read($0, body) }
  }

  /// Runs `body`, again if a file that is read without its log changed meanwhile.
  private func consistently<Value>(
    _ body: (DatabaseConnection) throws -> Value
  ) throws -> Value {
    guard case .file(let path) = location, let readSchema else {
      return try reportingDamage { try body(try connected()) }
    }
    for _ in 0..<DatabaseReading.repetitions {
      let connection = try connected()
      let result = Result { try body(connection) }
      guard let reading, reading.isStale else { return try result.get() }
      // The program that has it open began to write: what was read may be a mixture.
      guard try connectReading(path, readSchema) else { break }
    }
    throw DatabaseReading.changing(path)
  }

  private static func read<Value>(
    _ connection: DatabaseConnection, _ body: (DatabaseConnection) throws -> Value
  ) throws -> Value {
    connection.isReading = true
    defer { connection.isReading = false }
    return try connection.transaction("BEGIN DEFERRED", body)
  }

  /// Runs `body` like `read`, but apart from everything else: on a connection of its own, so that
  /// it does not wait for writers. For long reads whose result may become superfluous.
  /// - Throws: `CancellationError` soon after the task is cancelled.
  package nonisolated func readAside<Value: Sendable>(
    _ body: @Sendable (DatabaseConnection) throws -> Value
  ) async throws -> Value {
    guard let reader else {
      try Task.checkCancellation()
      return try await read(body)
    }
    do { return try await reader.read(body) } catch let error as SQLiteError
      where error.kind == .damaged
    {
      reportDamage()
      throw error
    }
  }

  /// Runs `body` outside any transaction, for statements that SQLite does not allow inside a
  /// transaction (PRAGMA, VACUUM).
  package func withoutTransaction<Value: Sendable>(
    _ body: @Sendable (DatabaseConnection) throws -> Value
  ) throws -> Value {
    try body(connected())
  }

  /// Copies all committed data into a new file of mode 0600, which is on the disk when this
  /// returns. Free pages are copied, too. Other programs can write the database meanwhile.
  /// - Throws: `SQLiteError`; `CancellationError` soon after the task is cancelled. There is no new
  ///   file then.
  package func backUp(to path: String) throws {
    try consistently { connection in
      try connection.transaction("BEGIN DEFERRED") { db in
        // From the first read on, the transaction sees a single state.
        try db.run("SELECT 1 FROM sqlite_schema LIMIT 1")
        let isComplete = try db.copy(to: path) { !Task.isCancelled }
        if !isComplete { throw CancellationError() }
      }
    }
  }

  /// Writes all committed data into a new file of mode 0600, and nothing of what was deleted.
  /// - Precondition: the database was not opened by `openReading`.
  /// - Throws: `SQLiteError`; `CancellationError` soon after the task is cancelled. There is no new
  ///   file then.
  package func writeCompactCopy(to path: String) throws {
    precondition(!isReadOnly, "a compact copy of a database that is only read")
    try connected().writeCompactCopy(to: path)
  }

  /// Returns the first faults that a check of the file finds, at most `limit`; empty when it is
  /// sound. Takes as long as reading the file.
  package func faults(limit: Int = 10) throws -> [String] {
    try connected().faults(limit: limit, check: "integrity_check")
  }

  /// Writes the log into the file, closes it and releases its lock. Calls of `readAside` that have
  /// not ended throw, and so do later calls.
  package func close() async {
    damageFound.finish()
    // A read that lasts would keep the log from being emptied, and the caller waiting.
    await reader?.close()
    if !isReadOnly { connection?.emptyLog() }
    // The last connection that is closed writes the log into the file.
    connection = nil
    reading = nil
    lock = nil
  }

  private func reportingDamage<Value>(_ body: () throws -> Value) throws -> Value {
    do { return try body() } catch let error as SQLiteError where error.kind == .damaged {
      // A file that was closed in order is not checked when it is opened, because that takes as
      // long as reading it. So damage may show only now.
      reportDamage()
      throw error
    }
  }

  private nonisolated func reportDamage() {
    damageFound.yield()
    damageFound.finish()
  }

  private func connected() throws(SQLiteError) -> DatabaseConnection {
    guard let connection else {
      throw SQLiteError(code: SQLITE_MISUSE, message: "the database is closed")
    }
    return connection
  }

  /// - Returns: `false` when there is no database.
  private func connectReading(_ path: String, _ migrator: Migrator) throws -> Bool {
    reading = try DatabaseReading.open(path, migrator: migrator)
    connection = reading?.connection
    return reading != nil
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
