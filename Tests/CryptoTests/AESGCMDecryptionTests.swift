import Crypto
import Testing

/// The test cases of the specification of GCM (McGrew and Viega, appendix B) without additional
/// data.
@Suite struct AESGCMDecryptionTests {
  static let nonce = "cafebabefacedbaddecaf888"
  static let key = "feffe9928665731c6d6a8f9467308308"
  static let plain =
    "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
    + "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b391aafd255"
  static let sealed =
    "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e"
    + "21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091473f5985"
  static let tag = "4d5c2af327cd64a62cf35abd2ba6fab4"

  private func bytes(_ text: String) throws -> [UInt8] {
    let found = Crypto.bytes(hex: text)
    return try #require(found)
  }

  @Test(arguments: [
    (key, sealed, tag),
    (
      key + key,
      "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
        + "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662898015ad",
      "b094dac5d93471bdec1a502270e3cc6c"
    ),
  ])
  func `a ciphertext is decrypted in pieces of any size`(
    key: String, sealed: String, tag: String
  ) throws {
    let sealed = try bytes(sealed)
    for size in [1, 7, 16, 64] {
      let cipher = try AESGCMDecryption(key: try bytes(key), nonce: try bytes(Self.nonce))
      var plain: [UInt8] = []
      for start in stride(from: 0, to: sealed.count, by: size) {
        plain += try cipher.decrypt(Array(sealed[start..<min(start + size, sealed.count)]))
      }
      #expect(hex(plain) == Self.plain)
      #expect(try cipher.isAuthentic(tag: try bytes(tag)))
    }
  }

  @Test func `nothing at all has a tag, too`() throws {
    let cipher = try AESGCMDecryption(
      key: [UInt8](repeating: 0, count: 16), nonce: [UInt8](repeating: 0, count: 12))
    #expect(try cipher.decrypt([]) == [])
    #expect(try cipher.isAuthentic(tag: try bytes("58e2fccefa7e3061367f1d57a4e7455a")))
  }

  @Test func `a change of the ciphertext, the tag or the key shows`() throws {
    func isAuthentic(_ key: String, _ sealed: [UInt8], _ tag: [UInt8]) throws -> Bool {
      let cipher = try AESGCMDecryption(key: try bytes(key), nonce: try bytes(Self.nonce))
      _ = try cipher.decrypt(sealed)
      return try cipher.isAuthentic(tag: tag)
    }
    let (sealed, tag) = (try bytes(Self.sealed), try bytes(Self.tag))
    #expect(try isAuthentic(Self.key, sealed, tag))
    #expect(try !isAuthentic("00" + Self.key.dropFirst(2), sealed, tag))
    #expect(try !isAuthentic(Self.key, Array(sealed.dropLast()), tag))
    for index in tag.indices {
      var (otherText, otherTag) = (sealed, tag)
      otherText[index] ^= 1
      otherTag[index] ^= 0x80
      #expect(try !isAuthentic(Self.key, otherText, tag))
      #expect(try !isAuthentic(Self.key, sealed, otherTag))
    }
  }

  @Test func `keys, nonces and tags of another length are refused`() throws {
    #expect(throws: CryptoError.self) {
      try AESGCMDecryption(key: [1, 2, 3], nonce: [UInt8](repeating: 0, count: 12))
    }
    let key = [UInt8](repeating: 0, count: 16)
    #expect(throws: CryptoError.self) { try AESGCMDecryption(key: key, nonce: [1]) }
    let cipher = try AESGCMDecryption(key: key, nonce: [UInt8](repeating: 0, count: 12))
    #expect(throws: CryptoError.self) { try cipher.isAuthentic(tag: [1, 2]) }
  }
}
