import Foundation
import TestSupport
import Testing

extension Conversations {
  /// Rooms without the full screen: line mode and `natter send`, on each server.
  @Suite struct RoomCommandTests {
    /// A room that slixmpp made and is in.
    private func openRoom(_ kind: ServerKind) async throws -> (
      alice: TestAccount, peer: SlixmppPeer, room: String
    ) {
      let alice = try await TestAccount("alice", on: kind)
      let peer = try await TestAccount("bob", on: kind).slixmpp()
      let room = "\(UniqueName.next("den"))@rooms.\(alice.server.domain)"
      try await peer.enter(room, as: "bob")
      try await peer.open(room)
      return (alice, peer, room)
    }

    private func lineMode(_ account: TestAccount, home: Home) throws -> NatterRun {
      try NatterRun.account(
        account.jid, account.password, on: account.server, home: home, rows: 60, columns: 160,
        terminal: "dumb", more: ["--plain"])
    }

    /// Runs `natter send` beside or without an instance of `home`, which has the password.
    private func send(
      _ text: String, to address: String, as account: TestAccount, _ home: Home
    ) async throws -> CommandRun {
      try await CommandRun(
        Programs.natter,
        ["send"] + NatterRun.options(account.jid, on: account.server)
          + ["--password-file", home.folder.path("password"), address, text],
        environment: home.environment(), directory: home.home.path, input: "",
        upTo: .seconds(90))
    }

    @Test(arguments: ServerKind.allCases)
    func `line mode goes into a room, hears who speaks, speaks, and leaves`(kind: ServerKind)
      async throws
    {
      let (alice, peer, room) = try await openRoom(kind)
      let name = room.prefix { $0 != "@" }
      let natter = try lineMode(alice, home: Home())
      try await natter.shows("Online.")
      natter.terminal.type("/join \(room)\n")
      try await natter.shows("Room \(name): you joined as \(alice.name).")
      natter.terminal.type("from line mode\n")
      try await peer.message { $0.body == "from line mode" }
      try await natter.shows("you, in \(name): from line mode")
      try await peer.send(
        xml: """
          <message to='\(room)' type='groupchat' id='h1'><body>hello line mode</body></message>\
          <message to='\(room)' type='groupchat' id='h2'><body>/me waves</body></message>
          """)
      try await natter.shows("bob, in \(name): hello line mode", "* bob waves")
      natter.terminal.type("/members\n")
      try await natter.shows(
        "Room \(name): \([alice.name, "bob"].sorted().joined(separator: ", "))")
      // Only moderators set the topic in rooms as these servers make them.
      try await peer.send(
        xml: "<message to='\(room)' type='groupchat'><subject>lines</subject></message>")
      try await natter.shows("bob set the topic: lines")
      natter.terminal.type("/nick other\n")
      try await natter.shows("You are now other here.")
      natter.terminal.type("/leave\n")
      try await natter.shows("Room \(name): you left.")
      natter.terminal.type("/quit\n")
      #expect(await natter.terminal.waitsForEnd(upTo: .seconds(60)) == .exited(0))
      #expect(natter.screen.lines.count { $0.contains("hello line mode") } == 1)
      await peer.signOut()
    }

    @Test(arguments: ServerKind.allCases)
    func `line mode sets the topic, and says who may be in a room and what they may do`(
      kind: ServerKind
    ) async throws {
      let alice = try await TestAccount("alice", on: kind)
      let bob = try await TestAccount("bob", on: kind)
      let peer = try await bob.slixmpp()
      let room = "\(UniqueName.next("den"))@rooms.\(alice.server.domain)"
      let natter = try lineMode(alice, home: Home())
      func types(_ line: String, _ answer: String...) async throws {
        natter.terminal.type(line + "\n")
        for words in answer { try await natter.shows(words) }
      }
      try await natter.shows("Online.")
      try await types("/join \(room)", "The room is new, and you own it.")
      try await peer.enter(room, as: "bob")
      try await types("/topic night and day", "set the topic: night and day")
      try await types("/topic", "The topic: night and day")
      try await types("/topic -", "removed the topic.")
      try await types("/topic", "There is no topic.")
      try await types("/role visitor bob", "bob can only listen here now.")
      try await types("/role king bob", "king")
      try await types("/kick bob too loud")
      try await peer.event("presence") { $0.from == "\(room)/bob" && $0.type == "unavailable" }
      try await types("/ban \(bob.jid)", "\(bob.jid) is banned from this room.")
      try await types("/affiliation outcast", "outcast: \(bob.jid)")
      try await types("/unban \(bob.jid)", "\(bob.jid) is no longer banned.")
      try await types("/affiliation outcast", "No address has the affiliation outcast.")
      try await peer.enter(room, as: "bobby")
      try await types("/config", "/config works only in the full screen")
      try await types("/quit")
      #expect(await natter.terminal.waitsForEnd(upTo: .seconds(60)) == .exited(0))
      await peer.signOut()
    }

