import TestSupport
import Testing

extension Conversations {
  /// Others' cards, and blocking, with a client and servers that are not ours.
  @Suite struct ContactCardTests {
    /// One red pixel.
    private static let picture =
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
    private static let pubsub = "http://jabber.org/protocol/pubsub"

    private static func publish(_ node: String, _ id: String, _ payload: String) -> String {
      "<pubsub xmlns='\(pubsub)'><publish node='\(node)'><item id='\(id)'>\(payload)</item></publish></pubsub>"
    }

    @Test(arguments: ServerKind.allCases)
    func `what a contact publishes is on their card, their app and their picture too`(
      kind: ServerKind
    )
      async throws
    {
      let alice = try await TestAccount("alice", on: kind)
      let bob = try await TestAccount("bob", on: kind)
      let peer = try await bob.slixmpp()
      let card = """
        <vcard xmlns='urn:ietf:params:xml:ns:vcard-4.0'><fn><text>Robert Martin</text></fn>\
        <adr><locality>Lyon</locality></adr></vcard>
        """
      _ = try await peer.ask("set", Self.publish("urn:xmpp:vcard4", "current", card))
      let id = "7c61e84ce8f8e2e32d8ff61b1bf938b16d6212ca"
      _ = try await peer.ask(
        "set",
        Self.publish(
          "urn:xmpp:avatar:data", id,
          "<data xmlns='urn:xmpp:avatar:data'>\(Self.picture)</data>"))
      let reported = try await peer.ask(
        "set",
        Self.publish(
          "urn:xmpp:avatar:metadata", id,
          "<metadata xmlns='urn:xmpp:avatar:metadata'><info id='\(id)' bytes='70' type='image/png'/></metadata>"
        ))
      #expect(reported.contains("result"))

      let natter = try alice.natter()
      try await natter.waitsOnline()
      try await natter.befriend(bob, at: peer, as: alice)

      natter.terminal.press(.f(3))
      try await natter.shows(bob.jid, "Sharing")
      natter.terminal.press(.right)
      try await natter.shows("Robert Martin", "Lyon", "PNG, ")
      try await natter.shows("App  ", "lixmpp")

      // A group, from the list of what can be done; the server has it, and gives it to others.
      natter.terminal.press(.enter)
      try await natter.shows("Groups...", "Block and report...")
      try await natter.choose("Groups...")
      try await natter.shows("separated by commas")
      natter.terminal.type("Friends")
      natter.terminal.press(.enter)
      try await natter.shows("FRIENDS (1/1)")
      #expect(await natter.quit() == .exited(0))
      await peer.signOut()
    }

    @Test(arguments: ServerKind.allCases)
    func `a blocked contact cannot reach the user until they are unblocked`(kind: ServerKind)
      async throws
    {
      let alice = try await TestAccount("alice", on: kind)
      let eve = try await TestAccount("eve", on: kind)
      let peer = try await eve.slixmpp()
      let natter = try alice.natter()
      try await natter.waitsOnline()
      try await natter.open(chat: eve.jid)
      try await natter.enter("/block")
      try await natter.shows("discard everything")
      natter.terminal.press(.tab, .enter)
      try await natter.shows("is blocked.")
      let blocked = try await alice.slixmpp()
      let list = try await blocked.ask("get", "<blocklist xmlns='urn:xmpp:blocking'/>")
      #expect(list.contains(eve.jid))
      try await peer.send("can you hear me", to: alice.jid)
      try await peer.message { $0.type == "error" }

      natter.terminal.press(.f(6))
      try await natter.shows("Blocked")
      natter.terminal.press(.end)
      natter.terminal.press(.up, .enter)
      try await natter.shows("Blocked addresses", eve.jid)
      natter.terminal.press(.delete)
      try await natter.shows("is unblocked.", "No blocked addresses.")
      try await peer.send("and now?", to: alice.jid)
      natter.terminal.press(.f(2))
      try await natter.shows("and now?")
      #expect(!natter.screen.contains("can you hear me"))
      #expect(await natter.quit() == .exited(0))
      await peer.signOut()
      await blocked.signOut()
    }

    @Test(arguments: ServerKind.allCases)
    func `a report goes to a server that accepts reports; elsewhere none is claimed`(
      kind: ServerKind
    ) async throws {
      let alice = try await TestAccount("alice", on: kind)
      let eve = try await TestAccount("eve", on: kind)
      let natter = try alice.natter()
      let other = try await alice.slixmpp()
      try await natter.waitsOnline()
      try await natter.say("/add \(eve.jid)")
      try await natter.lists(eve.name, presence: "·")
      natter.terminal.press(.f(3))
      try await natter.shows(eve.jid, "Sharing")
      natter.terminal.press(.right)
      natter.terminal.press(.enter)
      try await natter.shows("Block and report...")
      try await natter.choose("Block and report...")
      try await natter.shows("In your words")
      natter.terminal.press(.tab)
      natter.terminal.type("sells orchids")
      try await natter.shows("sells orchids")
      natter.terminal.press(.enter)
      try await natter.shows(
        kind == .prosody ? "your server has the report" : "Your server accepts no reports")
      if kind == .prosody {
        try await other.message {
          $0.body == "Reported \(eve.jid) for urn:xmpp:reporting:spam: sells orchids"
        }
      }
      let list = try await other.ask("get", "<blocklist xmlns='urn:xmpp:blocking'/>")
      #expect(list.contains(eve.jid))
      #expect(await natter.quit() == .exited(0))
      await other.signOut()
    }

    @Test(arguments: ServerKind.allCases)
    func `an invitation's token reaches the inviter`(kind: ServerKind) async throws {
      let alice = try await TestAccount("alice", on: kind)
      let bob = try await TestAccount("bob", on: kind)
      let peer = try await bob.slixmpp()
      let natter = try NatterRun.account(
        alice.jid, alice.password, on: alice.server, more: ["xmpp:\(bob.jid)?roster;preauth=aB%201"]
      )
      try await natter.waitsOnline()
      try await natter.shows("Add \(bob.jid)")
      natter.terminal.press(.tab, .enter)
      try await peer.event("subscription") {
        $0.from == alice.jid && $0.xml?.contains("token=\"aB 1\"") == true
      }
      #expect(await natter.quit() == .exited(0))
      await peer.signOut()
    }

    @Test(arguments: ServerKind.allCases)
    func `the idle time is sent to a contact who asks, and not to a stranger`(
      kind: ServerKind
    ) async throws {
      let alice = try await TestAccount("alice", on: kind)
      let bob = try await TestAccount("bob", on: kind)
      let peer = try await bob.slixmpp()
      let natter = try alice.natter()
      try await natter.waitsOnline()
      try await natter.befriend(bob, at: peer, as: alice)
      let there = try await peer.event("presence") {
        $0.from?.hasPrefix(alice.jid + "/") == true && $0.type != "unavailable"
      }
      let address = there.from ?? ""
      let answer = try await peer.ask("get", "<query xmlns='jabber:iq:last'/>", of: address)
      #expect(answer.contains("seconds=\"0\""), "\(answer)")
      let stranger = try await TestAccount("eve", on: kind).slixmpp()
      let refusal = try await stranger.ask("get", "<query xmlns='jabber:iq:last'/>", of: address)
      #expect(refusal.contains("<error") && !refusal.contains("seconds="), "\(refusal)")
      #expect(await natter.quit() == .exited(0))
      await peer.signOut()
      await stranger.signOut()
    }
  }
}
