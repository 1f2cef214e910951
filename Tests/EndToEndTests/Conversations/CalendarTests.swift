import TestSupport
import Testing

extension Conversations {
  /// Calendars (XEP-0471) of somebody who is no contact, over times without a connection and `kill
  /// -9`.
  @Suite struct CalendarTests {
    private static let pubsub = "http://jabber.org/protocol/pubsub"
    private static let node = "urn:xmpp:calendar-events:0"

    private func set(_ payload: String, by peer: SlixmppPeer) async throws {
      let answer = try await peer.insist(
        "set", "<pubsub xmlns='\(Self.pubsub)'>\(payload)</pubsub>")
      #expect(!answer.contains("<error"), "\(answer)")
    }

    /// A calendar that everybody may read.
    private func openCalendar(by peer: SlixmppPeer) async throws {
      let fields = [
        ("FORM_TYPE", "http://jabber.org/protocol/pubsub#node_config"),
        ("pubsub#access_model", "open"), ("pubsub#persist_items", "1"), ("pubsub#max_items", "20"),
        ("pubsub#notify_retract", "1"),
      ].map { "<field var='\($0)'><value>\($1)</value></field>" }.joined()
      try await set(
        """
        <create node='\(Self.node)'/><configure><x xmlns='jabber:x:data' type='submit'>\(fields)</x>\
        </configure>
        """, by: peer)
    }

    private func publish(_ id: String, _ name: String, _ day: String, by peer: SlixmppPeer)
      async throws
    {
      try await set(
        """
        <publish node='\(Self.node)'><item id='\(id)'><event xmlns='\(Self.node)'>\
        <name>\(name)</name><start>\(day)T18:00:00Z</start><end>\(day)T20:00:00Z</end></event>\
        </item></publish>
        """, by: peer)
    }

    private func retract(_ id: String, by peer: SlixmppPeer) async throws {
      try await set(
        "<retract node='\(Self.node)' notify='true'><item id='\(id)'/></retract>", by: peer)
    }

    @Test(arguments: ServerKind.allCases)
    func `a calendar is followed, changed and left without a connection, over a kill too`(
      kind: ServerKind
    ) async throws {
      let alice = try await TestAccount("alice", on: kind)
      let bob = try await TestAccount("bob", on: kind)
      let peer = try await bob.slixmpp()
      try await openCalendar(by: peer)
      try await publish("walk", "A walk", "2031-05-06", by: peer)
      try await publish("talk", "A talk", "2031-05-08", by: peer)
      let natter = try alice.natter()
      try await natter.waitsOnline()
      try await natter.hears(bob, at: peer, as: alice, on: kind)
      try await natter.say("/disconnect")
      try await natter.waitsOffline()
      try await natter.opens(discoverPage: "Events")
      try await natter.follow(.calendar, of: bob.jid)
      // Whether the events were announced before determines the text before it, and its width.
      try await natter.shows("pending: \(bob.jid.prefix { $0 != "@" })@", "Will be followed.")
      await natter.kill()

      let again = try natter.startsAgain()
      try await again.waitsOnline()
      try await again.opens(discoverPage: "Events")
      try await again.shows("A walk", "A talk", "2 upcoming events")
      try await again.hides("pending: ")
      // It is followed, and not only read.
      try await publish("picnic", "A picnic", "2031-05-09", by: peer)
      try await again.shows("A picnic", "3 upcoming events")
      await again.kill()

      // What happens to it while nobody is here.
      try await publish("walk", "A longer walk", "2031-06-01", by: peer)
      try await publish("dance", "A dance", "2031-06-02", by: peer)
      try await retract("talk", by: peer)
      let third = try natter.startsAgain()
      try await third.waitsOnline()
      try await third.opens(discoverPage: "Events")
      try await third.shows("A longer walk", "A dance", "A picnic")
      // A resumed session gets the new notifications; the rest is read.
      third.terminal.type("u")
      try await third.hides("A talk")
      try await third.shows("3 upcoming events")

      // It is left without a connection, and the server hears of it later.
      third.terminal.press(.f(2))
      try await third.say("/disconnect")
      try await third.waitsOffline()
      try await third.opens(discoverPage: "Events")
      third.terminal.press(.home)
      third.terminal.press(.delete)
      try await third.shows("Unfollow a calendar")
      third.terminal.press(.tab, .enter)
      try await third.shows("No upcoming events")
      await third.kill()
      let last = try natter.startsAgain()
      try await last.waitsOnline()
      let subscriptions = try await subscribers(without: alice.jid, asking: peer)
      #expect(!subscriptions.contains(alice.jid), "\(subscriptions)")
      try await last.opens(discoverPage: "Events")
      #expect(!last.screen.contains("A dance"))
      #expect(await last.quit() == .exited(0))
      await peer.signOut()
    }

    /// Returns the subscribers that the owner's server lists, once `jid` is not among them.
    private func subscribers(without jid: String, asking peer: SlixmppPeer) async throws -> String {
      var answer = ""
      let limit = ContinuousClock.now + Duration.seconds(60).withPatience
      while ContinuousClock.now < limit {
        answer = try await peer.ask(
          "get",
          """
          <pubsub xmlns='\(Self.pubsub)#owner'><subscriptions node='\(Self.node)'/></pubsub>
          """)
        if !answer.contains(jid) { break }
      }
      return answer
    }

    @Test(arguments: ServerKind.allCases)
    func `a calendar without events, and one that waits, are left on the screen`(kind: ServerKind)
      async throws
    {
      let alice = try await TestAccount("alice", on: kind)
      let bob = try await TestAccount("bob", on: kind)
      let peer = try await bob.slixmpp()
      try await openCalendar(by: peer)
      let natter = try alice.natter()
      try await natter.waitsOnline()
      try await natter.opens(discoverPage: "Events")
      try await natter.follow(.calendar, of: bob.jid)
      try await natter.shows("No upcoming events.", bob.jid, "Del unfollows it")
      natter.terminal.press(.delete)
      try await natter.shows("Unfollow a calendar")
      natter.terminal.press(.tab, .enter)
      try await natter.hides("Del unfollows it")
      natter.terminal.press(.f(2))
      try await natter.say("/disconnect")
      try await natter.waitsOffline()
      try await natter.opens(discoverPage: "Events")
      try await natter.follow(.calendar, of: "nobody@\(alice.server.domain)")
      try await natter.shows("Will be followed.", "pending: nobody")
      natter.terminal.press(.delete)
      try await natter.shows("Unfollow a calendar")
      natter.terminal.press(.tab, .enter)
      try await natter.hides("Will be followed.")
      #expect(!natter.screen.contains("pending: "))
      #expect(await natter.quit() == .exited(0))
      await peer.signOut()
    }
  }
}
