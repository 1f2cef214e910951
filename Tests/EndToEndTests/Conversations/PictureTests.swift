import Foundation
import TestSupport
import Testing

extension Conversations {
  /// Pictures on the screen, and files that are chosen from a list, with a server and a second
  /// client that are not ours.
  @Suite struct PictureTests {
    private let folder: TemporaryFolder
    private let path: String

    /// 64 x 48 pixels, all of one colour: made here, for no program need be there that makes one.
    private static let png =
      "iVBORw0KGgoAAAANSUhEUgAAAEAAAAAwCAIAAAAuKetIAAAARElEQVR42u3PQQkAAAgEsItiFPu/jGQFv8JgBZbp"
      + "ei0CAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAlcLgRNA00nGP6oAAAAASUVORK5CYII="

    init() throws {
      folder = try TemporaryFolder("pictures")
      path = folder.path("summit photo.png")
      try #require(Data(base64Encoded: Self.png)).write(to: URL(filePath: path))
    }

    private func natter(
      _ alice: TestAccount, home: Home? = nil, environment: [String: String] = [:]
    ) throws -> NatterRun {
      try NatterRun.account(
        alice.jid, alice.password, on: alice.server, home: home, environment: environment)
    }

    @Test func `a terminal that can draws what was sent, and nothing once that is off`()
      async throws
    {
      let alice = try await TestAccount("alice", on: .prosody)
      let bob = try await TestAccount("bob", on: .prosody)
      let natter = try natter(alice, environment: ["TERM_PROGRAM": "ghostty"])
      try await natter.waitsOnline()
      try await natter.open(chat: bob.jid)
      try await natter.say("/upload \(path)")
      try await natter.shows("summit photo.png", "picture")
      let encodedPath = Data(path.utf8).base64EncodedString()
      try await natter.terminal.prints("\u{1B}_Gq=2,a=t,f=100,i=1,t=f;\(encodedPath)\u{1B}\\")
      try await natter.terminal.prints("\u{1B}_Gq=2,a=p,C=1,i=1,")
      // Help is drawn over it.
      var mark = natter.terminal.outputCount
      natter.terminal.press(.f1)
      try await natter.terminal.prints("\u{1B}_Gq=2,a=d,d=i,i=1,", since: mark)
      mark = natter.terminal.outputCount
      natter.terminal.press(.escape)
      try await natter.terminal.prints("\u{1B}_Gq=2,a=p,C=1,i=1,", since: mark)

      // The setting, by its name.
      natter.terminal.press(.control("o"))
      try await natter.shows("Go to")
      natter.terminal.type("Setting Pictures")
      try await natter.shows("ui.pictures")
      natter.terminal.press(.enter)
      try await natter.expects("the settings") { $0.text(row: 0).contains("[F6 Me]") }
      mark = natter.terminal.outputCount
      natter.terminal.press(.enter)
      try await natter.shows("iterm2", "none")
      natter.terminal.press(.end, .enter)
      try await natter.terminal.prints("\u{1B}_Gq=2,a=d,d=I,i=1", since: mark)
      try await natter.shows("Saved")
      mark = natter.terminal.outputCount
      natter.terminal.press(.f2)
      try await natter.shows("summit photo.png", "picture")
      #expect(await natter.quit() == .exited(0))
      #expect(!natter.terminal.output(since: mark).contains(sequence: Array("\u{1B}_G".utf8)))

      let again = try NatterRun(
        natter.arguments, home: natter.home, environment: ["TERM_PROGRAM": "ghostty"])
      try await again.shows("summit photo.png", "picture")
      #expect(await again.quit() == .exited(0))
      #expect(!again.terminal.rawOutput.contains(sequence: Array("\u{1B}_G".utf8)))
    }

    @Test func `a terminal far away is asked, and what it can is sent to it in pieces`()
      async throws
    {
      let alice = try await TestAccount("alice", on: .prosody)
      let bob = try await TestAccount("bob", on: .prosody)
      let natter = try natter(
        alice,
        environment: ["SSH_CONNECTION": "192.0.2.1 1 192.0.2.2 22", "KONSOLE_VERSION": "230401"])
      try await natter.waitsOnline()
      try await natter.terminal.prints(
        "\u{1B}_Gi=1315009652,s=1,v=1,a=q,t=d,f=24;AAAA\u{1B}\\")
      natter.terminal.send(Array("\u{1B}_Gi=1315009652;OK\u{1B}\\".utf8))
      try await natter.open(chat: bob.jid)
      try await natter.say("/upload \(path)")
      try await natter.shows("summit photo.png", "picture")
      try await natter.terminal.prints(
        "\u{1B}_Gq=2,a=t,f=100,i=1,t=d,m=0;\(Self.png)\u{1B}\\")
      try await natter.terminal.prints("\u{1B}_Gq=2,a=p,C=1,i=1,")
      #expect(await natter.quit() == .exited(0))
      #expect(
        natter.terminal.rawOutput.contains(
          sequence: Array("\u{1B}_Gq=2,a=d,d=I,i=1\u{1B}\\".utf8)))
    }

