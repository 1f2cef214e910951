import TestSupport
import Testing

/// Natter with clients and servers that others wrote, on a Prosody and an ejabberd that all these
/// tests share.
@Suite(.requires(.prosody, .ejabberd, .slixmpp, .openssl), .sharedServers, .takesTurns)
struct Conversations {
  /// Which server, and how Natter encrypts.
  struct Road: Sendable, CustomTestStringConvertible {
    let server: ServerKind
    let security: NatterRun.Security
    var testDescription: String { "\(server), \(security)" }
    static let all = ServerKind.allCases.flatMap { kind in
      NatterRun.Security.allCases.map { Road(server: kind, security: $0) }
    }
  }
}
