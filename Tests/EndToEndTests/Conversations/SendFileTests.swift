import Foundation
import TestSupport
import Testing

extension Conversations {
  /// `natter send --file`, beside a screen and without one.
  @Suite struct SendFileTests {
    private let files: SentFiles
    private var folder: TemporaryFolder { files.folder }

    init() throws { files = try SentFiles() }

    @Test(arguments: ServerKind.allCases)
    func `natter send --file needs no screen`(kind: ServerKind) async throws {
      let alice = try await TestAccount("alice", on: kind)
      let bob = try await TestAccount("bob", on: kind)
      let peer = try await bob.slixmpp()
      let home = try Home()
      try home.folder.write(alice.password + "\n", to: "password")
      let path = folder.path("rose garden ü.png")
      let run = try await CommandRun(
        Programs.natter,
        ["send", "--file", path, bob.jid, "with", "words"]
          + NatterRun.options(alice.jid, on: alice.server)
          + ["--password-file", home.folder.path("password")],
        environment: home.environment(terminal: "dumb", language: "C.UTF-8", [:]))
      #expect(run.status == .exited(0), "\(run.errorText)")
      #expect(run.text.isEmpty && run.errorText.isEmpty)
      let message = try await peer.message { SentFiles.isAddress($0.body, on: alice.server) }
      #expect(try await peer.fetch(try #require(message.body)) == SentFiles.digest(path))
      try await peer.message { $0.body == "with words" }
      let refused = try await CommandRun(
        Programs.natter,
        ["send", "--file", "/nowhere", bob.jid] + NatterRun.options(alice.jid, on: alice.server)
          + ["--password-file", home.folder.path("password")],
        environment: home.environment(terminal: "dumb", language: "C.UTF-8", [:]))
      #expect(refused.status == .exited(2))
      #expect(refused.errorText.contains("There is no file /nowhere."))
      await peer.signOut()
    }

    @Test(arguments: ServerKind.allCases)
    func `a file that the recipient's server refuses is reported by natter send as a failure`(
      kind: ServerKind
    ) async throws {
      let alice = try await TestAccount("alice", on: kind)
      let home = try Home()
      for words in [[], ["with", "words"]] {
        let run = try await send(
          folder.path("rose garden ü.png"), to: alice.server.jid("nobody-of-that-name"), words,
          as: alice, in: home)
        #expect(run.status == .exited(1), "\(run.errorText)")
        #expect(run.errorText.contains("refused"), "\(run.errorText)")
      }
    }

    /// Runs `natter send --file PATH JID` with more, for an account of a server.
    private func send(
      _ path: String, to jid: String, _ words: [String] = [], as account: TestAccount,
      in home: Home,
      options: [String]? = nil
    ) async throws -> CommandRun {
      try home.folder.write(account.password + "\n", to: "password")
      return try await CommandRun(
        Programs.natter,
        ["send", "--file", path, jid] + words
          + (options ?? NatterRun.options(account.jid, on: account.server))
          + ["--password-file", home.folder.path("password")],
        environment: home.environment(terminal: "dumb", language: "C.UTF-8", [:]),
        directory: home.home.path, input: "", upTo: .seconds(120))
    }

