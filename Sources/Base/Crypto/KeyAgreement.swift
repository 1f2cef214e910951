/// X25519, the agreement of two parties on a secret (RFC 7748), by the libcrypto that libcurl
/// loads. All keys have 32 bytes; others throw `CryptoError.failed`.
package enum KeyAgreement {
  /// Returns the public key of a private key: any 32 bytes, which libcrypto clamps (RFC 7748 §5).
  package static func publicKey(of privateKey: [UInt8]) throws(CryptoError) -> [UInt8] {
    try NativeKey(privateKey: privateKey, for: .x25519).publicKey()
  }

  /// Returns the secret, 32 bytes, that the owner of `privateKey` shares with the owner of
  /// `publicKey`. Its bits are not uniform: keys are derived from it (`CryptoLibrary.hkdf`).
  /// - Throws: `CryptoError`; `.refused` for a public key of small order, with which the secret
  ///   would be zero for every private key (RFC 7748 §6.1), and for one that is not below
  ///   2^255 - 19. RFC 7748 §5 would reduce it, but then a key has a second form, and an attacker
  ///   can make a copy of a key exchange look like a new one. Computed keys are always reduced.
  package static func secret(
    _ privateKey: [UInt8], _ publicKey: [UInt8]
  ) throws(CryptoError) -> [UInt8] {
    let own = try NativeKey(privateKey: privateKey, for: .x25519)
    let peer = try NativeKey(publicKey: publicKey, for: .x25519)
    guard CurveForms.isReduced(publicKey) else { throw .refused }
    let library = own.library
    guard let context = library.newAgreement(own.pointer, nil) else {
      throw .failed(function: "EVP_PKEY_CTX_new")
    }
    defer { library.freeAgreement(context) }
    guard library.beginAgreement(context) == 1 else {
      throw .failed(function: "EVP_PKEY_derive_init")
    }
    guard library.setPeer(context, peer.pointer) == 1 else { throw .refused }
    var secret = [UInt8](repeating: 0, count: NativeKey.byteCount)
    var count = secret.count
    guard library.derive(context, &secret, &count) == 1, count == secret.count else {
      wipe(&secret)
      throw .refused
    }
    return secret
  }
}
