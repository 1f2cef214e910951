import Crypto
import Testing

@Suite struct BlockCipherTests {
  struct Parts: Decodable {
    struct Body: Decodable {
      let key, iv, body, ciphertext, tag: Hex
    }
    struct File: Decodable {
      let plain, fragment, upload, plainSha256, uploadSha256: Hex
      let size: Int
    }
    let bodies: [Body]
    let files: [File]
  }

  static let key: Hex = "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4"
  static let iv: Hex = "000102030405060708090a0b0c0d0e0f"
  static let text: Hex = """
    6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51\
    30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710
    """

  let vectors: Parts

  init() throws { vectors = try Vectors<Parts>("payload-0.3.0").parts }

  @Test func `bodies of messages agree with other implementations`() throws {
    #expect(Set(vectors.bodies.map(\.iv.bytes.count)) == [12, 16])
    for vector in vectors.bodies {
      let sealed = try BlockCipher.sealGCM(
        vector.body.bytes, key: vector.key.bytes, nonce: vector.iv.bytes)
      #expect(sealed.text == vector.ciphertext.bytes)
      #expect(sealed.tag == vector.tag.bytes)
      let opened = try BlockCipher.openGCM(
        vector.ciphertext.bytes, tag: vector.tag.bytes, key: vector.key.bytes,
        nonce: vector.iv.bytes)
      #expect(opened == vector.body.bytes)
    }
  }

  @Test func `files agree with other implementations`() throws {
    #expect(vectors.files.map(\.size) == [0, 1, 70_000])
    for vector in vectors.files {
      // The name and the number of the draw, as `about` says.
      let plain =
        vector.size < 100
        ? vector.plain.bytes
        : SHAKE256.bytes(vector.size, of: Array("payload".utf8) + [0, 0, 0, 18])
      #expect(try CryptoLibrary().hash(plain, by: .sha256) == vector.plainSha256.bytes)
      let fragment = vector.fragment.bytes
      let (nonce, key) = (Array(fragment.prefix(12)), Array(fragment.dropFirst(12)))
      let sealed = try BlockCipher.sealGCM(plain, key: key, nonce: nonce)
      let upload = sealed.text + sealed.tag
      #expect(try CryptoLibrary().hash(upload, by: .sha256) == vector.uploadSha256.bytes)
      if !vector.upload.bytes.isEmpty { #expect(upload == vector.upload.bytes) }
      #expect(
        try BlockCipher.openGCM(sealed.text, tag: sealed.tag, key: key, nonce: nonce) == plain)
    }
  }

  @Test func `a change of the ciphertext, tag, key or nonce of GCM shows`() throws {
    for vector in vectors.bodies where vector.body.bytes.count < 100 {
      let (key, nonce) = (vector.key.bytes, vector.iv.bytes)
      let (text, tag) = (vector.ciphertext.bytes, vector.tag.bytes)
      for index in 0..<16 {
        var (otherTag, otherKey) = (tag, key)
        otherTag[index] ^= 0x80
        otherKey[index] ^= 1
        #expect(try BlockCipher.openGCM(text, tag: otherTag, key: key, nonce: nonce) == nil)
        #expect(try BlockCipher.openGCM(text, tag: tag, key: otherKey, nonce: nonce) == nil)
      }
      for index in text.indices {
        var other = text
        other[index] ^= 1
        #expect(try BlockCipher.openGCM(other, tag: tag, key: key, nonce: nonce) == nil)
      }
      var otherNonce = nonce
      otherNonce[0] ^= 1
      #expect(try BlockCipher.openGCM(text, tag: tag, key: key, nonce: otherNonce) == nil)
      #expect(try BlockCipher.openGCM(text + [0], tag: tag, key: key, nonce: nonce) == nil)
    }
  }

