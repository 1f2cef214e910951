import Foundation
import NatterCore
import Testing
import XMPP

@testable import Configuration

@Suite struct SecretServiceTests {
  static let alice = JID(local: "alice", domain: "example.org")

  /// A replacement of secret-tool that keeps secrets in files.
  private func store(_ scratch: Scratch, body: String? = nil) throws -> SecretServiceStore {
    let path = scratch.path("secret-tool")
    let script =
      body ?? """
        case "$1" in
          store) cat > "\(scratch.path("kept"))"; echo "$@" >> "\(scratch.path("asked"))";;
          lookup) test -e "\(scratch.path("kept"))" || exit 1; cat "\(scratch.path("kept"))";;
          search) test -e "\(scratch.path("kept"))" && echo '[/1]' >&2;;
          clear) test -e "\(scratch.path("kept"))" || exit 1; rm "\(scratch.path("kept"))";;
        esac
        """
    try scratch.write("#!/bin/sh\n\(script)\n", to: "secret-tool", mode: 0o700)
    return try #require(SecretServiceStore(program: path, timeLimit: .seconds(20)))
  }

  @Test func `a secret that was stored meanwhile is not replaced`() async throws {
    let scratch = try Scratch()
    let store = try store(scratch)
    try await store.save(Credential(password: "changed"), for: Self.alice)
    for known in ["old", "changed"] {
      try await store.replace(
        Credential(password: known), by: Credential(password: "by " + known), for: Self.alice)
    }
    #expect(try await store.credential(for: Self.alice)?.password == "by changed")
  }

  @Test func `secrets go through standard input, and come back`() async throws {
    let scratch = try Scratch()
    let store = try store(scratch)
    #expect(try await store.credential(for: Self.alice) == nil)
    #expect(try await !store.hasCredential(for: Self.alice))
    try await store.replace(Credential(password: "x"), for: Self.alice)
    #expect(try await store.credential(for: Self.alice) == nil)
    let login = HTTPLogin(
      tokenEndpoint: "https://a.example/t", grants: [.password, .refreshToken], scope: "xmpp")
    let credential = Credential(
      .token(
        AccessToken(
          value: "hunter2", expiresAt: Date(timeIntervalSince1970: 5), refreshToken: "r",
          scope: "xmpp", login: login)))
    try await store.save(credential, for: Self.alice)
    #expect(try await store.credential(for: Self.alice) == credential)
    #expect(try await store.hasCredential(for: Self.alice))
    let asked = String(decoding: try scratch.bytes("asked"), as: UTF8.self)
    #expect(asked.contains("application natter account alice@example.org"))
    #expect(!asked.contains("hunter2"))
    try await store.removeCredential(for: Self.alice)
    try await store.removeCredential(for: Self.alice)
    #expect(try await store.credential(for: Self.alice) == nil)
  }

  @Test func `a password that another program has put there is one`() async throws {
    let scratch = try Scratch()
    let store = try store(scratch, body: "printf 'hunter2\\n'")
    #expect(try await store.credential(for: Self.alice) == Credential(password: "hunter2"))
  }

  @Test func `a failure is shown in the program's own text`() async throws {
    let scratch = try Scratch()
    let store = try store(scratch, body: "echo 'Cannot autolaunch D-Bus' >&2; exit 1")
    await #expect(throws: SecretServiceError.failed(detail: "Cannot autolaunch D-Bus")) {
      try await store.credential(for: Self.alice)
    }
    await #expect(throws: SecretServiceError.failed(detail: "Cannot autolaunch D-Bus")) {
      try await store.save(Credential(password: "x"), for: Self.alice)
    }
  }

  @Test(.timeLimit(.minutes(6)))
  func `a keyring that waits for its owner does not block a mere look-up`() async throws {
    let scratch = try Scratch()
    // What unlocks would wait; what only looks must not, even where that waits, too.
    let store = try store(scratch, body: "exec sleep 1000")
    await #expect(throws: SecretServiceError.timedOut) {
      try await store.hasCredential(for: Self.alice)
    }
  }

  @Test func `without secret-tool it is said, and what is in the file stays good`() async throws {
    let scratch = try Scratch()
    let file = CredentialFile(path: scratch.path("c"), warn: { _ in })
    let store = MissingSecretService(file: file, exemptDomain: "localhost")
    await #expect(throws: SecretServiceError.notInstalled) {
      try await store.save(Credential(password: "p"), for: Self.alice)
    }
    await #expect(throws: SecretServiceError.notInstalled) {
      try await store.hasCredential(for: Self.alice)
    }
    #expect(!FileManager.default.fileExists(atPath: scratch.path("c")))
    // Left from a time when a file was used instead.
    try await file.save(Credential(password: "p"), for: Self.alice)
    #expect(try await store.credential(for: Self.alice)?.password == "p")
    try await store.replace(Credential(password: "q"), for: Self.alice)
    #expect(try await store.credential(for: Self.alice)?.password == "q")
    for known in ["p", "q"] {
      try await store.replace(
        Credential(password: known), by: Credential(password: "by " + known), for: Self.alice)
    }
    #expect(try await store.credential(for: Self.alice)?.password == "by q")
    await #expect(throws: SecretServiceError.notInstalled) {
      try await store.removeCredential(for: Self.alice)
    }
    #expect(try await file.credential(for: Self.alice) == nil)
    // The built-in server's accounts are this program's own.
    let local = JID(local: "natter", domain: "localhost")
    #expect(try await store.credential(for: local) == nil)
    try await store.save(Credential(password: "r"), for: local)
    #expect(try await store.credential(for: local)?.password == "r")
  }

  @Test func `where it is not installed there is none`() {
    #expect(SecretServiceStore(program: "/nonexistent/secret-tool") == nil)
  }

  @Test func `a token is kept in the file beside passwords, and comes back whole`() async throws {
    let scratch = try Scratch()
    let file = CredentialFile(path: scratch.path("c"), warn: { _ in })
    let bob = JID(local: "bob", domain: "example.org")
    let returning = XEP0484Token(
      mechanism: "HT-SHA-256-NONE", token: "secret-token:x",
      expiry: Date(timeIntervalSince1970: 7), clientID: "id",
      offer: XEP0388Offer(
        offersBind: true, bindFeatures: ["a", "b"], offersResumption: true,
        tokenMechanisms: ["HT-SHA-256-NONE"]))
    try await file.save(Credential(password: "p"), for: bob)
    try await file.save(Credential(.password("q"), returning: returning), for: Self.alice)
    #expect(try await file.credential(for: bob) == Credential(password: "p"))
    let back = try await file.credential(for: Self.alice)
    #expect(back == Credential(.password("q"), returning: returning))
    try await file.replace(Credential(password: "old"), by: Credential(password: "z"), for: bob)
    #expect(try await file.credential(for: bob) == Credential(password: "p"))
    try await file.replace(
      back ?? Credential(password: ""), by: Credential(password: "z"), for: Self.alice)
    #expect(try await file.credential(for: Self.alice) == Credential(password: "z"))
    // Nothing comes into the file for an account that is not in it.
    try await file.replace(Credential(password: "z"), for: JID(local: "eve", domain: "x.example"))
    #expect(try await file.credential(for: JID(local: "eve", domain: "x.example")) == nil)
  }
}
