import Foundation
import TestSupport
import Testing

extension Conversations {
  /// Two Natters and a profanity of one account: the same conversation, the same read state, no
  /// doubles.
  @Suite struct SharedAccountTests {
    @Test(.requires(.profanity), arguments: ServerKind.allCases)
    func `two Natters and one profanity of an account have the same conversation, once`(
      kind: ServerKind
    ) async throws {
      let alice = try await TestAccount("alice", on: kind)
      let bob = try await TestAccount("bob", on: kind)
      let carol = try await TestAccount("carol", on: kind)
      let peer = try await bob.slixmpp()
      let other = try await carol.slixmpp()
      let first = try alice.natter(rows: 40)
      let second = try alice.natter(rows: 40)
      for natter in [first, second] {
        try await natter.waitsOnline()
        try await natter.open(chat: carol.jid)
      }
      let profanity = try await ProfanityClient(
        alice.jid, password: alice.password, server: alice.server, rows: 40)
      // Each of the four says something; all three of the account have all of it.
      try await peer.send("one from bob", to: alice.jid)
      for natter in [first, second] { try await natter.lists(bob.name, unread: 1) }
      profanity.send("two from profanity", to: bob.jid)
      try await peer.message { $0.body == "two from profanity" }
      try await first.open(chat: bob.jid)
      try await first.shows("one from bob", "two from profanity")
      // Read in one, read in the other.
      try await second.lists(bob.name, unread: 0)
      try await second.open(chat: bob.jid)
      try await first.say("three from the first")
      try await peer.message { $0.body == "three from the first" }
      try await second.shows("three from the first")
      try await second.say("four from the second")
      try await peer.message { $0.body == "four from the second" }
      try await first.shows("four from the second")
      try await profanity.shows("three from the first")
      try await profanity.shows("four from the second")

      // One is away while the conversation goes on. It begins again in the one that was last
      // written in: Carol's.
      for natter in [first, second] { try await natter.open(chat: carol.jid) }
      try await other.send("one from carol", to: alice.jid)
      for natter in [first, second] { try await natter.shows("one from carol") }
      try await first.open(chat: bob.jid)
      #expect(await second.quit() == .exited(0))
      profanity.send("five from profanity", to: bob.jid)
      try await peer.message { $0.body == "five from profanity" }
      try await peer.send("six from bob", to: alice.jid)
      try await first.shows("five from profanity", "six from bob")
      try await other.send("two from carol", to: alice.jid)
      try await first.lists(carol.name, unread: 1)
      let again = try second.startsAgain(rows: 40)
      try await again.waitsOnline()
      // It is later than all that Bob said: when it is here, that is, too. That was read in the
      // first one, and needs no opening.
      try await again.shows("one from carol", "two from carol")
      try await again.lists(bob.name, unread: 0)
      try await first.lists(carol.name, unread: 0)
      try await again.open(chat: bob.jid)
      try await again.shows("five from profanity", "six from bob")

      let texts = [
        "one from bob", "two from profanity", "three from the first", "four from the second",
        "five from profanity", "six from bob",
      ]
      for natter in [first, again] {
        for text in texts { #expect(natter.count(of: text) == 1, "\(text)") }
        let rows = texts.map { text in natter.screen.lines.firstIndex { $0.contains(text) } ?? -1 }
        #expect(rows == rows.sorted(), "\(rows)")
        #expect(await natter.quit() == .exited(0))
      }
      // The first came while it was signing in, and may have gone to the others alone.
      let later = texts.dropFirst()
      try await profanity.terminal.expects("the others in profanity", upTo: .seconds(60)) {
        screen in later.allSatisfy { screen.contains($0) }
      }
      for text in later {
        #expect(profanity.terminal.screen.lines.count { $0.contains(text) } == 1, "\(text)")
      }
      await profanity.quit()
      await other.signOut()
      await peer.signOut()
    }
  }
}
