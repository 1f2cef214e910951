import Foundation
import Synchronization

/// The server of a fault test: one that others wrote, or the built-in one.
package enum FaultServerKind: String, CaseIterable, Sendable {
  case prosody, ejabberd
  case builtIn = "built-in"
}

/// A server that can be killed and comes back on the same port with the same data.
package struct FaultServer: Sendable {
  package let domain: String
  package let port: UInt16
  /// The PEM file of its authority; `nil`: it speaks no TLS.
  package let authority: String?
  /// Whether accounts make themselves (XEP-0077).
  package let registers: Bool
  package let kill: @Sendable () async -> Void
  package let restart: @Sendable () async throws -> Void
  package let stop: @Sendable () async -> Void
  package let logTail: @Sendable () -> String

  /// Starts one with the accounts `users`, name and password.
  package static func start(_ kind: FaultServerKind, users: [String: String]) async throws
    -> FaultServer
  {
    var options = XMPPServerOptions()
    options.keepsArchivesInSQLite = true
    switch kind {
    case .prosody: return FaultServer(try await ProsodyServer(options, users: users))
    case .ejabberd: return FaultServer(try await EjabberdServer(options, users: users))
    case .builtIn: return try await BuiltInServer.start()
    }
  }

  init(_ server: any XMPPServer) {
    domain = server.domain
    port = server.port
    authority = server.authority.certificate
    registers = false
    kill = { await server.kill() }
    restart = { try await server.restart() }
    stop = { await server.stop() }
    logTail = { server.logTail }
  }

  init(
    domain: String, port: UInt16, kill: @escaping @Sendable () async -> Void,
    restart: @escaping @Sendable () async throws -> Void,
    stop: @escaping @Sendable () async -> Void, logTail: @escaping @Sendable () -> String
  ) {
    self.domain = domain
    self.port = port
    authority = nil
    registers = true
    self.kill = kill
    self.restart = restart
    self.stop = stop
    self.logTail = logTail
  }
}

/// Natter's own server (`natter --local-server`) in a folder of its own.
private enum BuiltInServer {
  private struct Word: Decodable {
    let pid: Int32
    let port: UInt16
  }

  static func start() async throws -> FaultServer {
    let home = try Home()
    let folder = home.folder
    let run = Mutex<ServerRun?>(nil)
    let start: @Sendable () async throws -> UInt16 = {
      let started = try ServerRun(
        Programs.natter, ["--local-server", folder.path("server")],
        environment: home.environment(), directory: home.home.path,
        output: folder.path("server.log"))
      run.withLock { $0 = started }
      let word: @Sendable () -> Word? = {
        (try? Data(contentsOf: folder.url("server/server.json")))
          .flatMap { try? JSONDecoder().decode(Word.self, from: $0) }
          .flatMap { $0.pid == started.child.identifier ? $0 : nil }
      }
      let isUp = await started.waits(upTo: .seconds(30)) {
        word().map { ServerRun.answers($0.port) } ?? false
      }
      guard isUp, let port = word()?.port else {
        throw ServerStartError(name: "built-in server", log: tail(folder.path("server.log")))
      }
      return port
    }
    let end: @Sendable (Int32) async -> Void = { number in
      let current = run.withLock { current in
        defer { current = nil }
        return current
      }
      await current?.child.stop(number)
    }
    return FaultServer(
      domain: "localhost", port: try await start(), kill: { await end(SIGKILL) },
      restart: { _ = try await start() }, stop: { await end(SIGTERM) },
      logTail: { tail(folder.path("server.log")) })
  }
}
