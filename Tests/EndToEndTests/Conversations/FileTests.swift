import Foundation
import TestSupport
import Testing

extension Conversations {
  /// Files that Natter sends and others fetch, and the reverse, over the upload services of both servers.
  @Suite struct FileTests {
    private let folder: TemporaryFolder
    private let bytes: [UInt8]

    init() throws {
      folder = try TemporaryFolder("shared")
      bytes = (0..<700_000).map { _ in UInt8.random(in: 0...255) }
      try Data(bytes).write(to: folder.url("rose garden ü.png"))
    }

    /// An ejabberd of its own with alice and bob (geheim), and a relay before its upload service that does this to each connection.
    private func relayed(_ fault: Fault) async throws -> (EjabberdServer, FaultRelay) {
      let relay = try FaultRelay(to: 1)
      var options = XMPPServerOptions()
      options.uploadLimit = 100 << 20
      options.uploadPort = relay.port
      let server = try await EjabberdServer(options, users: ["alice": "geheim", "bob": "geheim"])
      relay.lead(to: server.webPort)
      relay.greet(with: fault)
      return (server, relay)
    }

    /// Whether a message is where a file of this server is had: in the clear where it never leaves this machine.
    private func isAddress(_ text: String?, on server: any XMPPServer) -> Bool {
      text?.hasPrefix(server.encryption == nil ? "http://" : "https://localhost:") == true
    }

    private func digest(_ path: String) async throws -> String {
      let run = try await CommandRun.check("sha256sum", [path])
      // A name with odd characters is marked with a backslash.
      return String(run.text.drop { $0 == "\\" }.prefix(64))
    }

