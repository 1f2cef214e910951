import Foundation
import TestSupport
import Testing

extension Conversations {
  /// The actions of owners and occupants in rooms, with other clients beside Natter.
  @Suite struct RoomOwnerTests {
    func room(on server: any XMPPServer) -> String {
      "\(UniqueName.next("den"))@rooms.\(server.domain)"
    }

    /// Knocks, without waiting for what comes of it.
    private func knock(at room: String, as nick: String, by peer: SlixmppPeer) async throws {
      try await peer.send(
        xml:
          "<presence to='\(room)/\(nick)'><x xmlns='http://jabber.org/protocol/muc'/></presence>")
    }

    func join(_ room: String, as nick: String, by peer: SlixmppPeer) async throws {
      try await knock(at: room, as: nick, by: peer)
      try await peer.event("seat") {
        $0.from == "\(room)/\(nick)" && $0.type != "error" && $0.hasStatus("110")
      }
    }

    /// Waits until an invitation to a room arrives, mediated or direct.
    private func isInvited(_ peer: SlixmppPeer, to room: String, because reason: String)
      async throws
    {
      _ = await peer.waits(upTo: .seconds(60)) { $0.contains { $0.invites(to: room) } }
      let invitation = try #require(
        peer.events.first { $0.invites(to: room) }, "\(peer.events.suffix(5))")
      #expect(invitation.xml?.contains(reason) == true, "\(invitation)")
    }

    @Test(arguments: ServerKind.allCases)
    func `Natter makes a room, configures it, invites, bans and ends it, and everybody is notified`(
      kind: ServerKind
    ) async throws {
      let alice = try await TestAccount("alice", on: kind)
      let loud = try await TestAccount("bob", on: kind)
      let bob = try await loud.slixmpp()
      let carol = try await TestAccount("carol", on: kind)
      let guest = try await carol.slixmpp()
      let room = room(on: alice.server)
      let natter = try alice.natter()
      try await natter.waitsOnline()
      try await natter.say("/join \(room)")
      try await natter.shows("The room is new", "1 person")
      try await join(room, as: "bob", by: bob)
      try await natter.shows("2 people")

      // The settings: occupants are notified that they changed, and get them on request. The form
      // may be there before the input is seen to be empty.
      try await natter.enter("/config")
      try await natter.shows("Settings of")
      natter.terminal.press(.control("u"))
      natter.terminal.type("Wolfsden")
      try await natter.shows("Settings of", "Wolfsden")
      natter.terminal.press(.enter)
      try await natter.hides("Settings of")
      try await natter.shows("The room's settings")
      try await natter.expects("the new name in the header") {
        $0.text(row: 1).contains("Wolfsden")
      }
      try await bob.event("stanza") {
        $0.from == room && $0.hasStatus("104")
      }
      let described = try await bob.ask(
        "get", "<query xmlns='http://jabber.org/protocol/disco#info'/>", of: room)
      #expect(described.contains("Wolfsden"), "\(described)")

      try await natter.say("/invite \(carol.jid) it is warm")
      try await natter.shows("Invitation sent to \(carol.jid).")
      try await isInvited(guest, to: room, because: "it is warm")
      try await join(room, as: "carol", by: guest)
      try await natter.shows("3 people")

      // ejabberd lets an occupant in again whose role was changed, although they are banned:
      // another one is banned below.
      for (role, words) in [
        ("visitor", "carol can only listen here now."), ("moderator", "carol is a moderator now."),
        ("participant", "carol may speak here now."),
      ] {
        try await natter.say("/role \(role) carol")
        try await natter.shows(words)
        try await bob.event("seat") {
          $0.from == "\(room)/carol" && $0.xml?.contains("role=\"\(role)\"") == true
        }
      }
      try await natter.say("/ban bob too loud")
      try await natter.shows("bob was banned", "2 people")
      let out = try await bob.event("seat") {
        $0.from == "\(room)/bob" && $0.type == "unavailable"
      }
      #expect(out.hasStatus("301"), "\(out)")
      try await guest.event("seat") { $0.from == "\(room)/bob" && $0.hasStatus("301") }
      try await knock(at: room, as: "bob", by: bob)
      let refusal = try await bob.event("seat") { $0.type == "error" }
      #expect(refusal.xml?.contains("forbidden") == true, "\(refusal)")
      try await natter.say("/affiliation outcast")
      try await natter.shows(loud.jid)

      try await natter.enter("/destroy closing time")
      try await natter.shows("for everybody?", "Destroy")
      // Enter alone would leave it as it is.
      natter.terminal.press(.tab, .enter)
      try await natter.shows("This room was destroyed")
      let end = try await guest.event("seat") {
        $0.type == "unavailable" && $0.xml?.contains("destroy") == true
      }
      #expect(end.from == "\(room)/carol")
      #expect(end.xml?.contains("closing time") == true, "\(end)")
      let gone = try await guest.ask(
        "get", "<query xmlns='http://jabber.org/protocol/disco#info'/>", of: room)
      // A room of Prosody that was to stay leaves a stone behind, with what was said at its end.
      #expect(gone.contains("item-not-found") || gone.contains("<gone "), "\(gone)")
      #expect(await natter.quit() == .exited(0))
      await bob.signOut()
      await guest.signOut()
    }

