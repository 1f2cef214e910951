import Foundation
import TestSupport
import Testing

extension Conversations {
  /// Natter finds what a client that others wrote has made for everybody.
  @Suite struct DiscoverTests {
    /// A public room with a name, an owner inside and something said in it.
    private func publicRoom(_ name: String, by peer: SlixmppPeer, on server: any XMPPServer)
      async throws -> String
    {
      let room = "\(UniqueName.next("den"))@rooms.\(server.domain)"
      try await peer.enter(room, as: "bob")
      let fields = [
        ("FORM_TYPE", "http://jabber.org/protocol/muc#roomconfig"),
        ("muc#roomconfig_roomname", name),
        ("muc#roomconfig_publicroom", "1"), ("muc#roomconfig_persistentroom", "1"),
      ].map { "<field var='\($0)'><value>\($1)</value></field>" }.joined()
      try await peer.send(
        xml: """
          <iq type='set' to='\(room)' id='open'><query xmlns='http://jabber.org/protocol/muc#owner'>\
          <x xmlns='jabber:x:data' type='submit'>\(fields)</x></query></iq>
          """)
      try await peer.send(
        xml: "<message to='\(room)' type='groupchat' id='s1'><body>said before</body></message>")
      try await peer.message { $0.body == "said before" }
      return room
    }

    @Test(arguments: ServerKind.allCases)
    func `a public room that another client made is found, looked at and joined`(kind: ServerKind)
      async throws
    {
      let alice = try await TestAccount("alice", on: kind)
      let peer = try await TestAccount("bob", on: kind).slixmpp()
      let name = UniqueName.next("Orchid lovers ")
      let room = try await publicRoom(name, by: peer, on: alice.server)
      let home = try Home()
      let natter = try alice.natter(home: home)
      try await natter.waitsOnline()
      natter.terminal.press(.f4)
      try await natter.shows("[Rooms]", name, "as of")
      natter.terminal.type("/")
      natter.terminal.type("orchid \(name.suffix(4))")
      try await natter.shows("1 room", room)
      natter.terminal.press(.enter)
      // The room's public information; Prosody does not report the occupants.
      try await natter.shows("1 person", "bob: said before", "Join")
      if kind == .ejabberd { try await natter.shows("Here now  bob") }
      natter.terminal.press(.enter)
      try await natter.shows("2 people", "said before")
      try await peer.event("presence") { $0.from == "\(room)/\(alice.name)" }
      #expect(await natter.quit() == .exited(0))

      // What was found is there at once next time, with its age, and without a server.
      await peer.signOut()
      let again = try await natter.startsWithoutServer()
      again.terminal.press(.f4)
      try await again.shows(name, "as of")
      #expect(await again.quit() == .exited(0))
    }

    @Test func `an invitation that Prosody creates is shown as a QR code`()
      async throws
    {
      let alice = try await TestAccount("alice", on: .prosody)
      let natter = try alice.natter(rows: 50)
      try await natter.waitsOnline()
      natter.terminal.press(.f4)
      natter.terminal.press(.left)
      try await natter.shows("[Invitations]", "Your address")
      natter.terminal.type("a")
      try await natter.shows("Invite a contact", "preauth=", "▀")
      natter.terminal.press(.enter)
      try await natter.shows("1 invitation")
      #expect(await natter.quit() == .exited(0))
    }

    @Test func `ejabberd makes no invitations, which is said, and the own address is shared`()
      async throws
    {
      // ejabberd 23.01 has no module that makes any (XEP-0401).
      let alice = try await TestAccount("alice", on: .ejabberd)
      let other = try await alice.slixmpp()
      let commands = try await other.ask(
        "get",
        """
        <query xmlns='http://jabber.org/protocol/disco#items' \
        node='http://jabber.org/protocol/commands'/>
        """, of: alice.server.domain)
      #expect(!commands.contains("urn:xmpp:invite"), "\(commands)")
      await other.signOut()
      let natter = try alice.natter(rows: 50)
      try await natter.waitsOnline()
      natter.terminal.press(.f4)
      natter.terminal.press(.left)
      try await natter.shows("[Invitations]", "Your address")
      natter.terminal.type("a")
      try await natter.shows("This server creates no invitations. Enter shares your address.")
      natter.terminal.press(.enter)
      try await natter.shows("xmpp:\(alice.jid)", "have it scanned", "▀")
      natter.terminal.press(.enter)
      try await natter.hides("have it scanned")
      #expect(await natter.quit() == .exited(0))
    }