    @Test(.requires(.chafa))
    func `a terminal that answers so is sent sixels of one picture over the whole screen`()
      async throws
    {
      let alice = try await TestAccount("alice", on: .prosody)
      let bob = try await TestAccount("bob", on: .prosody)
      let natter = try natter(alice)
      try await natter.waitsOnline()
      try await natter.terminal.prints("\u{1B}[c")
      natter.terminal.send(Array("\u{1B}[?63;1;2;4;6c".utf8))
      // The line reports no pixels.
      try await natter.terminal.prints("\u{1B}[16t")
      natter.terminal.send(Array("\u{1B}[6;20;10t".utf8))
      try await natter.open(chat: bob.jid)
      try await natter.say("/upload \(path)")
      try await natter.shows("summit photo.png", "picture")
      #expect(!natter.terminal.rawOutput.contains(sequence: Array("\u{1B}P0;1;0q".utf8)))
      natter.terminal.press(.control("o"))
      try await natter.shows("Go to")
      natter.terminal.type("view a picture full screen")
      natter.terminal.press(.enter)
      try await natter.shows("by the terminal (sixel)", "Esc close")
      try await natter.terminal.prints("\u{1B}P0;1;0q\"1;1;")
      let mark = natter.terminal.outputCount
      natter.terminal.press(.escape)
      try await natter.hides("by the terminal (sixel)")
      #expect(await natter.quit() == .exited(0))
      #expect(!natter.terminal.output(since: mark).contains(sequence: Array("\u{1B}P".utf8)))
    }

    @Test(.requires(.chafa))
    func `elsewhere chafa draws a received picture in characters, once it is here`()
      async throws
    {
      let alice = try await TestAccount("alice", on: .prosody)
      let bob = try await TestAccount("bob", on: .prosody)
      let peer = try await bob.slixmpp()
      let natter = try natter(alice)
      try await natter.waitsOnline()
      try await natter.open(chat: bob.jid)
      let url = try await peer.upload(path, type: "image/png")
      try await peer.send(
        xml: """
          <message to='\(alice.jid)' type='chat' id='p1'><body>\(url)</body>\
          <x xmlns='jabber:x:oob'><url>\(url)</url></x></message>
          """)
      try await natter.shows("summit photo.png")
      try await natter.say("/save \(folder.path("kept.png"))")
      // Three rows of eight columns below the card, in a colour of the picture.
      try await natter.expects("the picture") { screen in
        guard let card = screen.lines.firstIndex(where: { $0.contains("│ summit photo.png") })
        else { return false }
        return (card + 1..<min(card + 6, screen.rows)).contains { row in
          (0..<screen.columns).count {
            screen[row, $0].style.background != .standard
          } >= 8
        }
      }
      #expect(await natter.quit() == .exited(0))
      await peer.signOut()
    }

    @Test func `files are chosen from a list and sent one after the other`() async throws {
      let alice = try await TestAccount("alice", on: .prosody)
      let bob = try await TestAccount("bob", on: .prosody)
      let peer = try await bob.slixmpp()
      let home = try Home()
      _ = try home.folder.makeFolder("home/letters")
      try home.folder.write("roses are red\n", to: "home/letters/rose.txt")
      try home.folder.write("violets are blue\n", to: "home/letters/violet.txt")
      try home.folder.write("hidden\n", to: "home/letters/.secret.txt")
      let natter = try natter(alice, home: home)
      try await natter.waitsOnline()
      try await natter.open(chat: bob.jid)
      try await natter.enter("/upload")
      try await natter.shows("Send files to", "letters/")
      natter.terminal.type("lett")
      natter.terminal.press(.enter)
      try await natter.shows("rose.txt", "violet.txt", "roses are red")
      #expect(!natter.screen.contains(".secret.txt"))
      natter.terminal.press(.alt("."))
      try await natter.shows(".secret.txt")
      natter.terminal.press(.alt("."))
      try await natter.hides(".secret.txt")
      natter.terminal.type(" ")
      try await natter.shows("1 marked", "violets are blue")
      natter.terminal.type(" ")
      try await natter.shows("2 marked")
      natter.terminal.press(.enter)
      try await natter.hides("Send files to")
      for name in ["rose.txt", "violet.txt"] {
        try await peer.message { $0.xml?.contains("<name>\(name)</name>") == true }
      }
      // The folder is remembered; Esc sends nothing.
      natter.terminal.press(.alt("u"))
      try await natter.shows("Send files to", "letters", "violet.txt")
      natter.terminal.press(.escape)
      try await natter.hides("Send files to")
      #expect(await natter.quit() == .exited(0))
      await peer.signOut()
    }
  }
}
