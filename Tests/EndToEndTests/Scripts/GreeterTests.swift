import Foundation
import TestSupport
import Testing

extension Conversations {
  /// The greeter that comes with Natter, in a room of a server.
  @Suite(.requires(.node)) struct GreeterTests {
    @Test(arguments: ServerKind.with(.foreignWays))
    func `the greeter greets who comes into a room, and stops when its right is taken back`(
      kind: ServerKind
    ) async throws {
      let scripts = try ScriptHome()
      let alice = try await TestAccount("alice", on: kind)
      let bob = try await TestAccount("bob", on: kind).slixmpp()
      let room = "\(UniqueName.next("tea"))@rooms.\(alice.server.domain)"
      try await bob.enter(room, as: "bob")
      try await bob.open(room)
      // The answer comes after what was sent before it was taken.
      _ = try await bob.roster()
      try await scripts.scripts("enable", "greeter", "--yes")
      for right in ["rooms.read", "messages.send"] {
        try await scripts.scripts("grant", "greeter", right, "--in", "rooms")
      }
      let natter = try alice.natter(home: scripts.home)
      try await natter.waitsOnline()
      try await natter.enter("/join \(room)")
      try await natter.shows("2 people")
      // It knows who is there already.
      #expect(
        try await polls { scripts.values(of: "greeter").contains { $0.contains("bob") } })

      let carol = try await TestAccount("carol", on: kind).slixmpp()
      try await carol.enter(room, as: "carol")
      try await bob.message { $0.body == "Welcome, carol!" }
      try await carol.message { $0.body == "Welcome, carol!" }
      try await natter.shows("Welcome, carol!")
      // It has noted her, so the next event is the next person.
      #expect(
        try await polls { scripts.values(of: "greeter").contains { $0.contains("carol") } })

      try await natter.opens(pageOfScript: "greeter")
      try await natter.expects("two rights") { $0.holds("send messages as you", is: true) }
      try await scripts.scripts("revoke", "greeter", "messages.send")
      try await natter.expects("one right less") { $0.holds("send messages as you", is: false) }
      natter.terminal.press(.f2)
      try await natter.shows("3 people")
      let dave = try await TestAccount("dave", on: kind).slixmpp()
      try await dave.enter(room, as: "dave")
      try await natter.shows("4 people")
      // Its request had the error -32001.
      try await scripts.logs(
        "\(room): The program has no right for this: messages.send", of: "greeter")
      #expect(
        try await polls { scripts.values(of: "greeter").contains { $0.contains("dave") } })
      for peer in [bob, carol, dave] {
        // What was said before has come by now.
        _ = try await peer.roster()
        let greetings = peer.events.compactMap(\.body).filter { $0.hasPrefix("Welcome") }
        #expect(Set(greetings).isSubset(of: ["Welcome, carol!"]), "\(greetings)")
      }
      #expect(await natter.quit() == .exited(0))
      for peer in [dave, carol, bob] { await peer.signOut() }
    }
  }
}

extension VirtualTerminal {
  /// Indicates whether the page of a script has a right, held or not.
  fileprivate func holds(_ right: String, is isHeld: Bool) -> Bool {
    lines.contains { $0.contains(right) && $0.contains("not allowed") != isHeld }
  }
}
