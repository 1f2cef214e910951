import TestSupport
import Testing

extension Conversations {
  /// Commands of servers and of somebody else's program (XEP-0050), with every kind of field
  /// (XEP-0004).
  @Suite struct RemoteCommandTests {
    @Test(arguments: ServerKind.allCases)
    func `a contact's command asks in two steps, and gets every kind of answer`(kind: ServerKind)
      async throws
    {
      let alice = try await TestAccount("alice", on: kind)
      let bob = try await TestAccount("bob", on: kind)
      let peer = try await bob.slixmpp()
      try await peer.offerCommand()
      let natter = try alice.natter(rows: 40)
      try await natter.waitsOnline()
      try await natter.say("/add \(bob.jid)")
      try await peer.event("subscription") { $0.type == "subscribe" && $0.from == alice.jid }
      try await peer.subscription("subscribed", to: alice.jid)
      try await natter.lists(bob.name, presence: "●")

      try await natter.enter("/command \(bob.jid)")
      try await natter.shows("A survey")
      natter.terminal.press(.enter)
      try await natter.shows("Two pages.", "About your tea", "Your name", "Secret word")
      // Nothing goes on without what has to be there.
      natter.terminal.press(.tab, .enter)
      try await natter.shows("This field is required.")
      natter.terminal.type("Alice")
      natter.terminal.press(.tab)
      natter.terminal.type("s3cret")
      try await natter.shows("******")
      natter.terminal.press(.enter)
      try await natter.shows("Come again", "Back")
      // Back, and on again: what was answered is asked anew by this program.
      natter.terminal.press(.tab, .enter)
      try await natter.shows("Two pages.")
      natter.terminal.press(.text(" "), .tab)
      natter.terminal.type("Alice D.")
      // Past the secret, the notes, the friend and the guests, to the kind.
      natter.terminal.press(.tab, .tab, .tab, .tab, .tab, .right)
      try await natter.shows("< Black >")
      natter.terminal.press(.tab, .tab, .text(" "))
      natter.terminal.press(.up, .up, .up, .up, .up, .up)
      natter.terminal.press(.enter)
      try await natter.shows("Come again")
      natter.terminal.press(.text(" "), .tab, .tab, .tab, .enter)
      try await natter.shows("Thank you for the tea.", "Cups", "3")
      let reported = try await peer.event("survey").text ?? ""
      for part in [
        "t-42", "\"name\": \"Alice D.\"", "\"kind\": \"black\"", "\"sweet\": \"1\"",
        "\"friend\": \"bob@example.org\"", "\"with\": [\"milk\", \"lemon\"]", "\"again\": \"0\"",
        "\"guests\": [\"a@example.org\", \"b@example.org\"]",
      ] {
        #expect(reported.contains(part), "\(part) in \(reported)")
      }
      natter.terminal.press(.enter)
      try await natter.hides("Thank you for the tea.")
      #expect(await natter.quit() == .exited(0))
      await peer.signOut()
    }

    @Test func `the built-in server has nothing to run, which is said`() async throws {
      let natter = try await TestAccount("alice", on: .builtIn).natter()
      try await natter.waitsOnline()
      try await natter.enter("/command")
      try await natter.shows("localhost offers no commands.")
      #expect(await natter.quit() == .exited(0))
    }

    @Test(arguments: ServerKind.with(.foreignWays))
    func `the commands of the server are listed and run`(kind: ServerKind) async throws {
      let alice = try await TestAccount("alice", on: kind)
      let natter = try alice.natter()
      try await natter.waitsOnline()
      try await natter.enter("/command")
      try await natter.shows("Commands of natter.test")
      natter.terminal.press(.enter)
      try await natter.shows("Close")
      natter.terminal.press(.enter)
      // The same from the list of what the server consists of.
      natter.terminal.press(.f4)
      natter.terminal.press(.right, .right, .right)
      try await natter.shows("[Services]", "as of")
      natter.terminal.press(.home, .enter)
      try await natter.shows("Identity", "[>Commands...<]")
      natter.terminal.press(.enter)
      try await natter.shows("Commands of natter.test")
      natter.terminal.press(.escape)
      try await natter.hides("Commands of natter.test")
      natter.terminal.press(.f(2))
      try await natter.enter("/command nowhere.example")
      try await natter.expects("that nobody answers") { screen in
        ["cannot", "not", "No "].contains { screen.contains($0) }
      }
      #expect(await natter.quit() == .exited(0))
    }
  }
}
