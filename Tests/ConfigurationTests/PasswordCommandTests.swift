import Configuration
import Foundation
import NatterCore
import Testing
import XMPP

@Suite struct PasswordCommandTests {
  static func shell(_ script: String, timeLimit: Duration = .seconds(20)) -> PasswordCommand {
    PasswordCommand(["sh", "-c", script], timeLimit: timeLimit)
  }

  @Test(arguments: [
    ("printf 'secret'", "secret"), ("printf 'secret\\nmore\\n'", "secret"),
    ("printf 'se cret \\r\\nmore'", "se cret "), ("printf 'pässwörd\\n'; exit 0", "pässwörd"),
    ("echo noise >&2; echo secret", "secret"), ("cat; echo secret", "secret"),
    ("echo secret; yes | head -c 300000", "secret"),
    ("yes | head -c 300000 >&2; echo secret", "secret"),
  ])
  func `the first line is the password`(script: String, password: String) async throws {
    #expect(try await Self.shell(script).password() == password)
  }

  @Test func `no shell looks at the arguments`() async throws {
    let command = PasswordCommand(["printf", "%s", "$HOME; `id` 'x' *"])
    #expect(try await command.password() == "$HOME; `id` 'x' *")
  }

  @Test func `a program that fails is reported with its status and its error text`() async throws {
    await #expect(
      throws: PasswordCommandError.failed(program: "sh", status: 3, detail: "no such entry")
    ) { try await Self.shell("echo; echo no such entry >&2; echo more >&2; exit 3").password() }
    await #expect(throws: PasswordCommandError.failed(program: "sh", status: 128 + 9, detail: "")) {
      try await Self.shell("kill -9 $$").password()
    }
    let long = try await #require(throws: PasswordCommandError.self) {
      try await Self.shell("yes | head -c 100000 | tr -d '\\n' >&2; exit 1").password()
    }
    guard case .failed(_, 1, let detail) = long else {
      Issue.record("\(long)")
      return
    }
    #expect(detail.count == 200)
  }

  @Test(arguments: ["", "echo", "printf '\\n\\nsecret'", "printf '\\377\\n'"])
  func `an empty or broken first line is no password`(script: String) async throws {
    await #expect(throws: PasswordCommandError.noPassword(program: "sh")) {
      try await Self.shell(script).password()
    }
  }

  @Test(arguments: ["natter-no-such-program", "/", "/etc/hostname", "./no", ""])
  func `a missing program is reported`(program: String) async throws {
    await #expect(throws: PasswordCommandError.notFound(program: program)) {
      try await PasswordCommand([program]).password()
    }
  }

  @Test func `a program that takes too long is killed with what it started`() async throws {
    let scratch = try Scratch()
    let path = scratch.path("pid")
    await #expect(throws: PasswordCommandError.timedOut(program: "sh", seconds: 1)) {
      try await Self.shell("sleep 1000 & echo $! > '\(path)'; wait", timeLimit: .seconds(1))
        .password()
    }
    let text = String(decoding: try scratch.bytes("pid"), as: UTF8.self)
    let child = try #require(Int32(text.trimmingCharacters(in: .whitespacesAndNewlines)))
    #expect(Self.isGone(child))
  }

  /// Waits a while until `process` does not run any more: it is gone, or a zombie that nobody has
  /// buried.
  static func isGone(_ process: Int32) -> Bool {
    for _ in 0..<1_000_000 {
      guard let status = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
        let end = status.lastIndex(of: ")")
      else { return true }
      if status[end...].hasPrefix(") Z") { return true }
    }
    return false
  }

  @Test func `a daemon that stays behind does not hold the password up`() async throws {
    let scratch = try Scratch()
    let path = scratch.path("pid")
    let password = try await Self.shell("sleep 1000 & echo $! > '\(path)'; echo secret").password()
    #expect(password == "secret")
    let text = String(decoding: try scratch.bytes("pid"), as: UTF8.self)
    let child = try #require(Int32(text.trimmingCharacters(in: .whitespacesAndNewlines)))
    #expect(kill(child, 0) == 0)
    kill(child, SIGKILL)
  }

  @Test func `many at once do not mix`() async throws {
    try await withThrowingTaskGroup { group in
      for number in 0..<16 {
        group.addTask { (number, try await Self.shell("echo secret\(number)").password()) }
      }
      for try await (number, password) in group { #expect(password == "secret\(number)") }
    }
  }

  @Test func `the command serves its account and the file all others`() async throws {
    let scratch = try Scratch()
    let file = CredentialFile(path: scratch.path("c.json"), warn: { _ in })
    let alice = JID(local: "alice", domain: "example.org", resource: "r")
    let bob = JID(local: "bob", domain: "example.org")
    let source = CredentialSource(file: file, command: Self.shell("echo fresh"), address: alice)
    try await file.save(Credential(password: "a"), for: alice)
    try await source.save(Credential(password: "b"), for: bob)
    #expect(try await source.credential(for: alice.bare)?.password == "fresh")
    #expect(try await source.credential(for: bob)?.password == "b")
    try await source.removeCredential(for: bob)
    #expect(try await source.credential(for: bob) == nil)
    let everybody = CredentialSource(file: file, command: Self.shell("echo any"), address: nil)
    #expect(try await everybody.credential(for: bob)?.password == "any")
    let plain = CredentialSource(file: file, command: nil, address: alice)
    #expect(try await plain.credential(for: alice)?.password == "a")
  }

  @Test func `what is typed for an account of the command goes before it, and is not written`()
    async throws
  {
    let scratch = try Scratch()
    let file = CredentialFile(path: scratch.path("c.json"), warn: { _ in })
    let alice = JID(local: "alice", domain: "example.org")
    let source = CredentialSource(file: file, command: Self.shell("exit 3"), address: nil)
    await #expect(throws: PasswordCommandError.self) {
      try await source.credential(for: alice)
    }
    try await source.save(Credential(password: "typed"), for: alice)
    #expect(try await source.credential(for: alice)?.password == "typed")
    #expect(try await file.credential(for: alice) == nil)
    let login = HTTPLogin(tokenEndpoint: "https://a.example/t", grants: [], scope: "xmpp")
    let token = Credential(.token(AccessToken(value: "t", login: login)))
    // A connection that began with another password has got a token for that.
    try await source.replace(Credential(password: "old"), by: token, for: alice)
    #expect(try await source.credential(for: alice)?.password == "typed")
    try await source.replace(Credential(password: "typed"), by: token, for: alice)
    #expect(try await source.credential(for: alice) == token)
    // Another account is none of this one's business.
    await #expect(throws: PasswordCommandError.self) {
      try await source.credential(for: JID(local: "bob", domain: "example.org"))
    }
    try await source.removeCredential(for: alice)
    await #expect(throws: PasswordCommandError.self) {
      try await source.credential(for: alice)
    }
  }

  @Test func `what the command's password led to is used as long as that stays the same`()
    async throws
  {
    let scratch = try Scratch()
    let file = CredentialFile(path: scratch.path("c.json"), warn: { _ in })
    let alice = JID(local: "alice", domain: "example.org")
    try scratch.write("first", to: "secret")
    let source = CredentialSource(
      file: file, command: Self.shell("cat '\(scratch.path("secret"))'"), address: nil)
    #expect(try await source.credential(for: alice) == Credential(password: "first"))
    let login = HTTPLogin(tokenEndpoint: "https://a.example/t", grants: [], scope: "xmpp")
    let token = Credential(.token(AccessToken(value: "t", refreshToken: "r", login: login)))
    try await source.replace(token, for: alice)
    for _ in 0..<2 { #expect(try await source.credential(for: alice) == token) }
    try scratch.write("second", to: "secret")
    #expect(try await source.credential(for: alice) == Credential(password: "second"))
    #expect(try await file.credential(for: alice) == nil)
  }

  @Test func `what one account's password led to is not another one's`() async throws {
    let scratch = try Scratch()
    let file = CredentialFile(path: scratch.path("c.json"), warn: { _ in })
    let source = CredentialSource(file: file, command: Self.shell("echo same"), address: nil)
    let (alice, bob) = (
      JID(local: "alice", domain: "example.org"), JID(local: "bob", domain: "example.org")
    )
    let returning = XEP0484Token(
      mechanism: "HT-SHA-256-NONE", token: "x", expiry: nil, clientID: "id",
      offer: XEP0388Offer(
        offersBind: true, bindFeatures: [], offersResumption: true, tokenMechanisms: []))
    try await source.replace(Credential(.password("same"), returning: returning), for: alice)
    #expect(try await source.credential(for: alice)?.returning == returning)
    #expect(try await source.credential(for: bob) == Credential(password: "same"))
  }

  @Test func `whether there is a password is known without running the command`() async throws {
    let scratch = try Scratch()
    let file = CredentialFile(path: scratch.path("c.json"), warn: { _ in })
    let command = Self.shell("touch '\(scratch.path("ran"))'; echo secret")
    let source = CredentialSource(
      file: file, command: command, address: nil, exemptDomain: "localhost")
    let alice = JID(local: "alice", domain: "example.org")
    #expect(try await source.hasCredential(for: alice))
    // Those of the built-in server make their own.
    let local = JID(local: "natter", domain: "localhost")
    #expect(try await !source.hasCredential(for: local))
    #expect(try await source.credential(for: local) == nil)
    #expect(!FileManager.default.fileExists(atPath: scratch.path("ran")))
    #expect(try await source.credential(for: alice)?.password == "secret")
    #expect(FileManager.default.fileExists(atPath: scratch.path("ran")))
  }

  @Test func `a program that no caller waits for any more is killed`() async throws {
    let scratch = try Scratch()
    let path = scratch.path("pid")
    let waiting = Task {
      try await Self.shell("sleep 1000 & echo $! > '\(path).new'; mv '\(path).new' '\(path)'; wait")
        .password()
    }
    while !FileManager.default.fileExists(atPath: path) { await Task.yield() }
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    let text = String(decoding: try scratch.bytes("pid"), as: UTF8.self)
    let child = try #require(Int32(text.trimmingCharacters(in: .whitespacesAndNewlines)))
    #expect(Self.isGone(child))
  }

  @Test func `its error text holds no orders to the terminal, and its output is not shown`()
    async throws
  {
    let error = await #expect(throws: PasswordCommandError.self) {
      try await Self.shell("printf '\\033[2Jno\\a key\\n' >&2; echo hunter2; exit 1").password()
    }
    #expect(error == .failed(program: "sh", status: 1, detail: "[2Jno key"))
  }

  @Test func `each failure has a text of its own`() {
    let errors: [PasswordCommandError] = [
      .notFound(program: "p"), .failed(program: "p", status: 1, detail: "d"),
      .timedOut(program: "p", seconds: 30), .noPassword(program: "p"),
    ]
    let reported = errors.map { NatterError(reporting: $0, key: "error.unexpected") }
    #expect(Set(reported.map(\.key)).count == errors.count)
    #expect(reported.allSatisfy { $0.arguments["program"] == "p" })
  }
}