    @Test(arguments: ServerKind.allCases)
    func `natter send speaks in a room, also while another Natter is there`(kind: ServerKind)
      async throws
    {
      let (alice, peer, room) = try await openRoom(kind)
      let home = try Home()
      let natter = try lineMode(alice, home: home)
      try await natter.shows("Online.")
      natter.terminal.type("/join \(room)\n")
      try await natter.shows("you joined as \(alice.name).")
      let beside = try await send("sent beside", to: room, as: alice, home)
      #expect(beside.status == .exited(0), "\(beside.errorText)")
      try await peer.message { $0.body == "sent beside" && $0.type == "groupchat" }
      try await natter.shows("sent beside")
      let whispered = try await send("whispered beside", to: room + "/bob", as: alice, home)
      #expect(whispered.status == .exited(0), "\(whispered.errorText)")
      try await peer.message {
        $0.body == "whispered beside" && $0.type == "chat" && $0.from == "\(room)/\(alice.name)"
      }
      let missed = try await send("missed beside", to: room + "/eve", as: alice, home)
      #expect(missed.status == .exited(1), "\(missed.errorText)")
      natter.terminal.type("/msg \(room)/bob typed for him alone\n")
      try await peer.message { $0.body == "typed for him alone" && $0.type == "chat" }
      natter.terminal.type("/quit\n")
      #expect(await natter.terminal.waitsForEnd(upTo: .seconds(60)) == .exited(0))

      let alone = try await send("sent alone", to: room, as: alice, home)
      #expect(alone.status == .exited(0), "\(alone.errorText)")
      try await peer.message { $0.body == "sent alone" && $0.type == "groupchat" }
      let quiet = try await send("whispered alone", to: room + "/bob", as: alice, home)
      #expect(quiet.status == .exited(0), "\(quiet.errorText)")
      try await peer.message { $0.body == "whispered alone" && $0.type == "chat" }
      let nobody = try await send("missed alone", to: room + "/eve", as: alice, home)
      #expect(nobody.status == .exited(1), "\(nobody.errorText)")

      let again = try lineMode(alice, home: home)
      try await again.shows("you joined as \(alice.name).")
      again.terminal.type("/leave \(room)\n/quit\n")
      #expect(await again.terminal.waitsForEnd(upTo: .seconds(60)) == .exited(0))
      let outside = try await send("sent nowhere", to: room, as: alice, home)
      #expect(outside.status == .exited(1))
      #expect(outside.errorText.contains("you are not in the room"))
      let stranger = try await send("whispered nowhere", to: room + "/bob", as: alice, home)
      #expect(stranger.status == .exited(1))
      #expect(stranger.errorText.contains("you are not in the room"))
      // What was for one was read by one.
      #expect(
        !peer.events.contains { event in
          event.type == "groupchat"
            && ["whispered", "typed for", "missed"].contains { event.body?.hasPrefix($0) == true }
        })
      await peer.signOut()
    }

    @Test(arguments: ServerKind.allCases)
    func `natter send joins a room that is new to the account for the message`(kind: ServerKind)
      async throws
    {
      let (alice, peer, room) = try await openRoom(kind)
      let home = try Home()
      try home.folder.write(alice.password + "\n", to: "password")
      let visit = try await send("only visiting", to: room, as: alice, home)
      #expect(visit.status == .exited(0), "\(visit.errorText)")
      try await peer.message { $0.body == "only visiting" && $0.type == "groupchat" }
      let missing = try await send("to none", to: "none-\(room)", as: alice, home)
      #expect(missing.status == .exited(1), "\(missing.errorText)")
      #expect(missing.errorText.contains("there is no room"), "\(missing.errorText)")
      await peer.signOut()
    }
  }
}
