import Foundation
import TestSupport
import Testing

extension Conversations {
  /// The commands without the full screen, against real servers.
  @Suite struct CommandTests {
    let home: Home
    init() throws { home = try Home() }

    func natter(_ arguments: [String], input: String = "") async throws -> CommandRun {
      try await CommandRun(
        Programs.natter, arguments, environment: home.environment(), directory: home.home.path,
        input: input, upTo: .seconds(90))
    }

    /// Signs in, so that later commands need no options.
    func login(_ account: TestAccount, _ security: NatterRun.Security) async throws {
      let run = try await natter(
        ["login", account.jid, "--password-file", "-", "--log-level", "debug"]
          + NatterRun.options(account.jid, on: account.server, security: security).dropFirst(2),
        input: account.password + "\nnot this line\n")
      #expect(run.status == .exited(0), "\(run.errorText)")
      #expect(run.text == "signed in as \(account.jid)\n")
      #expect(run.errorText.isEmpty)
    }

    @Test(arguments: Road.encrypted)
    func `login, accounts, send, doctor, logout`(road: Road) async throws {
      let alice = try await TestAccount("alice", on: road.server, password: "päss wörd €1")
      let bob = try await TestAccount("bob", on: road.server)
      let peer = try await bob.slixmpp()
      #expect(try await natter(["accounts"]).text.isEmpty)
      try await login(alice, road.security)
      #expect(try await natter(["accounts"]).text == "\(alice.jid)\tdefault\n")

      for (arguments, input, body) in [
        (["send", bob.jid, "two", "words 日本"], "", "two words 日本"),
        (["send", bob.jid], "from stdin\n", "from stdin"),
        (["send", bob.jid, "-"], "line one\nline <two>\n\nfour", "line one\nline <two>\n\nfour"),
      ] {
        let run = try await natter(arguments, input: input)
        #expect(run.status == .exited(0), "\(run.errorText)")
        #expect(run.text.isEmpty && run.errorText.isEmpty)
        try await peer.message { $0.body == body }
      }
      let empty = try await natter(["send", bob.jid], input: "")
      #expect(empty.status == .exited(2))
      let bad = try await natter(["send", "no address", "x"])
      #expect(bad.status == .exited(2))

      let doctor = try await natter(["doctor", "--log-level", "debug"])
      #expect(doctor.status == .exited(0), "\(doctor.text)")
      #expect(doctor.text.contains("signed in as \(alice.jid)"))
      // What was named is not said to have been looked up.
      #expect(doctor.text.contains("[ok] server: 127.0.0.1 port "), "\(doctor.text)")
      #expect(!doctor.text.contains("[ok] DNS"), "\(doctor.text)")
      #expect(
        doctor.text.contains("[ok] TLS: TLSv1.3, certificate valid for \(alice.server.domain)"),
        "\(doctor.text)")
      #expect(doctor.text.contains(/\[ok\] SASL: .*SCRAM-SHA-1/), "\(doctor.text)")
      #expect(
        doctor.text.contains(
          /\[ok\] server: offers stream management \(XEP-0198\).*message archive/),
        "\(doctor.text)")
      #expect(!doctor.text.contains("\u{1b}"))
      expectSecrecy(of: alice.password, alsoIn: doctor.text)

