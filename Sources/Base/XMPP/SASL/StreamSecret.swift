/// The secret that authenticates the account to the server.
package enum StreamSecret: Hashable, Sendable {
  case password(String)
  /// An access token that the server issued (RFC 6749 §1.4).
  case accessToken(String)
}

extension StreamSecret: CustomStringConvertible, CustomReflectable {
  package var description: String { "StreamSecret(redacted)" }
  package var customMirror: Mirror { Mirror(self, children: []) }
}

/// The server's reason for rejecting an access token (RFC 7628 §3.2.2). All of it is outside data.
package struct TokenRefusal: Hashable, Sendable {
  /// `invalid_token`, `insufficient_scope`, ...
  package let status: String
  /// The required scope of a token.
  package let scope: String?
  /// The URL of the server's configuration for requesting a token (RFC 8414, or OpenID's document
  /// of the same form).
  package let configurationURL: String?

  package init(status: String, scope: String? = nil, configurationURL: String? = nil) {
    self.status = status
    self.scope = scope
    self.configurationURL = configurationURL
  }
}
