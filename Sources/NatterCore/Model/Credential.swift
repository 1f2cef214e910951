import FoundationEssentials
import XMPP

/// What proves to the server who signs in. Never logged, never in a description.
package struct Credential: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
  package enum Secret: Hashable, Sendable {
    case password(String)
    case token(AccessToken)
  }

  package var secret: Secret
  /// What the server gave this client to come back with, in one round trip and without the secret (XEP-0484).
  package var returning: XEP0484Token?

  package init(_ secret: Secret, returning: XEP0484Token? = nil) {
    self.secret = secret
    self.returning = returning
  }

  package init(password: String) { self.init(.password(password)) }

  package var password: String? {
    if case .password(let text) = secret { text } else { nil }
  }

  package var token: AccessToken? {
    if case .token(let token) = secret { token } else { nil }
  }

  package var description: String { "Credential(redacted)" }
  package var customMirror: Mirror { Mirror(self, children: []) }
}

/// An access token, and what it takes to have another one when it has expired (RFC 6749).
package struct AccessToken: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
  package let value: String
  /// Until when the server said it would take it, by this machine's clock; `nil`: it did not say.
  package let expiresAt: Date?
  /// What renews it without asking anybody; `nil`: nothing does.
  package let refreshToken: String?
  /// What it may be used for, words separated by blanks.
  package let scope: String?
  /// Where it came from, and where it is renewed and withdrawn.
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

/// How a server signs people in over HTTP (RFC 8414).
package struct HTTPLogin: Hashable, Sendable, Codable {
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
  /// Where a program that the server does not know makes itself known (RFC 7591).
  package var registrationEndpoint: String?
  package var grants: Set<Grant>
  /// What to ask for: words separated by blanks.
  package var scope: String
  /// The name that the server knows this program by.
  package var clientID: String
  /// A PEM file of certificate authorities to trust beside the system's, as for the account.
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
