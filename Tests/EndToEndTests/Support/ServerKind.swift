import TestSupport

/// The kinds of servers; a test starts the fixture.
enum ServerKind: String, CaseIterable, Sendable {
  case prosody, ejabberd
  case builtIn = "built-in"

  /// Features that a server of these tests may lack.
  enum Capability: Sendable {
    /// TLS. The built-in server talks to this machine alone.
    case encryption
    /// Ways of its own, made by others: where the question is whether Natter gets along with
    /// somebody else's server.
    case foreignWays
  }

  private var capabilities: Set<Capability> {
    switch self {
    case .prosody, .ejabberd: [.encryption, .foreignWays]
    case .builtIn: []
    }
  }

  /// The servers that have this.
  static func with(_ capability: Capability) -> [ServerKind] {
    allCases.filter { $0.capabilities.contains(capability) }
  }

  /// - Parameter options: of no meaning to the built-in server, which takes newcomers, files and
  ///   tokens in any case.
  func start(_ options: XMPPServerOptions = .init(), users: [String: String]) async throws
    -> any XMPPServer
  {
    switch self {
    case .prosody: try await ProsodyServer(options, users: users)
    case .ejabberd: try await EjabberdServer(options, users: users)
    case .builtIn: try await BuiltInServer(users: users)
    }
  }
}
