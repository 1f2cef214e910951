import Foundation
import TestSupport
import Testing

extension Conversations {
  /// Text that programs pipe into `natter send`: escape sequences and other line ends, which
  /// servers return in another form (flows.md, "Sending" and "Receiving").
  @Suite struct CarriedTextTests {
    @Test(arguments: ServerKind.allCases)
    func `a text that does not come back as it was typed arrives once, and is one message here`(
      kind: ServerKind
    ) async throws {
      let alice = try await TestAccount("alice", on: kind)
      let bob = try await TestAccount("bob", on: kind)
      let peer = try await bob.slixmpp()
      let first = try alice.natter()
      try await first.waitsOnline()
      let room = "\(UniqueName.next("log"))@rooms.\(alice.server.domain)"
      try await first.say("/join \(room)")
      try await first.shows("The room is new")
      #expect(await first.quit() == .exited(0))

      let home = first.home
      try home.folder.write(alice.password + "\n", to: "password")
      let text = "first\u{c}page\r\nred \u{1b}[31m\u{ffff}\rend"
      for address in [room, bob.jid] {
        let run = try await CommandRun(
          Programs.natter,
          ["send"] + NatterRun.options(alice.jid, on: alice.server)
            + ["--password-file", home.folder.path("password"), address],
          environment: home.environment(), directory: home.home.path, input: text,
          upTo: .seconds(90))
        #expect(run.status == .exited(0), "\(run.errorText)")
      }
      let arrived = try await peer.message { $0.body?.hasPrefix("first") == true }
      #expect(arrived.body == "first\u{fffd}page\nred \u{fffd}[31m\u{fffd}\nend")

      let again = try first.startsAgain()
      try await again.waitsOnline()
      for address in [bob.jid, room] {
        try await again.open(chat: address)
        try await again.shows("page", tick: "✓")
        #expect(again.count(of: "[31m") == 1, "\(address)")
      }
      // Whatever is sent after it comes after it: nothing of it was sent a second time.
      try await again.open(chat: bob.jid)
      try await again.say("the last one")
      try await peer.message { $0.body == "the last one" }
      let copies = peer.events.filter {
        $0.event == "message" && $0.body?.hasPrefix("first") == true
      }
      #expect(copies.count == 1)
      #expect(await again.quit() == .exited(0))
      await peer.signOut()
    }
  }
}
