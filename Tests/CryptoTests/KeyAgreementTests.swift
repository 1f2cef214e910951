import Crypto
import Testing

@Suite struct KeyAgreementTests {
  struct Parts: Decodable {
    struct Agreement: Decodable {
      let `private`, `public`, ownPublic, shared: Hex
    }
    struct Refused: Decodable {
      let why: String
      let `public`: Hex
    }
    let agreements: [Agreement]
    let refused: [Refused]
  }

  let vectors: Parts

  init() throws { vectors = try Vectors<Parts>("x25519").parts }

  @Test func `secrets and public keys agree with other implementations`() throws {
    #expect(vectors.agreements.count == 6)
    for vector in vectors.agreements {
      let secret = try KeyAgreement.secret(vector.private.bytes, vector.public.bytes)
      #expect(hex(secret) == vector.shared.description)
      let own = try KeyAgreement.publicKey(of: vector.private.bytes)
      #expect(hex(own) == vector.ownPublic.description)
    }
  }

  @Test func `a public key of small order is refused`() throws {
    let own = try #require(vectors.agreements.first).private.bytes
    #expect(vectors.refused.count == 7)
    for vector in vectors.refused {
      #expect(throws: CryptoError.refused, "\(vector.why)") {
        try KeyAgreement.secret(own, vector.public.bytes)
      }
    }
  }

  @Test func `a second form of a public key is refused`() throws {
    let own = try #require(vectors.agreements.first).private.bytes
    // The highest bit, which X25519 ignores.
    for vector in vectors.agreements {
      var key = vector.public.bytes
      key[31] |= 0x80
      #expect(throws: CryptoError.refused) { try KeyAgreement.secret(own, key) }
    }
    // 9 and 2^255 - 19 + 9, and the largest number with 255 bits.
    let nine = [9] + [UInt8](repeating: 0, count: 31)
    #expect(try KeyAgreement.secret(own, nine) == KeyAgreement.publicKey(of: own))
    for first: UInt8 in [0xed + 9, 0xff] {
      let key = [first] + [UInt8](repeating: 0xff, count: 30) + [0x7f]
      #expect(throws: CryptoError.refused) { try KeyAgreement.secret(own, key) }
    }
  }

  @Test func `both sides have the same secret`() throws {
    let (a, b) = (try secureRandomBytes(32), try secureRandomBytes(32))
    let ofA = try KeyAgreement.secret(a, try KeyAgreement.publicKey(of: b))
    let ofB = try KeyAgreement.secret(b, try KeyAgreement.publicKey(of: a))
    #expect(ofA == ofB)
    #expect(ofA.count == 32)
  }

  @Test(arguments: wrongByteCounts)
  func `a key of a wrong length is refused`(count: Int) throws {
    let wrong = [UInt8](repeating: 9, count: count)
    let vector = try #require(vectors.agreements.first)
    #expect(throws: CryptoError.failed(function: "EVP_PKEY_new_raw_private_key")) {
      try KeyAgreement.publicKey(of: wrong)
    }
    #expect(throws: CryptoError.failed(function: "EVP_PKEY_new_raw_private_key")) {
      try KeyAgreement.secret(wrong, vector.public.bytes)
    }
    #expect(throws: CryptoError.failed(function: "EVP_PKEY_new_raw_public_key")) {
      try KeyAgreement.secret(vector.private.bytes, wrong)
    }
  }
}
