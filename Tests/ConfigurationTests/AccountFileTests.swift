import Configuration
import Foundation
import NatterCore
import Synchronization
import Testing
import XMPP

@Suite struct AccountFileTests {
  static let alice = Account(
    jid: JID(local: "alice", domain: "example.org"), server: "x.example.org", port: 5223,
    security: .direct, caFile: "/ca", isLocal: true, signsInAtStart: false)
  static let bob = Account(jid: JID(local: "bob", domain: "example.org"))

  @Test func `accounts are kept in their order, private, and replaced by address`() async throws {
    let scratch = try Scratch()
    let file = AccountFile(path: scratch.path("deep/accounts.toml"))
    #expect(try await file.accounts().isEmpty)
    #expect(try await file.defaultAccount() == nil)
    try await file.save(Self.alice)
    try await file.save(Self.bob)
    var changed = Self.alice
    changed.port = nil
    try await file.save(changed)
    #expect(
      try await AccountFile(path: scratch.path("deep/accounts.toml")).accounts() == [
        changed, Self.bob,
      ])
    #expect(try scratch.mode("deep") == 0o700)
    #expect(try scratch.mode("deep/accounts.toml") == 0o600)
    let names = try FileManager.default.contentsOfDirectory(atPath: scratch.path("deep"))
    #expect(names.sorted() == ["accounts.toml", "accounts.toml.lock"])
  }

  @Test func `the default is what was chosen, or the first`() async throws {
    let scratch = try Scratch()
    let file = AccountFile(path: scratch.path("accounts.toml"))
    try await file.save(Self.alice)
    try await file.save(Self.bob)
    #expect(try await file.defaultAccount() == Self.alice)
    try await file.setDefault(Self.bob.jid)
    try await file.setDefault(JID(local: "nobody", domain: "example.org"))
    #expect(try await file.defaultAccount() == Self.bob)
    try await file.remove(Self.bob.jid)
    #expect(try await file.defaultAccount() == Self.alice)
    try await file.remove(Self.alice.jid)
    try await file.remove(Self.alice.jid)
    #expect(try await file.accounts().isEmpty)
  }

  @Test(arguments: [
    ("", ConfigurationError.damaged(path: "")), ("{", .damaged(path: "")),
    ("[]", .damaged(path: "")),
    (#"{"version": 1, "accounts": [{"address": "a@b", "tls": "magic"}]}"#, .damaged(path: "")),
    (#"{"version": 1, "accounts": [{"address": "", "tls": "auto"}]}"#, .damaged(path: "")),
    (#"{"version": 2, "people": []}"#, .newer(path: "")),
    ("version = 2\n[people]\n", .newer(path: "")), ("default = \"a@b\"\n", .damaged(path: "")),
    ("version = 1\n[account.\"address@x\"]\ntls = \"magic\"\n", .damaged(path: "")),
    ("version = 1\n[account.\"\"]\ntls = \"auto\"\n", .damaged(path: "")),
    ("version = 1\n[account\n", .damaged(path: "")),
  ])
  func `a file that is not understood is reported and kept`(text: String, kind: ConfigurationError)
    async throws
  {
    let scratch = try Scratch()
    try scratch.write(text, to: "accounts.toml")
    let path = scratch.path("accounts.toml")
    let file = AccountFile(path: path)
    let expected: ConfigurationError =
      kind == .newer(path: "") ? .newer(path: path) : .damaged(path: path)
    await #expect(throws: expected) { try await file.accounts() }
    if !text.contains("address") {
      await #expect(throws: expected) { try await file.save(Self.bob) }
      #expect(try scratch.bytes("accounts.toml") == Data(text.utf8))
    }
  }

  @Test func `the file is TOML, with no more in it than was said`() async throws {
    let scratch = try Scratch()
    let file = AccountFile(path: scratch.path("accounts.toml"))
    try await file.save(Self.alice)
    try await file.save(Self.bob)
    try await file.setDefault(Self.bob.jid)
    let text = String(decoding: try scratch.bytes("accounts.toml"), as: UTF8.self)
    #expect(
      text.split(separator: "\n", maxSplits: 1).last == """
        version = 1
        default = "bob@example.org"

        [account."alice@example.org"]
        server = "x.example.org"
        port = 5223
        tls = "direct"
        ca_file = "/ca"
        local = true
        sign_in_at_start = false

        [account."bob@example.org"]
        tls = "auto"

        """)
  }

  @Test func `the JSON of the first versions is read, and written anew`() async throws {
    let scratch = try Scratch()
    try scratch.write(
      """
      {"version": 1, "defaultAccount": "bob@example.org", "accounts": [
        {"address": "alice@example.org", "server": "x.example.org", "port": 5223, "tls": "direct",
         "caFile": "/ca", "isLocal": true, "signsInAtStart": false},
        {"address": "bob@example.org", "tls": "auto"}]}
      """, to: "accounts.toml")
    let file = AccountFile(path: scratch.path("accounts.toml"))
    #expect(try await file.accounts() == [Self.alice, Self.bob])
    #expect(try scratch.bytes("accounts.toml").starts(with: Data("# The accounts".utf8)))
    #expect(try scratch.mode("accounts.toml") == 0o600)
    #expect(try await file.accounts() == [Self.alice, Self.bob])
    #expect(try await file.defaultAccount() == Self.bob)
  }

  @Test func `a directory where the file should be is an error`() async throws {
    let scratch = try Scratch()
    let file = AccountFile(path: scratch.url.path)
    await #expect(throws: ConfigurationError.self) { try await file.accounts() }
    try scratch.write("x", to: "file")
    let below = AccountFile(path: scratch.path("file/accounts.toml"))
    await #expect(throws: ConfigurationError.self) { try await below.save(Self.bob) }
  }
}

@Suite struct CredentialFileTests {
  static let alice = JID(local: "alice", domain: "example.org", resource: "phone")

  @Test func `a password is kept for its account, and taken out`() async throws {
    let scratch = try Scratch()
    let file = CredentialFile(path: scratch.path("credentials.json"), warn: { _ in Issue.record() })
    #expect(try await file.credential(for: Self.alice) == nil)
    let credential = Credential(password: "p\"ä\\ 日\n")
    try await file.save(credential, for: Self.alice)
    #expect(try await file.credential(for: Self.alice.bare) == credential)
    #expect(try scratch.mode("credentials.json") == 0o600)
    #expect(try await file.credential(for: JID(local: "bob", domain: "example.org")) == nil)
    try await file.removeCredential(for: Self.alice)
    try await file.removeCredential(for: Self.alice)
    #expect(try await file.credential(for: Self.alice) == nil)
  }

  @Test(arguments: [0o644, 0o640, 0o606])
  func `a file that others can read is made private, with a warning`(mode: Int) async throws {
    let scratch = try Scratch()
    try scratch.write(#"{"alice@example.org": "secret"}"#, to: "c.json", mode: mode)
    let notices = Mutex<[StatusNotice]>([])
    let file = CredentialFile(path: scratch.path("c.json")) { notice in
      notices.withLock { $0.append(notice) }
    }
    #expect(try await file.credential(for: Self.alice)?.password == "secret")
    #expect(try await file.credential(for: Self.alice)?.password == "secret")
    #expect(try scratch.mode("c.json") == 0o600)
    #expect(
      notices.withLock { $0 }
        == [
          StatusNotice(.warning, "notice.credentials.wasReadable", ["path": scratch.path("c.json")])
        ])
  }

  @Test func `another user's file is not used`() async throws {
    try #require(geteuid() == 0 || !FileManager.default.isWritableFile(atPath: "/etc/hostname"))
    // Any file of another owner: as the superuser one can be made.
    let scratch = try Scratch()
    try scratch.write("{}", to: "c.json", mode: 0o644)
    let path = geteuid() == 0 ? scratch.path("c.json") : "/etc/hostname"
    if geteuid() == 0 { #expect(chown(path, 12345, 12345) == 0) }
    let file = CredentialFile(path: path, warn: { _ in })
    await #expect(throws: ConfigurationError.foreign(path: path)) {
      try await file.credential(for: Self.alice)
    }
  }

  @Test func `a damaged file is kept, and its content is not shown`() async throws {
    let scratch = try Scratch()
    let text = #"{"alice@example.org": "hunter2", }, "#
    try scratch.write(text, to: "c.json")
    let path = scratch.path("c.json")
    let file = CredentialFile(path: path, warn: { _ in })
    let error = try await #require(throws: ConfigurationError.self) {
      try await file.save(Credential(password: "x"), for: Self.alice)
    }
    #expect(error == .damaged(path: path))
    #expect(!"\(error) \(error.natterError)".contains("hunter2"))
    #expect(try scratch.bytes("c.json") == Data(text.utf8))
  }
}
