import FoundationEssentials
import NatterCore
import SQLite
import Sockets
import XML
import XMPP

/// The sockets on which the server listens: a port of 127.0.0.1, and a Unix socket for programs
/// that prefer it.
struct Listeners: Sendable {
  let sockets: [ListeningSocket]
  let port: Int
  /// The path of the Unix socket; `nil` if it could not be created, for example because every
  /// candidate path was too long.
  let path: String?

  /// Listens on the port of the previous run if it is free, so that it stays valid in the settings
  /// of other clients.
  static func open(
    database: Database, directory: URL, runtimeDirectory: URL
  ) async throws -> Listeners {
    let known = try await database.read { database in
      try database.firstRow("SELECT value FROM setting WHERE name = 'port'") { $0.bytes(0) }
    }.flatMap { Int(String(decoding: $0, as: UTF8.self)) }
    let tcp = try listen(preferring: known)
    if tcp.port != known {
      let port = Array(String(tcp.port).utf8)
      try await database.write { database in
        try database.run("INSERT OR REPLACE INTO setting VALUES ('port', ?)", port)
      }
    }
    let unix = listen(for: directory, in: [runtimeDirectory, directory])
    return Listeners(
      sockets: [tcp] + (unix.map { [$0.socket] } ?? []), port: tcp.port, path: unix?.path)
  }

  private static func listen(preferring port: Int?) throws(SocketError) -> ListeningSocket {
    if let port, (1...65535).contains(port) {
      do throws(SocketError) {
        return try ListeningSocket(.ipv4Loopback(port: port))
      } catch {
        // Another program uses the port now, so any free port will do.
      }
    }
    return try ListeningSocket(.ipv4Loopback(port: 0))
  }

  /// Opens the socket of the web server, on the port of the previous run if it is free, so that the
  /// URLs of uploaded files stay valid.
  /// - Returns: `nil` when no port is free; the rest of the server works without it.
  static func openWeb(database: Database) async throws -> ListeningSocket? {
    let known = try await database.read { database in
      try database.firstRow("SELECT value FROM setting WHERE name = 'web-port'") { $0.bytes(0) }
    }.flatMap { Int(String(decoding: $0, as: UTF8.self)) }
    let socket: ListeningSocket
    do throws(SocketError) {
      socket = try listen(preferring: known)
    } catch {
      return nil
    }
    if socket.port != known {
      let port = Array(String(socket.port).utf8)
      try await database.write { database in
        try database.run("INSERT OR REPLACE INTO setting VALUES ('web-port', ?)", port)
      }
    }
    return socket
  }

  /// Opens a Unix socket. The TCP port suffices, so a failure returns `nil`.
  private static func listen(
    for directory: URL, in folders: [URL]
  ) -> (socket: ListeningSocket, path: String)? {
    // A hash of the path gives each data directory of the user its own socket.
    var hash = StableHash()
    hash.add(directory.standardizedFileURL.path.utf8)
    for folder in folders {
      let path = folder.appending(path: "local-\(hash.text).sock").path
      do {
        try PrivatePath.makeDirectory(folder.path)
        return (try ListeningSocket(.unix(path: path)), path)
      } catch {
        continue
      }
    }
    return nil
  }
}