    @Test(arguments: ServerKind.allCases)
    func `a file goes out and slixmpp fetches it; its own comes in`(kind: ServerKind) async throws {
      let alice = try await TestAccount("alice", on: kind)
      let bob = try await TestAccount("bob", on: kind)
      let peer = try await bob.slixmpp()
      let natter = try alice.natter()
      try await natter.waitsOnline()
      try await natter.open(chat: bob.jid)
      let path = folder.path("rose garden ü.png")
      try await natter.say("/upload \(path)")
      let message = try await peer.message { isAddress($0.body, on: alice.server) }
      try await natter.shows("picture, 700 kB")
      let own = try await digest(path)
      #expect(try await peer.fetch(try #require(message.body)) == own)
      let xml = try #require(message.xml)
      for part in [
        "urn:xmpp:sfs:0", "jabber:x:oob", "urn:xmpp:hashes:2", "<size>700000</size>",
        "<media-type>image/png</media-type>", "<name>rose garden ü.png</name>",
      ] { #expect(xml.contains(part), "\(part)") }

      // The same content again: nothing is uploaded, the address is the same.
      try FileManager.default.copyItem(atPath: path, toPath: folder.path("copy.png"))
      try await natter.say("/upload \(folder.path("copy.png"))")
      let second = try await peer.message { $0.xml?.contains("copy.png") == true }
      #expect(second.body == message.body)

      let url = try await peer.upload(path, type: "image/png")
      try await peer.send(
        xml: """
          <message to='\(alice.jid)' type='chat' id='f1'><body>\(url)</body>\
          <x xmlns='jabber:x:oob'><url>\(url)</url></x></message>
          """)
      try await natter.expects("the card of what came") { screen in
        screen.lines.count { $0.contains("│ rose") } == 2
      }
      try await natter.say("/save 1 \(folder.path("saved"))/")
      try await natter.shows("is saved")
      let saved = try FileManager.default.contentsOfDirectory(atPath: folder.path("saved"))
      #expect(saved.count == 1)
      #expect(try await digest(folder.path("saved/" + (saved.first ?? "x"))) == own)
      #expect(await natter.quit() == .exited(0))
      await peer.signOut()
    }

    @Test
    func `files that are dropped into the input are sent, one by its quotes and several at once`()
      async throws
    {
      let alice = try await TestAccount("alice", on: .prosody)
      let bob = try await TestAccount("bob", on: .prosody)
      let peer = try await bob.slixmpp()
      let natter = try alice.natter()
      try await natter.waitsOnline()
      try await natter.open(chat: bob.jid)
      let path = folder.path("rose garden ü.png")
      // As GNOME Terminal and foot have it, with a blank behind it.
      natter.terminal.paste("'\(path)' ")
      try await natter.shows("/upload '", "Enter sends this file")
      natter.terminal.press(.enter)
      let message = try await peer.message { $0.body?.hasPrefix("https://localhost:") == true }
      #expect(try await peer.fetch(try #require(message.body)) == digest(path))

      try folder.write("one", to: "it's one.txt")
      try folder.write("and two", to: "two.txt")
      // As a list of URIs, which X11 and Wayland have.
      natter.terminal.paste(
        "file://\(folder.root.path)/it%27s%20one.txt\r\nfile://\(folder.path("two.txt"))\r\n")
      try await natter.shows("Enter sends these 2 files")
      natter.terminal.press(.enter)
      for (end, name) in [("s one.txt</name>", "it's one.txt"), (">two.txt</name>", "two.txt")] {
        let message = try await peer.message { $0.xml?.contains(end) == true }
        #expect(try await peer.fetch(try #require(message.body)) == digest(folder.path(name)))
      }
      #expect(await natter.quit() == .exited(0))
      await peer.signOut()
    }

    @Test(arguments: ServerKind.with(.foreignWays))
    func `a file over the server's limit is refused with the limit, and the words stay`(
      kind: ServerKind
    ) async throws {
      let alice = try await TestAccount("alice", on: kind)
      let bob = try await TestAccount("bob", on: kind)
      let natter = try alice.natter()
      try await natter.waitsOnline()
      try await natter.open(chat: bob.jid)
      let path = folder.path("huge")
      try Data(count: 11 << 20).write(to: URL(filePath: path))
      try await natter.enter("/upload \(path)")
      try await natter.shows("takes 10 MB at most", "/upload \(path.prefix(10))")
      #expect(await natter.quit() == .exited(0))
    }

    @Test
    func `an upload that breaks off is tried with another slot, waits, and outlives the program`()
      async throws
    {
      // Each connection breaks in the middle of the file.
      let (server, relay) = try await relayed(.cut(.toServer, after: 2_000_000))
      let peer = try await SlixmppPeer(server.jid("bob"), password: "geheim", server: server)
      let path = folder.path("long.bin")
      let long = (0..<8_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 11) }
      try Data(long).write(to: URL(filePath: path))
      let natter = try NatterRun.account(server.jid("alice"), "geheim", on: server)
      try await natter.waitsOnline()
      try await natter.open(chat: server.jid("bob"))
      try await natter.say("/upload \(path)")
      try await natter.shows("long.bin")
      #expect(await relay.waits(forConnections: 2))
      try await natter.say("/pause")
      try await natter.shows("paused; /pause goes on")
      await natter.kill()
      relay.greet(with: nil)
      relay.inflict(.drop)

      // It is where it was, and moves when it may; then there is one message.
      let again = try natter.startsAgain()
      try await again.waitsOnline()
      try await again.shows("long.bin", "paused; /pause goes on")
      #expect(!peer.events.contains { $0.body?.hasPrefix("https://") == true })
      try await again.say("/pause")
      let message = try await peer.message { $0.body?.hasPrefix("https://") == true }
      #expect(try await peer.fetch(try #require(message.body)) == digest(path))
      try await again.shows("8.0 MB")
      try await again.say("that was it")
      try await peer.message { $0.body == "that was it" }
      #expect(peer.events.filter { $0.body?.hasPrefix("https://") == true }.count == 1)
      #expect(await again.quit() == .exited(0))
      await peer.signOut()
      await server.stop()
    }

