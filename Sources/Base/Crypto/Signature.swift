/// The verification of signatures, and the two forms of public keys, by the libcrypto that libcurl
/// loads. Everything here is public.
package enum Signature {
  /// The length of a signature, in bytes.
  package static let byteCount = 64

  /// Returns whether `signature` is one of Ed25519 (RFC 8032 §5.1.7) for `message` under a key.
  ///
  /// A signature or key of a wrong length, a key that is not canonical, and one of small order,
  /// under which forged signatures verify, have no valid signatures.
  /// - Throws: `CryptoError` only when libcrypto cannot verify at all.
  package static func isValid(
    _ signature: [UInt8], of message: [UInt8], edwardsKey: [UInt8]
  ) throws(CryptoError) -> Bool {
    guard signature.count == byteCount, edwardsKey.count == NativeKey.byteCount else {
      return false
    }
    guard let converted = try CurveForms().montgomery(ofEdwards: edwardsKey),
      !smallOrderKeys.contains(converted)
    else { return false }
    return try isValid(signature, of: message, checkedKey: edwardsKey)
  }

  /// Returns whether `signature` is one of XEdDSA for `message` under a key of X25519.
  ///
  /// The highest bit of the signature is that of the Edwards form of the key, as in libsignal; the
  /// XEdDSA of the specification always has 0 there. The rest is as for `edwardsKey`.
  package static func isValid(
    _ signature: [UInt8], of message: [UInt8], montgomeryKey: [UInt8]
  ) throws(CryptoError) -> Bool {
    guard signature.count == byteCount, montgomeryKey.count == NativeKey.byteCount,
      !smallOrderKeys.contains(montgomeryKey),
      var key = try CurveForms().edwards(ofMontgomery: montgomeryKey)
    else { return false }
    var plain = signature
    key[31] |= plain[63] & 0x80
    plain[63] &= 0x7f
    return try isValid(plain, of: message, checkedKey: key)
  }

  /// Returns the form for X25519 of a public key of Ed25519, whose highest bit is lost.
  /// - Throws: `CryptoError`; `.failed` for a key of another length than 32 bytes, `.refused` for
  ///   one that is not canonical or is the neutral element.
  package static func montgomeryKey(
    ofEdwards key: [UInt8]
  ) throws(CryptoError) -> [UInt8] {
    guard key.count == NativeKey.byteCount else { throw .failed(function: "BN_lebin2bn") }
    guard let converted = try CurveForms().montgomery(ofEdwards: key) else { throw .refused }
    return converted
  }

  /// Returns the form for Ed25519 of a public key of X25519. Half of all 32-byte keys of X25519 are
  /// not on the curve (but on its twist): nothing verifies under their form.
  /// - Parameter isNegative: The highest bit of the result, which distinguishes x from −x.
  /// - Throws: `CryptoError`; `.failed` for a key of another length than 32 bytes, `.refused` for
  ///   one that is not canonical or is −1.
  package static func edwardsKey(
    ofMontgomery key: [UInt8], isNegative: Bool
  ) throws(CryptoError) -> [UInt8] {
    guard key.count == NativeKey.byteCount else { throw .failed(function: "BN_lebin2bn") }
    guard var converted = try CurveForms().edwards(ofMontgomery: key) else { throw .refused }
    if isNegative { converted[31] |= 0x80 }
    return converted
  }

  /// Returns whether a signature of 64 bytes is valid; libcrypto refuses one that is not reduced.
  private static func isValid(
    _ signature: [UInt8], of message: [UInt8], checkedKey: [UInt8]
  ) throws(CryptoError) -> Bool {
    let key = try NativeKey(publicKey: checkedKey, for: .ed25519)
    let library = key.library
    guard let context = library.newContext() else { throw .failed(function: "EVP_MD_CTX_new") }
    defer { library.freeContext(context) }
    guard library.beginVerifying(context, nil, nil, nil, key.pointer) == 1 else {
      throw .failed(function: "EVP_DigestVerifyInit")
    }
    return library.verify(context, signature, signature.count, message, message.count) == 1
  }

  /// The canonical keys of X25519 on the curve whose order divides 8, apart from −1, which has no
  /// Edwards form: those of order 2, 4 and 8.
  private static let smallOrderKeys: Set<[UInt8]> = [
    [UInt8](repeating: 0, count: 32),
    [1] + [UInt8](repeating: 0, count: 31),
    [
      0xe0, 0xeb, 0x7a, 0x7c, 0x3b, 0x41, 0xb8, 0xae, 0x16, 0x56, 0xe3, 0xfa, 0xf1, 0x9f, 0xc4,
      0x6a, 0xda, 0x09, 0x8d, 0xeb, 0x9c, 0x32, 0xb1, 0xfd, 0x86, 0x62, 0x05, 0x16, 0x5f, 0x49,
      0xb8, 0x00,
    ],
    [
      0x5f, 0x9c, 0x95, 0xbc, 0xa3, 0x50, 0x8c, 0x24, 0xb1, 0xd0, 0xb1, 0x55, 0x9c, 0x83, 0xef,
      0x5b, 0x04, 0x44, 0x5c, 0xc4, 0x58, 0x1c, 0x8e, 0x86, 0xd8, 0x22, 0x4e, 0xdd, 0xd0, 0x9f,
      0x11, 0x57,
    ],
  ]
}