      let logout = try await natter(["logout", alice.jid])
      #expect(logout.status == .exited(0))
      #expect(try await natter(["accounts"]).text.isEmpty)
      let after = try await natter(["send", bob.jid, "x"])
      #expect(after.status == .exited(77))
      #expect(try await natter(["logout", alice.jid]).status == .exited(1))
      for file in home.folder.files {
        let data = try Data(contentsOf: home.folder.url(file))
        #expect(!data.contains(sequence: Array(alice.password.utf8)), "\(file)")
      }
      await peer.signOut()
    }

    @Test(arguments: [("y\n", true), ("\n", false), ("no\n", false)])
    func `logout on a terminal asks whether the messages are deleted, too`(
      answer: String, isDeleted: Bool
    ) async throws {
      let road = try #require(Road.encrypted.first)
      let alice = try await TestAccount("alice", on: road.server)
      try await login(alice, road.security)
      #expect(try await natter(["send", alice.jid, "to myself"]).status == .exited(0))
      func hasDatabase() -> Bool { home.folder.files.contains { $0.hasSuffix(".db") } }
      #expect(hasDatabase())
      let run = try PTYProcess(
        Programs.natter, ["logout", alice.jid],
        environment: home.environment(terminal: "xterm-256color"), rows: 10, columns: 100)
      try await run.shows("Delete the messages of \(alice.jid)", upTo: .seconds(60))
      run.type(answer)
      #expect(await run.waitsForEnd(upTo: .seconds(60)) == .exited(0))
      #expect(hasDatabase() != isDeleted)
      #expect(try await natter(["accounts"]).text.isEmpty)
    }

    @Test(arguments: ServerKind.with(.encryption), NatterRun.Security.allCases)
    func `where the server stores SHA-256 passwords, SCRAM-SHA-256 signs in`(
      kind: ServerKind, security: NatterRun.Security
    ) async throws {
      var options = XMPPServerOptions()
      options.usesSHA256 = true
      let server = try await kind.start(options, users: [:])
      let alice = try await TestAccount("alice", on: server, password: "päss wörd €1")
      try await login(alice, security)
      let log = home.folder.text("state/natter/natter.log") ?? ""
      let used = log.matches(of: /<auth [^>]*mechanism=['"]([^'"]*)/).map { String($0.output.1) }
      // ejabberd is asked for its tokens first, with none. Where it binds to TLS without saying
      // how, another way may be tried first.
      let proofs = used.filter { $0 != "X-OAUTH2" }
      #expect(!proofs.isEmpty, "\(log.suffix(2000))")
      for proof in proofs {
        #expect(["SCRAM-SHA-256", "SCRAM-SHA-256-PLUS"].contains(proof), "\(proof)")
      }
      await server.stop()
    }

    /// Expects that other users cannot read the stored files, and that the password is in one file
    /// only.
    private func expectSecrecy(of password: String, alsoIn output: String) {
      #expect(!output.contains(password))
      #expect(home.isEmptyHome)
      let root = home.folder.root
      let all = (try? FileManager.default.subpathsOfDirectory(atPath: root.path)) ?? []
      for path in all where path.contains("natter") {
        var status = stat()
        guard lstat(root.appending(path: path).path, &status) == 0 else { continue }
        let isFolder = status.st_mode & S_IFMT == S_IFDIR
        #expect(status.st_mode & 0o777 == (isFolder ? 0o700 : 0o600), "\(path)")
        guard !isFolder, let data = try? Data(contentsOf: root.appending(path: path)) else {
          continue
        }
        let holds = data.contains(sequence: Array(password.utf8))
        #expect(holds == (path == "data/natter/credentials"), "\(path)")
      }
    }

    @Test(arguments: ServerKind.allCases)
    func `send works while the full screen has the account`(kind: ServerKind) async throws {
      let alice = try await TestAccount("alice", on: kind)
      let bob = try await TestAccount("bob", on: kind)
      let peer = try await bob.slixmpp()
      let screen = try NatterRun.account(
        alice.jid, alice.password, on: alice.server, home: home)
      try await screen.waitsOnline()
      // Neither the program's arguments nor its environment show the password to others.
      let process = screen.terminal.child.identifier
      for name in ["cmdline", "environ"] {
        let data = try Data(contentsOf: URL(filePath: "/proc/\(process)/\(name)"))
        #expect(!data.contains(sequence: Array(alice.password.utf8)), "\(name)")
      }
      let run = try await natter(
        ["send", bob.jid, "beside the screen"] + NatterRun.options(alice.jid, on: alice.server)
          + ["--password-file", home.folder.path("password")])
      #expect(run.status == .exited(0), "\(run.errorText)")
      try await peer.message { $0.body == "beside the screen" }
      // The screen is still there, and still online.
      try await screen.open(chat: bob.jid)
      try await screen.say("from the screen")
      try await peer.message { $0.body == "from the screen" }
      #expect(await screen.quit() == .exited(0))
      await peer.signOut()
    }

    @Test func `exit codes say what was wrong`() async throws {
      let alice = try await TestAccount("alice", on: .prosody)
      try home.folder.write("wrong\n", to: "wrong")
      try home.folder.write(alice.password, to: "right")
      let options = NatterRun.options(alice.jid, on: alice.server)
      let refused = try await natter(
        ["send", alice.jid, "x", "--password-file", home.folder.path("wrong")] + options)
      #expect(refused.status == .exited(77), "\(refused.errorText)")
      #expect(refused.errorText.contains("Wrong password"))
      #expect(refused.text.isEmpty)

      let free = try LoopbackPort.free()
      let closed = try await natter(
        [
          "send", alice.jid, "x", "--account", alice.jid, "--server", "127.0.0.1:\(free)", "--tls",
          "starttls", "--password-file", home.folder.path("right"),
        ])
      #expect(closed.status == .exited(69), "\(closed.errorText)")
      #expect(closed.errorText.contains("\(free)"))

      let leaving = try MisbehavingServer(.streamError("system-shutdown"))
      let later = try await natter(
        [
          "send", alice.jid, "x", "--account", alice.jid, "--server", leaving.address, "--tls",
          "starttls", "--password-file", home.folder.path("right"),
        ])
      #expect(later.status == .exited(75), "\(later.errorText)")

      let untrusted = try await natter(
        ["send", alice.jid, "x", "--password-file", home.folder.path("right")]
          + options.dropLast(2))
      #expect(untrusted.status == .exited(69), "\(untrusted.errorText)")
      #expect(untrusted.errorText.contains("certificate"))

      let login = try await natter(
        ["login", alice.jid, "--password-file", home.folder.path("wrong")] + options.dropFirst(2))
      #expect(login.status == .exited(77))
      #expect(try await natter(["accounts"]).text.isEmpty)
      let doctor = try await natter(
        ["doctor", "--password-file", home.folder.path("wrong")] + options)
      #expect(doctor.status == .exited(1))
      #expect(doctor.text.contains("[BAD] connection"))
      let unknown = try await natter(["sned", alice.jid])
      #expect(unknown.status == .exited(2))
      #expect(unknown.errorText.contains("Try 'natter --help'"))
    }

    @Test func `what could not be sent waits for the next start of the screen`() async throws {
      let alice = try await TestAccount("alice", on: .prosody)
      let bob = try await TestAccount("bob", on: .prosody)
      let peer = try await bob.slixmpp()
      try home.folder.write(alice.password, to: "password")
      let closed = try await natter(
        [
          "send", bob.jid, "sent later", "--account", alice.jid, "--server",
          "127.0.0.1:\(try LoopbackPort.free())", "--tls", "starttls", "--password-file",
          home.folder.path("password"),
        ])
      #expect(closed.status == .exited(69))
      let screen = try alice.natter(home: home)
      try await screen.waitsOnline()
      try await peer.message { $0.body == "sent later" }
      #expect(await screen.quit() == .exited(0))
      #expect(peer.events.filter { $0.body == "sent later" }.count == 1)
      await peer.signOut()
    }
  }
}
