import FoundationEssentials
import NatterCore
import SQLite
import Sockets

/// Where the server listens: a port of 127.0.0.1, and a Unix socket for programs that prefer one.
struct Listeners: Sendable {
  let sockets: [ListeningSocket]
  let port: Int
  /// `nil` where no path was short enough.
  let path: String?

  /// Begins to listen, on the port of last time if it is free again, so that other clients can keep
  /// it in their settings.
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
        // Somebody else has it now, so another one will do.
      }
    }
    return try ListeningSocket(.ipv4Loopback(port: 0))
  }

  /// Listens for the web side, on the port of last time if it is free: what was put there keeps its address.
  /// - Returns: `nil` when no port can be had, for everything else goes on without it.
  static func openWeb(database: Database) async throws -> ListeningSocket? {
    let known = try await database.read { database in
      try database.firstRow("SELECT value FROM setting WHERE name = 'web-port'") { $0.bytes(0) }
    }.flatMap { Int(String(decoding: $0, as: UTF8.self)) }
    let door: ListeningSocket
    do throws(SocketError) {
      door = try listen(preferring: known)
    } catch {
      return nil
    }
    if door.port != known {
      let port = Array(String(door.port).utf8)
      try await database.write { database in
        try database.run("INSERT OR REPLACE INTO setting VALUES ('web-port', ?)", port)
      }
    }
    return door
  }

  /// The TCP port is enough to go on, so a socket that cannot be made is only left out.
  private static func listen(
    for directory: URL, in places: [URL]
  ) -> (socket: ListeningSocket, path: String)? {
    // Two data directories of one user have two sockets.
    var hash = StableHash()
    hash.add(directory.standardizedFileURL.path.utf8)
    for place in places {
      let path = place.appending(path: "local-\(hash.text).sock").path
      do {
        try PrivateFile.makeDirectory(place.path)
        return (try ListeningSocket(.unix(path: path)), path)
      } catch {
        continue
      }
    }
    return nil
  }
}
