import TestSupport
import Testing

extension Conversations {
  /// Data sync under the user's control (flows.md, "Data sync").
  @Suite struct AccountEventTests {
    @Test(arguments: ServerKind.allCases)
    func `refreshing is asked for, and stopped, by a typed command`(kind: ServerKind) async throws {
      let alice = try await TestAccount("alice", on: kind)
      let bob = try await TestAccount("bob", on: kind)
      let natter = try alice.natter()
      try await natter.waitsOnline()
      try await natter.open(chat: bob.jid)
      try await natter.say("/sync")
      // Whether it was complete before depends on the machine's speed.
      try await natter.say("/sync stop")
      try await natter.expects("what became of the refreshing") { screen in
        screen.contains("Nothing is being refreshed") || screen.contains("Refreshing was stopped")
      }
      try await natter.say("after the stop")
      try await natter.shows("after the stop", tick: "✓")
      try await natter.say("/sync")
      try await natter.say("still here")
      try await natter.shows("still here", tick: "✓")
      #expect(await natter.quit() == .exited(0))
    }
  }
}
