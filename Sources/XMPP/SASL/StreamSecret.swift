/// What proves to a server who signs in.
package enum StreamSecret: Hashable, Sendable {
  case password(String)
  /// An access token of the server's (RFC 6749 §1.4).
  case accessToken(String)
}

extension StreamSecret: CustomStringConvertible, CustomReflectable {
  package var description: String { "StreamSecret(redacted)" }
  package var customMirror: Mirror { Mirror(self, children: []) }
}

/// Why an access token is not taken, in the server's words (RFC 7628 §3.2.2). All of it is from outside.
package struct TokenRefusal: Hashable, Sendable {
  /// `invalid_token`, `insufficient_scope`, ...
  package let status: String
  /// The scope that a token has to have.
  package let scope: String?
  /// Where the server says how to get one (RFC 8414, or OpenID's document of the same form).
  package let configurationURL: String?

  package init(status: String, scope: String? = nil, configurationURL: String? = nil) {
    self.status = status
    self.scope = scope
    self.configurationURL = configurationURL
  }
}
