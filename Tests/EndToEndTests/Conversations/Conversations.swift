import TestSupport
import Testing

/// Natter with clients and servers that others wrote, and with its own server, one of each kind
/// that all these tests share.
@Suite(.requires(.prosody, .ejabberd, .slixmpp, .openssl), .sharedServers, .limitedConcurrency)
struct Conversations {
  /// A server, and the encryption that Natter uses where the server has one.
  struct Road: Sendable, CustomTestStringConvertible {
    let server: ServerKind
    let security: NatterRun.Security
    var testDescription: String { "\(server), \(security)" }
    static let encrypted = ServerKind.with(.encryption).flatMap { kind in
      NatterRun.Security.allCases.map { Road(server: kind, security: $0) }
    }
    static let all = encrypted + [Road(server: .builtIn, security: .starttls)]
  }
}
