import Crypto

/// A server's list of ways to authenticate, sent before authentication. A man in the middle can
/// change it: with SCRAM, the server can repeat it where a change is detected (XEP-0474).
package struct SASLAnnouncement: Hashable, Sendable {
  /// Names of mechanisms as the server spelled them.
  package let mechanisms: [String]
  /// The channel bindings that the server supports (XEP-0440); `nil` when it does not say.
  package let bindings: [String]?

  package init(mechanisms: [String], bindings: [String]?) {
    self.mechanisms = mechanisms
    self.bindings = bindings
  }

  /// Indicates whether it has supported mechanisms with channel binding. Only known names count: a
  /// man in the middle may rename a mechanism to hide it, and an unknown name must not keep this
  /// client from reporting to the server that it saw no such mechanism.
  var offersBinding: Bool {
    SASLMechanism.known(in: mechanisms).contains(where: \.bindsChannel)
  }

  /// Returns the digest of the list that a server with XEP-0474 sends, in Base64 (§4.1).
  /// - Throws: `CryptoError`.
  package func digest(by function: HashFunction, _ crypto: CryptoLibrary) throws(CryptoError)
    -> String
  {
    var bytes = Self.joined(mechanisms)
    if let bindings { bytes += [0x1F] + Self.joined(bindings) }
    return Base64.encode(try crypto.hash(bytes, by: function))
  }

  /// Returns the names sorted by their bytes (`i;octet`, RFC 4790 §9.3), with separators.
  private static func joined(_ names: [String]) -> [UInt8] {
    let sorted = names.map { Array($0.utf8) }.sorted { $0.lexicographicallyPrecedes($1) }
    return Array(sorted.joined(separator: [0x1E]))
  }
}