  /// The old form of a payload: libcrypto itself accepts tags of 1 to 16 bytes.
  @Test(arguments: [0, 1, 4, 8, 12, 15, 17, 32])
  func `a tag of another length is refused, also when its bytes are right`(count: Int) throws {
    let vector = try #require(vectors.bodies.last)
    let tag = Array((vector.tag.bytes + vector.tag.bytes).prefix(count))
    #expect(throws: CryptoError.failed(function: "EVP_CIPHER_CTX_ctrl")) {
      try BlockCipher.openGCM(
        vector.ciphertext.bytes, tag: tag, key: vector.key.bytes, nonce: vector.iv.bytes)
    }
  }

  @Test func `CBC agrees with NIST SP 800-38A`() throws {
    let sealed = try BlockCipher.sealCBC(Self.text.bytes, key: Self.key.bytes, iv: Self.iv.bytes)
    #expect(sealed.count == 80)
    #expect(
      hex(Array(sealed.prefix(64)))
        == "f58c4c04d6e5f1ba779eabfb5f7bfbd69cfc4e967edb808d679f777bc6702c7d"
        + "39f23369a9d9bacfa530e26304231461b2eb05e2c39be9fcda6c19078c6a9d1b")
  }

  @Test func `texts of every length are padded, and the padding is checked`() throws {
    let (key, iv) = (Self.key.bytes, Self.iv.bytes)
    for count in 0...64 {
      let text = Array(Self.text.bytes.prefix(count))
      let sealed = try BlockCipher.sealCBC(text, key: key, iv: iv)
      #expect(sealed.count == (count / 16 + 1) * 16)
      #expect(try BlockCipher.openCBC(sealed, key: key, iv: iv) == text)
      guard count > 0, count.isMultiple(of: 16) else { continue }
      // Without the last block the text ends in 0x2a, 0x51, 0xef or 0x10: only the last one is a
      // length of padding, whose bytes are wrong.
      #expect(try BlockCipher.openCBC(Array(sealed.dropLast(16)), key: key, iv: iv) == nil)
    }
  }

  @Test func `the last byte of the padding is 1 to 16`() throws {
    let (key, iv) = (Self.key.bytes, [UInt8](repeating: 0, count: 16))
    // A block of padding alone: XOR with another vector gives any text of one block.
    let sealed = try BlockCipher.sealCBC([], key: key, iv: iv)
    for last: UInt8 in 0...255 {
      var other = iv
      other[15] = 16 ^ last
      let opened = try BlockCipher.openCBC(sealed, key: key, iv: other)
      switch last {
      case 1: #expect(opened == [UInt8](repeating: 16, count: 15))
      case 16: #expect(opened == [])
      default: #expect(opened == nil)
      }
    }
  }

  @Test func `a ciphertext of CBC that is not made of blocks is not opened`() throws {
    for count in Array(0...15) + [17, 31, 33] {
      let text = [UInt8](repeating: 1, count: count)
      #expect(try BlockCipher.openCBC(text, key: Self.key.bytes, iv: Self.iv.bytes) == nil)
    }
  }

  @Test func `10 MB are sealed and opened`() throws {
    let text = [UInt8](repeating: 7, count: 10 << 20)
    let (key, iv) = (Self.key.bytes, Self.iv.bytes)
    let sealed = try BlockCipher.sealGCM(text, key: key, nonce: iv)
    #expect(sealed.text.count == text.count)
    let opened = try BlockCipher.openGCM(sealed.text, tag: sealed.tag, key: key, nonce: iv)
    #expect(opened == text)
    let inBlocks = try BlockCipher.sealCBC(text, key: key, iv: iv)
    let openedBlocks = try BlockCipher.openCBC(inBlocks, key: key, iv: iv)
    #expect(openedBlocks == text)
  }

  @Test(arguments: wrongByteCounts)
  func `keys and nonces of a wrong length are refused`(count: Int) throws {
    let wrong = [UInt8](repeating: 9, count: count)
    let (key, iv) = (Self.key.bytes, Self.iv.bytes)
    let sealing = CryptoError.failed(function: "EVP_EncryptInit_ex")
    let opening = CryptoError.failed(function: "EVP_DecryptInit_ex")
    #expect(throws: sealing) { try BlockCipher.sealGCM([1], key: wrong, nonce: iv) }
    #expect(throws: sealing) { try BlockCipher.sealGCM([1], key: key, nonce: wrong) }
    #expect(throws: opening) { try BlockCipher.openGCM([1], tag: iv, key: wrong, nonce: iv) }
    #expect(throws: opening) { try BlockCipher.openGCM([1], tag: iv, key: key, nonce: wrong) }
    #expect(throws: sealing) { try BlockCipher.sealCBC([1], key: wrong, iv: iv) }
    #expect(throws: sealing) { try BlockCipher.sealCBC([1], key: key, iv: wrong) }
    #expect(throws: opening) { try BlockCipher.openCBC(iv, key: wrong, iv: iv) }
    #expect(throws: opening) { try BlockCipher.openCBC(iv, key: key, iv: wrong) }
  }

  @Test func `CBC takes keys of 32 bytes only, GCM of 16 too`() throws {
    let short = Array(Self.key.bytes.prefix(16))
    #expect(throws: CryptoError.self) {
      try BlockCipher.sealCBC([1], key: short, iv: Self.iv.bytes)
    }
    #expect(try BlockCipher.sealGCM([1], key: short, nonce: Self.iv.bytes).text.count == 1)
  }
}

