import NatterCore
import Sockets

/// Where to connect for an account, in the order to try: what the account says, or else what DNS says (XEP-0368).
package struct EndpointSource: Sendable {
  private let lookUp: @Sendable (_ domain: String) async throws(SocketError) -> [Endpoint]

  /// - Parameter lookUp: asks DNS for a domain's servers.
  package init(
    lookUp: @escaping @Sendable (_ domain: String) async throws(SocketError) -> [Endpoint]
  ) {
    self.lookUp = lookUp
  }

  func endpoints(for account: Account) async throws(SocketError) -> [Endpoint] {
    guard let server = account.server else {
      let found = try await lookUp(account.jid.domain)
      let wanted = found.filter { account.security.allows($0.mode) }
      // The domain has servers, but none of the kind that was asked for.
      if wanted.isEmpty { throw .serviceNotOffered(account.jid.domain) }
      return wanted
    }
    switch (account.security, account.port) {
    case (.direct, let port):
      return [Endpoint(host: server, port: port ?? Self.directPort, mode: .directTLS)]
    case (.startTLS, let port), (.off, let port):
      return [Endpoint(host: server, port: port ?? Self.port, mode: .startTLS)]
    case (.automatic, nil):
      return [
        Endpoint(host: server, port: Self.port, mode: .startTLS),
        Endpoint(host: server, port: Self.directPort, mode: .directTLS),
      ]
    case (.automatic, let port?):
      // A port alone does not tell what is spoken there; the usual number for direct TLS does.
      let modes: [Endpoint.Mode] =
        port == Self.directPort ? [.directTLS, .startTLS] : [.startTLS, .directTLS]
      return modes.map { Endpoint(host: server, port: port, mode: $0) }
    }
  }

  private static let port = 5222
  private static let directPort = 5223

  /// Whether `domain` can only mean this machine.
  static func isThisMachine(_ domain: String) -> Bool {
    domain == "localhost" || domain.hasSuffix(".localhost") || domain == "[::1]"
      || domain.hasPrefix("127.")
  }
}

extension Account.Security {
  fileprivate func allows(_ mode: Endpoint.Mode) -> Bool {
    switch self {
    case .automatic: true
    case .direct: mode == .directTLS
    case .startTLS, .off: mode == .startTLS
    }
  }
}
