import Crypto

/// Authentication with a token that the server gave, in a single message and without revealing the
/// token (draft-schmaus-kitten-sasl-ht; XEP-0484 §3).
struct HashedToken {
  /// `HT-SHA-256-NONE`, `HT-SHA-256-EXPR`, ...
  let mechanism: String
  private let user: String
  private let token: String
  private let binding: [UInt8]
  private let crypto: CryptoLibrary

  /// Returns the supported mechanisms, the strongest first.
  /// - Parameter exporter: The channel binding data of the TLS connection (RFC 9266), if available.
  static func known(exporter: [UInt8]?) -> [String] {
    (exporter == nil ? [] : ["HT-SHA-256-EXPR"]) + ["HT-SHA-256-NONE"]
  }

  /// Returns whether a mechanism binds to its TLS connection.
  static func bindsChannel(_ mechanism: String) -> Bool { mechanism.hasSuffix("-EXPR") }

  /// Creates the authentication with `token`.
  /// - Parameter exporter: The same as in `known`.
  /// - Returns: `nil` for a mechanism that cannot be used here.
  init?(_ token: XEP0484Token, user: String, exporter: [UInt8]?, crypto: CryptoLibrary) {
    guard Self.known(exporter: exporter).contains(token.mechanism) else { return nil }
    mechanism = token.mechanism
    self.user = user
    self.token = token.token
    binding = Self.bindsChannel(token.mechanism) ? exporter ?? [] : []
    self.crypto = crypto
  }

  func first() throws(CryptoError) -> [UInt8] {
    try Array(user.utf8) + [0] + code("Initiator")
  }

  /// Returns whether `data` proves that the server knows the token.
  func isAnswer(_ data: [UInt8]) throws(CryptoError) -> Bool {
    isEqualInConstantTime(data, try code("Responder"))
  }

  private func code(_ role: String) throws(CryptoError) -> [UInt8] {
    try crypto.hmac(Array(role.utf8) + binding, key: Array(token.utf8), by: .sha256)
  }
}
