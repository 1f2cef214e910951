import Foundation
import TestSupport
import Testing

extension Conversations {
  /// Files that Natter sends and others fetch, and the reverse, over the upload services of both
  /// servers.
  @Suite struct FileTests {
    private let files: SentFiles
    private var folder: TemporaryFolder { files.folder }

    init() throws { files = try SentFiles() }

    @Test(arguments: ServerKind.allCases)
    func `slixmpp downloads a file from Natter, and Natter one from slixmpp`(kind: ServerKind)
      async throws
    {
      let alice = try await TestAccount("alice", on: kind)
      let bob = try await TestAccount("bob", on: kind)
      let peer = try await bob.slixmpp()
      let natter = try alice.natter()
      try await natter.waitsOnline()
      try await natter.open(chat: bob.jid)
      let path = folder.path("rose garden ü.png")
      try await natter.say("/upload \(path)")
      let message = try await peer.message { SentFiles.isAddress($0.body, on: alice.server) }
      try await natter.shows("picture, 700 kB")
      let own = try await SentFiles.digest(path)
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
      #expect(try await SentFiles.digest(folder.path("saved/" + (saved.first ?? "x"))) == own)
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
      #expect(try await peer.fetch(try #require(message.body)) == SentFiles.digest(path))

      try folder.write("one", to: "it's one.txt")
      try folder.write("and two", to: "two.txt")
      // As a list of URIs, which X11 and Wayland have.
      natter.terminal.paste(
        "file://\(folder.root.path)/it%27s%20one.txt\r\nfile://\(folder.path("two.txt"))\r\n")
      try await natter.shows("Enter sends these 2 files")
      natter.terminal.press(.enter)
      for (end, name) in [("s one.txt</name>", "it's one.txt"), (">two.txt</name>", "two.txt")] {
        let message = try await peer.message { $0.xml?.contains(end) == true }
        #expect(
          try await peer.fetch(try #require(message.body)) == SentFiles.digest(folder.path(name)))
      }
      #expect(await natter.quit() == .exited(0))
      await peer.signOut()
    }

    @Test(arguments: ServerKind.allCases)
    func `a file over the server's limit is refused with the limit, and the text stays`(
      kind: ServerKind
    ) async throws {
      let alice = try await TestAccount("alice", on: kind)
      let bob = try await TestAccount("bob", on: kind)
      let natter = try alice.natter()
      try await natter.waitsOnline()
      try await natter.open(chat: bob.jid)
      let path = folder.path("huge")
      // The built-in server's own limit is 4 GiB; a file of holes takes no room.
      let (size, limit): (Int, String) =
        kind == .builtIn ? (5 << 30, "4.3 GB") : (11 << 20, "10 MB")
      try folder.write("", to: "huge")
      try #require(truncate(path, size) == 0)
      try await natter.enter("/upload \(path)")
      try await natter.shows("accepts up to \(limit)", "/upload \(path.prefix(10))")
      #expect(await natter.quit() == .exited(0))
    }

    @Test
    func `an upload that breaks off is tried with another slot, waits, and outlives the program`()
      async throws
    {
      // Each connection breaks in the middle of the file.
      let (server, relay) = try await SentFiles.relayed(.cut(.toServer, after: 2_000_000))
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
      // It is tried four times in all: however long it takes to type the next line, it is still on
      // its way.
      relay.greet(with: .stall(milliseconds: 600_000))
      try await natter.say("/pause")
      try await natter.shows("paused; /pause resumes")
      await natter.kill()
      relay.greet(with: nil)
      relay.inflict(.drop)

      // It is where it was, and moves when it may; then there is one message.
      let again = try natter.startsAgain()
      try await again.waitsOnline()
      try await again.shows("long.bin", "paused; /pause resumes")
      #expect(!peer.events.contains { $0.body?.hasPrefix("https://") == true })
      try await again.say("/pause")
      let message = try await peer.message { $0.body?.hasPrefix("https://") == true }
      #expect(try await peer.fetch(try #require(message.body)) == SentFiles.digest(path))
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
      let (server, relay) = try await SentFiles.relayed(.stall(milliseconds: 600_000))
      let peer = try await SlixmppPeer(server.jid("bob"), password: "geheim", server: server)
      let path = folder.path("rose garden ü.png")
      let natter = try NatterRun.account(server.jid("alice"), "geheim", on: server)
      try await natter.waitsOnline()
      try await natter.open(chat: server.jid("bob"))
      try await natter.say("/upload \(path)")
      #expect(await relay.waits(forConnections: 1))
      natter.terminal.press(.control("q"))
      let question = "rose garden ü.png is being sent. It resumes"
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
      #expect(try await peer.fetch(try #require(message.body)) == SentFiles.digest(path))
      try await again.shows("picture, 700 kB")
      // Now that nothing is on its way, nothing is asked.
      #expect(await again.quit() == .exited(0))
      #expect(peer.events.filter { $0.body?.hasPrefix("https://") == true }.count == 1)
      await peer.signOut()
      await server.stop()
    }
  }
}
