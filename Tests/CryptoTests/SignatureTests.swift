import Crypto
import Testing

@Suite struct SignatureTests {
  struct Parts: Decodable {
    struct Signed: Decodable {
      let seed, identityPrivate, identityPublic, ed25519Public, message, signatureBySeed: Hex
      let signatureByNonce, signatureSignBit0: Hex
    }
    struct Refused: Decodable {
      let why: String
      let identityPublic, message, signature: Hex
    }
    let signed: [Signed]
    let refused: [Refused]
  }

  /// The keys of X25519 of order 2, 4 and 8.
  static let smallOrder: [Hex] = [
    "0000000000000000000000000000000000000000000000000000000000000000",
    "0100000000000000000000000000000000000000000000000000000000000000",
    "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
    "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
  ]
  static let prime: Hex = "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f"

  let vectors: Parts

  init() throws { vectors = try Vectors<Parts>("xeddsa").parts }

  @Test func `the keys that follow from a seed agree with other implementations`() throws {
    #expect(vectors.signed.count == 12)
    for vector in vectors.signed {
      let key = try IdentityKey(seed: vector.seed.bytes)
      #expect(key.seed == vector.seed.bytes)
      #expect(key.privateKey == vector.identityPrivate.bytes)
      #expect(key.publicKey == vector.identityPublic.bytes)
      #expect(key.edwardsPublicKey == vector.ed25519Public.bytes)
    }
  }

  @Test func `the two forms of a public key are converted into each other`() throws {
    var signs: Set<Bool> = []
    for vector in vectors.signed {
      let edwards = vector.ed25519Public.bytes
      let isNegative = edwards[31] & 0x80 != 0
      signs.insert(isNegative)
      let converted = try Signature.edwardsKey(
        ofMontgomery: vector.identityPublic.bytes, isNegative: isNegative)
      #expect(converted == edwards)
      #expect(try Signature.montgomeryKey(ofEdwards: edwards) == vector.identityPublic.bytes)
    }
    #expect(signs.count == 2)
  }

