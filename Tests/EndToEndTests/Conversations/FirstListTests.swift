import Foundation
import TestSupport
import Testing

extension Conversations {
  /// The list of a new profile (flows.md, "Data sync").
  @Suite struct FirstListTests {
    /// Has two accounts see each other's presence, without Natter.
    private func befriend(_ alice: TestAccount, _ other: TestAccount, _ peer: SlixmppPeer)
      async throws
    {
      let own = try await alice.slixmpp()
      try await own.subscription("subscribe", to: other.jid)
      try await peer.befriends(alice.jid)
      try await own.event("subscription") { $0.type == "subscribe" && $0.from == other.jid }
      try await own.subscription("subscribed", to: other.jid)
      try await peer.event("subscription") { $0.type == "subscribed" && $0.from == alice.jid }
      await own.signOut()
    }

    @Test(arguments: ServerKind.allCases, [true, false])
    func
      `who wrote before all the others is in the list with what was said, be it a contact or not`(
        kind: ServerKind, isContact: Bool
      ) async throws
    {
      let alice = try await TestAccount("alice", on: kind)
      let quiet = try await TestAccount("carol", on: kind)
      let loud = try await TestAccount("bob", on: kind)
      let carol = try await quiet.slixmpp()
      let bob = try await loud.slixmpp()
      if isContact { try await befriend(alice, quiet, carol) }
      try await carol.send("the keys are under the mat", to: alice.jid)
      for number in 1...130 {
        try await bob.send(
          xml:
            "<message to='\(alice.jid)' type='chat' id='c\(number)'><body>chatter \(number)</body></message>"
        )
      }
      // All of it is in alice's archive when a reader of it finds the last.
      let other = try alice.natter()
      try await other.waitsOnline()
      try await other.open(chat: loud.jid)
      try await other.shows("chatter 130")
      #expect(await other.quit() == .exited(0))

      let natter = try alice.natter(home: Home())
      try await natter.waitsOnline()
      // A conversation has a number; a contact with whom nothing was said has none.
      try await natter.expects("\(quiet.name) among the conversations") { screen in
        (1..<screen.rows).contains {
          let words = screen.text(row: $0, columns: 0..<28).split(separator: " ")
          return words.contains { $0.hasPrefix(quiet.name) }
            && words.first.map { $0.drop { $0 == ">" } }.flatMap { Int($0) } != nil
        }
      }
      try await natter.open(chat: quiet.jid)
      try await natter.shows("the keys are under the mat")
      #expect(natter.count(of: "the keys are under the mat") == 1)
      #expect(await natter.quit() == .exited(0))
      await carol.signOut()
      await bob.signOut()
    }
  }
}
