import Foundation
import TestSupport
import Testing

extension Conversations {
  /// Events of calendars, with a client that others wrote as the guest and as the host.
  @Suite struct EventTests {
    private static let pubsub = "http://jabber.org/protocol/pubsub"
    private static let node = "urn:xmpp:calendar-events:0"

    /// Two accounts that see each other's presence, the second one's client.
    private func contacts(_ kind: ServerKind) async throws -> (
      NatterRun, SlixmppPeer, TestAccount, TestAccount
    ) {
      let alice = try await TestAccount("alice", on: kind)
      let bob = try await TestAccount("bob", on: kind)
      let peer = try await bob.slixmpp()
      let natter = try alice.natter()
      try await natter.waitsOnline()
      try await natter.befriend(bob, at: peer, as: alice)
      return (natter, peer, alice, bob)
    }

    /// Asks until the answer has what is waited for.
    private func items(
      of node: String, at jid: String, has text: String, asking peer: SlixmppPeer
    ) async throws -> String {
      var answer = ""
      let limit = ContinuousClock.now + Duration.seconds(60).withPatience
      while ContinuousClock.now < limit {
        answer = try await peer.ask(
          "get", "<pubsub xmlns='\(Self.pubsub)'><items node='\(node)'/></pubsub>", of: jid)
        if answer.contains(text) { break }
      }
      return answer
    }

    private func answersNode(of item: String, at jid: String) -> String {
      "urn:xmpp:pubsub-attachments:1/xmpp:\(jid)?;node=urn%3Axmpp%3Acalendar-events%3A0;item=\(item)"
    }

    @Test(arguments: ServerKind.allCases)
    func `a contact sees a new event, and their answer arrives`(kind: ServerKind)
      async throws
    {
      let (natter, peer, alice, bob) = try await contacts(kind)
      try await natter.opens(discoverPage: "Events")
      natter.terminal.type("a")
      try await natter.shows("Create an event")
      natter.terminal.press(.enter)
      try await natter.shows("Ask who is coming")
      natter.terminal.type("Tea for two")
      natter.terminal.press(.tab)
      natter.terminal.press(.end, .control("u"))
      natter.terminal.type("2031-05-06")
      try await natter.shows("Tea for two", "2031-05-06")
      natter.terminal.press(.enter)
      try await natter.shows("The event is in your calendar.", "2031-05-06 18:00", "Tea for two")
      // What the contact's client is given.
      let event = try await items(
        of: Self.node, at: alice.jid, has: "Tea for two", asking: peer)
      let start = try #require(event.range(of: "<item id=\""), "\(event)")
      let item = String(event[start.upperBound...].prefix { $0 != "\"" })
      #expect(event.contains("<rsvp") && event.contains("attending"), "\(event)")
      let node = answersNode(of: item, at: alice.jid)
      let reported = try await peer.insist(
        "set",
        """
        <pubsub xmlns='\(Self.pubsub)'><publish node='\(node)'><item id='\(bob.jid)'>\
        <attachments xmlns='urn:xmpp:pubsub-attachments:1'><rsvp xmlns='\(Self.node)'>\
        <x xmlns='jabber:x:data' type='submit'><field var='attending'><value>yes</value></field></x>\
        </rsvp></attachments></item></publish></pubsub>
        """, of: alice.jid)
      #expect(!reported.contains("<error"), "\(reported)")
      natter.terminal.press(.enter)
      try await natter.shows("going (1)", bob.name)
      natter.terminal.press(.escape)
      // Esc and what follows at once would be one key.
      try await natter.hides("going (1)")
      #expect(await natter.quit() == .exited(0))
      await peer.signOut()
    }

