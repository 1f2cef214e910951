import Glibc

/// The decryption of one AES-GCM ciphertext (NIST SP 800-38D) in pieces, by the libcrypto that
/// libcurl loads.
///
/// Nothing that `decrypt` returns can be trusted before `isAuthentic` has confirmed the tag.
package final class AESGCMDecryption {
  /// The length of a tag, in bytes.
  package static let tagByteCount = 16
  /// The length of a nonce, in bytes.
  package static let nonceByteCount = 12

  private let library: CipherBinding
  private let context: OpaquePointer

  /// - Parameter key: 16 bytes (AES-128) or 32 bytes (AES-256).
  /// - Parameter nonce: `nonceByteCount` bytes.
  /// - Throws: `CryptoError`; `.failed` for a key or nonce of another length.
  package init(key: [UInt8], nonce: [UInt8]) throws(CryptoError) {
    library = try decipheringBinding.get()
    let cipher =
      switch key.count {
      case 16: library.aes128()
      case 32: library.aes256()
      default: OpaquePointer?.none
      }
    guard let cipher, nonce.count == Self.nonceByteCount, let context = library.newContext() else {
      throw .failed(function: "EVP_CIPHER_CTX_new")
    }
    self.context = context
    guard library.begin(context, cipher, nil, key, nonce) == 1 else {
      library.freeContext(context)
      throw .failed(function: "EVP_DecryptInit_ex")
    }
  }

  deinit { library.freeContext(context) }

  /// Returns the plaintext of the next piece, which has the same length.
  package func decrypt(_ piece: [UInt8]) throws(CryptoError) -> [UInt8] {
    // Some slack, as for block ciphers; GCM writes as many bytes as it reads.
    var plain = [UInt8](repeating: 0, count: piece.count + Self.tagByteCount)
    var written: CInt = 0
    guard let count = CInt(exactly: piece.count),
      library.add(context, &plain, &written, piece, count) == 1, written == count
    else { throw .failed(function: "EVP_DecryptUpdate") }
    plain.removeLast(Self.tagByteCount)
    return plain
  }

  /// Ends the decryption: returns whether `tag` belongs to the pieces, the key and the nonce.
  package func isAuthentic(tag: [UInt8]) throws(CryptoError) -> Bool {
    var expected = tag
    guard tag.count == Self.tagByteCount,
      library.control(context, CipherBinding.setTag, CInt(tag.count), &expected) == 1
    else { throw .failed(function: "EVP_CIPHER_CTX_ctrl") }
    var rest = [UInt8](repeating: 0, count: Self.tagByteCount)
    var written: CInt = 0
    return library.end(context, &rest, &written) > 0
  }
}
