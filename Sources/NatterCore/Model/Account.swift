import FoundationEssentials
import XMPP

/// An account of this profile and how its server is reached. It never holds a secret.
package struct Account: Identifiable, Hashable, Sendable {
  package enum Security: String, Hashable, Sendable, CaseIterable {
    /// Direct TLS and STARTTLS in the order of the SRV records (XEP-0368).
    case automatic = "auto"
    case startTLS = "starttls"
    case direct
    /// No TLS: refused for anything but loopback and Unix sockets.
    case off
  }

  package let jid: JID
  /// The host to connect to in place of an SRV look-up.
  package var server: String?
  package var port: Int?
  package var security: Security
  /// A PEM file of certificate authorities to trust beside the system's.
  package var caFile: String?
  /// Where people sign in over HTTP, in place of looking for it (`--http-url`).
  package var httpURL: String?
  /// What lets a newcomer make it (XEP-0445); used once, and kept nowhere.
  package var invitation: String?
  /// Whether the user takes a weaker way to sign in than the last time; of this run only, and kept nowhere.
  package var acceptsWeakerSignIn = false
  /// Whether it belongs to the built-in server.
  package var isLocal: Bool
  /// Whether Natter signs in to it when it starts.
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