    @Test(arguments: ServerKind.allCases)
    func `a contact's event arrives by itself, is answered, and disappears when deleted`(
      kind: ServerKind
    ) async throws {
      let (natter, peer, alice, bob) = try await contacts(kind)
      let node = answersNode(of: "walk", at: bob.jid)
      for (name, publishers) in [(Self.node, "publishers"), (node, "open")] {
        let fields = [
          ("FORM_TYPE", "http://jabber.org/protocol/pubsub#node_config"),
          ("pubsub#access_model", "presence"), ("pubsub#publish_model", publishers),
          ("pubsub#persist_items", "1"), ("pubsub#max_items", "20"),
          ("pubsub#notify_retract", "1"),
        ].map { "<field var='\($0)'><value>\($1)</value></field>" }.joined()
        let made = try await peer.insist(
          "set",
          """
          <pubsub xmlns='\(Self.pubsub)'><create node='\(name)'/><configure>\
          <x xmlns='jabber:x:data' type='submit'>\(fields)</x></configure></pubsub>
          """)
        #expect(!made.contains("<error"), "\(made)")
      }
      try await natter.opens(discoverPage: "Events")
      // A server notifies only clients whose features it has queried by then, which is not visible:
      // so it is sent again.
      for _ in 0..<20 where !natter.screen.contains("A walk") {
        let published = try await peer.insist(
          "set",
          """
          <pubsub xmlns='\(Self.pubsub)'><publish node='\(Self.node)'><item id='walk'>\
          <event xmlns='\(Self.node)'><name>A walk</name><start>2031-05-06T18:00:00Z</start>\
          <end>2031-05-06T20:00:00Z</end><rsvp><x xmlns='jabber:x:data' type='form'/></rsvp></event>\
          </item></publish></pubsub>
          """)
        #expect(!published.contains("<error"), "\(published)")
        _ = await natter.terminal.waits(upTo: .seconds(5)) { $0.contains("A walk") }
      }
      try await natter.shows("A walk", "1 upcoming event")
      natter.terminal.type(" ")
      try await natter.shows("I am not going")
      natter.terminal.press(.enter)
      try await natter.shows("Your answer is sent.", "going")
      let answers = try await items(of: node, at: bob.jid, has: alice.jid, asking: peer)
      #expect(answers.contains("<value>yes</value>"), "\(answers)")
      // The month has it too.
      natter.terminal.type("s")
      try await natter.shows("May 2031", ":00 A walk")
      natter.terminal.type("s")
      try await natter.shows("WHEN", "2031-05-")
      let gone = try await peer.insist(
        "set",
        """
        <pubsub xmlns='\(Self.pubsub)'><retract node='\(Self.node)' notify='true'>\
        <item id='walk'/></retract></pubsub>
        """)
      #expect(!gone.contains("<error"), "\(gone)")
      // ejabberd notifies followers by presence of new items, and not of removed ones: these are
      // read.
      natter.terminal.type("u")
      try await natter.shows("0 upcoming events")
      #expect(await natter.quit() == .exited(0))
      await peer.signOut()
    }

    @Test(arguments: ServerKind.allCases)
    func
      `an event that is planned offline waits, and is in the calendar once there is a connection`(
        kind: ServerKind
      ) async throws
    {
      let alice = try await TestAccount("alice", on: kind)
      let natter = try alice.natter()
      try await natter.waitsOnline()
      try await natter.say("/disconnect")
      try await natter.waitsOffline()
      try await natter.opens(discoverPage: "Events")
      natter.terminal.type("a")
      try await natter.shows("Create an event")
      natter.terminal.press(.enter)
      try await natter.shows("Ask who is coming")
      natter.terminal.type("Planned on a train")
      natter.terminal.press(.tab)
      natter.terminal.press(.end, .control("u"))
      natter.terminal.type("2031-05-06")
      try await natter.shows("Planned on a train", "2031-05-06")
      natter.terminal.press(.enter)
      try await natter.shows("It waits for a connection.", "2031-05-06 18:00")
      #expect(await natter.quit() == .exited(0))
      let again = try natter.startsAgain()
      try await again.waitsOnline()
      let other = try await alice.slixmpp()
      let answer = try await items(
        of: Self.node, at: alice.jid, has: "Planned on a train", asking: other)
      #expect(answer.components(separatedBy: "Planned on a train").count == 2, "\(answer)")
      #expect(await again.quit() == .exited(0))
      await other.signOut()
    }
  }
}
