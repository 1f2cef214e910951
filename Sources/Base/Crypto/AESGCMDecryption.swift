/// The decryption of one AES-GCM ciphertext (NIST SP 800-38D) in pieces, by the libcrypto that
/// libcurl loads.
///
/// Nothing that `decrypt` returns can be trusted before `isAuthentic` has confirmed the tag.
package final class AESGCMDecryption {
  /// The length of a tag, in bytes.
  package static let tagByteCount = BlockCipher.tagByteCount
  /// The length of a nonce, in bytes.
  package static let nonceByteCount = 12

  private let context: CipherContext

  /// - Parameter key: 16 bytes (AES-128) or 32 bytes (AES-256).
  /// - Parameter nonce: `nonceByteCount` bytes.
  /// - Throws: `CryptoError`; `.failed` for a key or nonce of another length.
  package init(key: [UInt8], nonce: [UInt8]) throws(CryptoError) {
    guard nonce.count == Self.nonceByteCount else { throw .failed(function: "EVP_DecryptInit_ex") }
    context = try CipherContext(decipheringBinding.get())
    try context.beginGCM(key: key, nonce: nonce)
  }

  /// Returns the plaintext of the next piece, which has the same length.
  package func decrypt(_ piece: [UInt8]) throws(CryptoError) -> [UInt8] { try context.add(piece) }

  /// Ends the decryption: returns whether `tag` belongs to the pieces, the key and the nonce.
  package func isAuthentic(tag: [UInt8]) throws(CryptoError) -> Bool {
    try context.setTag(tag)
    return context.end() != nil
  }
}