    @Test(arguments: ["prosody", "ejabberd", "one step"])
    func `natter send --file beside an open screen is sent by that, once`(kind: String)
      async throws
    {
      var own: ProsodyServer?
      if kind == "one step" {
        // One client of the account is one session there (XEP-0386): another one must not pass for
        // it.
        var options = XMPPServerOptions()
        options.hasOneStepLogin = true
        options.uploadLimit = 10 << 20
        own = try await ProsodyServer(options)
      }
      let server: any XMPPServer =
        try own ?? SharedServers.server(kind == "prosody" ? .prosody : .ejabberd)
      let alice = try await TestAccount("alice", on: server)
      let bob = try await TestAccount("bob", on: server)
      let peer = try await bob.slixmpp()
      let home = try Home()
      let screen = try NatterRun.account(alice.jid, alice.password, on: alice.server, home: home)
      try await screen.waitsOnline()
      try await screen.open(chat: bob.jid)
      let path = folder.path("rose garden ü.png")
      let run = try await send(path, to: bob.jid, ["with", "words"], as: alice, in: home)
      #expect(run.status == .exited(0), "\(run.errorText)")
      #expect(run.text.isEmpty && run.errorText.isEmpty)
      let message = try await peer.message { $0.body?.hasPrefix("https://") == true }
      #expect(try await peer.fetch(try #require(message.body)) == SentFiles.digest(path))
      #expect(message.xml?.contains("urn:xmpp:sfs:0") == true)
      try await peer.message { $0.body == "with words" }
      // The screen was not thrown out, and it was never another one.
      try await screen.shows("with words", "picture, 700 kB")
      // It knows what is there: neither the command nor the screen brings it once more.
      let copy = folder.path("copy.png")
      try FileManager.default.copyItem(atPath: path, toPath: copy)
      let second = try await send(copy, to: bob.jid, as: alice, in: home)
      #expect(second.status == .exited(0), "\(second.errorText)")
      let copied = try await peer.message { $0.xml?.contains("<name>copy.png</name>") == true }
      #expect(copied.body == message.body)
      try await screen.say("/upload \(path)")
      let third = try await peer.message {
        $0.xml?.contains("<name>rose garden ü.png</name>") == true && $0.id != message.id
      }
      #expect(third.body == message.body)
      try await screen.say("from the screen")
      try await peer.message { $0.body == "from the screen" }
      let log =
        (try? String(contentsOf: home.folder.url("state/natter/natter.log"), encoding: .utf8))
      #expect(log?.components(separatedBy: "online as").count == 2, "\(log ?? "no log")")
      #expect(await screen.quit() == .exited(0))
      await peer.signOut()
      await own?.stop()
    }

    @Test func `what natter send --file says of later is true, with a screen and without`()
      async throws
    {
      let alice = try await TestAccount("alice", on: .prosody)
      let bob = try await TestAccount("bob", on: .prosody)
      let peer = try await bob.slixmpp()
      let home = try Home()
      let path = folder.path("rose garden ü.png")
      let nowhere = [
        "--account", alice.jid, "--server", "127.0.0.1:\(try LoopbackPort.free())", "--tls",
        "starttls",
      ]
      // Without a screen: it is kept with its text, and the full screen sends it.
      let kept = try await send(
        path, to: bob.jid, ["and", "words"], as: alice, in: home, options: nowhere)
      #expect(kept.status == .exited(69), "\(kept.errorText)")
      #expect(kept.errorText.contains("\(path) is sent the next time"), "\(kept.errorText)")
      let screen = try NatterRun.account(alice.jid, alice.password, on: alice.server, home: home)
      try await screen.waitsOnline()
      let message = try await peer.message { $0.body?.hasPrefix("https://") == true }
      #expect(try await peer.fetch(try #require(message.body)) == SentFiles.digest(path))
      try await peer.message { $0.body == "and words" }

      // Beside it: the screen has a connection, whatever the command would find.
      let spooled = try await send(
        path, to: bob.jid, ["by the screen"], as: alice, in: home, options: nowhere)
      #expect(spooled.status == .exited(0), "\(spooled.errorText)")
      try await peer.message { $0.body == "by the screen" }
      let empty = folder.path("empty")
      try Data().write(to: URL(filePath: empty))
      let refused = try await send(empty, to: bob.jid, ["never"], as: alice, in: home)
      #expect(refused.status == .exited(65), "\(refused.errorText)")
      #expect(refused.errorText.contains("is empty"))
      try await screen.open(chat: bob.jid)
      try await screen.say("that was it")
      try await peer.message { $0.body == "that was it" }
      #expect(await screen.quit() == .exited(0))
      let again = try screen.startsAgain()
      try await again.waitsOnline()
      try await again.open(chat: bob.jid)
      try await again.say("still it")
      try await peer.message { $0.body == "still it" }
      #expect(peer.events.filter { $0.body?.hasPrefix("https://") == true }.count == 2)
      #expect(!peer.events.contains { $0.body == "never" })
      #expect(await again.quit() == .exited(0))
      await peer.signOut()
    }

