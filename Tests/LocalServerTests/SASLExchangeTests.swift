import Crypto
import Foundation
import Testing

@testable import LocalServer

@Suite struct SASLExchangeTests {
  /// Accounts in a dictionary: name and mechanism to keys.
  struct Table: KeyReading {
    var keys: [String: StoredKeys] = [:]
    func keys(of name: String, for mechanism: String) -> StoredKeys? {
      keys["\(name) \(mechanism)"]
    }
    func decoyKey() -> [UInt8] { Array(repeating: 7, count: 32) }
  }

  let crypto: CryptoLibrary

  init() { crypto = CryptoLibrary() }

  private func setting(nonce: String = "server", iterations: Int = 4096) -> SASLExchange.Setting {
    SASLExchange.Setting(passwords: Passwords(crypto: crypto, iterations: iterations)) { nonce }
  }

  private func keys(
    _ password: String, salt: String, by function: HashFunction
  ) throws -> StoredKeys {
    let salt = try #require(Base64.decode(salt))
    let salted = try crypto.pbkdf2(
      password: Array(password.utf8), salt: salt, iterations: 4096, by: function)
    let clientKey = try crypto.hmac(Array("Client Key".utf8), key: salted, by: function)
    return StoredKeys(
      salt: salt, iterations: 4096, storedKey: try crypto.hash(clientKey, by: function),
      serverKey: try crypto.hmac(Array("Server Key".utf8), key: salted, by: function))
  }

  private func wire(_ text: String) -> String { Base64.encode(Array(text.utf8)) }

  private func table(_ password: String = "secret") throws -> Table {
    let passwords = Passwords(crypto: crypto, iterations: 4096)
    return Table(keys: [
      "alice SCRAM-SHA-256": try passwords.keys(for: password, by: .sha256),
      "alice SCRAM-SHA-1": try passwords.keys(for: password, by: .sha1),
    ])
  }

