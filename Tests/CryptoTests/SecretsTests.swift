import Crypto
import Testing

@Suite struct SecretsTests {
  /// The test cases of RFC 5869, appendix A.
  @Test(arguments: [
    (
      [UInt8](repeating: 0x0b, count: 22), [UInt8](0...0x0c), [UInt8](0xf0...0xf9),
      "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"
    ),
    (
      [UInt8](0...0x4f), [UInt8](0x60...0xaf), [UInt8](0xb0...0xff),
      "b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c59045a99cac7827271cb"
        + "41c65e590e09da3275600c2f09b8367793a9aca3db71cc30c58179ec3e87c14c01d5c1f3434f1d87"
    ),
    (
      [UInt8](repeating: 0x0b, count: 22), [], [],
      "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8"
    ),
  ])
  func `HKDF agrees with RFC 5869`(
    material: [UInt8], salt: [UInt8], info: [UInt8], key: String
  ) throws {
    let derived = try CryptoLibrary().hkdf(
      material, salt: salt, info: info, byteCount: key.utf8.count / 2)
    #expect(hex(derived) == key)
  }

  @Test func `HKDF derives 0 to 255 digests, each the beginning of the longer one`() throws {
    let crypto = CryptoLibrary()
    let longest = try crypto.hkdf([1], salt: [2], info: [3], byteCount: 8160)
    #expect(longest.count == 8160)
    for count in [0, 1, 31, 32, 33, 64, 8159] {
      let key = try crypto.hkdf([1], salt: [2], info: [3], byteCount: count)
      #expect(key == Array(longest.prefix(count)))
    }
    for count in [-1, 8161, Int.max, Int.min] {
      #expect(throws: CryptoError.failed(function: "HMAC")) {
        try crypto.hkdf([1], salt: [2], info: [3], byteCount: count)
      }
    }
    #expect(try crypto.hkdf([], salt: [], info: [], byteCount: 32).count == 32)
  }

  @Test func `random bytes have the length asked for and do not repeat`() throws {
    #expect(try secureRandomBytes(0) == [])
    #expect(try secureRandomBytes(33).count == 33)
    #expect(try secureRandomBytes(16) != secureRandomBytes(16))
    #expect(try secureRandomBytes(1 << 20).count == 1 << 20)
    for count in [-1, Int.min, Int.max, Int(Int32.max) + 1] {
      #expect(throws: CryptoError.failed(function: "RAND_bytes")) {
        try secureRandomBytes(count)
      }
    }
  }
}