    @Test
    func `quitting asks while a file is being sent, and the next start sends it`() async throws {
      let (server, relay) = try await relayed(.stall(milliseconds: 600_000))
      let peer = try await SlixmppPeer(server.jid("bob"), password: "geheim", server: server)
      let path = folder.path("rose garden ü.png")
      let natter = try NatterRun.account(server.jid("alice"), "geheim", on: server)
      try await natter.waitsOnline()
      try await natter.open(chat: server.jid("bob"))
      try await natter.say("/upload \(path)")
      #expect(await relay.waits(forConnections: 1))
      natter.terminal.press(.control("q"))
      let question = "rose garden ü.png is being sent. It goes on"
      try await natter.shows("Files on their way", question, "Quit anyway", "Stay")
      // Enter stays: it is what nothing is lost by.
      natter.terminal.press(.enter)
      try await natter.hides("Files on their way")
      try await natter.say("still here")
      try await peer.message { $0.body == "still here" }
      // Asked again, and left.
      natter.terminal.press(.control("q"))
      try await natter.shows(question)
      natter.terminal.press(.tab)
      natter.terminal.press(.enter)
      #expect(await natter.terminal.waitsForEnd(upTo: .seconds(60)) == .exited(0))
      relay.greet(with: nil)
      relay.inflict(.drop)

      let again = try natter.startsAgain()
      let message = try await peer.message { $0.body?.hasPrefix("https://") == true }
      #expect(try await peer.fetch(try #require(message.body)) == digest(path))
      try await again.shows("picture, 700 kB")
      // Now that nothing is on its way, nothing is asked.
      #expect(await again.quit() == .exited(0))
      #expect(peer.events.filter { $0.body?.hasPrefix("https://") == true }.count == 1)
      await peer.signOut()
      await server.stop()
    }

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
      let message = try await peer.message { isAddress($0.body, on: alice.server) }
      #expect(try await peer.fetch(try #require(message.body)) == digest(path))
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

    @Test(arguments: ServerKind.with(.foreignWays))
    func `a file that the recipient's server refuses is told by natter send, and is no success`(
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
        // One client of the account is one session there (XEP-0386): another one must not pass for it.
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
      #expect(try await peer.fetch(try #require(message.body)) == digest(path))
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
      // Without a screen: it is kept, with its words, and the screen sends it.
      let kept = try await send(
        path, to: bob.jid, ["and", "words"], as: alice, in: home, options: nowhere)
      #expect(kept.status == .exited(69), "\(kept.errorText)")
      #expect(kept.errorText.contains("\(path) is sent from where it is"), "\(kept.errorText)")
      let screen = try NatterRun.account(alice.jid, alice.password, on: alice.server, home: home)
      try await screen.waitsOnline()
      let message = try await peer.message { $0.body?.hasPrefix("https://") == true }
      #expect(try await peer.fetch(try #require(message.body)) == digest(path))
      try await peer.message { $0.body == "and words" }

      // Beside it: the screen has a connection, whatever the command would find.
      let handed = try await send(
        path, to: bob.jid, ["by the screen"], as: alice, in: home, options: nowhere)
      #expect(handed.status == .exited(0), "\(handed.errorText)")
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
      let (server, relay) = try await relayed(.stall(milliseconds: 600_000))
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
      #expect(try await peer.fetch(try #require(message.body)) == digest(path))
      try await peer.message { $0.body == "with words" }
      if killed == .screen {
        // It was for the command to do, and it was told when it was done.
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
      let (server, relay) = try await relayed(.stall(milliseconds: 600_000))
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
      #expect(lines == ["natter: stopped: rose garden ü.png was not sent, and is not sent later."])
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
      let (server, relay) = try await relayed(.stall(milliseconds: 600_000))
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
      #expect(lines == ["natter: stopped: rose garden ü.png was not sent, and is not sent later."])
      relay.greet(with: nil)
      relay.inflict(.drop)
      try Data(bytes.prefix(1000)).write(to: folder.url("other.bin"))
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
    func `natter send --file tells a terminal how far it is, and leaves nothing of that there`(
      columns: Int
    ) async throws {
      let alice = try await TestAccount("alice", on: .prosody)
      let bob = try await TestAccount("bob", on: .prosody)
      let peer = try await bob.slixmpp()
      let home = try Home()
      try home.folder.write(alice.password + "\n", to: "password")
      // What could do something to the terminal, or turn the name around.
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
      #expect(try await peer.fetch(try #require(message.body)) == digest(path))
      await peer.signOut()
    }
  }
}