    enum Killed: String, CaseIterable, Sendable { case screen, command }

    @Test(arguments: Killed.allCases)
    func `a file that was left to the screen is sent once, whichever of the two is killed`(
      killed: Killed
    ) async throws {
      let (server, relay) = try await SentFiles.relayed(.stall(milliseconds: 600_000))
      let peer = try await SlixmppPeer(server.jid("bob"), password: "geheim", server: server)
      let home = try Home()
      try home.folder.write("geheim\n", to: "password")
      let screen = try NatterRun.account(server.jid("alice"), "geheim", on: server, home: home)
      try await screen.waitsOnline()
      let path = folder.path("rose garden ü.png")
      let command = try PTYProcess(
        Programs.natter,
        ["send", "--file", path, server.jid("bob"), "with", "words"]
          + NatterRun.options(server.jid("alice"), on: server)
          + ["--password-file", home.folder.path("password")], environment: home.environment(),
        rows: 10, columns: 100)
      #expect(await relay.waits(forConnections: 1))
      if killed == .screen { await screen.kill() } else { command.signal(SIGKILL) }
      if killed == .command { _ = await command.waitsForEnd(upTo: .seconds(60)) }
      relay.greet(with: nil)
      relay.inflict(.drop)
      let message = try await peer.message { $0.body?.hasPrefix("https://") == true }
      #expect(try await peer.fetch(try #require(message.body)) == SentFiles.digest(path))
      try await peer.message { $0.body == "with words" }
      if killed == .screen {
        // The command sends it, and ends once that is done.
        #expect(
          await command.waitsForEnd(upTo: .seconds(60)) == .exited(0), "\(command.screen)")
      } else {
        #expect(await screen.quit() == .exited(0))
      }
      let again = try screen.startsAgain()
      try await again.waitsOnline()
      try await again.open(chat: server.jid("bob"))
      try await again.say("that was it")
      try await peer.message { $0.body == "that was it" }
      #expect(peer.events.filter { $0.body?.hasPrefix("https://") == true }.count == 1)
      #expect(await again.quit() == .exited(0))
      await peer.signOut()
      await server.stop()
    }

