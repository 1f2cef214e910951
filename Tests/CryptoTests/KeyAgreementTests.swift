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

  @Test func `the highest bit of a public key is ignored (RFC 7748 section 5)`() throws {
    for vector in vectors.agreements {
      var key = vector.public.bytes
      key[31] |= 0x80
      #expect(try KeyAgreement.secret(vector.private.bytes, key) == vector.shared.bytes)
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
