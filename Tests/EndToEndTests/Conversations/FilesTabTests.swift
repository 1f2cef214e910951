import Foundation
import TestSupport
import Testing

extension Conversations {
  /// The list of files, as a person goes about it.
  @Suite struct FilesTabTests {
    @Test func `what was sent and received is listed, kept, forwarded and found, also offline`()
      async throws
    {
      let alice = try await TestAccount("alice", on: .prosody)
      let bob = try await TestAccount("bob", on: .prosody)
      let carol = try await TestAccount("carol", on: .prosody)
      let peer = try await bob.slixmpp()
      let other = try await carol.slixmpp()
      let folder = try TemporaryFolder("shared")
      let natter = try alice.natter()
      try await natter.waitsOnline()
      try await natter.open(chat: carol.jid)
      try await natter.say("hello carol")
      try await natter.open(chat: bob.jid)
      try Data("roses are red\n".utf8).write(to: folder.url("rose.txt"))
      try await natter.say("/upload \(folder.path("rose.txt"))")
      try await peer.message { $0.body?.hasPrefix("https://") == true }
      try Data((0..<9000).map { UInt8(truncatingIfNeeded: $0) }).write(to: folder.url("his.bin"))
      let url = try await peer.upload(folder.path("his.bin"), type: "image/png")
      try await peer.send(
        xml: """
          <message to='\(alice.jid)' type='chat' id='f1'><body>\(url)</body>\
          <x xmlns='jabber:x:oob'><url>\(url)</url></x></message>
          """)
      try await natter.shows("his.bin")
      for line in 1...3 { try await natter.say("words after it \(line)") }

      try await natter.enter("/files")
      try await natter.shows("[F5 Files]", "2 files", "rose.txt", "his.bin", "on server")
      // w: kept under another name.
      natter.terminal.type("w")
      try await natter.shows("Save file", "Nothing is overwritten")
      natter.terminal.press(.control("u"))
      natter.terminal.type(folder.path("kept.bin"))
      try await natter.shows("kept.bin")
      natter.terminal.press(.enter)
      try await natter.shows("is saved", "saved")
      #expect(
        try Data(contentsOf: folder.url("kept.bin")) == Data(contentsOf: folder.url("his.bin")))
      // f: to carol, who gets the same address.
      natter.terminal.type("f")
      try await natter.shows("Send his.bin to", "carol")
      natter.terminal.press(.enter)
      try await other.message { $0.body == url && $0.xml?.contains("jabber:x:oob") == true }
      try await natter.shows("is forwarded to")
      #expect(await natter.quit() == .exited(0))

      // Without a server all of it is still there.
      let again = try NatterRun(
        natter.arguments.map { $0 == alice.server.address ? "127.0.0.1:9" : $0 },
        home: natter.home)
      try await again.expects("the screen") { $0.text(row: 0).contains("F5 Files") }
      try await again.shows("What happened")
      again.terminal.press(.escape)
      try await again.hides("What happened")
      again.terminal.press(.f5)
      try await again.shows("3 files", "rose.txt", "his.bin")
      // The page at the side: only what was sent to carol.
      again.terminal.press(.left)
      try await again.marks(page: carol.name)
      again.terminal.press(.enter)
      try await again.shows("1 file", "his.bin")
      try await again.hides("rose.txt")
      again.terminal.type("c")
      try await again.expects("the message in the chat with carol") { screen in
        screen.text(row: 0).contains("[F2 Chats]") && screen.text(row: 1).contains("carol")
          && screen.contains("│ his.bin")
      }
      await again.kill()
      await peer.signOut()
      await other.signOut()
    }

    @Test func `a file is chosen in the list of files, and goes to whom one says`() async throws {
      let alice = try await TestAccount("alice", on: .prosody)
      let bob = try await TestAccount("bob", on: .prosody)
      let carol = try await TestAccount("carol", on: .prosody)
      let other = try await carol.slixmpp()
      let natter = try alice.natter()
      _ = try natter.home.folder.makeFolder("home/letters")
      try natter.home.folder.write("roses are red\n", to: "home/letters/rose.txt")
      try await natter.waitsOnline()
      try await natter.open(chat: carol.jid)
      try await natter.open(chat: bob.jid)
      natter.terminal.press(.f5)
      try await natter.shows("[F5 Files", "u Send")
      natter.terminal.type("u")
      try await natter.shows("Choose files to send", "letters/")
      natter.terminal.type("lett")
      natter.terminal.press(.enter)
      try await natter.shows("rose.txt")
      natter.terminal.press(.down)
      natter.terminal.press(.enter)
      // The open chat is first.
      try await natter.shows("Send rose.txt to", "bob", "carol")
      natter.terminal.press(.down)
      natter.terminal.press(.enter)
      let message = try await other.message { $0.body?.hasPrefix("https://") == true }
      #expect(message.xml?.contains("<name>rose.txt</name>") == true)
      // One is where one was, with what one has sent.
      try await natter.shows("[F5 Files", "1 file", "rose.txt", "sent")
      natter.terminal.type("p")
      try await natter.shows("rose.txt is not on its way")
      #expect(await natter.quit() == .exited(0))
      await other.signOut()
    }
  }
}
