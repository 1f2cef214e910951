import FoundationEssentials
import Glibc
import SQLite

/// Where a running server is found: the content of `server.json` in its data directory.
package struct ServerState: Codable, Hashable, Sendable {
  /// The server's process.
  package let pid: Int32
  /// The port on 127.0.0.1.
  package let port: Int
  /// The path of the Unix socket; `nil` where no path was short enough.
  package let socket: String?
  /// The domain of all its accounts.
  package let domain: String
  /// Whoever shows it may give accounts new passwords: only who owns the server's data can read it. Another in each run.
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

  /// What the server of `directory` has said about itself; `nil` when none is ready. One that was
  /// killed leaves its word behind: `isRunning` tells.
  package static func read(in directory: URL) -> ServerState? {
    // Missing or half a file: the same to whoever asks.
    guard let data = try? Data(contentsOf: file(in: directory)) else { return nil }
    return try? JSONDecoder().decode(ServerState.self, from: data)
  }

  /// Whether the server that has said this runs. Its lock tells, not its number: where it was killed, that may be another
  /// program's by now.
  package func isRunning(in directory: URL) -> Bool {
    do throws(DatabaseLock.Failure) {
      try DatabaseLock.check(Self.lock(in: directory))
      return false
    } catch {
      guard case .held(let holder) = error else { return false }
      // The next one may hold the lock and not have said yet who it is, or where it is found.
      return holder.map { $0 == pid } ?? (kill(pid, 0) == 0)
    }
  }

  /// Has the server of `directory` that has said this end. One whose number is not in the lock may be another program by now.
  package func end(in directory: URL) {
    do throws(DatabaseLock.Failure) { try DatabaseLock.check(Self.lock(in: directory)) } catch {
      if case .held(by: pid) = error { kill(pid, SIGTERM) }
    }
  }

  /// Whether the server of `directory` has clients; `nil`: it does not say.
  package static func hasClients(in directory: URL) -> Bool? {
    do throws(DatabaseLock.Failure) {
      try DatabaseLock.check(clientLock(in: directory))
      return false
    } catch {
      if case .held = error { return true }
      return nil
    }
  }

  /// Of the lock that the server of `directory` holds while it has clients.
  static func clientLock(in directory: URL) -> String {
    directory.appending(path: "server.clients").path
  }

  /// Of the lock that the server of `directory` holds.
  static func lock(in directory: URL) -> String { directory.appending(path: "server.lock").path }

  /// As one line of JSON.
  package var line: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // Numbers and strings can always be encoded.
    return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
  }

  /// Writes the file so that a reader sees all of it or nothing, for its owner's eyes alone.
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
