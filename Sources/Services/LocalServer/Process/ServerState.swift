import FoundationEssentials
import Glibc
import SQLite

/// The address of a running server: the content of `server.json` in its data directory.
package struct ServerState: Codable, Hashable, Sendable {
  /// The server's process.
  package let pid: Int32
  /// The port on 127.0.0.1.
  package let port: Int
  /// The path of the Unix socket; `nil` if every candidate path was too long.
  package let socket: String?
  /// The domain of all its accounts.
  package let domain: String
  /// The secret that lets a client set new passwords of accounts. Only the owner of the server's
  /// data can read it. It changes in each run.
  package let ownerKey: String?

  package init(
    pid: Int32, port: Int, socket: String?, domain: String, ownerKey: String? = nil
  ) {
    self.pid = pid
    self.port = port
    self.socket = socket
    self.domain = domain
    self.ownerKey = ownerKey
  }

  /// Returns the published state of the server of `directory`, or `nil` when none is ready. A
  /// killed server leaves its state behind; see `isRunning`.
  package static func read(in directory: URL) -> ServerState? {
    // A missing file and an incomplete one mean the same: no server is ready.
    guard let data = try? Data(contentsOf: file(in: directory)) else { return nil }
    return try? JSONDecoder().decode(ServerState.self, from: data)
  }

  /// Returns whether the server that published this state runs. Checks its lock and not only its
  /// process id, which another program may have by now if the server was killed.
  package func isRunning(in directory: URL) -> Bool {
    do throws(DatabaseLock.Failure) {
      try DatabaseLock.check(Self.lock(in: directory))
      return false
    } catch {
      guard case .held(let holder) = error else { return false }
      // The next server may hold the lock before it has written its process id or published its
      // state.
      return holder.map { $0 == pid } ?? (kill(pid, 0) == 0)
    }
  }

  /// Sends SIGTERM to the server of `directory` that published this state, if the lock names its
  /// process. Another program may have the process id otherwise.
  package func end(in directory: URL) {
    do throws(DatabaseLock.Failure) { try DatabaseLock.check(Self.lock(in: directory)) } catch {
      if case .held(by: pid) = error { kill(pid, SIGTERM) }
    }
  }

  /// Returns whether the server of `directory` has clients, or `nil` if the lock cannot be checked.
  package static func hasClients(in directory: URL) -> Bool? {
    do throws(DatabaseLock.Failure) {
      try DatabaseLock.check(clientLock(in: directory))
      return false
    } catch {
      if case .held = error { return true }
      return nil
    }
  }

  /// The path of the lock that the server of `directory` holds while it has clients.
  static func clientLock(in directory: URL) -> String {
    directory.appending(path: "server.clients").path
  }

  /// The path of the lock that the server of `directory` holds.
  static func lock(in directory: URL) -> String { directory.appending(path: "server.lock").path }

  /// The state as one line of JSON.
  package var line: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // Numbers and strings can always be encoded.
    return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
  }

  /// Writes the file atomically, with mode 0600.
  func write(in directory: URL) throws(SQLiteError) {
    let path = Self.file(in: directory).path
    let part = "\(path).\(pid).part"
    unlink(part)
    let descriptor = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Self.failure(path) }
    let bytes = Array((line + "\n").utf8)
    let written = Glibc.write(descriptor, bytes, bytes.count)
    let isWhole = written == bytes.count
    close(descriptor)
    guard isWhole, rename(part, path) == 0 else {
      let error = Self.failure(path)
      unlink(part)
      throw error
    }
  }

  static func remove(in directory: URL) { unlink(file(in: directory).path) }

  private static func file(in directory: URL) -> URL {
    directory.appending(path: "server.json", directoryHint: .notDirectory)
  }

  private static func failure(_ path: String) -> SQLiteError {
    SQLiteError(callFailedAt: path)
  }
}
