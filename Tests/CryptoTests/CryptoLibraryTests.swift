import Crypto
import Testing

/// The vectors of the RFCs that define the functions.
@Suite struct CryptoLibraryTests {
  let crypto: CryptoLibrary

  init() { crypto = CryptoLibrary() }

  static let tenTimes = String(repeating: String(repeating: "01234567", count: 8), count: 10)

  @Test(arguments: [
    ("abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "84983e441c3bd26ebaae4aa1f95129e5e54670f1"
    ),
    (String(repeating: "a", count: 1_000_000), "34aa973cd4c4daa4f61eeb2bdbad27316534016f"),
    (tenTimes, "dea356a2cddd90c7a7ecedc5ebb563934f460452"),
    ("", "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
  ])
  func `SHA-1 agrees with RFC 3174`(text: String, digest: String) throws {
    #expect(try hex(crypto.hash(Array(text.utf8), by: .sha1)) == digest)
  }

  @Test(arguments: [
    (
      "abc", HashFunction.sha256,
      "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    ),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", .sha256,
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
    (
      "", .sha256, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    ),
    (
      "abc", .sha512,
      "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
    ),
  ])
  func `SHA-256 and SHA-512 agree with RFC 6234`(
    text: String, function: HashFunction, digest: String
  ) throws {
    #expect(try hex(crypto.hash(Array(text.utf8), by: function)) == digest)
  }

  @Test(arguments: [
    (
      "abc", HashFunction.sha3With256,
      "3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532"
    ),
    (
      "abc", .sha3With512,
      "b751850b1a57168a5693cd924b6b096e08f621827444f70d884f5d0240d2712e10e116e9192af3c91a7ec57647e3934057340b4cf408d5a56592f8274eec53f0"
    ),
    (
      "abc", .blake2b512,
      "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d17d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923"
    ),
    (
      "", .sha3With256,
      "a7ffc6f8bf1ed76651c14756a061d662f580ff4de43b49fa82d80a4b80f8434a"
    ),
    (
      "", .sha3With512,
      "a69f73cca23a9ac5c8b567dc185a756e97c982164fe25859e0d1dcc1475c80a615b2123af1f5f94c11e3e9402c3ac558f500199d95b6d3e301758586281dcd26"
    ),
    (
      "", .blake2b512,
      "786a02f742015903c6c6fd852552d272912f4740e15847618a86e217f71f5419d25e1031afee585313896444934eb04b903a685b1448b755d56f701afe9be2ce"
    ),
  ])
  func `SHA-3 and BLAKE2b agree with FIPS 202 and RFC 7693`(
    text: String, function: HashFunction, digest: String
  ) throws {
    #expect(crypto.has(function))
    #expect(try hex(crypto.hash(Array(text.utf8), by: function)) == digest)
  }

  @Test(arguments: [
    ([UInt8](repeating: 0x0b, count: 20), "Hi There", "b617318655057264e28bc0b6fb378c8ef146be00"),
    (
      Array("Jefe".utf8), "what do ya want for nothing?", "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79"
    ),
    (
      [UInt8](repeating: 0xaa, count: 80), "Test Using Larger Than Block-Size Key - Hash Key First",
      "aa4ae5e15272d00e95705637ce8a3b55ed402112"
    ),
  ])
  func `HMAC with SHA-1 agrees with RFC 2202`(key: [UInt8], text: String, code: String) throws {
    #expect(try hex(crypto.hmac(Array(text.utf8), key: key, by: .sha1)) == code)
  }

  @Test func `HMAC with SHA-256 and SHA-512 agrees with RFC 4231`() throws {
    let key = [UInt8](repeating: 0x0b, count: 20)
    let text = Array("Hi There".utf8)
    #expect(
      try hex(crypto.hmac(text, key: key, by: .sha256))
        == "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7")
    #expect(
      try hex(crypto.hmac(text, key: key, by: .sha512))
        == "87aa7cdea5ef619d4ff0b4241a1d6cb02379f4e2ce4ec2787ad0b30545e17cdedaa833b7d6b8a702038b274eaea3f4e4be9d914eeb61f1702e696c203a126854"
    )
  }

  @Test func `an empty key is a key`() throws {
    #expect(
      try hex(crypto.hmac([], key: [], by: .sha1)) == "fbdb1d1b18aa6c08324b7d64b71fb76370690e1d")
  }

  @Test(arguments: [
    ("password", "salt", 1, 20, "0c60c80f961f0e71f3a9b524af6012062fe037a6"),
    ("password", "salt", 2, 20, "ea6c014dc72d6f8ccd1ed92ace1d41f0d8de8957"),
    ("password", "salt", 4096, 20, "4b007901b765489abead49d926f721d065a429c1"),
    (
      "passwordPASSWORDpassword", "saltSALTsaltSALTsaltSALTsaltSALTsalt", 4096, 25,
      "3d2eec4fe41c849b80c8d83662c0e44a8b291a964cf2f07038"
    ),
    ("pass\0word", "sa\0lt", 4096, 16, "56fa6aa75548099dcc37d7f03425e0c3"),
  ])
  func `PBKDF2 with SHA-1 agrees with RFC 6070`(
    password: String, salt: String, iterations: Int, byteCount: Int, key: String
  ) throws {
    #expect(
      try hex(
        crypto.pbkdf2(
          password: Array(password.utf8), salt: Array(salt.utf8), iterations: iterations,
          by: .sha1, byteCount: byteCount)) == key)
  }

  @Test(arguments: [
    (
      "passwd", "salt", 1,
      "55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc49ca9cccf179b645991664b39d77ef317c71b845b1e30bd509112041d3a19783"
    ),
    (
      "Password", "NaCl", 80_000,
      "4ddcd8f60b98be21830cee5ef22701f9641a4418d04c0414aeff08876b34ab56a1d425a1225833549adb841b51c9b3176a272bdebba1d078478f62b397f33c8d"
    ),
  ])
  func `PBKDF2 with SHA-256 agrees with RFC 7914`(
    password: String, salt: String, iterations: Int, key: String
  ) throws {
    #expect(
      try hex(
        crypto.pbkdf2(
          password: Array(password.utf8), salt: Array(salt.utf8), iterations: iterations,
          by: .sha256, byteCount: 64)) == key.lowercased())
  }

  @Test func `numbers of iterations out of range are refused`() {
    for iterations in [0, -1, Int.max] {
      #expect(throws: CryptoError.failed(function: "PKCS5_PBKDF2_HMAC")) {
        try crypto.pbkdf2(password: [1], salt: [2], iterations: iterations, by: .sha1)
      }
    }
  }
}
