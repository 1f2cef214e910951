import TestSupport
import Testing

extension Conversations {
  /// Changes of contacts and of the block list without a connection, over `kill -9`, as other
  /// servers and clients see them afterwards.
  @Suite struct OfflineChangeTests {
    private static let roster = "<query xmlns='jabber:iq:roster'/>"
    private static let blockList = "<blocklist xmlns='urn:xmpp:blocking'/>"

    /// Asks until the answer has the one and lacks the other: notifications take a moment.
    private func answer(
      to question: String, has text: String = "", lacks other: String = "\u{0}",
      asking peer: SlixmppPeer
    ) async throws -> String {
      var answer = ""
      let limit = ContinuousClock.now + Duration.seconds(60).withPatience
      while ContinuousClock.now < limit {
        answer = try await peer.ask("get", question)
        if text.isEmpty || answer.contains(text), !answer.contains(other) { break }
      }
      return answer
    }

    @Test(arguments: ServerKind.allCases)
    func `contacts are added, named and answered offline, and the server hears of it later`(
      kind: ServerKind
    ) async throws {
      let alice = try await TestAccount("alice", on: kind)
      let bob = try await TestAccount("bob", on: kind)
      let carol = try await TestAccount("carol", on: kind)
      let dave = try await TestAccount("dave", on: kind)
      let (friend, stranger) = (try await bob.slixmpp(), try await dave.slixmpp())
      let natter = try alice.natter()
      try await natter.waitsOnline()
      try await natter.say("/add \(carol.jid)")
      try await natter.lists(carol.name, presence: "·")
      try await stranger.subscription("subscribe", to: alice.jid)
      try await natter.shows("REQUESTS", dave.name)
      try await natter.say("/disconnect")
      try await natter.waitsOffline()
      try await natter.say("/add \(bob.jid)")
      try await natter.shows("Saved here; will be sent to your server")
      natter.terminal.press(.f(3))
      try await natter.shows("As of", "change pending", "wants to add")
      // The first row that is somebody is the one who asks.
      natter.terminal.press(.enter)
      try await natter.hides("wants to add")
      natter.terminal.press(.end)
      natter.terminal.type("r")
      try await natter.shows("Rename contact")
      natter.terminal.type("Caro Lina")
      try await natter.shows("Caro Lina")
      natter.terminal.press(.enter)
      try await natter.hides("Rename contact")
      try await natter.expects("the name in the list, waiting") { screen in
        screen.lines.contains { $0.contains("Caro Lina") && $0.contains("change pending") }
      }
      await natter.kill()

      let offline = try await natter.startsWithoutServer()
      offline.terminal.press(.f(3))
      try await offline.shows("As of", "Caro Lina", bob.name, "change pending")
      await offline.kill()

      let again = try natter.startsAgain()
      try await again.waitsOnline()
      try await friend.event("subscription") { $0.type == "subscribe" && $0.from == alice.jid }
      try await stranger.event("subscription") { $0.type == "subscribed" && $0.from == alice.jid }
      let other = try await alice.slixmpp()
      let roster = try await answer(to: Self.roster, has: "Caro Lina", asking: other)
      #expect(roster.contains("name=\"Caro Lina\"") && roster.contains(bob.jid), "\(roster)")
      again.terminal.press(.f(3))
      try await again.shows("Caro Lina")
      try await again.hides("change pending")
      #expect(!again.screen.contains("As of"))
      #expect(await again.quit() == .exited(0))
      for peer in [friend, stranger, other] { await peer.signOut() }
    }

    @Test(arguments: ServerKind.allCases)
    func `a contact is removed offline, and put into groups, and another client sees both later`(
      kind: ServerKind
    ) async throws {
      let alice = try await TestAccount("alice", on: kind)
      let bob = try await TestAccount("bob", on: kind)
      let carol = try await TestAccount("carol", on: kind)
      let natter = try alice.natter()
      try await natter.waitsOnline()
      for contact in [bob, carol] {
        try await natter.say("/add \(contact.jid)")
        try await natter.lists(contact.name, presence: "·")
      }
      try await natter.say("/disconnect")
      try await natter.waitsOffline()
      natter.terminal.press(.f(3))
      try await natter.shows("As of", bob.name, carol.name)
      natter.terminal.press(.home)
      natter.terminal.press(.down)
      natter.terminal.press(.delete)
      try await natter.shows("Remove a contact")
      natter.terminal.press(.tab, .enter)
      try await natter.shows("will be removed")
      natter.terminal.press(.end)
      try await natter.shows("Sharing")
      natter.terminal.press(.right)
      natter.terminal.press(.enter)
      try await natter.shows("Groups...")
      try await natter.choose("Groups...")
      try await natter.shows("separated by commas")
      natter.terminal.type("Friends, Work")
      natter.terminal.press(.enter)
      try await natter.shows("FRIENDS (0/1)", "WORK (0/1)")
      await natter.kill()

      let again = try natter.startsAgain()
      try await again.waitsOnline()
      let other = try await alice.slixmpp()
      let roster = try await answer(
        to: Self.roster, has: "<group>Friends</group>", lacks: bob.jid, asking: other)
      #expect(roster.contains("<group>Work</group>"), "\(roster)")
      #expect(roster.contains(carol.jid) && !roster.contains(bob.jid), "\(roster)")
      again.terminal.press(.f(3))
      try await again.shows("FRIENDS (0/1)")
      try await again.hides(bob.name)
      #expect(await again.quit() == .exited(0))
      await other.signOut()
    }

    @Test(arguments: ServerKind.allCases)
    func `who is blocked offline is blocked at the server later, and let in again the same way`(
      kind: ServerKind
    ) async throws {
      let alice = try await TestAccount("alice", on: kind)
      let eve = try await TestAccount("eve", on: kind)
      let peer = try await eve.slixmpp()
      let natter = try alice.natter()
      try await natter.waitsOnline()
      try await natter.open(chat: eve.jid)
      try await natter.say("/disconnect")
      try await natter.waitsOffline()
      try await natter.enter("/block")
      try await natter.shows("discard everything")
      natter.terminal.press(.tab, .enter)
      try await natter.shows("Saved here; will be sent to your server")
      try await openBlocked(natter)
      // Whether the list was read before the connection went is not known.
      try await natter.shows(eve.jid, "waits for the connection")
      await natter.kill()

      let again = try natter.startsAgain()
      try await again.waitsOnline()
      let other = try await alice.slixmpp()
      #expect(try await answer(to: Self.blockList, has: eve.jid, asking: other).contains(eve.jid))
      try await peer.send("can you hear me", to: alice.jid)
      try await peer.message { $0.type == "error" }
      try await again.say("/disconnect")
      try await again.waitsOffline()
      try await openBlocked(again)
      try await again.shows(eve.jid, "As of")
      again.terminal.press(.delete)
      try await again.shows("unblocked with the next connection")
      await again.kill()

      let last = try natter.startsAgain()
      try await last.waitsOnline()
      try await openBlocked(last)
      try await last.shows("No blocked addresses.")
      let list = try await answer(to: Self.blockList, lacks: eve.jid, asking: other)
      #expect(!list.contains(eve.jid), "\(list)")
      #expect(await last.quit() == .exited(0))
      await peer.signOut()
      await other.signOut()
    }

    private func openBlocked(_ natter: NatterRun) async throws {
      natter.terminal.press(.f(6))
      try await natter.shows("Blocked", "About")
      natter.terminal.press(.end)
      natter.terminal.press(.up, .enter)
      try await natter.shows("Blocked addresses")
    }
  }
}