    @Test func `natter send --file that is stopped beside a screen is stopped there, too`()
      async throws
    {
      let (server, relay) = try await SentFiles.relayed(.stall(milliseconds: 600_000))
      let peer = try await SlixmppPeer(server.jid("bob"), password: "geheim", server: server)
      let home = try Home()
      try home.folder.write("geheim\n", to: "password")
      let screen = try NatterRun.account(server.jid("alice"), "geheim", on: server, home: home)
      try await screen.waitsOnline()
      try await screen.open(chat: server.jid("bob"))
      let command = try PTYProcess(
        Programs.natter,
        ["send", "--file", folder.path("rose garden ü.png"), server.jid("bob")]
          + NatterRun.options(server.jid("alice"), on: server)
          + ["--password-file", home.folder.path("password")], environment: home.environment(),
        rows: 10, columns: 100)
      #expect(await relay.waits(forConnections: 1))
      command.send([3])
      #expect(await command.waitsForEnd(upTo: .seconds(60)) == .exited(130), "\(command.screen)")
      let lines = command.screen.lines.filter { !$0.isEmpty }
      #expect(
        lines == ["natter: stopped: rose garden ü.png was not sent, and will not be sent later."])
      relay.greet(with: nil)
      relay.inflict(.drop)
      try await screen.say("that was it")
      try await peer.message { $0.body == "that was it" }
      #expect(await screen.quit() == .exited(0))
      #expect(!peer.events.contains { $0.body?.hasPrefix("https://") == true })
      await peer.signOut()
      await server.stop()
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func `natter send --file that is stopped sends nothing, now or later`(signal: Int32)
      async throws
    {
      let (server, relay) = try await SentFiles.relayed(.stall(milliseconds: 600_000))
      let peer = try await SlixmppPeer(server.jid("bob"), password: "geheim", server: server)
      let home = try Home()
      try home.folder.write("geheim\n", to: "password")
      func arguments(_ name: String) -> [String] {
        ["send", "--file", folder.path(name), server.jid("bob")]
          + NatterRun.options(server.jid("alice"), on: server)
          + ["--password-file", home.folder.path("password")]
      }
      let terminal = try PTYProcess(
        Programs.natter, arguments("rose garden ü.png"), environment: home.environment(),
        rows: 10, columns: 100)
      #expect(await relay.waits(forConnections: 1))
      if signal == SIGINT { terminal.send([3]) } else { terminal.signal(signal) }
      #expect(
        await terminal.waitsForEnd(upTo: .seconds(60)) == .exited(128 + signal),
        "\(terminal.screen)")
      let lines = terminal.screen.lines.filter { !$0.isEmpty }
      #expect(
        lines == ["natter: stopped: rose garden ü.png was not sent, and will not be sent later."])
      relay.greet(with: nil)
      relay.inflict(.drop)
      try Data(files.bytes.prefix(1000)).write(to: folder.url("other.bin"))
      let run = try await CommandRun(
        Programs.natter, arguments("other.bin"),
        environment: home.environment(terminal: "dumb", language: "C.UTF-8", [:]))
      #expect(run.status == .exited(0), "\(run.errorText)")
      try await peer.message { $0.xml?.contains("<name>other.bin</name>") == true }
      #expect(peer.events.filter { $0.body?.hasPrefix("https://") == true }.count == 1)
      await peer.signOut()
      await server.stop()
    }

    @Test(arguments: [100, 30])
    func `natter send --file shows its progress on a terminal, and leaves nothing of that there`(
      columns: Int
    ) async throws {
      let alice = try await TestAccount("alice", on: .prosody)
      let bob = try await TestAccount("bob", on: .prosody)
      let peer = try await bob.slixmpp()
      let home = try Home()
      try home.folder.write(alice.password + "\n", to: "password")
      // Characters that could control the terminal, or reverse the name.
      let path = folder.root.path + "/rose\u{1B}]0;owned\u{7}\n\u{202E}gnp.bin"
      let big = (0..<8_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 9) }
      let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
      try #require(descriptor >= 0 && write(descriptor, big, big.count) == big.count)
      close(descriptor)
      let terminal = try PTYProcess(
        Programs.natter,
        ["send", "--file", path, bob.jid] + NatterRun.options(alice.jid, on: alice.server)
          + ["--password-file", home.folder.path("password")],
        environment: home.environment(), rows: 10, columns: columns)
      #expect(await terminal.waitsForEnd(upTo: .seconds(60)) == .exited(0), "\(terminal.screen)")
      let output = String(decoding: terminal.rawOutput, as: UTF8.self)
      if columns == 100 {
        #expect(output.contains("\rrose]0;ownedgnp.bin  "), "\(output.debugDescription)")
      }
      #expect(output.contains("0 %") || output.contains("100 %"), "\(output.debugDescription)")
      #expect(!output.contains("\u{1B}]0;") && !output.contains("\u{202E}"))
      #expect(terminal.screen.lines.allSatisfy { $0.isEmpty }, "\(terminal.screen)")
      let message = try await peer.message { $0.body?.hasPrefix("https://") == true }
      #expect(message.xml?.contains("<name>rose]0;ownedgnp.bin</name>") == true, "\(message)")
      #expect(try await peer.fetch(try #require(message.body)) == SentFiles.digest(path))
      await peer.signOut()
    }
  }
}
