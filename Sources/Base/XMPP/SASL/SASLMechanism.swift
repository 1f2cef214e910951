import Crypto

/// A supported mechanism, the strongest first (RFC 6120 §6.3.3).
package enum SASLMechanism: String, Hashable, Sendable, CaseIterable {
  // With channel binding (RFC 5802 §6), whatever the hash: these precede all others.
  case scramSHA512Plus = "SCRAM-SHA-512-PLUS"
  case scramSHA256Plus = "SCRAM-SHA-256-PLUS"
  case scramSHA1Plus = "SCRAM-SHA-1-PLUS"
  case scramSHA512 = "SCRAM-SHA-512"
  case scramSHA256 = "SCRAM-SHA-256"
  case scramSHA1 = "SCRAM-SHA-1"
  case plain = "PLAIN"
  /// An access token (RFC 7628).
  case oauthBearer = "OAUTHBEARER"
  /// An access token in the form of PLAIN, as Google and ejabberd support it.
  case xOAuth2 = "X-OAUTH2"

  /// Indicates whether it uses an access token instead of a password.
  package var takesToken: Bool { self == .oauthBearer || self == .xOAuth2 }

  /// Indicates whether it binds to its TLS connection.
  package var bindsChannel: Bool { rawValue.hasSuffix("-PLUS") }

  /// The strength of its protection of the password; `nil` when it uses none.
  package var strength: SignInStrength? {
    if takesToken { return nil }
    if hash == nil { return .password }
    return bindsChannel ? .boundProof : .proof
  }

  /// Returns the supported mechanisms of a server's offer, the strongest first. The server's order
  /// has no meaning.
  package static func known(in offered: [String]) -> [SASLMechanism] {
    let names = Set(offered.map { $0.uppercased() })
    return allCases.filter { names.contains($0.rawValue) }
  }

  /// The hash of a SCRAM mechanism.
  var hash: HashFunction? {
    switch self {
    case .scramSHA512, .scramSHA512Plus: .sha512
    case .scramSHA256, .scramSHA256Plus: .sha256
    case .scramSHA1, .scramSHA1Plus: .sha1
    case .plain, .oauthBearer, .xOAuth2: nil
    }
  }
}
