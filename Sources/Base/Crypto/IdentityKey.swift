/// A private key for both agreement on secrets (X25519, RFC 7748) and signatures (Ed25519,
/// RFC 8032).
///
/// It is kept as the seed of Ed25519. The scalar that Ed25519 derives from the seed for signatures
/// is used as the private key of X25519 too, so the two public keys are forms of one, and no
/// arithmetic with the scalar is necessary outside libcrypto.
package struct IdentityKey: Sendable {
  /// The length of a seed and of every key, in bytes.
  package static let byteCount = 32

  /// The seed of Ed25519, from which the other keys follow; secret.
  package let seed: [UInt8]
  /// The private key of X25519, clamped (RFC 7748 §5); secret.
  package let privateKey: [UInt8]
  /// The public key of X25519.
  package let publicKey: [UInt8]
  /// The public key of Ed25519.
  package let edwardsPublicKey: [UInt8]

  /// - Parameter seed: `byteCount` bytes.
  /// - Throws: `CryptoError`; `.failed` for a seed of another length.
  package init(seed: [UInt8]) throws(CryptoError) {
    edwardsPublicKey = try NativeKey(privateKey: seed, for: .ed25519).publicKey()
    var digest = try CryptoLibrary().hash(seed, by: .sha512)
    defer { wipe(&digest) }
    var scalar = Array(digest.prefix(Self.byteCount))
    scalar[0] &= 0xf8
    scalar[31] = scalar[31] & 0x7f | 0x40
    publicKey = try KeyAgreement.publicKey(of: scalar)
    privateKey = scalar
    self.seed = seed
  }

  /// Returns a new key.
  package static func random() throws(CryptoError) -> IdentityKey {
    try IdentityKey(seed: try secureRandomBytes(byteCount))
  }

  /// Returns the signature of `message`, 64 bytes, for `edwardsPublicKey`.
  package func sign(_ message: [UInt8]) throws(CryptoError) -> [UInt8] {
    let key = try NativeKey(privateKey: seed, for: .ed25519)
    let library = key.library
    guard let context = library.newContext() else { throw .failed(function: "EVP_MD_CTX_new") }
    defer { library.freeContext(context) }
    guard library.beginSigning(context, nil, nil, nil, key.pointer) == 1 else {
      throw .failed(function: "EVP_DigestSignInit")
    }
    var signature = [UInt8](repeating: 0, count: Signature.byteCount)
    var count = signature.count
    guard library.sign(context, &signature, &count, message, message.count) == 1,
      count == signature.count
    else { throw .failed(function: "EVP_DigestSign") }
    return signature
  }

  /// Returns the signature of `message`, 64 bytes, for `publicKey`: that of Ed25519 with the
  /// highest bit of `edwardsPublicKey` in its own, the form of libsignal.
  package func signForMontgomery(_ message: [UInt8]) throws(CryptoError) -> [UInt8] {
    var signature = try sign(message)
    signature[63] |= edwardsPublicKey[31] & 0x80
    return signature
  }
}

/// Logs and dumps show the public key only.
extension IdentityKey: CustomStringConvertible, CustomReflectable {
  package var description: String { "IdentityKey(\(hex(publicKey)))" }
  package var customMirror: Mirror { Mirror(self, children: ["publicKey": hex(publicKey)]) }
}