  @Test func `signatures agree with other implementations`() throws {
    for vector in vectors.signed {
      let key = try IdentityKey(seed: vector.seed.bytes)
      let message = vector.message.bytes
      #expect(try key.signForMontgomery(message) == vector.signatureBySeed.bytes)
      for signature in [
        vector.signatureBySeed, vector.signatureByNonce, vector.signatureSignBit0,
      ] {
        #expect(
          try Signature.isValid(signature.bytes, of: message, montgomeryKey: key.publicKey))
      }
      let plain = try key.sign(message)
      #expect(try Signature.isValid(plain, of: message, edwardsKey: key.edwardsPublicKey))
    }
  }

  @Test func `a signature of Ed25519 agrees with RFC 8032`() throws {
    let seed: Hex = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60"
    let key = try IdentityKey(seed: seed.bytes)
    #expect(
      hex(key.edwardsPublicKey)
        == "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a")
    #expect(
      try hex(key.sign([]))
        == "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555"
        + "fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b")
  }

  @Test func `wrong signatures and keys are not valid`() throws {
    #expect(vectors.refused.count == 12)
    for vector in vectors.refused {
      let isValid = try Signature.isValid(
        vector.signature.bytes, of: vector.message.bytes,
        montgomeryKey: vector.identityPublic.bytes)
      #expect(!isValid, "\(vector.why)")
    }
  }

  @Test func `every bit of a signature counts`() throws {
    let key = try IdentityKey(seed: try #require(vectors.signed.first).seed.bytes)
    let (forMontgomery, plain) = (try key.signForMontgomery([1, 2]), try key.sign([1, 2]))
    for index in 0..<(64 * 8) {
      let (byte, bit) = (index / 8, UInt8(1) << (index % 8))
      var (changed, changedPlain) = (forMontgomery, plain)
      changed[byte] ^= bit
      changedPlain[byte] ^= bit
      #expect(try !Signature.isValid(changed, of: [1, 2], montgomeryKey: key.publicKey))
      #expect(try !Signature.isValid(changedPlain, of: [1, 2], edwardsKey: key.edwardsPublicKey))
    }
  }

  @Test func `a scalar that is not reduced is not valid under an Edwards key`() throws {
    let vector = try #require(vectors.refused.first { $0.why == "s not reduced" })
    let signed = try #require(
      vectors.signed.first { $0.identityPublic.bytes == vector.identityPublic.bytes })
    var reduced = signed.signatureBySeed.bytes
    reduced[63] &= 0x7f
    let key = signed.ed25519Public.bytes
    #expect(try Signature.isValid(reduced, of: vector.message.bytes, edwardsKey: key))
    #expect(
      try !Signature.isValid(vector.signature.bytes, of: vector.message.bytes, edwardsKey: key))
  }

  /// With the neutral element as R and s = 0, the equation of Ed25519 holds for one message in 2 to
  /// 8 under these keys, so that at least one of 64 messages would be valid.
  @Test func `nothing is valid under a key of small order`() throws {
    for sign: UInt8 in [0, 0x80] {
      let forged = [1] + [UInt8](repeating: 0, count: 62) + [sign]
      let plain = [1] + [UInt8](repeating: 0, count: 63)
      for key in Self.smallOrder {
        let edwards = try Signature.edwardsKey(ofMontgomery: key.bytes, isNegative: sign != 0)
        for message: UInt8 in 0..<64 {
          #expect(try !Signature.isValid(forged, of: [message], montgomeryKey: key.bytes))
          #expect(try !Signature.isValid(plain, of: [message], edwardsKey: edwards))
        }
      }
      // The neutral element, as itself and not reduced.
      for first: UInt8 in [1, 0xee] {
        var key = first == 1 ? [UInt8](repeating: 0, count: 32) : Self.prime.bytes
        key[0] = first
        key[31] |= sign
        #expect(try !Signature.isValid(plain, of: [0], edwardsKey: key))
      }
    }
  }

  @Test func `keys without another form, and keys that are not reduced, are refused`() throws {
    let prime = Self.prime.bytes
    var (minusOne, beyond, highBit) = (prime, prime, try IdentityKey.random().publicKey)
    minusOne[0] -= 1
    beyond[0] += 1
    highBit[31] |= 0x80
    for key in [minusOne, prime, beyond, highBit, [UInt8](repeating: 0xff, count: 32)] {
      #expect(throws: CryptoError.refused) {
        try Signature.edwardsKey(ofMontgomery: key, isNegative: false)
      }
    }
    let neutral = [1] + [UInt8](repeating: 0, count: 31)
    for key in [neutral, prime, beyond, [UInt8](repeating: 0xff, count: 32)] {
      #expect(throws: CryptoError.refused) { try Signature.montgomeryKey(ofEdwards: key) }
    }
    // The Edwards form of zero is -1, and back.
    let zero = [UInt8](repeating: 0, count: 32)
    #expect(try Signature.edwardsKey(ofMontgomery: zero, isNegative: false) == minusOne)
    #expect(try Signature.montgomeryKey(ofEdwards: minusOne) == zero)
  }

  @Test func `nothing is valid under a key that is not on the curve`() throws {
    let key = try IdentityKey.random()
    let signature = try key.signForMontgomery([])
    // 2 is on the twist of the curve: u^3 + 486662 u^2 + u has no square root.
    let onTwist = [2] + [UInt8](repeating: 0, count: 31)
    #expect(try !Signature.isValid(signature, of: [], montgomeryKey: onTwist))
  }

  @Test(arguments: wrongByteCounts)
  func `wrong lengths are not valid and not converted`(count: Int) throws {
    let wrong = [UInt8](repeating: 9, count: count)
    let key = try IdentityKey.random()
    let signature = try key.signForMontgomery([])
    #expect(try !Signature.isValid(signature, of: [], montgomeryKey: wrong))
    #expect(try !Signature.isValid(signature, of: [], edwardsKey: wrong))
    #expect(throws: CryptoError.failed(function: "BN_lebin2bn")) {
      try Signature.montgomeryKey(ofEdwards: wrong)
    }
    #expect(throws: CryptoError.failed(function: "BN_lebin2bn")) {
      try Signature.edwardsKey(ofMontgomery: wrong, isNegative: true)
    }
    #expect(throws: CryptoError.failed(function: "EVP_PKEY_new_raw_private_key")) {
      try IdentityKey(seed: wrong)
    }
    guard count != Signature.byteCount else { return }
    #expect(try !Signature.isValid(wrong, of: [], montgomeryKey: key.publicKey))
    #expect(try !Signature.isValid(wrong, of: [], edwardsKey: key.edwardsPublicKey))
  }

  @Test func `a message of 10 MB is signed`() throws {
    let message = [UInt8](repeating: 7, count: 10 << 20)
    let key = try IdentityKey.random()
    let signature = try key.signForMontgomery(message)
    #expect(try Signature.isValid(signature, of: message, montgomeryKey: key.publicKey))
    #expect(
      try !Signature.isValid(
        signature, of: Array(message.dropLast()), montgomeryKey: key.publicKey))
  }

  @Test func `an identity key agrees on secrets with its two forms`() throws {
    let (a, b) = (try IdentityKey.random(), try IdentityKey.random())
    #expect(a.seed != b.seed)
    let ofA = try KeyAgreement.secret(a.privateKey, b.publicKey)
    let ofB = try KeyAgreement.secret(
      b.privateKey, try Signature.montgomeryKey(ofEdwards: a.edwardsPublicKey))
    #expect(ofA == ofB)
  }

  @Test func `a printed identity key has no secret`() throws {
    let key = try IdentityKey(seed: [UInt8](repeating: 0xab, count: 32))
    var dumped = ""
    dump((key, Optional(key)), to: &dumped)
    for text in ["\(key)", String(reflecting: key), dumped] {
      #expect(text.contains(hex(key.publicKey)))
      #expect(!text.contains("171") && !text.lowercased().contains("abab"))
      #expect(!text.contains(hex(key.privateKey)))
      #expect(!text.contains("seed") && !text.contains("privateKey"))
    }
  }
}
