import Foundation
import TestSupport
import Testing

extension Conversations {
  /// `kill -9` of Natter and of the server: nothing that was seen is lost, nothing comes twice.
  @Suite struct CrashTests {
    /// Seed and server. The moment is drawn from the seed: so many changes of the screen after the
    /// traffic began.
    @Test(arguments: [
      (1, ServerKind.prosody), (2, .ejabberd), (3, .prosody), (4, .ejabberd), (5, .builtIn),
    ])
    func `what the screen showed before kill -9 is there at the next start`(
      seed: Int, kind: ServerKind
    ) async throws {
      var generator = SeededGenerator(seed: UInt64(seed))
      let alice = try await TestAccount("alice", on: kind)
      let bob = try await TestAccount("bob", on: kind)
      let peer = try await bob.slixmpp()
      let natter = try alice.natter(rows: 60)
      try await natter.waitsOnline()
      try await natter.open(chat: bob.jid)
      try await natter.say("go")
      try await peer.message { $0.body == "go" }

      let lastBytes = natter.terminal.outputCount + Int.random(in: 200...9000, using: &generator)
      let traffic = Task {
        for number in 0..<20 {
          try await peer.send("in-\(number).", to: alice.jid)
        }
      }
      for number in 0..<12 where natter.terminal.outputCount < lastBytes {
        natter.terminal.type("out-\(number).")
        guard
          await natter.terminal.waits(
            upTo: .seconds(60), until: { $0.contains("> out-\(number).") })
        else { break }
        natter.terminal.press(.enter)
        _ = await natter.terminal.waits(
          upTo: .seconds(60),
          until: { !$0.contains("> out-\(number).") || natter.terminal.outputCount >= lastBytes })
      }
      await natter.kill()
      try await traffic.value
      let shown = Self.messages(on: natter.screen)
      #expect(shown.isEmpty == false)

      // It was on the disk: no archive could bring it back here.
      let offline = try await natter.startsWithoutServer(rows: 60)
      offline.terminal.press(.control("u"))
      try await offline.type("")
      try await offline.open(chat: bob.jid)
      try await offline.expects("all that was shown, from the disk: \(shown.sorted())") {
        shown.isSubset(of: Set(Self.messages(on: $0)))
      }
      await offline.kill()

      let again = try natter.startsAgain(rows: 60)
      try await again.waitsOnline()
      // What was typed and not sent is in the input again.
      again.terminal.press(.control("u"))
      try await again.type("")
      try await again.open(chat: bob.jid)
      try await again.expects("all that was shown: \(shown.sorted())") {
        shown.isSubset(of: Set(Self.messages(on: $0)))
      }
      // Every message that was on the screen as sent reaches the other side in the end.
      for text in shown where text.hasPrefix("out-") {
        try await peer.message(upTo: .seconds(60)) { $0.body == text }
      }
      try await again.say("done")
      try await again.showsDelivered("done")
      for text in shown {
        #expect(again.count(of: text) == 1, "\(text) stands \(again.count(of: text)) times")
      }
      #expect(await again.quit() == .exited(0))
      await peer.signOut()
    }

    /// The numbered messages in the timeline; the input's last row is none of it.
    private static func messages(on screen: VirtualTerminal) -> Set<String> {
      var found: Set<String> = []
      for line in screen.lines where !line.contains("> out-") {
        for match in line.matches(of: /(in|out)-[0-9]+\./) { found.insert(String(match.output.0)) }
      }
      return found
    }

    @Test(arguments: ServerKind.allCases)
    func `what is typed while the server is down waits, survives a restart and is sent once`(
      kind: ServerKind
    ) async throws {
      let server = try await kind.start(users: [:])
      let alice = try await TestAccount("alice", on: server)
      let bob = try await TestAccount("bob", on: server)
      let natter = try alice.natter()
      try await natter.waitsOnline()
      try await natter.open(chat: bob.jid)
      try await natter.say("while all is well")
      try await natter.shows("while all is well", tick: "✓")
      await server.kill()
      try await natter.waitsOffline()
      for text in ["queued one", "queued two 日本", "queued three"] {
        try await natter.say(text)
        try await natter.shows(text, tick: ".")
      }
      // Neither a proper end nor a kill loses them, and the next start shows them without a server.
      #expect(await natter.quit() == .exited(0))
      let second = try natter.startsAgain()
      try await second.shows("Not connected")
      second.terminal.press(.control("g"))
      try await second.hides("Work offline")
      for text in ["queued one", "queued two 日本", "queued three"] {
        try await second.shows(text, tick: ".")
      }
      try await second.say("queued four")
      try await second.shows("queued four", tick: ".")
      await second.kill()
      let third = try natter.startsAgain()
      try await third.shows("Not connected")
      third.terminal.press(.control("g"))
      try await third.hides("Work offline")
      try await third.shows("queued four", tick: ".")
      // Whether the recipient is there is not to depend on who is faster: ejabberd can lose what it
      // is to keep for somebody who signs in at that moment.
      try await third.say("/disconnect")
      try await third.expects("the end of trying in the tab bar") {
        $0.text(row: 0).contains("offline")
      }

      try await server.restart()
      let peer = try await bob.slixmpp()
      try await third.say("/connect")
      try await third.waitsOnline()
      try await third.say("the last one")
      try await peer.message(upTo: .seconds(90)) { $0.body == "the last one" }
      let expected = ["queued one", "queued two 日本", "queued three", "queued four", "the last one"]
      let bodies = peer.events.filter { $0.event == "message" }.compactMap(\.body)
        .filter { expected.contains($0) }
      #expect(bodies == expected)
      for text in expected {
        try await third.showsDelivered(text)
        #expect(third.count(of: text) == 1)
      }
      #expect(await third.quit() == .exited(0))
      await peer.signOut()
      await server.stop()
    }

    @Test func `a lost connection comes back by itself`() async throws {
      let server = try await ServerKind.prosody.start(users: [:])
      let alice = try await TestAccount("alice", on: server)
      let bob = try await TestAccount("bob", on: server)
      let natter = try alice.natter()
      try await natter.waitsOnline()
      try await natter.open(chat: bob.jid)
      await server.kill()
      try await natter.waitsOffline()
      try await natter.say("typed in between")
      try await natter.shows("typed in between", tick: ".")
      try await server.restart()
      try await natter.waitsOnline()
      let peer = try await bob.slixmpp()
      try await peer.message { $0.body == "typed in between" }
      try await natter.showsDelivered("typed in between")
      #expect(await natter.quit() == .exited(0))
      await peer.signOut()
      await server.stop()
    }
  }
}