    @Test(arguments: ServerKind.allCases)
    func `the components of the server are listed with what they offer`(kind: ServerKind)
      async throws
    {
      let alice = try await TestAccount("alice", on: kind)
      let natter = try alice.natter()
      try await natter.waitsOnline()
      try await natter.opens(discoverPage: "Services")
      try await natter.shows("file upload", "rooms", "copies to all devices", "as of")
      #expect(await natter.quit() == .exited(0))
    }

    @Test func `the rooms of the built-in server are found, by a typed command`() async throws {
      let home = try Home()
      let natter = try NatterRun.local(isFresh: true, home: home)
      try await natter.waitsOnline()
      try await natter.say("/join orchids")
      try await natter.shows("The room is new")
      try await natter.enter("/discover orch")
      try await natter.shows("[Rooms]", "orchids", "1 room")
      #expect(await natter.quit() == .exited(0))
    }

    // MARK: Feeds

    private func publish(_ id: String, _ title: String, by peer: SlixmppPeer) async throws {
      let answer = try await peer.insist(
        "set",
        """
        <pubsub xmlns='http://jabber.org/protocol/pubsub'><publish node='urn:xmpp:microblog:0'>\
        <item id='\(id)'><entry xmlns='http://www.w3.org/2005/Atom'><title>\(title)</title>\
        <id>\(id)</id><published>2026-11-20T13:00:00Z</published></entry></item></publish></pubsub>
        """)
      #expect(!answer.contains("<error"), "\(answer)")
    }

    /// A feed that everybody may read.
    private func openFeed(by peer: SlixmppPeer) async throws {
      let fields = [
        ("FORM_TYPE", "http://jabber.org/protocol/pubsub#node_config"),
        ("pubsub#access_model", "open"), ("pubsub#persist_items", "1"), ("pubsub#max_items", "20"),
      ].map { "<field var='\($0)'><value>\($1)</value></field>" }.joined()
      let answer = try await peer.insist(
        "set",
        """
        <pubsub xmlns='http://jabber.org/protocol/pubsub'><create node='urn:xmpp:microblog:0'/>\
        <configure><x xmlns='jabber:x:data' type='submit'>\(fields)</x></configure></pubsub>
        """)
      #expect(!answer.contains("<error"), "\(answer)")
    }

    @Test(arguments: ServerKind.allCases)
    func `posts of a followed feed arrive by themselves, and stay read`(kind: ServerKind)
      async throws
    {
      let alice = try await TestAccount("alice", on: kind)
      let bob = try await TestAccount("bob", on: kind)
      let peer = try await bob.slixmpp()
      try await openFeed(by: peer)
      try await publish("p1", "A heron by the canal", by: peer)
      let natter = try alice.natter()
      try await natter.waitsOnline()
      try await natter.hears(bob, at: peer, as: alice, on: kind)
      try await natter.opens(discoverPage: "Feeds")
      try await natter.shows("No posts yet")
      try await natter.follow(.feed, of: bob.jid)
      try await natter.shows("A heron by the canal", "1 unread")
      try await publish("p2", "It has flown away", by: peer)
      try await natter.shows("It has flown away", "2 unread")
      natter.terminal.press(.enter)
      try await natter.shows("1 unread", "Close")
      natter.terminal.press(.enter)
      #expect(await natter.quit() == .exited(0))
      let again = try natter.startsAgain()
      try await again.waitsOnline()
      try await again.opens(discoverPage: "Feeds")
      try await again.shows("It has flown away", "1 unread")
      #expect(await again.quit() == .exited(0))
      await peer.signOut()
    }

    @Test(arguments: ServerKind.allCases)
    func `a feed without posts is listed, and left on the screen`(kind: ServerKind) async throws {
      let alice = try await TestAccount("alice", on: kind)
      let bob = try await TestAccount("bob", on: kind)
      let peer = try await bob.slixmpp()
      try await openFeed(by: peer)
      let natter = try alice.natter()
      try await natter.waitsOnline()
      try await natter.opens(discoverPage: "Feeds")
      try await natter.shows("No posts yet")
      try await natter.follow(.feed, of: bob.jid)
      try await natter.shows("1 feed", bob.jid, "Del unfollows it")
      natter.terminal.press(.delete)
      try await natter.shows("Unfollow a feed")
      natter.terminal.press(.tab, .enter)
      try await natter.shows("0 feeds", "Press a to write one")
      // What is posted now is nobody's business here, also for another client of the account.
      // The list on the screen is a moment ahead of the server.
      try await until("still subscribed") {
        let subscriptions = try await peer.ask(
          "get",
          """
          <pubsub xmlns='http://jabber.org/protocol/pubsub#owner'>\
          <subscriptions node='urn:xmpp:microblog:0'/></pubsub>
          """)
        return !subscriptions.contains(alice.jid)
      }
      #expect(await natter.quit() == .exited(0))
      await peer.signOut()
    }

