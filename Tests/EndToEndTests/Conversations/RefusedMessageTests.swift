import Foundation
import TestSupport
import Testing

extension Conversations {
  /// Messages that came back: both servers keep a copy of what they refused in the sender's archive (FACTS.md 5).
  @Suite struct RefusedMessageTests {
    @Test(arguments: ServerKind.allCases)
    func `a message that came back and is tried again counts as sent when it is, not before`(
      kind: ServerKind
    ) async throws {
      let server = try SharedServers.server(kind)
      let alice = try await TestAccount("alice", on: kind)
      let nobody = TestAccount(unregistered: "nobody", on: server, password: alice.password)
      let first = try alice.natter(rows: 40)
      try await first.waitsOnline()
      try await first.open(chat: nobody.jid)
      try await first.say("is anybody there")
      try await first.shows("is anybody there", "Not sent:")
      #expect(await first.quit() == .exited(0))

      // Tried again without a connection: the archive that is read with the next one has it already, and it is not there yet.
      let second = try await first.startsWithoutServer()
      try await second.open(chat: nobody.jid)
      try await second.shows("is anybody there", "Not sent:")
      try await second.say("/retry")
      try await second.hides("Not sent:")
      #expect(await second.quit() == .exited(0))
      try await server.addUser(nobody.name, password: nobody.password)
      let peer = try await nobody.slixmpp()
      let third = try first.startsAgain(rows: 40)
      try await third.waitsOnline()
      try await peer.message { $0.body == "is anybody there" }
      try await third.open(chat: nobody.jid)
      try await third.expects("that it is sent") { screen in
        screen.lines.contains { $0.contains("is anybody there") && $0.hasSuffix("✓") }
      }
      #expect(third.count(of: "is anybody there") == 1)
      #expect(await third.quit() == .exited(0))
      await peer.signOut()
    }
  }
}
