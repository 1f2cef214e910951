import Foundation
import TestSupport
import Testing

extension Conversations {
  /// Natter in rooms of each server, with a client that others wrote as the other occupant.
  @Suite struct RoomTests {
    private func room(on server: any XMPPServer) -> String {
      "\(UniqueName.next("den"))@rooms.\(server.domain)"
    }

    private func say(_ text: String, in room: String, by peer: SlixmppPeer) async throws {
      try await peer.send(
        xml: """
          <message to='\(room)' type='groupchat' id='\(UUID().uuidString)'><body>\(text)</body>\
          </message>
          """)
    }

    @Test(arguments: ServerKind.allCases)
    func `joining a room creates it, others join, and both sides talk`(kind: ServerKind)
      async throws
    {
      let alice = try await TestAccount("alice", on: kind)
      let bob = try await TestAccount("bob", on: kind)
      let peer = try await bob.slixmpp()
      let room = room(on: alice.server)
      let natter = try alice.natter()
      try await natter.waitsOnline()
      try await natter.say("/join \(room)")
      try await natter.shows("The room is new", "1 person")
      try await peer.enter(room, as: "bob")
      try await natter.shows("2 people")
      try await natter.say("from Natter 你好")
      let received = try await peer.message { $0.body == "from Natter 你好" }
      #expect(received.type == "groupchat")
      try await natter.shows("from Natter 你好", tick: "✓")
      #expect(natter.count(of: "from Natter 你好") == 1)
      try await say("from slixmpp", in: room, by: peer)
      try await natter.shows("bob", "from slixmpp")
      #expect(natter.count(of: "from slixmpp") == 1)

      try await natter.say("/away at lunch")
      try await peer.event("presence") {
        $0.from == "\(room)/\(alice.name)" && $0.type == "away" && $0.text == "at lunch"
      }
      try await natter.say("/back")
      try await peer.event("presence") {
        $0.from == "\(room)/\(alice.name)" && $0.type == "available" && $0.text == ""
      }
      // Said when the server has it, which may be later.
      try await natter.shows("You are online.")

      try await natter.say("/topic What to read")
      try await natter.expects("the topic in the header") {
        $0.text(row: 1).contains("What to read")
      }
      // It only reports, and removes nothing.
      try await natter.say("/topic")
      try await natter.shows("The topic: What to read")
      try await natter.say("/topic -")
      try await natter.expects("no topic") { !$0.text(row: 1).contains("What to read") }
      try await natter.say("/topic")
      try await natter.shows("There is no topic")
      try await natter.say("/kick bob too loud")
      try await natter.shows("bob was kicked", "1 person")
      #expect(await natter.quit() == .exited(0))
      await peer.signOut()
    }

    @Test(arguments: ServerKind.allCases)
    func `an occupant who is ignored is not heard there, until they are unblocked`(kind: ServerKind)
      async throws
    {
      let alice = try await TestAccount("alice", on: kind)
      let peer = try await TestAccount("bob", on: kind).slixmpp()
      let room = room(on: alice.server)
      let natter = try alice.natter()
      try await natter.waitsOnline()
      try await natter.say("/join \(room)")
      try await natter.shows("The room is new")
      try await peer.enter(room, as: "bob")
      try await say("loud", in: room, by: peer)
      try await natter.shows("loud")
      try await natter.enter("/ignore bob")
      try await natter.shows("everything that bob says")
      natter.terminal.press(.tab, .enter)
      try await natter.shows("is blocked.")
      try await say("unheard", in: room, by: peer)
      try await peer.message { $0.body == "unheard" }
      try await natter.say("/unignore bob")
      try await natter.shows("is unblocked.")
      try await say("heard again", in: room, by: peer)
      try await natter.shows("heard again")
      #expect(!natter.screen.contains("unheard"))
      // The view is emptied, and what was said is there when it is scrolled to.
      try await natter.say("/clear")
      try await natter.hides("heard again")
      natter.terminal.press(.pageUp)
      try await natter.shows("heard again")
      #expect(await natter.quit() == .exited(0))
      await peer.signOut()
    }

    @Test(arguments: ServerKind.allCases)
    func `what is said while Natter is away is there once after it is back`(kind: ServerKind)
      async throws
    {
      let alice = try await TestAccount("alice", on: kind)
      let bob = try await TestAccount("bob", on: kind)
      let peer = try await bob.slixmpp()
      let room = room(on: alice.server)
      let home = try Home()
      let natter = try alice.natter(home: home)
      try await natter.waitsOnline()
      try await natter.say("/join \(room)")
      try await natter.shows("The room is new")
      try await peer.enter(room, as: "bob")
      try await say("before", in: room, by: peer)
      try await natter.shows("before")
      try await natter.say("mine")
      try await natter.shows("mine", tick: "✓")
      #expect(await natter.quit() == .exited(0))
      for number in 1...5 { try await say("missed \(number)", in: room, by: peer) }
      try await peer.message { $0.body == "missed 5" }

      let again = try natter.startsAgain()
      try await again.waitsOnline()
      try await again.shows("missed 1", "missed 5")
      try await say("after", in: room, by: peer)
      try await again.shows("after")
      for text in ["before", "missed 1", "missed 2", "missed 3", "missed 4", "missed 5", "mine"] {
        #expect(again.count(of: text) == 1, "\(text)")
      }
      #expect(await again.quit() == .exited(0))
      await peer.signOut()
    }

