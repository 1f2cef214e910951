/// How to set up a stream.
package struct StreamOptions: Sendable {
  /// The server's domain: the one of the address, not the host that is connected to.
  package let domain: String
  /// The localpart of the address; empty where only a registration form is wanted.
  package let user: String
  /// Never shown or logged: this type has no description.
  package let secret: StreamSecret
  /// What the server gave this client to come back with (XEP-0484); `nil`: nothing.
  package let token: XEP0484Token?
  /// Who this client is to the server, from one connection to the next; `nil`: nobody, and no token is asked for.
  package let userAgent: XEP0388UserAgent?
  /// Whether the token is to be of no use from now on, to this connection neither (XEP-0484 §3.5).
  package var withdrawsToken = false
  /// What is asked of a sign-in with the password.
  package var demand = SignInDemand()
  /// What lets a newcomer make an account (XEP-0445).
  package var invitation: String?
  /// What this connection wants to be called; `nil` has the server choose.
  package let resource: String?
  /// Whether the stream may go on without TLS; the caller allows it to loopback only.
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

  /// With a password, and nothing kept from an earlier connection.
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
