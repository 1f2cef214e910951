import Crypto

/// A way to authenticate that Natter knows, the strongest first (RFC 6120 §6.3.3).
///
/// Not those with channel binding: what servers offer under that name works with bindings that TLS 1.3 does not have.
package enum SASLMechanism: String, Hashable, Sendable, CaseIterable {
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

  /// What to try, in order, of what a server offers. The order in which it offers them means nothing.
  /// - Parameters:
  ///   - isProtected: whether nobody can read along (TLS, or a connection inside this machine); else nothing that tells the
  ///     secret itself.
  ///   - hasToken: whether there is an access token, and no password.
  package static func choice(of offered: [String], isProtected: Bool, hasToken: Bool = false)
    -> [SASLMechanism]
  {
    let names = Set(offered.map { $0.uppercased() })
    return allCases.filter {
      names.contains($0.rawValue) && $0.takesToken == hasToken && ($0.hash != nil || isProtected)
    }
  }

  /// The hash of a SCRAM mechanism.
  var hash: HashFunction? {
    switch self {
    case .scramSHA512: .sha512
    case .scramSHA256: .sha256
    case .scramSHA1: .sha1
    case .plain, .oauthBearer, .xOAuth2: nil
    }
  }
}
