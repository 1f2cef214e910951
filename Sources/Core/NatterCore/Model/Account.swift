import FoundationEssentials
import XMPP

/// An account of this profile and how its server is reached. It never holds a secret.
package struct Account: Identifiable, Hashable, Sendable {
  /// The encryption of the connection.
  package enum Security: String, Hashable, Sendable, CaseIterable {
    /// Direct TLS and STARTTLS in the order of the SRV records (XEP-0368).
    case automatic = "auto"
    case startTLS = "starttls"
    case direct
    /// No TLS: refused except for loopback addresses and Unix sockets.
    case off
  }

  package let jid: JID
  /// The host to connect to instead of an SRV look-up.
  package var server: String?
  package var port: Int?
  package var security: Security
  /// A PEM file of certificate authorities to trust in addition to the system's.
  package var caFile: String?
  /// The URL of the sign-in over HTTP, instead of discovering it (`--http-url`).
  package var httpURL: String?
  /// The token of an invitation to register the account (XEP-0445); used once, and never stored.
  package var invitation: String?
  /// Indicates whether the user accepts a weaker way to sign in than the last time; for this run
  /// only, and never stored.
  package var acceptsWeakerSignIn = false
  /// Indicates whether it belongs to the built-in server.
  package var isLocal: Bool
  /// Indicates whether Natter signs in to it at start.
  package var signsInAtStart: Bool

  package var id: JID { jid }

  package init(
    jid: JID, server: String? = nil, port: Int? = nil, security: Security = .automatic,
    caFile: String? = nil, httpURL: String? = nil, isLocal: Bool = false,
    signsInAtStart: Bool = true
  ) {
    self.jid = jid
    self.server = server
    self.port = port
    self.security = security
    self.caFile = caFile
    self.httpURL = httpURL
    self.isLocal = isLocal
    self.signsInAtStart = signsInAtStart
  }
}