    @Test(arguments: ServerKind.allCases)
    func `a room that was ended while Natter was away is reported, and not made anew`(
      kind: ServerKind
    ) async throws {
      let alice = try await TestAccount("alice", on: kind)
      let bob = try await TestAccount("bob", on: kind).slixmpp()
      let room = room(on: alice.server)
      let home = try Home()
      try await join(room, as: "bob", by: bob)
      _ = try await bob.ask(
        "set",
        "<query xmlns='http://jabber.org/protocol/muc#owner'><x xmlns='jabber:x:data' type='submit'/></query>",
        of: room)
      let first = try alice.natter(home: home)
      try await first.waitsOnline()
      try await first.say("/join \(room)")
      try await first.shows("2 people")
      #expect(await first.quit() == .exited(0))

      _ = try await bob.ask(
        "set",
        "<query xmlns='http://jabber.org/protocol/muc#owner'><destroy><reason>closing time</reason></destroy></query>",
        of: room)
      let second = try alice.natter(home: home)
      try await second.waitsOnline()
      // A room of Prosody that was to stay leaves a stone behind.
      try await second.expects("what became of the room") {
        $0.contains("no longer exists") || $0.contains("This room was destroyed")
      }
      let gone = try await bob.ask(
        "get", "<query xmlns='http://jabber.org/protocol/disco#info'/>", of: room)
      #expect(gone.contains("item-not-found") || gone.contains("<gone "), "\(gone)")

      // Who asks for it gets it.
      try await second.say("/join \(room)")
      try await second.expects("the room, or why not") {
        $0.contains("The room is new") || $0.contains("This room was destroyed")
      }
      #expect(await second.quit() == .exited(0))
      await bob.signOut()
    }