    @Test(arguments: ServerKind.allCases)
    func `an invitation is a request, followed with Enter`(kind: ServerKind) async throws {
      let alice = try await TestAccount("alice", on: kind)
      let bob = try await TestAccount("bob", on: kind)
      let peer = try await bob.slixmpp()
      let room = room(on: alice.server)
      try await peer.enter(room, as: "bob")
      try await peer.open(room)
      let natter = try alice.natter()
      try await natter.waitsOnline()
      // ejabberd throws an invitation away whose recipient is not available yet: who enters a room
      // is.
      try await natter.say("/join \(self.room(on: alice.server))")
      try await natter.shows("The room is new")
      try await peer.send(
        xml: """
          <message to='\(room)'><x xmlns='http://jabber.org/protocol/muc#user'>\
          <invite to='\(alice.jid)'><reason>come</reason></invite></x></message>
          """)
      try await natter.shows("REQUESTS", "invites you")
      try await natter.opensFirstRequest()
      try await natter.shows("2 people")
      #expect(await natter.quit() == .exited(0))
      await peer.signOut()
    }

    @Test(arguments: ServerKind.allCases)
    func `a user who is kicked is notified, and what they type then stays in the input`(
      kind: ServerKind
    )
      async throws
    {
      let alice = try await TestAccount("alice", on: kind)
      let bob = try await TestAccount("bob", on: kind)
      let peer = try await bob.slixmpp()
      let room = room(on: alice.server)
      try await peer.enter(room, as: "bob")
      try await peer.open(room)
      let natter = try alice.natter()
      try await natter.waitsOnline()
      try await natter.say("/join \(room) ali")
      try await natter.shows("2 people")
      try await peer.send(
        xml: """
          <iq type='set' to='\(room)' id='kick'><query xmlns='http://jabber.org/protocol/muc#admin'>\
          <item nick='ali' role='none'><reason>too loud</reason></item></query></iq>
          """)
      try await natter.shows("You were kicked", "too loud")
      try await natter.enter("hear me")
      try await natter.shows("You are not in this room", "hear me")
      #expect(await natter.quit() == .exited(0))
      await peer.signOut()
    }

    @Test(arguments: ServerKind.allCases)
    func `a user kicked while the line is dead is shown that what they typed did not arrive`(
      kind: ServerKind
    ) async throws {
      let alice = try await TestAccount("alice", on: kind)
      let peer = try await TestAccount("bob", on: kind).slixmpp()
      let room = room(on: alice.server)
      try await peer.enter(room, as: "bob")
      try await peer.open(room)
      let relay = try FaultRelay(to: alice.server.port)
      let home = try Home()
      try home.folder.write(alice.password + "\n", to: "password")
      let options = NatterRun.options(alice.jid, on: alice.server).map {
        $0.hasSuffix(":\(alice.server.port)") ? relay.address : $0
      }
      let natter = try NatterRun(
        options + ["--password-file", home.folder.path("password"), "--log-level", "info"],
        home: home)
      try await natter.waitsOnline()
      try await natter.say("/join \(room)")
      try await natter.shows("2 people")
      // One that ended before would not be resumed.
      try await home.folder.holds("state/natter/natter.log") {
        $0.contains("the session is set up")
      }
      relay.inflict(.stallAndDrop(milliseconds: 8000))
      try await peer.send(
        xml: """
          <iq type='set' to='\(room)' id='kick'><query xmlns='http://jabber.org/protocol/muc#admin'>\
          <item nick='\(alice.name)' role='none'/></query></iq>
          """)
      try await peer.event("presence") {
        $0.from == "\(room)/\(alice.name)" && $0.type == "unavailable"
      }
      try await natter.say("too late")
      try await natter.shows("were kicked", "Not sent", "not in this room")
      #expect(!peer.events.contains { $0.body == "too late" })
      #expect(await natter.quit() == .exited(0))
      await peer.signOut()
    }

    @Test(arguments: ServerKind.allCases)
    func `private messages that another client has not marked are where they belong`(
      kind: ServerKind
    ) async throws {
      let alice = try await TestAccount("alice", on: kind)
      let peer = try await TestAccount("bob", on: kind).slixmpp()
      let room = room(on: alice.server)
      try await peer.enter(room, as: "bob")
      try await peer.open(room)
      let home = try Home()
      let natter = try alice.natter(home: home)
      try await natter.waitsOnline()
      try await natter.say("/join \(room) ali")
      try await natter.shows("2 people")
      #expect(await natter.quit() == .exited(0))
      let other = try await alice.slixmpp()
      try await other.enter(room, as: "ali")
      try await other.send("whispered elsewhere", to: "\(room)/bob")
      try await peer.message { $0.body == "whispered elsewhere" && $0.type == "chat" }
      await other.signOut()
      let again = try alice.natter(home: home)
      try await again.waitsOnline()
      try await again.shows("2 people")
      try await again.open(chat: "\(room)/bob")
      try await again.shows("whispered elsewhere")
      #expect(again.count(of: "whispered elsewhere") == 1)
      try await again.open(chat: room)
      try await again.shows("2 people")
      #expect(again.count(of: "whispered elsewhere") == 0)
      #expect(await again.quit() == .exited(0))
      await peer.signOut()
    }
  }
}