    @Test(arguments: ServerKind.allCases)
    func `the user's own post is in the feed, with a node for comments`(kind: ServerKind)
      async throws
    {
      let alice = try await TestAccount("alice", on: kind)
      let natter = try alice.natter()
      try await natter.waitsOnline()
      try await natter.opens(discoverPage: "Feeds")
      natter.terminal.type("a")
      try await natter.shows("Write a post")
      natter.terminal.press(.enter)
      try await natter.shows("It goes into your own feed")
      natter.terminal.type("Hello from Natter")
      try await natter.shows("Hello from Natter")
      natter.terminal.press(.enter)
      try await natter.shows("Published in your feed.", "1 feed")
      // What another client of the account sees.
      let other = try await alice.slixmpp()
      let answer = try await other.ask(
        "get",
        """
        <pubsub xmlns='http://jabber.org/protocol/pubsub'><items node='urn:xmpp:microblog:0'/></pubsub>
        """, of: alice.jid)
      #expect(
        answer.contains("Hello from Natter") && answer.contains("rel=\"replies\""), "\(answer)")
      natter.terminal.press(.enter)
      try await natter.shows("Comment")
      natter.terminal.press(.enter)
      #expect(await natter.quit() == .exited(0))
      await other.signOut()
    }

    @Test(arguments: ServerKind.allCases)
    func `a post that is written offline waits, and is in the feed once there is a connection`(
      kind: ServerKind
    ) async throws {
      let alice = try await TestAccount("alice", on: kind)
      let natter = try alice.natter()
      try await natter.waitsOnline()
      try await natter.say("/disconnect")
      try await natter.waitsOffline()
      try await natter.opens(discoverPage: "Feeds")
      natter.terminal.type("a")
      try await natter.shows("Write a post")
      natter.terminal.press(.enter)
      try await natter.shows("It goes into your own feed")
      natter.terminal.type("Written on a train")
      try await natter.shows("Written on a train")
      natter.terminal.press(.enter)
      try await natter.shows("It waits for a connection", "pending")
      #expect(await natter.quit() == .exited(0))
      // It is there after a restart, and goes by itself.
      let again = try natter.startsAgain()
      try await again.waitsOnline()
      try await again.opens(discoverPage: "Feeds")
      try await again.shows("Written on a train", "1 feed")
      try await again.hides("pending")
      let other = try await alice.slixmpp()
      let answer = try await other.ask(
        "get",
        """
        <pubsub xmlns='http://jabber.org/protocol/pubsub'><items node='urn:xmpp:microblog:0'/></pubsub>
        """, of: alice.jid)
      #expect(answer.components(separatedBy: "Written on a train").count == 2, "\(answer)")
      #expect(await again.quit() == .exited(0))
      await other.signOut()
    }

    @Test(arguments: ServerKind.allCases)
    func `a feed that is followed offline is read once there is a connection, over a kill too`(
      kind: ServerKind
    ) async throws {
      let alice = try await TestAccount("alice", on: kind)
      let bob = try await TestAccount("bob", on: kind)
      let peer = try await bob.slixmpp()
      try await openFeed(by: peer)
      try await publish("p1", "A heron by the canal", by: peer)
      let natter = try alice.natter()
      try await natter.waitsOnline()
      try await natter.hears(bob, at: peer, as: alice, on: kind)
      try await natter.say("/disconnect")
      try await natter.waitsOffline()
      try await natter.opens(discoverPage: "Feeds")
      try await natter.follow(.feed, of: bob.jid)
      try await natter.shows("It waits for a connection", "pending: \(bob.jid)")
      await natter.kill()
      let again = try natter.startsAgain()
      try await again.waitsOnline()
      try await again.opens(discoverPage: "Feeds")
      try await again.shows("A heron by the canal", "1 feed")
      try await again.hides("pending: ")
      // It is followed, and not only read.
      try await publish("p2", "It has flown away", by: peer)
      try await again.shows("It has flown away")
      #expect(await again.quit() == .exited(0))
      await peer.signOut()
    }
  }
}