    @Test(arguments: ServerKind.allCases)
    func `the settings of a room are called by their French names, whatever the server calls them`(
      kind: ServerKind
    ) async throws {
      let french = try texts(of: "fr")
      let alice = try await TestAccount("alice", on: kind)
      let home = try Home()
      try home.folder.write("[ui]\nlanguage = \"fr\"\n", to: "config/natter/config.toml")
      let natter = try alice.natter(home: home)
      try await natter.expects("a connection") { $0.text(row: 0).contains("en ligne") }
      let room = room(on: alice.server)
      try await natter.say("/join \(room)")
      try await natter.shows(String(try #require(french["room.created"]).prefix(20)))
      // The form may be there before the input is seen to be empty.
      try await natter.enter("/config")
      try await natter.shows("Nom ", "Description", "Reste quand tout le monde est parti")
      // Narrow, a long name takes as many rows as it needs.
      natter.terminal.resize(rows: 24, columns: 40)
      try await natter.shows("Nom ", "] Reste quand tout le monde est", "parti")
      natter.terminal.press(.escape)
      try await natter.hides("Reste quand")
      #expect(await natter.quit() == .exited(0))
    }

    @Test(arguments: ServerKind.allCases)
    func `for members only, the room itself carries the invitation, and lets the guest in`(
      kind: ServerKind
    ) async throws {
      let alice = try await TestAccount("alice", on: kind)
      let carol = try await TestAccount("carol", on: kind)
      let guest = try await carol.slixmpp()
      let room = room(on: alice.server)
      let natter = try alice.natter()
      try await natter.waitsOnline()
      try await natter.say("/join \(room)")
      try await natter.shows("The room is new", "1 person")
      // By another of the owner's clients: its position in the form depends on the server.
      let owner = try await alice.slixmpp()
      let answer = try await owner.ask(
        "set",
        """
        <query xmlns='http://jabber.org/protocol/muc#owner'><x xmlns='jabber:x:data' \
        type='submit'><field var='FORM_TYPE'><value>http://jabber.org/protocol/muc#roomconfig\
        </value></field><field var='muc#roomconfig_membersonly'><value>1</value></field></x></query>
        """, of: room)
      #expect(answer.contains("type=\"result\""), "\(answer)")
      try await natter.shows("The room's settings were changed.")
      try await knock(at: room, as: "carol", by: guest)
      try await guest.event("seat") {
        $0.type == "error" && $0.xml?.contains("registration-required") == true
      }
      try await natter.say("/invite \(carol.jid) come")
      try await isInvited(guest, to: room, because: "come")
      let invitation = try #require(guest.events.first { $0.invites(to: room) })
      #expect(invitation.from == room, "\(invitation)")
      try await join(room, as: "carol", by: guest)
      try await natter.shows("2 people")
      #expect(await natter.quit() == .exited(0))
      await owner.signOut()
      await guest.signOut()
    }

    @Test(arguments: ServerKind.allCases)
    func `a taken name is reported, another one goes in, and private messages go both ways`(
      kind: ServerKind
    ) async throws {
      let alice = try await TestAccount("alice", on: kind)
      let peer = try await TestAccount("bob", on: kind).slixmpp()
      let room = room(on: alice.server)
      try await join(room, as: "bob", by: peer)
      try await peer.open(room)
      _ = try await peer.roster()
      let natter = try alice.natter()
      try await natter.waitsOnline()
      try await natter.say("/join \(room) bob")
      try await natter.shows("The nick bob is taken", "/nick NAME")
      try await natter.say("/nick ali")
      try await natter.shows("2 people")
      try await peer.event("seat") { $0.from == "\(room)/ali" }

      try await peer.send(
        xml: """
          <message to='\(room)/ali' type='chat' id='\(UUID().uuidString)'><body>only for you</body>\
          <x xmlns='http://jabber.org/protocol/muc#user'/></message>
          """)
      try await natter.lists("bob", unread: 1)
      #expect(natter.count(of: "only for you") == 0)
      natter.terminal.press(.alt("a"))
      try await natter.shows("only for you")
      #expect(natter.count(of: "only for you") == 1)
      try await natter.say("and only for you, too")
      let answer = try await peer.message { $0.body == "and only for you, too" }
      #expect(answer.type == "chat")
      #expect(answer.from == "\(room)/ali")
      try await natter.shows("and only for you, too", tick: "✓")
      #expect(natter.count(of: "and only for you, too") == 1)
      #expect(await natter.quit() == .exited(0))
      await peer.signOut()
    }
  }
}

extension SlixmppPeer.Event {
  /// Indicates whether it contains a room's status code (XEP-0045 §15.6).
  fileprivate func hasStatus(_ code: String) -> Bool {
    xml?.contains("code=\"\(code)\"") == true
  }

  /// Indicates whether it is an invitation to `room`, mediated (XEP-0045 §7.8.2) or direct
  /// (XEP-0249).
  fileprivate func invites(to room: String) -> Bool {
    guard event == "message" || event == "stanza", let xml else { return false }
    return xml.contains("<invite") && from == room
      || xml.contains("jabber:x:conference") && xml.contains(room)
  }
}
