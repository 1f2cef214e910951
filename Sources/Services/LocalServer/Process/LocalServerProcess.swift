import Crypto
import Diagnostics
import FoundationEssentials
import Glibc
import Sockets
import SQLite
import System

/// The process of the built-in server: one per data directory, on loopback only. It ends when it
/// has no clients left.
package struct LocalServerProcess: Sendable {
  /// The result of a run without errors.
  package enum Outcome: Hashable, Sendable {
    /// The server ran, and ended because its last client left or because it received a signal.
    case ended
    /// Another process serves this directory.
    case alreadyRunning(ServerState)
  }

  /// A reason why the server cannot serve the data directory.
  package enum Failure: Error, Hashable, Sendable {
    /// The data cannot be emptied, because the process `pid` serves it.
    case inUse(pid: Int32?)
    /// Another process holds the directory's lock but has not published its address.
    case unresponsive(pid: Int32?)
  }

  /// The name of the database in the data directory.
  package static let databaseName = "server.db"

  /// The data directory: accounts, messages and `server.json`.
  let directory: URL
  /// The directory of the Unix socket.
  let runtimeDirectory: URL
  let settings: ServerSettings
  /// Indicates whether the data is removed before the server starts.
  let fresh: Bool

  /// - Parameters:
  ///   - directory: the data directory; created with mode 0700 if it is missing.
  ///   - runtimeDirectory: the directory of the Unix socket (`$XDG_RUNTIME_DIR/natter`); `nil`
  ///     means the data directory.
  ///   - fresh: whether all accounts and messages are removed first.
  package init(
    directory: URL, runtimeDirectory: URL? = nil, fresh: Bool = false, settings: ServerSettings
  ) {
    self.directory = directory
    self.runtimeDirectory = runtimeDirectory ?? directory
    self.settings = settings
    self.fresh = fresh
  }

  /// Runs the server as the only task of this process: in its own session, ending on SIGTERM and
  /// SIGINT, ignoring SIGHUP.
  /// - Parameter isReady: called once, when clients can connect.
  /// - Throws: as `serve(until:isReady:)`.
  package static func run(
    directory: URL, runtimeDirectory: URL? = nil, fresh: Bool = false, settings: ServerSettings,
    isReady: @escaping @Sendable (ServerState) -> Void = { _ in }
  ) async throws -> Outcome {
    // It fails only for the leader of a process group, which has its own group already.
    _ = setsid()
    // The terminal that started the server may close before the other clients leave, so a hang-up
    // does not end the server.
    let termination = StopSignals(ignoring: [SIGHUP, SIGPIPE])
    defer { withExtendedLifetime(termination) {} }
    return try await LocalServerProcess(
      directory: directory, runtimeDirectory: runtimeDirectory, fresh: fresh, settings: settings
    ).serve(until: termination.numbers, isReady: isReady)
  }

  /// Serves until no client has been connected for `settings.linger`, no first client has come
  /// within `settings.patience`, `end` yields an element, or the task is cancelled.
  /// - Throws: `Failure`, `SQLiteError` when the data cannot be read or written,
  ///   `Migrator.Failure`, `SocketError` when no port is free, `CryptoError`.
  package func serve(
    until end: AsyncStream<Int32>, isReady: @escaping @Sendable (ServerState) -> Void
  ) async throws -> Outcome {
    try PrivatePath.makeDirectory(directory.path)
    let lock: DatabaseLock
    switch try await claim() {
    case .mine(let own): lock = own
    case .other(let state):
      if fresh { throw Failure.inUse(pid: state.pid) }
      return .alreadyRunning(state)
    }
    defer { withExtendedLifetime(lock) {} }
    ServerState.remove(in: directory)
    if fresh { removeData() }
    let database = try await Database.open(
      .file(directory.appending(path: Self.databaseName).path), migrator: Schema.migrator)
    // A killed process loses nothing in this mode. Only a power failure could lose a commit, and no
    // client survives that.
    try await database.withoutTransaction { try $0.runScript("PRAGMA synchronous = NORMAL") }
    let crypto = CryptoLibrary()
    // No client could sign in without the library, so a missing one fails the start.
    try crypto.load()
    let web = try await Listeners.openWeb(database: database)
    var settings = settings
    settings.uploads = web.map {
      UploadSlot(address: "http://127.0.0.1:\($0.port)", crypto: crypto)
    }
    settings.loginAddress = settings.uploads?.address
    settings.ownerKey = randomIdentifier(byteCount: 24)
    let server = try Server(settings: settings, database: database, crypto: crypto)
    let listeners = try await Listeners.open(
      database: database, directory: directory, runtimeDirectory: runtimeDirectory)
    let state = ServerState(
      pid: getpid(), port: listeners.port, socket: listeners.path, domain: settings.domain,
      ownerKey: settings.ownerKey)
    try state.write(in: directory)
    isReady(state)
    await withTaskGroup(of: Void.self) { group in
      if let web, let uploads = settings.uploads {
        let files = UploadHandler(
          uploadSlot: uploads, folder: directory.appending(path: "uploads").path)
        group.addTask { files.removeOld() }
        let side = WebServer(handlers: [
          files,
          LoginHandler(
            address: uploads.address, domain: settings.domain, database: database,
            passwords: Passwords(crypto: crypto, iterations: settings.iterations),
            lifetime: settings.tokenLifetime, now: { Date().timeIntervalSince1970 },
            texts: settings.texts, asksForKey: settings.asksForKey,
            makeAccount: { await server.register($0, $1, key: $2) }),
        ])
        group.addTask { await side.run(web) }
      }
      await serve(server, listeners, until: end)
      web?.close()
      group.cancelAll()
    }
    await database.close()
    return .ended
  }

  private func serve(_ server: Server, _ listeners: Listeners, until end: AsyncStream<Int32>) async
  {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await server.run() }
      group.addTask { await reportClients(of: server) }
      for listener in listeners.sockets { group.addTask { await Self.accept(listener, server) } }
      await withTaskGroup(of: Void.self) { reasons in
        reasons.addTask { await IdleShutdown(settings).wait(for: server) }
        reasons.addTask { for await _ in end { return } }
        await reasons.next()
        reasons.cancelAll()
      }
      // Remove the published address first, so that no new client connects during the shutdown.
      ServerState.remove(in: directory)
      for listener in listeners.sockets { listener.close() }
      await server.dismissClients()
      for await count in await server.population() where count == 0 { break }
      server.stop()
      group.cancelAll()
    }
  }

  /// Holds the client lock (`ServerState.clientLock`) while clients are connected.
  private func reportClients(of server: Server) async {
    var lock: DatabaseLock?
    for await count in await server.population() {
      if count == 0 {
        lock = nil
      } else if lock == nil {
        // Without the lock, `ServerState.hasClients` cannot report these clients.
        lock = try? DatabaseLock(path: ServerState.clientLock(in: directory))
      }
    }
    withExtendedLifetime(lock) {}
  }

  private static func accept(_ listener: ListeningSocket, _ server: Server) async {
    await withDiscardingTaskGroup { group in
      do throws(SocketError) {
        while true {
          let socket = try await listener.accept()
          group.addTask { await server.serve(socket) }
        }
      } catch {
        // The socket was closed or failed; established connections stay.
      }
    }
  }

  // MARK: One server for a directory

  private enum Claim {
    case mine(DatabaseLock)
    case other(ServerState)
  }

  /// Takes the directory's lock, or finds the server that holds it. Waits up to ten seconds for a
  /// server that is starting or stopping.
  private func claim() async throws -> Claim {
    let path = ServerState.lock(in: directory)
    var holder: Int32?
    for _ in 0..<200 {
      do throws(DatabaseLock.Failure) {
        return .mine(try DatabaseLock(path: path))
      } catch {
        switch error {
        case .system(let error): throw error
        case .held(let pid):
          holder = pid
          if let state = ServerState.read(in: directory), pid == nil || state.pid == pid {
            return .other(state)
          }
        }
      }
      try await Task.sleep(for: .milliseconds(50))
    }
    throw Failure.unresponsive(pid: holder)
  }

  private func removeData() {
    // The folder exists only after an upload.
    try? FileManager.default.removeItem(at: directory.appending(path: "uploads"))
    let database = directory.appending(path: Self.databaseName).path
    for file in DatabaseFiles.paths(of: database) { unlink(file) }
  }
}
