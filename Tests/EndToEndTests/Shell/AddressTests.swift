import Foundation
import TestSupport
import Testing

/// `/do`, and addresses on the command line.
@Suite(.limitedConcurrency) struct AddressTests {
  @Test func `/do does what a key does, by its name, and says what there is not`() async throws {
    let run = try await NatterRun.chatting()
    try await run.say("/do toggleSidebar")
    try await run.hides("DIRECT")
    try await run.say("/do toggleSidebar")
    try await run.shows("DIRECT")
    try await run.enter("/do tab5")
    try await run.shows("Appearance")
    run.terminal.press(.f(2))
    try await run.shows("Write a message")
    try await run.enter("/do the dishes")
    try await run.shows("Unknown action \"the dishes\".")
    run.terminal.press(.control("u"))
    try await run.inputHolds("")
    #expect(await run.quit() == .exited(0))
  }

  @Test func `the palette opens addresses, and says what there is not`() async throws {
    let run = try await NatterRun.chatting()
    func open(_ address: String) async throws {
      run.terminal.press(.control("o"))
      try await run.shows("Go to or run")
      run.terminal.type(address)
      try await run.shows("Open \(address)")
      run.terminal.press(.enter)
      try await run.hides("Go to or run")
    }
    try await open("natter://me/show?page=notify")
    try await run.shows("> Notifications")
    // Reported on every page.
    try await open("natter://nowhere/at-all")
    try await run.shows("nowhere")
    run.terminal.press(.f(2))
    try await open("xmpp:guide@localhost?dance")
    try await run.shows("dance")
    try await open("xmpp:nobody@localhost?message;body=Hello%20you")
    try await run.inputHolds("Hello you")
    run.terminal.press(.control("u"))
    try await open("xmpp://x@y.test/bob@localhost")
    try await run.shows("x@y.test is not one of your accounts.")
    try await run.inputHolds("")
    #expect(await run.quit() == .exited(0))
  }

  /// Addresses that do something, and what is asked before it is done.
  private static let asked = [
    ("natter://settings/theme?name=dracula", "Switch to the theme dracula?"),
    ("natter://do/action?name=toggleTheme", "Switch between the day and night themes?"),
    ("natter://discover/remove?jid=rooms.localhost", "Remove rooms.localhost?"),
    ("xmpp:tea@rooms.localhost?join", "Join the room tea@rooms.localhost?"),
    ("xmpp:tea@rooms.localhost?join;nick=mallory", "tea@rooms.localhost as mallory?"),
  ]

  /// Waits for a question, gives it the safe answer, which is the one that Enter gives, and expects
  /// that nothing was done.
  private func refuse(_ question: String, in run: NatterRun, settings: String?) async throws {
    try await run.shows(question)
    run.terminal.press(.enter)
    try await run.hides(question)
    try await run.shows("Write a message")
    #expect(!run.screen.contains("# tea"))
    #expect(self.settings(in: run.home) == settings)
  }

  /// The settings as they are on the disk; `nil` where there are none.
  private func settings(in home: Home) -> String? {
    try? String(contentsOf: home.config.appending(path: "config.toml"), encoding: .utf8)
  }

  @Test(arguments: asked)
  func `an action that a link in a message asks for is confirmed first, or not done`(
    link: String, question: String
  ) async throws {
    let run = try await NatterRun.chatting()
    let before = try #require(run.screen.style(of: "Write a message"))
    let settings = settings(in: run.home)
    try await run.say(link)
    try await run.expects("the link in the conversation") { screen in
      screen.lines.contains { $0.contains("you ") && $0.contains(link.prefix(20)) }
    }
    try await run.enter("/link 1")
    try await refuse(question, in: run, settings: settings)
    #expect(run.screen.style(of: "Write a message") == before)
    #expect(await run.quit() == .exited(0))
  }

