import Foundation
import TestSupport
import Testing

extension Conversations {
  /// Rooms that do not let everybody in, on each server.
  @Suite struct RoomAccessTests {
    /// A room of slixmpp's with these settings.
    private func room(_ settings: [(String, String)], _ kind: ServerKind) async throws -> (
      alice: TestAccount, peer: SlixmppPeer, room: String
    ) {
      let alice = try await TestAccount("alice", on: kind)
      let peer = try await TestAccount("bob", on: kind).slixmpp()
      let room = "\(UniqueName.next("den"))@rooms.\(alice.server.domain)"
      try await peer.enter(room, as: "bob")
      let fields = settings.map {
        "<field var='muc#roomconfig_\($0.0)'><value>\($0.1)</value></field>"
      }
      try await peer.send(
        xml: """
          <iq type='set' to='\(room)' id='open'><query xmlns='http://jabber.org/protocol/muc#owner'>\
          <x xmlns='jabber:x:data' type='submit'><field var='FORM_TYPE'>\
          <value>http://jabber.org/protocol/muc#roomconfig</value></field>\(fields.joined())</x>\
          </query></iq>
          """)
      // The answer comes after what was sent before it was taken.
      _ = try await peer.roster()
      return (alice, peer, room)
    }

    @Test(arguments: ServerKind.allCases)
    func `a room with a password asks for it, says that one was wrong, and lets in`(
      kind: ServerKind
    ) async throws {
      let (alice, peer, room) = try await room(
        [("passwordprotectedroom", "1"), ("roomsecret", "sesame")], kind)
      let natter = try alice.natter()
      try await natter.waitsOnline()
      try await natter.enter("/join \(room)")
      try await natter.shows("needs a password.")
      natter.terminal.type("wrong")
      try await natter.expects("five letters that are not shown") {
        !$0.contains("wrong") && ($0.contains("•••••") || $0.contains("*****"))
      }
      natter.terminal.press(.enter)
      try await natter.shows("The room did not accept that password.")
      natter.terminal.type("sesame")
      try await natter.expects("six letters that are not shown") {
        !$0.contains("sesame") && ($0.contains("••••••") || $0.contains("******"))
      }
      natter.terminal.press(.enter)
      try await natter.shows("2 people")
      #expect(await natter.quit() == .exited(0))
      // The next start knows it.
      let again = try natter.startsAgain()
      try await again.waitsOnline()
      try await again.shows("2 people")
      #expect(await again.quit() == .exited(0))
      await peer.signOut()
    }

    @Test(arguments: ServerKind.allCases)
    func `who gives a room a password knows it from then on, on every device`(kind: ServerKind)
      async throws
    {
      let (alice, peer, room) = try await room([("persistentroom", "1")], kind)
      let answer = try await peer.ask(
        "set",
        """
        <query xmlns='http://jabber.org/protocol/muc#admin'>\
        <item affiliation='owner' jid='\(alice.jid)'/></query>
        """, of: room)
      #expect(answer.contains("type=\"result\""), "\(answer)")
      let natter = try alice.natter()
      try await natter.waitsOnline()
      try await natter.say("/join \(room)")
      try await natter.shows("2 people")
      try await natter.enter("/config")
      try await natter.shows("Settings of")
      try await natter.shows("│>")
      // Its position in the form depends on the server.
      func field() -> String {
        natter.screen.lines.last { $0.contains("│>") }?.components(separatedBy: "│>").last ?? ""
      }
      for _ in 0..<60 where !field().hasPrefix("Password") {
        if field().hasPrefix("[ ] Needs a password") {
          natter.terminal.type(" ")
          try await natter.shows("[x] Needs a password")
        }
        let before = field()
        natter.terminal.press(.tab)
        try await natter.expects("the next field") {
          !$0.contains("│>" + before.prefix(12)) && $0.contains("│>")
        }
      }
      natter.terminal.type("sesame")
      try await natter.expects("six letters that are not shown") {
        $0.contains("••••••") || $0.contains("******")
      }
      natter.terminal.press(.enter)
      try await natter.hides("Settings of")
      try await natter.shows("The room's settings")
      #expect(await natter.quit() == .exited(0))
      let again = try natter.startsAgain()
      try await again.waitsOnline()
      try await again.shows("2 people")
      #expect(await again.quit() == .exited(0))
      let elsewhere = try alice.natter()
      try await elsewhere.waitsOnline()
      try await elsewhere.shows("2 people")
      #expect(await elsewhere.quit() == .exited(0))
      await peer.signOut()
    }

    @Test(arguments: ServerKind.allCases)
    func `what a room says of itself is shown in it, also without a connection`(kind: ServerKind)
      async throws
    {
      let (alice, peer, room) = try await room([("roomdesc", "All about tea")], kind)
      // The other two let nobody give a room a picture.
      let hasPicture = kind == .ejabberd
      if hasPicture {
        let answer = try await peer.ask(
          "set",
          """
          <vCard xmlns='vcard-temp'><PHOTO><TYPE>image/png</TYPE><BINVAL>iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ\
          AAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==</BINVAL></PHOTO></vCard>
          """, of: room)
        #expect(!answer.contains("error"))
      }
      let natter = try alice.natter()
      try await natter.waitsOnline()
      try await natter.say("/join \(room)")
      try await natter.shows("2 people")
      try await natter.enter("/whois")
      try await natter.shows("All about tea", "Share")
      if hasPicture { try await natter.shows("PNG, 70 B") }
      natter.terminal.press(.escape)
      try await natter.expects("the room again") { !$0.contains("All about tea") }
      try await natter.say("/disconnect")
      try await natter.enter("/whois")
      try await natter.shows("All about tea")
      if hasPicture { try await natter.shows("PNG, 70 B") }
      natter.terminal.press(.escape)
      try await natter.expects("the room again") { !$0.contains("All about tea") }
      #expect(await natter.quit() == .exited(0))
      await peer.signOut()
    }

