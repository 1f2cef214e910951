/// AES of whole texts (FIPS 197), by the libcrypto that libcurl loads: GCM (NIST SP 800-38D) and
/// CBC with the padding of PKCS #7 (RFC 5652 §6.3).
///
/// Keys, nonces and tags of a wrong length throw `CryptoError.failed`.
package enum BlockCipher {
  /// The length of a tag of GCM, in bytes.
  package static let tagByteCount = 16
  /// The length of a block and of the initialization vector of CBC, in bytes.
  package static let blockByteCount = 16

  /// Returns the ciphertext, as long as `text`, and its tag.
  /// - Parameter key: 16 bytes (AES-128) or 32 bytes (AES-256).
  /// - Parameter nonce: 12 or 16 bytes; must never be used twice with one key.
  package static func sealGCM(
    _ text: [UInt8], key: [UInt8], nonce: [UInt8]
  ) throws(CryptoError) -> (text: [UInt8], tag: [UInt8]) {
    let context = try CipherContext(encipheringBinding.get())
    try context.beginGCM(key: key, nonce: nonce)
    var sealed = try context.add(text)
    guard let rest = context.end(), rest.isEmpty else {
      wipe(&sealed)
      throw .failed(function: "EVP_EncryptFinal_ex")
    }
    return (sealed, try context.tag())
  }

  /// Returns the text of a ciphertext of GCM; `nil` when text, tag, key and nonce do not belong
  /// together.
  /// - Parameter tag: `tagByteCount` bytes. libcrypto would accept a shorter one, which is easier
  ///   to forge.
  /// - Parameter key: 16 or 32 bytes.
  /// - Parameter nonce: 12 or 16 bytes.
  package static func openGCM(
    _ text: [UInt8], tag: [UInt8], key: [UInt8], nonce: [UInt8]
  ) throws(CryptoError) -> [UInt8]? {
    let context = try CipherContext(decipheringBinding.get())
    try context.beginGCM(key: key, nonce: nonce)
    try context.setTag(tag)
    var plain = try context.add(text)
    guard let rest = context.end(), rest.isEmpty else {
      wipe(&plain)
      return nil
    }
    return plain
  }

  /// Returns the ciphertext of AES-256-CBC, 1 to 16 bytes longer than `text`.
  /// - Parameter key: 32 bytes.
  /// - Parameter iv: 16 bytes.
  package static func sealCBC(
    _ text: [UInt8], key: [UInt8], iv: [UInt8]
  ) throws(CryptoError) -> [UInt8] {
    let context = try CipherContext(encipheringBinding.get())
    try context.beginCBC(key: key, iv: iv)
    let sealed = try context.add(text)
    guard let rest = context.end() else { throw .failed(function: "EVP_EncryptFinal_ex") }
    return sealed + rest
  }

  /// Returns the text of a ciphertext of AES-256-CBC; `nil` when its length or padding is wrong.
  ///
  /// The difference between `nil` and a text helps an attacker to decrypt (a padding oracle), so
  /// callers check a code over the ciphertext first.
  /// - Parameter key: 32 bytes.
  /// - Parameter iv: 16 bytes.
  package static func openCBC(
    _ text: [UInt8], key: [UInt8], iv: [UInt8]
  ) throws(CryptoError) -> [UInt8]? {
    let context = try CipherContext(decipheringBinding.get())
    try context.beginCBC(key: key, iv: iv)
    guard !text.isEmpty, text.count.isMultiple(of: blockByteCount) else { return nil }
    var plain = try context.add(text)
    guard let rest = context.end() else {
      wipe(&plain)
      return nil
    }
    defer { if !rest.isEmpty { wipe(&plain) } }
    return rest.isEmpty ? plain : plain + rest
  }
}

/// A cipher context of libcrypto, which wipes its keys when it is freed.
struct CipherContext: ~Copyable {
  private let library: CipherBinding
  private let context: OpaquePointer

  init(_ library: CipherBinding) throws(CryptoError) {
    guard let context = library.newContext() else { throw .failed(function: "EVP_CIPHER_CTX_new") }
    self.library = library
    self.context = context
  }

  deinit { library.freeContext(context) }

  func beginGCM(key: [UInt8], nonce: [UInt8]) throws(CryptoError) {
    let cipher =
      switch key.count {
      case 16: library.aes128()
      case 32: library.aes256()
      default: OpaquePointer?.none
      }
    guard let cipher, nonce.count == 12 || nonce.count == 16,
      library.begin(context, cipher, nil, nil, nil) == 1
    else { throw library.failure("Init_ex") }
    guard library.control(context, CipherBinding.setNonceLength, CInt(nonce.count), nil) == 1 else {
      throw .failed(function: "EVP_CIPHER_CTX_ctrl")
    }
    guard library.begin(context, nil, nil, key, nonce) == 1 else {
      throw library.failure("Init_ex")
    }
  }

  func beginCBC(key: [UInt8], iv: [UInt8]) throws(CryptoError) {
    guard key.count == 32, iv.count == BlockCipher.blockByteCount,
      let cipher = try cbcBinding.get()(),
      library.begin(context, cipher, nil, key, iv) == 1
    else { throw library.failure("Init_ex") }
  }

  /// Returns what the cipher makes of `text`.
  func add(_ text: [UInt8]) throws(CryptoError) -> [UInt8] {
    // For GCM, text without an address would mean its end, and an empty array may have none.
    guard !text.isEmpty else { return [] }
    // CBC may write up to a block more than it reads.
    var result = [UInt8](repeating: 0, count: text.count + BlockCipher.blockByteCount)
    var written: CInt = 0
    guard let count = CInt(exactly: text.count),
      library.add(context, &result, &written, text, count) == 1, (0...result.count) ~= Int(written)
    else {
      wipe(&result)
      throw library.failure("Update")
    }
    result.removeLast(result.count - Int(written))
    return result
  }

  /// Returns the last bytes; `nil` for a wrong tag or padding.
  func end() -> [UInt8]? {
    var rest = [UInt8](repeating: 0, count: BlockCipher.blockByteCount)
    defer { wipe(&rest) }
    var written: CInt = 0
    guard library.end(context, &rest, &written) > 0, (0...rest.count) ~= Int(written) else {
      return nil
    }
    return Array(rest.prefix(Int(written)))
  }

  func setTag(_ tag: [UInt8]) throws(CryptoError) {
    var expected = tag
    guard tag.count == BlockCipher.tagByteCount,
      library.control(context, CipherBinding.setTag, CInt(tag.count), &expected) == 1
    else { throw .failed(function: "EVP_CIPHER_CTX_ctrl") }
  }

  func tag() throws(CryptoError) -> [UInt8] {
    var tag = [UInt8](repeating: 0, count: BlockCipher.tagByteCount)
    guard library.control(context, CipherBinding.getTag, CInt(tag.count), &tag) == 1 else {
      throw .failed(function: "EVP_CIPHER_CTX_ctrl")
    }
    return tag
  }
}