  @Test(arguments: asked)
  func `so is what an address on the command line asks for, which a browser may have put there`(
    link: String, question: String
  ) async throws {
    let home = try Home()
    let first = try await NatterRun.chatting(home: home)
    let before = try #require(first.screen.style(of: "Write a message"))
    let settings = settings(in: home)
    // Passed to the instance that has the account,
    let second = try open(link, home)
    #expect(await second.terminal.waitsForEnd(upTo: .seconds(60)) == .exited(0))
    try await refuse(question, in: first, settings: settings)
    #expect(first.screen.style(of: "Write a message") == before)
    #expect(await first.quit() == .exited(0))
    // and opened by itself.
    let third = try open(link, home)
    try await refuse(question, in: third, settings: settings)
    #expect(third.screen.style(of: "Write a message") == before)
    #expect(await third.quit() == .exited(0))
  }

  /// On the built-in server, where the guide has greeted already, with an address.
  private func open(_ address: String, _ home: Home) throws -> NatterRun {
    try NatterRun(["--local", address], home: home, rows: 24, columns: 80)
  }

  @Test
  func `an address is opened in the Natter that is running, and the second one says so and ends`()
    async throws
  {
    let home = try Home()
    let run = try await NatterRun.chatting(home: home)
    run.terminal.press(.f(6))
    try await run.shows("Profile")
    let second = try open("xmpp:nobody@localhost?message;body=Hello%20you", home)
    #expect(await second.terminal.waitsForEnd(upTo: .seconds(60)) == .exited(0))
    #expect(
      second.screen.lines.joined().contains(
        "Passed to the Natter that is running (process \(run.terminal.child.identifier))."))
    // That one's screen was never taken.
    #expect(!String(decoding: second.terminal.output(since: 0), as: UTF8.self).contains("[?1049h"))
    try await run.inputHolds("Hello you")
    // Nor is a terminal needed for it.
    let bare = try await CommandRun(
      Programs.natter, ["--local", "natter://me/show?page=notify"],
      environment: home.environment(), directory: home.home.path, upTo: .seconds(60))
    #expect(bare.status == .exited(0) && bare.errorText.contains("Passed to the Natter"))
    try await run.shows("> Notifications")
    run.terminal.press(.f(2))
    // What there is not is said there, too.
    let third = try open("natter://nowhere/at-all", home)
    #expect(await third.terminal.waitsForEnd(upTo: .seconds(60)) == .exited(0))
    try await run.shows("nowhere")
    run.terminal.press(.control("u"))
    try await run.inputHolds("")
    #expect(await run.quit() == .exited(0))
  }

  @Test func `one in line mode refuses an address, and the second one offers to take over`()
    async throws
  {
    let home = try Home()
    let first = try await NatterRun.chatting(home: home)
    #expect(await first.quit() == .exited(0))
    let plain = try NatterRun(["--local", "--plain"], home: home, rows: 24, columns: 80)
    try await plain.shows("/help")
    let second = try open("xmpp:nobody@localhost?message;body=Hello%20you", home)
    try await second.shows("Take over?", "process \(plain.terminal.child.identifier)")
    second.terminal.press(.escape)
    #expect(await second.terminal.waitsForEnd(upTo: .seconds(60)) == .exited(0))
    plain.terminal.type("/quit\n")
    #expect(await plain.terminal.waitsForEnd(upTo: .seconds(60)) == .exited(0))
  }

  @Test func `an address of a service asks before the service learns of anybody`() async throws {
    let home = try Home()
    let first = try await NatterRun.chatting(home: home)
    #expect(await first.quit() == .exited(0))
    let run = try open("xmpp:rooms.localhost?disco", home)
    try await run.shows("List the public rooms of rooms.localhost?")
    run.terminal.press(.tab)
    try await run.shows("[>Add<]")
    run.terminal.press(.enter)
    try await run.shows("Rooms", "Feeds")
    #expect(await run.quit() == .exited(0))
    // A query that is not in XEP-0147 is reported, and does nothing.
    let strange = try open("xmpp:bob@localhost?dance", home)
    try await strange.shows("dance")
    #expect(await strange.quit() == .exited(0))
  }
}

