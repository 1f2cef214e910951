/// How to set up a stream.
package struct StreamOptions: Sendable {
  /// The server's domain: the one of the address, not the host that is connected to.
  package let domain: String
  /// The localpart of the address; empty where only a registration form is wanted.
  package let user: String
  /// Never shown or logged: this type has no description.
  package let password: String
  /// What this connection wants to be called; `nil` has the server choose.
  package let resource: String?
  /// Whether the stream may go on without TLS; the caller allows it to loopback only.
  package let allowsPlaintext: Bool
  /// The language for the server's texts (RFC 6120 §4.7.4).
  package let language: String
  /// The largest stanza that is accepted, in bytes.
  package let stanzaLimit: Int

  package init(
    domain: String, user: String, password: String, resource: String? = nil,
    allowsPlaintext: Bool = false, language: String = "en", stanzaLimit: Int = 1 << 20
  ) {
    self.domain = domain
    self.user = user
    self.password = password
    self.resource = resource
    self.allowsPlaintext = allowsPlaintext
    self.language = language
    self.stanzaLimit = stanzaLimit
  }
}

extension StreamOptions: CustomStringConvertible, CustomReflectable {
  package var description: String { "StreamOptions(\(user)@\(domain))" }
  package var customMirror: Mirror { Mirror(self, children: []) }
}
