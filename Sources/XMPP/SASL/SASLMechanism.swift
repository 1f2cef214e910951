import Crypto

/// A way to authenticate that Natter knows, the strongest first (RFC 6120 §6.3.3).
package enum SASLMechanism: String, Hashable, Sendable, CaseIterable {
  // Tied to the TLS connection (RFC 5802 §6), whatever the hash: these come before all others.
  case scramSHA512Plus = "SCRAM-SHA-512-PLUS"
  case scramSHA256Plus = "SCRAM-SHA-256-PLUS"
  case scramSHA1Plus = "SCRAM-SHA-1-PLUS"
  case scramSHA512 = "SCRAM-SHA-512"
  case scramSHA256 = "SCRAM-SHA-256"
  case scramSHA1 = "SCRAM-SHA-1"
  case plain = "PLAIN"
  /// An access token (RFC 7628).
  case oauthBearer = "OAUTHBEARER"
  /// The same in the form of PLAIN: Google's, and ejabberd's.
  case xOAuth2 = "X-OAUTH2"

  /// Whether it takes an access token in place of a password.
  package var takesToken: Bool { self == .oauthBearer || self == .xOAuth2 }

  /// Whether it is tied to the TLS connection that it is used on.
  package var bindsChannel: Bool { rawValue.hasSuffix("-PLUS") }

  /// How much it shows the server of the password; `nil`: it takes none.
  package var strength: SignInStrength? {
    if takesToken { return nil }
    if hash == nil { return .password }
    return bindsChannel ? .boundProof : .proof
  }

  /// Those of a server's offer that are known here, the strongest first. The order in which a server offers them means nothing.
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