extension Conversations {
  /// `xmpp:` addresses of rooms, on servers that others wrote.
  @Suite struct RoomAddressTests {
    private func configure(_ room: String, password: String, by peer: SlixmppPeer) async throws {
      try await peer.enter(room, as: "host")
      let answer = try await peer.ask(
        "set",
        """
        <query xmlns='http://jabber.org/protocol/muc#owner'><x xmlns='jabber:x:data' type='submit'>\
        <field var='FORM_TYPE'><value>http://jabber.org/protocol/muc#roomconfig</value></field>\
        <field var='muc#roomconfig_passwordprotectedroom'><value>1</value></field>\
        <field var='muc#roomconfig_roomsecret'><value>\(password)</value></field></x></query>
        """, of: room)
      #expect(answer.contains("type=\"result\"") || answer.contains("type='result'"), "\(answer)")
    }

    @Test(arguments: ServerKind.allCases)
    func `an address goes into a room with the name and the password that it has`(kind: ServerKind)
      async throws
    {
      let alice = try await TestAccount("alice", on: kind)
      let bob = try await TestAccount("bob", on: kind)
      let host = try await bob.slixmpp()
      let room = "\(UniqueName.next("den"))@rooms.\(alice.server.domain)"
      try await configure(room, password: "open sesame", by: host)
      let natter = try NatterRun.account(
        alice.jid, alice.password, on: alice.server,
        more: ["xmpp:\(room)?join;nick=Visitor;password=open%20sesame"])
      try await natter.shows("Join the room \(room)", "as Visitor?")
      try await natter.waitsOnline()
      #expect(!host.events.contains { $0.event == "presence" && $0.from == "\(room)/Visitor" })
      natter.terminal.press(.tab)
      try await natter.shows("[>Join<]")
      natter.terminal.press(.enter)
      try await natter.shows("2 people")
      try await host.event("presence") { $0.from == "\(room)/Visitor" && $0.type == "available" }

      // An invitation for somebody else, after a question.
      #expect(await natter.quit() == .exited(0))
      let guest = try await TestAccount("carol", on: kind)
      let carol = try await guest.slixmpp()
      let inviting = try NatterRun.account(
        alice.jid, alice.password, on: alice.server, home: natter.home,
        more: ["xmpp:\(room)?invite;jid=\(guest.jid)"])
      try await inviting.shows("Invite \(guest.jid) to")
      try await inviting.waitsOnline()
      try await inviting.shows("2 people")
      inviting.terminal.press(.tab)
      try await inviting.shows("[>Invite<]")
      inviting.terminal.press(.enter)
      _ = await carol.waits(upTo: .seconds(60)) { events in
        events.contains { $0.xml?.contains(room) == true }
      }
      #expect(carol.events.contains { $0.xml?.contains(room) == true })
      #expect(await inviting.quit() == .exited(0))
      await host.signOut()
      await carol.signOut()
    }

    @Test(arguments: ["roster;name=Bobby", "subscribe"])
    func `an address that adds a contact asks first`(query: String) async throws {
      let alice = try await TestAccount("alice", on: .prosody)
      let bob = try await TestAccount("bob", on: .prosody)
      let peer = try await bob.slixmpp()
      let address = "xmpp:\(bob.jid)?\(query)"
      let question = query == "subscribe" ? "Add \(bob.name)" : "Add Bobby (\(bob.name)"
      let refused = try NatterRun.account(
        alice.jid, alice.password, on: alice.server, more: [address])
      try await refused.shows("Add a contact", question)
      refused.terminal.press(.escape)
      try await refused.hides(question)
      try await refused.waitsOnline()
      #expect(await refused.quit() == .exited(0))
      #expect(!peer.events.contains { $0.event == "subscription" })

      let natter = try NatterRun.account(
        alice.jid, alice.password, on: alice.server, home: refused.home, more: [address])
      try await natter.shows("Add a contact", question)
      try await natter.waitsOnline()
      natter.terminal.press(.tab)
      try await natter.shows("[>Add<]")
      natter.terminal.press(.enter)
      try await peer.event("subscription", upTo: .seconds(60)) {
        $0.type == "subscribe" && $0.from == alice.jid
      }
      try await natter.lists(query == "subscribe" ? bob.name : "Bobby", presence: "·")
      #expect(await natter.quit() == .exited(0))
      await peer.signOut()
    }
  }
}
