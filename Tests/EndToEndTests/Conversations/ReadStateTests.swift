import Foundation
import TestSupport
import Testing

extension Conversations {
  /// Receipts, markers, typing, and what the account's clients know of each other's reading.
  @Suite struct ReadStateTests {
    private static let markers = "urn:xmpp:chat-markers:0"
    private static let states = "http://jabber.org/protocol/chatstates"

    /// Has two accounts see each other's presence, without Natter.
    private func befriend(_ alice: TestAccount, _ bob: TestAccount, _ peer: SlixmppPeer)
      async throws
    {
      let other = try await alice.slixmpp()
      try await other.subscription("subscribe", to: bob.jid)
      try await peer.befriends(alice.jid)
      try await other.event("subscription") { $0.type == "subscribe" && $0.from == bob.jid }
      try await other.subscription("subscribed", to: bob.jid)
      try await peer.event("subscription") { $0.type == "subscribed" && $0.from == alice.jid }
      await other.signOut()
    }

    @Test(arguments: ServerKind.allCases)
    func `a contact sees what arrived, what was read, and that a reply is being typed`(
      kind: ServerKind
    ) async throws {
      let alice = try await TestAccount("alice", on: kind)
      let bob = try await TestAccount("bob", on: kind)
      let peer = try await bob.slixmpp()
      try await befriend(alice, bob, peer)
      let natter = try alice.natter()
      try await natter.waitsOnline()
      try await natter.open(chat: alice.server.jid("nobody"))

      try await peer.send(
        xml: """
          <message to='\(alice.jid)' type='chat' id='m1'><body>read me</body>\
          <request xmlns='urn:xmpp:receipts'/><markable xmlns='\(Self.markers)'/>\
          <active xmlns='\(Self.states)'/></message>
          """)
      try await peer.event("receipt") { $0.id == "m1" }
      try await natter.lists(bob.name, unread: 1)
      #expect(!peer.events.contains { $0.xml?.contains("displayed") == true })
      try await natter.open(chat: bob.jid)
      try await natter.shows("read me")
      try await peer.event("stanza") {
        $0.xml?.contains("displayed") == true && $0.xml?.contains("\"m1\"") == true
      }

      let state = { (name: String) in
        "<message to='\(alice.jid)' type='chat'><\(name) xmlns='\(Self.states)'/></message>"
      }
      try await peer.send(xml: state("composing"))
      try await natter.shows("is typing ...")
      try await peer.send(xml: state("paused"))
      try await natter.hides("is typing ...")

      try await natter.type("an answer")
      try await peer.event("stanza") { $0.xml?.contains("<composing") == true }
      natter.terminal.press(.enter)
      let answer = try await peer.message { $0.body == "an answer" }
      #expect(answer.xml?.contains("<markable") == true)
      #expect(answer.xml?.contains("<active") == true)
      // Delivered is not displayed: two ticks come with the marker (interface.md, "Messages").
      try await natter.showsDelivered("an answer")
      try await natter.shows("an answer", tick: "✓")
      let id = try #require(answer.id)
      try await peer.send(
        xml: """
          <message to='\(alice.jid)' type='chat'>\
          <displayed xmlns='\(Self.markers)' id='\(id)'/></message>
          """)
      try await natter.shows("an answer", tick: "✓✓")
      try await natter.say("/me waves")
      try await natter.showsDelivered("\(alice.name) waves")
      try await peer.message { $0.body == "/me waves" }
      #expect(await natter.quit() == .exited(0))
      await peer.signOut()
    }

    @Test(arguments: ServerKind.allCases)
    func `a stranger learns nothing of it`(kind: ServerKind) async throws {
      let alice = try await TestAccount("alice", on: kind)
      let eve = try await TestAccount("eve", on: kind)
      let peer = try await eve.slixmpp()
      let natter = try alice.natter()
      try await natter.waitsOnline()
      try await natter.open(chat: eve.jid)
      try await peer.send(
        xml: """
          <message to='\(alice.jid)' type='chat' id='m1'><body>are you there?</body>\
          <request xmlns='urn:xmpp:receipts'/><markable xmlns='\(Self.markers)'/>\
          <active xmlns='\(Self.states)'/></message>
          """)
      try await natter.shows("are you there?")
      try await natter.say("who asks?")
      // All that was sent before it has come when it has.
      try await peer.message { $0.body == "who asks?" }
      let reported = peer.events.filter { $0.event == "receipt" || $0.event == "stanza" }
      #expect(reported == [])
      #expect(await natter.quit() == .exited(0))
      await peer.signOut()
    }

    @Test(arguments: ServerKind.allCases)
    func `two Natters of one account share read positions, also after an absence`(kind: ServerKind)
      async throws
    {
      let alice = try await TestAccount("alice", on: kind)
      let bob = try await TestAccount("bob", on: kind)
      let carol = try await TestAccount("carol", on: kind)
      let dave = try await TestAccount("dave", on: kind)
      let peer = try await bob.slixmpp()
      let first = try alice.natter()
      let second = try alice.natter()
      for natter in [first, second] {
        try await natter.waitsOnline()
        try await natter.open(chat: carol.jid)
      }
      try await peer.send("one", to: alice.jid)
      try await peer.send("two", to: alice.jid)
      for natter in [first, second] { try await natter.lists(bob.name, unread: 2) }
      try await first.open(chat: bob.jid)
      try await first.shows("two")
      try await second.lists(bob.name, unread: 0)

      // The conversation that it opens at its next start.
      try await second.say("to carol")
      try await second.shows("to carol", tick: "✓")
      #expect(await second.quit() == .exited(0))
      try await first.open(chat: carol.jid)
      try await peer.send("three", to: alice.jid)
      try await first.lists(bob.name, unread: 1)
      try await first.open(chat: bob.jid)
      try await first.shows("three")
      let other = try await dave.slixmpp()
      try await other.send("from dave", to: alice.jid)
      try await first.lists(dave.name, unread: 1)
      let again = try second.startsAgain()
      try await again.waitsOnline()
      try await again.lists(dave.name, unread: 1)
      try await again.lists(bob.name, unread: 0)
      for natter in [first, again] { #expect(await natter.quit() == .exited(0)) }
      for client in [peer, other] { await client.signOut() }
    }
  }
}
