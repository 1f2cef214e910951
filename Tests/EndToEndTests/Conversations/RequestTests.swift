import TestSupport
import Testing

extension Conversations {
  /// A contact request that is not answered for a long time.
  @Suite struct RequestTests {
    @Test(arguments: ServerKind.allCases)
    func `a request is listed over restarts, with and without a connection, until it is taken back`(
      kind: ServerKind
    ) async throws {
      let alice = try await TestAccount("alice", on: kind)
      let dave = try await TestAccount("dave", on: kind)
      let carol = try await TestAccount("carol", on: kind)
      let peer = try await dave.slixmpp()
      let natter = try alice.natter()
      try await natter.waitsOnline()
      try await peer.subscription("subscribe", to: alice.jid)
      try await natter.shows("REQUESTS", dave.name)
      await natter.kill()

      let offline = try await natter.startsWithoutServer()
      offline.terminal.press(.f(3))
      try await offline.shows("REQUESTS (1)", "wants to add", dave.name)
      await offline.kill()

      // The session is resumed, in which the server has reported it before.
      let again = try natter.startsAgain()
      try await again.waitsOnline()
      try await again.shows("REQUESTS", dave.name)
      #expect(await again.quit() == .exited(0))

      // A new session, in which the server reports it again: by the time it answers another
      // request, that has arrived.
      let new = try natter.startsAgain()
      try await new.waitsOnline()
      try await new.say("/add \(carol.jid)")
      try await new.lists(carol.name, presence: "·")
      new.terminal.press(.f(3))
      try await new.shows("REQUESTS (1)", dave.name)
      // The contact asks once more. ejabberd does not report that to clients that are online.
      if kind == .prosody {
        try await peer.subscription("unsubscribe", to: alice.jid)
        try await new.hides("REQUESTS (")
        try await peer.subscription("subscribe", to: alice.jid)
        try await new.shows("REQUESTS (1)")
      }
      #expect(await new.quit() == .exited(0))

      // The same while nobody is here.
      try await peer.subscription("unsubscribe", to: alice.jid)
      _ = try await peer.roster()
      let last = try natter.startsAgain()
      try await last.waitsOnline()
      last.terminal.press(.f(3))
      try await last.shows(carol.name)
      try await last.hides("REQUESTS (")
      #expect(await last.quit() == .exited(0))
      await peer.signOut()
    }

    @Test(arguments: ServerKind.allCases)
    func `a request that another client of the account answers is off the list`(kind: ServerKind)
      async throws
    {
      let alice = try await TestAccount("alice", on: kind)
      let dave = try await TestAccount("dave", on: kind)
      let peer = try await dave.slixmpp()
      let natter = try alice.natter()
      try await natter.waitsOnline()
      try await peer.subscription("subscribe", to: alice.jid)
      natter.terminal.press(.f(3))
      try await natter.shows("REQUESTS (1)", dave.name)
      await natter.kill()
      let other = try await alice.slixmpp()
      try await other.subscription("subscribed", to: dave.jid)
      try await peer.event("subscription") { $0.type == "subscribed" }
      let again = try natter.startsAgain()
      try await again.waitsOnline()
      again.terminal.press(.f(3))
      try await again.shows("1 person", "they see when")
      try await again.hides("REQUESTS (")
      #expect(await again.quit() == .exited(0))
      await peer.signOut()
      await other.signOut()
    }
  }
}
