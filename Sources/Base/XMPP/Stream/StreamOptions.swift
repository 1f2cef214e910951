/// The options for setting up a stream.
package struct StreamOptions: Sendable {
  /// The domain of the JID, not the host that is connected to.
  package let domain: String
  /// The localpart of the JID; empty when only a registration form is requested.
  package let user: String
  /// Never shown or logged: the description of this type leaves it out.
  package let secret: StreamSecret
  /// The token that the server gave this client for the next sign-in (XEP-0484), if any.
  package let token: XEP0484Token?
  /// The identity of this client, constant across connections; `nil` for an anonymous client, which
  /// requests no token.
  package let userAgent: XEP0388UserAgent?
  /// Indicates whether to invalidate the token, for this connection as well (XEP-0484 §3.5).
  package var withdrawsToken = false
  /// The requirements for a sign-in with the password.
  package var demand = SignInDemand()
  /// The invitation token that lets a new user create an account (XEP-0445).
  package var invitation: String?
  /// The requested resource of this connection; with `nil` the server chooses.
  package let resource: String?
  /// Indicates whether the stream may continue without TLS; it takes effect on loopback connections
  /// only.
  package let allowsPlaintext: Bool
  /// The language for the server's texts (RFC 6120 §4.7.4).
  package let language: String
  /// The largest stanza that is accepted, in bytes.
  package let stanzaLimit: Int

  package init(
    domain: String, user: String, secret: StreamSecret, token: XEP0484Token? = nil,
    userAgent: XEP0388UserAgent? = nil, resource: String? = nil,
    allowsPlaintext: Bool = false, language: String = "en", stanzaLimit: Int = 1 << 20
  ) {
    self.domain = domain
    self.user = user
    self.secret = secret
    self.token = token
    self.userAgent = userAgent
    self.resource = resource
    self.allowsPlaintext = allowsPlaintext
    self.language = language
    self.stanzaLimit = stanzaLimit
  }

  /// Creates options with a password and without state of an earlier connection.
  package init(
    domain: String, user: String, password: String, resource: String? = nil,
    allowsPlaintext: Bool = false, language: String = "en", stanzaLimit: Int = 1 << 20
  ) {
    self.init(
      domain: domain, user: user, secret: .password(password), resource: resource,
      allowsPlaintext: allowsPlaintext, language: language, stanzaLimit: stanzaLimit)
  }
}

extension StreamOptions: CustomStringConvertible, CustomReflectable {
  package var description: String { "StreamOptions(\(user)@\(domain))" }
  package var customMirror: Mirror { Mirror(self, children: []) }
}