    @Test(arguments: ServerKind.allCases)
    func `a room for members only says so, and lets in who was made one`(kind: ServerKind)
      async throws
    {
      let (alice, peer, room) = try await room([("membersonly", "1")], kind)
      let natter = try alice.natter()
      try await natter.waitsOnline()
      try await natter.say("/join \(room)")
      try await natter.shows("for members only")
      try await peer.send(
        xml: """
          <iq type='set' to='\(room)' id='make'><query xmlns='http://jabber.org/protocol/muc#admin'>\
          <item affiliation='member' jid='\(alice.jid)'/></query></iq>
          """)
      _ = try await peer.roster()
      try await natter.say("/join \(room)")
      try await natter.shows("2 people")
      try await natter.say("a member speaks")
      try await peer.message { $0.body == "a member speaks" }
      #expect(await natter.quit() == .exited(0))
      await peer.signOut()
    }

    // ejabberd 23.01 lets in whom it has banned, as a participant whose affiliation is outcast, and
    // whom it has removed.
    @Test(
      arguments: [ServerKind.prosody, .builtIn],
      [("outcast", "You are banned from this room"), ("none", "This room is for members only")])
    func
      `who was banned or removed while away is told at the next start, stays out, and has what was said`(
        kind: ServerKind, becomes: (affiliation: String, reported: String)
      ) async throws
    {
      // Of a room for members Prosody says so also to those who are banned.
      let forMembers = becomes.affiliation == "none" ? "1" : "0"
      let (alice, peer, room) = try await room([("membersonly", forMembers)], kind)
      func make(_ affiliation: String) async throws {
        let answer = try await peer.ask(
          "set",
          "<query xmlns='http://jabber.org/protocol/muc#admin'>"
            + "<item affiliation='\(affiliation)' jid='\(alice.jid)'/></query>", of: room)
        #expect(!answer.contains("<error"), "\(answer)")
      }
      try await make("member")
      let natter = try alice.natter()
      try await natter.waitsOnline()
      try await natter.say("/join \(room)")
      try await natter.shows("2 people")
      try await natter.say("while I was one of them")
      try await peer.message { $0.body == "while I was one of them" }
      #expect(await natter.quit() == .exited(0))
      try await peer.event("seat") {
        $0.from == "\(room)/\(alice.name)" && $0.type == "unavailable"
      }

      try await make(becomes.affiliation)
      func occupants() -> Int {
        peer.events.count {
          $0.event == "seat" && $0.from == "\(room)/\(alice.name)" && $0.type != "unavailable"
        }
      }
      let before = occupants()
      for _ in 0..<2 {
        let again = try natter.startsAgain()
        try await again.waitsOnline()
        try await again.shows(becomes.reported, "while I was one of them")
        #expect(await again.quit() == .exited(0))
      }
      _ = try await peer.roster()
      #expect(occupants() == before)
      await peer.signOut()
    }

    @Test(arguments: ServerKind.allCases)
    func `an invitation that was not answered is there after a new start`(kind: ServerKind)
      async throws
    {
      let (alice, peer, room) = try await room([("membersonly", "0")], kind)
      let natter = try alice.natter()
      try await natter.waitsOnline()
      try await natter.say("/join \(UniqueName.next("other"))")
      try await natter.shows("The room is new")
      try await peer.send(
        xml: """
          <message to='\(room)'><x xmlns='http://jabber.org/protocol/muc#user'>\
          <invite to='\(alice.jid)'/></x></message>
          """)
      try await natter.shows("REQUESTS", "invites you")
      #expect(await natter.quit() == .exited(0))
      let again = try natter.startsAgain()
      try await again.shows("REQUESTS")
      try await again.waitsOnline()
      try await again.opensFirstRequest()
      try await again.shows("2 people")
      #expect(await again.quit() == .exited(0))
      await peer.signOut()
    }

    @Test(arguments: ServerKind.allCases)
    func `an invitation that came while only the phone was there is a request at the next start`(
      kind: ServerKind
    ) async throws {
      let (alice, peer, room) = try await room([("membersonly", "0")], kind)
      let carol = try await TestAccount("carol", on: kind)
      let phone = try await carol.slixmpp()
      try await peer.send("only in the archive", to: carol.jid)
      let early = try await phone.message { $0.body == "only in the archive" }
      // From here on an invitation is news.
      let first = try carol.natter()
      try await first.shows(try #require(early.from?.split(separator: "@").first.map(String.init)))
      #expect(await first.quit() == .exited(0))
      let natter = try alice.natter()
      try await natter.waitsOnline()
      try await natter.say("/join \(room)")
      try await natter.shows("2 people")
      try await natter.say("/invite \(carol.jid) it is warm")
      try await natter.shows("Invitation sent to \(carol.jid).")
      try await phone.event("stanza") { $0.xml?.contains("jabber:x:conference") == true }
      let again = try first.startsAgain()
      try await again.waitsOnline()
      try await again.shows("REQUESTS", "invites you")
      try await again.opensFirstRequest()
      try await again.shows("3 people")
      #expect(await again.quit() == .exited(0))
      #expect(await natter.quit() == .exited(0))
      await phone.signOut()
      await peer.signOut()
    }
  }
}
