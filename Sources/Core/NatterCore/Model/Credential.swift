import FoundationEssentials
import XMPP

/// A secret that proves the account's identity to the server. Never logged, never in a description.
package struct Credential: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
  /// A password, or an access token (RFC 6749).
  package enum Secret: Hashable, Sendable {
    case password(String)
    case token(AccessToken)
  }

  package var secret: Secret
  /// The token that the server issued to this client for a faster sign-in, in one round trip and
  /// without the secret (XEP-0484).
  package var returning: XEP0484Token?

  package init(_ secret: Secret, returning: XEP0484Token? = nil) {
    self.secret = secret
    self.returning = returning
  }

  package init(password: String) { self.init(.password(password)) }

  /// The password, if the secret is one.
  package var password: String? {
    if case .password(let text) = secret { text } else { nil }
  }

  /// The access token, if the secret is one.
  package var token: AccessToken? {
    if case .token(let token) = secret { token } else { nil }
  }

  /// Indicates whether both have the same password or the same access token, whatever else is known
  /// of it.
  package func hasSecret(of other: Credential) -> Bool {
    switch (secret, other.secret) {
    case (.password(let one), .password(let two)): one.utf8.elementsEqual(two.utf8)
    case (.token(let one), .token(let two)): one.value.utf8.elementsEqual(two.value.utf8)
    default: false
    }
  }

  package var description: String { "Credential(redacted)" }
  package var customMirror: Mirror { Mirror(self, children: []) }
}

/// An access token, and the data to renew it when it has expired (RFC 6749).
package struct AccessToken: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
  package let value: String
  /// The time until which the server accepts it, by the local clock; `nil`: not specified.
  package let expiresAt: Date?
  /// The token that renews it without the user; `nil`: none.
  package let refreshToken: String?
  /// The permitted uses, as names separated by spaces.
  package let scope: String?
  /// The endpoints that issued it and that renew and revoke it.
  package let login: HTTPLogin

  package init(
    value: String, expiresAt: Date? = nil, refreshToken: String? = nil, scope: String? = nil,
    login: HTTPLogin
  ) {
    self.value = value
    self.expiresAt = expiresAt
    self.refreshToken = refreshToken
    self.scope = scope
    self.login = login
  }

  package var description: String { "AccessToken(redacted)" }
  package var customMirror: Mirror { Mirror(self, children: []) }
}

/// The endpoints and grants of a server's sign-in over HTTP (RFC 8414).
package struct HTTPLogin: Hashable, Sendable, Codable {
  /// The supported grant types, with their names on the wire.
  package enum Grant: String, Hashable, Sendable, Codable, CaseIterable {
    case password
    case refreshToken = "refresh_token"
    case deviceCode = "urn:ietf:params:oauth:grant-type:device_code"
    case authorizationCode = "authorization_code"
  }

  package var tokenEndpoint: String
  package var deviceEndpoint: String?
  package var authorizationEndpoint: String?
  package var revocationEndpoint: String?
  /// The endpoint where a client that the server does not know registers (RFC 7591).
  package var registrationEndpoint: String?
  package var grants: Set<Grant>
  /// The scopes to request, as names separated by spaces.
  package var scope: String
  /// The id under which the server knows this program.
  package var clientID: String
  /// A PEM file of certificate authorities to trust in addition to the system's, as for the
  /// account.
  package var caFile: String?

  package init(
    tokenEndpoint: String, deviceEndpoint: String? = nil, authorizationEndpoint: String? = nil,
    revocationEndpoint: String? = nil, registrationEndpoint: String? = nil, grants: Set<Grant>,
    scope: String, clientID: String = "natter", caFile: String? = nil
  ) {
    self.tokenEndpoint = tokenEndpoint
    self.deviceEndpoint = deviceEndpoint
    self.authorizationEndpoint = authorizationEndpoint
    self.revocationEndpoint = revocationEndpoint
    self.registrationEndpoint = registrationEndpoint
    self.grants = grants
    self.scope = scope
    self.clientID = clientID
    self.caFile = caFile
  }
}