  @Test func `SCRAM-SHA-1 answers as in RFC 5802 section 5`() throws {
    let table = Table(keys: [
      "user SCRAM-SHA-1": try keys("pencil", salt: "QSXCR+Q6sek8bf92", by: .sha1)
    ])
    var exchange = SASLExchange(
      mechanism: "SCRAM-SHA-1", domain: "x", setting(nonce: "3rfcNHYJY1ZVvWVs7j"))
    #expect(
      try exchange.begin(wire("n,,n=user,r=fyko+d2lbbFgONRv9qkxdawL"), keys: table)
        == .challenge(
          wire("r=fyko+d2lbbFgONRv9qkxdawL3rfcNHYJY1ZVvWVs7j,s=QSXCR+Q6sek8bf92,i=4096")))
    #expect(
      try exchange.respond(
        wire(
          "c=biws,r=fyko+d2lbbFgONRv9qkxdawL3rfcNHYJY1ZVvWVs7j,p=v0X8v3Bz2T0CJGbJQyF0X+HI4Ts="),
        keys: table)
        == .success(account: "user", wire("v=rmF9pqV8S7suAoZWja4dJRkFsKQ=")))
  }

  @Test func `SCRAM-SHA-256 answers as in RFC 7677 section 3`() throws {
    let table = Table(keys: [
      "user SCRAM-SHA-256": try keys("pencil", salt: "W22ZaJ0SNY7soEsUEjb6gQ==", by: .sha256)
    ])
    var exchange = SASLExchange(
      mechanism: "SCRAM-SHA-256", domain: "x", setting(nonce: "%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0"))
    #expect(
      try exchange.begin(wire("n,,n=user,r=rOprNGfwEbeRWgbNEkqO"), keys: table)
        == .challenge(
          wire(
            "r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096"
          )))
    #expect(
      try exchange.respond(
        wire(
          "c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,"
            + "p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ="), keys: table)
        == .success(account: "user", wire("v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=")))
  }

  @Test(arguments: [
    "\0alice\0secret", "alice@localhost\0alice\0secret", "\0alice@localhost\0secret",
    "\0ALICE\0secret",
  ])
  func `PLAIN takes the right password`(_ message: String) throws {
    var exchange = SASLExchange(mechanism: "PLAIN", domain: "localhost", setting())
    #expect(
      try exchange.begin(wire(message), keys: table()) == .success(account: "alice", ""))
  }

  @Test(arguments: [
    ("\0alice\0wrong", SASLExchange.Failure.notAuthorized), ("\0bob\0secret", .notAuthorized),
    ("\0alice@elsewhere\0secret", .notAuthorized),
    ("bob@localhost\0alice\0secret", .invalidAuthzid),
    ("alice\0secret", .malformedRequest), ("\0\0secret", .malformedRequest),
    ("\0alice\0", .malformedRequest), ("\0a@b@c\0secret", .notAuthorized),
    ("\0alice\0se\0cret", .malformedRequest),
  ]) func `PLAIN refuses everything else`(_ message: String, _ failure: SASLExchange.Failure) throws
  {
    var exchange = SASLExchange(mechanism: "PLAIN", domain: "localhost", setting())
    #expect(try exchange.begin(wire(message), keys: table()) == .failure(failure))
  }

  @Test(arguments: [
    ("p=tls-exporter,,n=alice,r=abc", SASLExchange.Failure.malformedRequest),
    ("n,,r=abc,n=alice", .malformedRequest), ("n,,n=alice", .malformedRequest),
    ("n,,n=,r=abc", .malformedRequest), ("n,,n=al=2ice,r=abc", .malformedRequest),
    ("n,,n=alice,r=", .malformedRequest), ("", .malformedRequest), ("nonsense", .malformedRequest),
    ("n,a=bob@localhost,n=alice,r=abc", .invalidAuthzid), ("n,x,n=alice,r=abc", .malformedRequest),
  ]) func `a malformed first message of SCRAM is refused`(
    _ message: String, _ failure: SASLExchange.Failure
  ) throws {
    var exchange = SASLExchange(mechanism: "SCRAM-SHA-256", domain: "localhost", setting())
    // An empty text would ask for the message; "=" is an empty message.
    let text = message.isEmpty ? "=" : wire(message)
    #expect(try exchange.begin(text, keys: table()) == .failure(failure))
  }

  @Test(arguments: [
    "c=biws,r=abcserver,p=AAAA", "c=biws,r=other,p=AAAA", "c=eSws,r=abcserver,p=AAAA",
  ])
  func `a wrong proof, nonce or binding is not authorized`(_ message: String) throws {
    var exchange = SASLExchange(mechanism: "SCRAM-SHA-256", domain: "localhost", setting())
    _ = try exchange.begin(wire("n,,n=alice,r=abc"), keys: table())
    #expect(try exchange.respond(wire(message), keys: table()) == .failure(.notAuthorized))
    // The attempt is over: no second guess at the same challenge.
    #expect(try exchange.respond(wire(message), keys: table()) == .failure(.malformedRequest))
  }

  @Test func `an unknown account looks like a known one, and like itself the next time`() throws {
    func challenge() throws -> SASLExchange.Outcome {
      var exchange = SASLExchange(mechanism: "SCRAM-SHA-256", domain: "localhost", setting())
      return try exchange.begin(wire("n,,n=nobody,r=abc"), keys: table())
    }
    let first = try challenge()
    guard case .challenge = first else {
      Issue.record("no challenge: \(first)")
      return
    }
    #expect(try challenge() == first)
  }

  @Test func `a mechanism that is not offered, a bad encoding, a missing first message`() throws {
    var exchange = SASLExchange(mechanism: "DIGEST-MD5", domain: "localhost", setting())
    #expect(try exchange.begin("", keys: table()) == .failure(.invalidMechanism))
    exchange = SASLExchange(mechanism: "PLAIN", domain: "localhost", setting())
    #expect(try exchange.begin("!!!", keys: table()) == .failure(.incorrectEncoding))
    exchange = SASLExchange(mechanism: "PLAIN", domain: "localhost", setting())
    #expect(try exchange.begin("", keys: table()) == .challenge(""))
    #expect(
      try exchange.respond(wire("\0alice\0secret"), keys: table())
        == .success(account: "alice", ""))
    exchange = SASLExchange(mechanism: "PLAIN", domain: "localhost", setting())
    #expect(try exchange.begin("/w==", keys: table()) == .failure(.malformedRequest))
  }
}
