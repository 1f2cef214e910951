import CSQLite
import Synchronization
import System

/// A second connection to a database file, which changes nothing. Its reads neither wait for
/// writers nor make them wait, and end early when their task is cancelled.
///
/// The file must be open in a `Database` meanwhile, which has brought it to the newest schema.
package actor DatabaseReader {
  private let executor = QueueExecutor(label: "natter.database.reader")
  private let path: String
  private var connection: DatabaseConnection?
  private var isClosed = false
  private nonisolated let interruption = Interruption()

  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }

  /// - Parameter path: The path of the file, which is opened with the first read.
  init(path: String) { self.path = path }

  /// Runs `body`, which sees a single state of the database.
  /// - Throws: `SQLiteError`, soon after `close` is called, too; `CancellationError` soon after the
  ///   task is cancelled.
  func read<Value: Sendable>(
    _ body: @Sendable (DatabaseConnection) throws -> Value
  ) async throws -> Value {
    let number = interruption.enter()
    return try await withTaskCancellationHandler {
      try run(number, body)
    } onCancel: { [interruption] in
      interruption.cancel(number)
    }
  }

  /// Ends the read that runs, and those that wait, and closes the connection.
  nonisolated func close() async {
    interruption.close()
    await closeConnection()
  }

  private func closeConnection() {
    connection = nil
    isClosed = true
  }

  private static let closed = SQLiteError(
    code: SQLITE_MISUSE, message: "the database is closed")

  private func run<Value>(
    _ number: Int, _ body: (DatabaseConnection) throws -> Value
  ) throws -> Value {
    let connection: DatabaseConnection
    do { connection = try opened() } catch {
      interruption.end(number)
      throw error
    }
    guard interruption.begin(number, connection) else { throw ending }
    connection.isReading = true
    defer {
      connection.isReading = false
      interruption.end(number)
    }
    do {
      return try connection.transaction("BEGIN DEFERRED", body)
    } catch let error as SQLiteError where error.code == SQLITE_INTERRUPT {
      throw ending
    }
  }

  /// The error of a read that was ended early.
  private var ending: any Error { interruption.isClosed ? Self.closed : CancellationError() }

  private func opened() throws -> DatabaseConnection {
    if let connection { return connection }
    guard !isClosed else { throw Self.closed }
    let new = try DatabaseConnection(path: path, flags: SQLITE_OPEN_READONLY)
    sqlite3_busy_timeout(new.handle, DatabaseConnection.busyMilliseconds)
    natter_sqlite_set_option(new.handle, SQLITE_DBCONFIG_DEFENSIVE, 1)
    try new.runScript("PRAGMA temp_store = MEMORY; PRAGMA cache_size = -8192;")
    interruption.watch(new)
    connection = new
    return new
  }
}

/// The cancellation of reads, from any thread: of the one that runs, and of those that wait; one
/// by one, or of all when the database is closed.
private final class Interruption: Sendable {
  private struct State {
    var last = 0
    var waiting: Set<Int> = []
    var running: Int?
    var isCancelled = false
    var isClosed = false
    /// The bits of the connection's handle, which is valid while a read runs.
    var handle: UInt = 0
  }

  private let state = Mutex(State())

  /// Ends statements of a cancelled read after some more steps: SQLite ignores an interruption
  /// before the first step. This object must outlive the connection.
  func watch(_ connection: DatabaseConnection) {
    sqlite3_progress_handler(
      connection.handle, 10_000,
      { context in
        guard let context else { return 0 }
        let own = Unmanaged<Interruption>.fromOpaque(context).takeUnretainedValue()
        return own.state.withLock { $0.isCancelled } ? 1 : 0
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  /// Indicates whether no read begins any more.
  var isClosed: Bool { state.withLock { $0.isClosed } }

  /// Returns the number of a new read.
  func enter() -> Int {
    state.withLock { state in
      state.last += 1
      state.waiting.insert(state.last)
      return state.last
    }
  }

  /// Returns `false` if the read was cancelled before it began, or the database closed.
  func begin(_ number: Int, _ connection: DatabaseConnection) -> Bool {
    let handle = UInt(bitPattern: connection.handle)
    return state.withLock { state in
      guard state.waiting.remove(number) != nil, !state.isClosed else { return false }
      (state.running, state.handle, state.isCancelled) = (number, handle, false)
      return true
    }
  }

  func end(_ number: Int) {
    state.withLock { state in
      state.waiting.remove(number)
      if state.running == number { (state.running, state.isCancelled) = (nil, false) }
    }
  }

  /// Inside the lock, so that no other read is interrupted, and the connection is open.
  func cancel(_ number: Int) {
    state.withLock { state in
      if state.waiting.remove(number) != nil { return }
      if state.running == number { Self.interrupt(&state) }
    }
  }

  /// Interrupts the read that runs, and keeps all others from beginning.
  func close() {
    state.withLock { state in
      state.isClosed = true
      if state.running != nil { Self.interrupt(&state) }
    }
  }

  private static func interrupt(_ state: inout State) {
    guard let handle = OpaquePointer(bitPattern: state.handle) else { return }
    state.isCancelled = true
    sqlite3_interrupt(handle)
  }
}
