import Foundation

/// The server of a fault test: one that others wrote, or the built-in one.
package enum FaultServerKind: String, CaseIterable, Sendable {
  case prosody, ejabberd
  /// ejabberd with its archives in Mnesia, which writes them late.
  case mnesia = "ejabberd-mnesia"
  case builtIn = "built-in"
}

/// A server that can be killed and comes back on the same port with the same data.
package struct FaultServer: Sendable {
  package let domain: String
  package let port: UInt16
  /// The PEM file of its authority; `nil`: it speaks no TLS.
  package let authority: String?
  package let kill: @Sendable () async -> Void
  package let restart: @Sendable () async throws -> Void
  package let logTail: @Sendable () -> String

  /// Starts one with the accounts `users`, name and password.
  package static func start(_ kind: FaultServerKind, users: [String: String]) async throws
    -> FaultServer
  {
    var options = XMPPServerOptions()
    options.keepsArchivesInSQLite = kind != .mnesia
    switch kind {
    case .prosody: return FaultServer(try await ProsodyServer(options, users: users))
    case .ejabberd, .mnesia: return FaultServer(try await EjabberdServer(options, users: users))
    case .builtIn: return FaultServer(try await BuiltInServer(users: users, isHousehold: true))
    }
  }

  private init(_ server: any XMPPServer) {
    domain = server.domain
    port = server.port
    authority = server.encryption?.certificate
    kill = { await server.kill() }
    restart = { try await server.restart() }
    logTail = { server.logTail }
  }
}
