import Crypto
import Testing
import XMPP

@Suite struct SCRAMClientTests {
  let crypto: CryptoLibrary

  init() { crypto = CryptoLibrary() }

  func client(_ function: HashFunction = .sha1, password: String = "pencil") throws -> SCRAMClient {
    try SCRAMClient(
      function, user: "user", password: password, crypto: crypto,
      nonce: function == .sha1 ? "fyko+d2lbbFgONRv9qkxdawL" : "rOprNGfwEbeRWgbNEkqO")
  }

  static let sha1Challenge =
    "r=fyko+d2lbbFgONRv9qkxdawL3rfcNHYJY1ZVvWVs7j,s=QSXCR+Q6sek8bf92,i=4096"
  static let longChallenge =
    "r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096"

  @Test func `the exchange is that of RFC 5802 section 5`() throws {
    var client = try client()
    #expect(client.first == "n,,n=user,r=fyko+d2lbbFgONRv9qkxdawL")
    #expect(
      try client.final(answering: Self.sha1Challenge)
        == "c=biws,r=fyko+d2lbbFgONRv9qkxdawL3rfcNHYJY1ZVvWVs7j,p=v0X8v3Bz2T0CJGbJQyF0X+HI4Ts=")
    try client.verify("v=rmF9pqV8S7suAoZWja4dJRkFsKQ=")
  }

  @Test func `the exchange of RFC 7677 section 3 comes out as written there`() throws {
    var client = try client(.sha256)
    #expect(
      try client.final(answering: Self.longChallenge)
        == "c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ="
    )
    try client.verify("v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=")
  }

  @Test func `SCRAM-SHA-512 comes out as in its draft`() throws {
    var client = try client(.sha512)
    let nonce = "rOprNGfwEbeRWgbNEkqO02431b08-2f89-4bad-a4e6-80c0564ec865"
    #expect(
      try client.final(
        answering: "r=\(nonce),s=Yin2FuHTt/M0kJWb0t9OI32n2VmOGi3m+JfjOvuDF88=,i=4096")
        == "c=biws,r=\(nonce),p=Hc5yec3NmCD7t+kFRw4/3yD6/F3SQHc7AVYschRja+Bc3sbdjlA0eH1OjJc0DD4ghn1tnXN5/Wr6qm9xmaHt4A=="
    )
    try client.verify(
      "v=BQuhnKHqYDwQWS5jAw4sZed+C9KFUALsbrq81bB0mh+bcUUbbMPNNmBIupnS2AmyyDnG5CTBQtkjJ9kyY4kzmw==")
  }

  @Test(arguments: [
    ("", SCRAMError.malformed("")), ("r=fyko+d2lbbFgONRv9qkxdawLx,s=QSXC", .malformed("i")),
    ("s=QSXC,i=4096", .malformed("r")), ("r=fyko+d2lbbFgONRv9qkxdawLx,i=4096", .malformed("s")),
    ("r=fyko+d2lbbFgONRv9qkxdawLx,s=,i=4096", .malformed("s")),
    ("r=fyko+d2lbbFgONRv9qkxdawLx,s=?,i=4096", .malformed("s")),
    ("r=fyko+d2lbbFgONRv9qkxdawLx,s=QSXC,i=-1", .malformed("i")),
    ("r=fyko+d2lbbFgONRv9qkxdawLx,s=QSXC,i=lots", .malformed("i")),
    ("r=fyko+d2lbbFgONRv9qkxdawLx,r=fyko+d2lbbFgONRv9qkxdawLy,s=QSXC,i=4096", .malformed("r")),
    ("m=x,r=fyko+d2lbbFgONRv9qkxdawLx,s=QSXC,i=4096", .malformed("m")),
    ("r=other,s=QSXC,i=4096", .wrongNonce),
    ("r=fyko+d2lbbFgONRv9qkxdawL,s=QSXC,i=4096", .wrongNonce),
    ("r=fyko+d2lbbFgONRv9qkxdawLx,s=QSXC,i=1", .tooFewIterations(1)),
    ("r=fyko+d2lbbFgONRv9qkxdawLx,s=QSXC,i=4095", .tooFewIterations(4095)),
    ("r=fyko+d2lbbFgONRv9qkxdawLx,s=QSXC,i=99999999", .tooManyIterations(99_999_999)),
    ("e=other-error", .refused("other-error")),
  ])
  func `a challenge that is not right is refused`(challenge: String, error: SCRAMError) throws {
    var client = try client()
    #expect(throws: error) { try client.final(answering: challenge) }
  }

  @Test(arguments: [
    ("v=rmF9pqV8S7suAoZWja4dJRkFsKR=", SCRAMError.malformed("v")),
    ("v=AAAAAAAAAAAAAAAAAAAAAAAAAAA=", .wrongServerSignature), ("v=", .wrongServerSignature),
    ("v=rmF9", .wrongServerSignature), ("e=invalid-proof", .refused("invalid-proof")),
    ("", .malformed("")), ("x=1", .malformed("v")),
  ])
  func `a server that does not prove that it knows the password is refused`(
    final: String, error: SCRAMError
  ) throws {
    var client = try client()
    _ = try client.final(answering: Self.sha1Challenge)
    #expect(throws: error) { try client.verify(final) }
  }

  @Test func `a proof before the challenge is worth nothing`() throws {
    let client = try client()
    #expect(throws: SCRAMError.malformed("v")) {
      try client.verify("v=rmF9pqV8S7suAoZWja4dJRkFsKQ=")
    }
  }

  @Test func `commas and equals signs in names are escaped`() throws {
    let client = try SCRAMClient(.sha1, user: "a=b,c", password: "x", crypto: crypto, nonce: "n")
    #expect(client.first == "n,,n=a=3Db=2Cc,r=n")
  }

  @Test func `nonces differ`() throws {
    let first = try SCRAMClient(.sha1, user: "u", password: "p", crypto: crypto).first
    #expect(first != (try SCRAMClient(.sha1, user: "u", password: "p", crypto: crypto).first))
  }

  @Test(arguments: [
    ("I\u{AD}X", "IX"), ("user", "user"), ("USER", "USER"), ("\u{AA}", "a"), ("\u{2168}", "IX"),
    ("a\u{A0}b\u{3000}c", "a b c"), ("e\u{301}", "\u{E9}"), ("pass word", "pass word"),
  ])
  func `passwords are prepared as in RFC 4013 section 3`(text: String, prepared: String) throws {
    #expect(try SASLPrep.prepare(text).unicodeScalars.elementsEqual(prepared.unicodeScalars))
  }

  @Test(arguments: ["\u{7}", "é\u{7}", "\u{E000}", "\u{2028}", "\u{FFFD}", "\u{FFFF}"])
  func `passwords that cannot be prepared are refused`(text: String) {
    #expect(throws: SCRAMError.unusablePassword) { try SASLPrep.prepare(text) }
  }
}

@Suite struct SASLFailureTests {
  @Test func `the failures are those of RFC 6120 section 6.5`() {
    #expect(
      Set(SASLFailure.Condition.allCases.map(\.rawValue)) == [
        "aborted", "account-disabled", "credentials-expired", "encryption-required",
        "incorrect-encoding", "invalid-authzid", "invalid-mechanism", "malformed-request",
        "mechanism-too-weak", "not-authorized", "temporary-auth-failure",
      ])
  }
}
