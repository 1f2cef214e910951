import TestSupport
import Testing

extension Conversations {
  /// Bookmarks and invitations of rooms, as a client that others wrote reads, writes and sends
  /// them.
  @Suite struct BookmarkTests {
    private static let pubsub = "http://jabber.org/protocol/pubsub"
    private static let node = "urn:xmpp:bookmarks:1"

    /// A room of the account's own server, with the other client inside.
    private func room(with peer: SlixmppPeer, on server: any XMPPServer) async throws -> String {
      let room = "\(UniqueName.next("den"))@rooms.\(server.domain)"
      try await peer.enter(room, as: "bob")
      try await peer.open(room)
      try await peer.send(
        xml: "<message to='\(room)' type='groupchat' id='s1'><body>it is open</body></message>")
      try await peer.message { $0.body == "it is open" }
      return room
    }

    /// The bookmarks that the server has, asked for until they have `text`.
    private func bookmarks(with text: String, asking peer: SlixmppPeer) async throws -> String {
      var answer = ""
      let limit = ContinuousClock.now + Duration.seconds(60).withPatience
      while ContinuousClock.now < limit {
        answer = try await peer.ask(
          "get", "<pubsub xmlns='\(Self.pubsub)'><items node='\(Self.node)'/></pubsub>")
        if answer.contains(text) { break }
      }
      return answer
    }

    @Test(arguments: ServerKind.allCases)
    func `a joined room is bookmarked for other clients, and their bookmarks are joined`(
      kind: ServerKind
    ) async throws {
      let alice = try await TestAccount("alice", on: kind)
      let bob = try await TestAccount("bob", on: kind)
      let (peer, other) = (try await bob.slixmpp(), try await alice.slixmpp())
      let first = try await room(with: peer, on: alice.server)
      let second = try await room(with: peer, on: alice.server)
      let natter = try alice.natter()
      try await natter.waitsOnline()
      try await natter.say("/join \(first)")
      try await natter.shows("2 people")
      let known = try await bookmarks(with: first, asking: other)
      #expect(known.contains("autojoin=\"true\"") || known.contains("autojoin=\"1\""), "\(known)")
      // What another client of the account bookmarks is entered here.
      let reported = try await other.insist(
        "set",
        """
        <pubsub xmlns='\(Self.pubsub)'><publish node='\(Self.node)'><item id='\(second)'>\
        <conference xmlns='\(Self.node)' name='Second den' autojoin='true'>\
        <nick>\(alice.name)</nick></conference></item></publish></pubsub>
        """)
      #expect(!reported.contains("<error"), "\(reported)")
      try await peer.event("presence") { $0.from == "\(second)/\(alice.name)" }
      try await natter.shows("Second den")
      #expect(await natter.quit() == .exited(0))
      await peer.signOut()
      await other.signOut()
    }

    @Test(arguments: ServerKind.allCases)
    func `a bookmark that another client takes out while Natter is away: its room is left for good`(
      kind: ServerKind
    ) async throws {
      let alice = try await TestAccount("alice", on: kind)
      let bob = try await TestAccount("bob", on: kind)
      let (peer, other) = (try await bob.slixmpp(), try await alice.slixmpp())
      let den = try await room(with: peer, on: alice.server)
      // A plain publish creates a node for one bookmark, and some servers report no retraction
      // (server-quirks.md, "ejabberd").
      let attic = "attic@rooms.\(alice.server.domain)"
      _ = try await other.insist(
        "set",
        """
        <pubsub xmlns='\(Self.pubsub)'><publish node='\(Self.node)'><item id='\(attic)'>\
        <conference xmlns='\(Self.node)' autojoin='false'/></item></publish></pubsub>
        """)
      let home = try Home()
      var natter = try alice.natter(home: home)
      try await natter.waitsOnline()
      try await natter.say("/join \(den)")
      try await natter.shows("2 people")
      let known = try await bookmarks(with: den, asking: other)
      #expect(known.contains(attic) && known.contains(den), "\(known)")
      #expect(await natter.quit() == .exited(0))
      let reported = try await other.insist(
        "set",
        """
        <pubsub xmlns='\(Self.pubsub)'><retract node='\(Self.node)' notify='true'>\
        <item id='\(den)'/></retract></pubsub>
        """)
      #expect(!reported.contains("<error"), "\(reported)")
      natter = try alice.natter(home: home)
      try await home.folder.holds("state/natter/natter.log") { $0.contains("out of the bookmarks") }
      #expect(await natter.quit() == .exited(0))
      // It is neither entered nor put back once more.
      natter = try alice.natter(home: home)
      try await natter.waitsOnline()
      try await peer.send(
        xml: "<message to='\(den)' type='groupchat' id='s2'><body>nobody hears it</body></message>")
      try await peer.message { $0.body == "nobody hears it" }
      #expect(
        try await !other.ask(
          "get", "<pubsub xmlns='\(Self.pubsub)'><items node='\(Self.node)'/></pubsub>"
        ).contains(den))
      #expect(await natter.quit() == .exited(0))
      #expect(natter.count(of: "nobody hears it") == 0)
      await peer.signOut()
      await other.signOut()
    }

    @Test(arguments: ServerKind.allCases)
    func `a direct invitation from another client is a request, and accepting it joins`(
      kind: ServerKind
    ) async throws {
      let alice = try await TestAccount("alice", on: kind)
      let bob = try await TestAccount("bob", on: kind)
      let peer = try await bob.slixmpp()
      let room = try await room(with: peer, on: alice.server)
      let natter = try alice.natter()
      try await natter.waitsOnline()
      try await natter.say("/join \(UniqueName.next("other"))")
      try await natter.shows("The room is new")
      try await peer.send(
        xml: """
          <message to='\(alice.jid)'><x xmlns='jabber:x:conference' jid='\(room)' \
          reason='Tea is ready'/></message>
          """)
      try await natter.shows("REQUESTS", "invites you")
      try await natter.opensFirstRequest()
      try await natter.shows("2 people")
      try await peer.event("presence") { $0.from == "\(room)/\(alice.name)" }
      #expect(await natter.quit() == .exited(0))
      await peer.signOut()
    }
  }
}