/// SHAKE256 (FIPS 202), from which the largest vector is made.
private enum SHAKE256 {
  static func bytes(_ count: Int, of input: [UInt8]) -> [UInt8] {
    let rate = 136
    var block = input + [0x1f]
    precondition(block.count < rate, "inputs of one block only")
    block += [UInt8](repeating: 0, count: rate - block.count)
    block[rate - 1] |= 0x80
    var state = [UInt64](repeating: 0, count: 25)
    for (index, byte) in block.enumerated() {
      state[index / 8] ^= UInt64(byte) << (8 * UInt64(index % 8))
    }
    var output: [UInt8] = []
    while output.count < count {
      permute(&state)
      for index in 0..<min(rate, count - output.count) {
        output.append(UInt8(truncatingIfNeeded: state[index / 8] >> (8 * UInt64(index % 8))))
      }
    }
    return output
  }

  private static func permute(_ a: inout [UInt64]) {
    var register: UInt8 = 1
    func rotated(_ word: UInt64, by count: Int) -> UInt64 {
      count == 0 ? word : word << UInt64(count) | word >> UInt64(64 - count)
    }
    for _ in 0..<24 {
      var columns = [UInt64](repeating: 0, count: 5)
      for index in 0..<25 { columns[index % 5] ^= a[index] }
      for index in 0..<25 {
        let x = index % 5
        let left = columns[(x + 4) % 5]
        let right = rotated(columns[(x + 1) % 5], by: 1)
        a[index] ^= left ^ right
      }
      var (x, y, last) = (1, 0, a[1])
      for step in 0..<24 {
        (x, y) = (y, (2 * x + 3 * y) % 5)
        let index = x + 5 * y
        let next = a[index]
        let distance = (step + 1) * (step + 2) / 2
        a[index] = rotated(last, by: distance % 64)
        last = next
      }
      for row in stride(from: 0, to: 25, by: 5) {
        let old = Array(a[row..<row + 5])
        for x in 0..<5 {
          let masked = ~old[(x + 1) % 5] & old[(x + 2) % 5]
          a[row + x] = old[x] ^ masked
        }
      }
      for bit in 0..<7 {
        if register & 1 != 0 { a[0] ^= UInt64(1) << UInt64((1 << bit) - 1) }
        register = register << 1 ^ (register & 0x80 != 0 ? 0x71 : 0)
      }
    }
  }
}
