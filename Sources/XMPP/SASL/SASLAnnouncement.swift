import Crypto

/// What a server says of its ways to sign in before anybody signs in. A peer in the middle can change it: SCRAM lets the server
/// repeat it where that is noticed (XEP-0474).
package struct SASLAnnouncement: Hashable, Sendable {
  /// Names of mechanisms as the server wrote them.
  package let mechanisms: [String]
  /// The channel bindings that the server takes (XEP-0440); `nil`: it does not say.
  package let bindings: [String]?

  package init(mechanisms: [String], bindings: [String]?) {
    self.mechanisms = mechanisms
    self.bindings = bindings
  }

  /// Whether it has mechanisms with channel binding that are known here. What is merely called like one may be how somebody in
  /// the middle hides one that is known: a name that says nothing here must not keep the server from being told.
  var offersBinding: Bool {
    SASLMechanism.known(in: mechanisms).contains(where: \.bindsChannel)
  }

  /// What a server that knows XEP-0474 sends of it, in Base64 (§4.1).
  package func digest(by function: HashFunction, _ crypto: CryptoLibrary) throws(CryptoError)
    -> String
  {
    var bytes = Self.joined(mechanisms)
    if let bindings { bytes += [0x1F] + Self.joined(bindings) }
    return Base64.encode(try crypto.hash(bytes, by: function))
  }

  /// Sorted by their bytes (`i;octet`, RFC 4790 §9.3).
  private static func joined(_ names: [String]) -> [UInt8] {
    let sorted = names.map { Array($0.utf8) }.sorted { $0.lexicographicallyPrecedes($1) }
    return Array(sorted.joined(separator: [0x1E]))
  }
}
