import NatterCore
import Storage
import Testing
import XMPP

@testable import natter

// Whom a name or an address means.
extension PlainSessionTests {
  @Test func `a name is looked up, and never taken for a server`() async throws {
    let lines = Lines()
    let session = try await session(lines)
    #expect(await session.take("/chat bob"))
    #expect(session.current == nil)
    #expect(lines.all.last?.hasPrefix("No contact is called bob.") == true)
    #expect(await session.take("/msg bob hello"))
    #expect(session.current == nil)
    session.handle(.contactsChanged([Contact(jid: bob, name: "Robert")]))
    for name in ["robert", "bob"] {
      #expect(await session.take("/chat \(name)"))
      #expect(session.current == bob)
      session.current = nil
    }
    session.handle(
      .contactsChanged([Contact(jid: JID(local: "bob", domain: "other.test"), name: nil)]))
    #expect(await session.take("/chat bob"))
    #expect(session.current == nil)
    #expect(lines.all.last?.hasPrefix("Several contacts are called bob") == true)
    #expect(await session.take("/chat bob@other.test"))
    #expect(session.current?.domain == "other.test")
  }

  @Test(arguments: ["chat", "msg"])
  func `an address that is not known yet may be typed as it is shown`(command: String) async throws
  {
    let lines = Lines()
    let session = try await session(lines)
    #expect(await session.take("/\(command) d'artagnan@natter.test"))
    #expect(session.current == JID(local: "d\\27artagnan", domain: "natter.test"))
    // The name of a contact comes first.
    session.handle(.contactsChanged([Contact(jid: bob, name: "o'neil@work")]))
    #expect(await session.take("/\(command) o'neil@work"))
    #expect(session.current == bob, "\(lines.all)")
    #expect(await session.take("/join d'den@rooms.natter.test"))
    #expect(session.current == JID(local: "d\\27den", domain: "rooms.natter.test"))
    #expect(await session.take("/chat <bob@natter.test>"))
    #expect(session.current?.domain == "rooms.natter.test")
  }

  @Test(arguments: ["/msg den@rooms.natter.test/bob SECRET", "/chat den@rooms.natter.test/bob"])
  func `an occupant of a room is never taken for the room`(line: String) async throws {
    let lines = Lines()
    let database = try await AccountDatabase.inMemory()
    let session = try await session(lines, in: database)
    let room = JID(local: "den", domain: "rooms.natter.test")
    session.handle(.roomsChanged([Room(jid: room, nick: "alice", phase: .inside)]))
    #expect(await session.take(line))
    #expect(session.current == nil)
    #expect(lines.all.last?.contains("/members") == true, "\(lines.all)")
    session.handle(.roomsChanged([Room(jid: room, nick: "alice", phase: .outside)]))
    #expect(await session.take(line))
    #expect(lines.all.last?.contains("/join den@rooms.natter.test") == true, "\(lines.all)")
    // To whom one talked before one can go on talking while the way in is open.
    let bob = try #require(room.with(resource: "bob"))
    _ = try await database.conversations.open(room, kind: .room)
    _ = try await database.conversations.open(bob, kind: .direct)
    session.handle(.roomsChanged([Room(jid: room, nick: "alice", phase: .entering)]))
    await session.open(address: "xmpp:den@rooms.natter.test/bob")
    #expect(session.current == bob)
    #expect(await session.take("SECRET"))
    #expect(try await database.outbox.queued().map(\.conversation) == [bob])
  }

  @Test func `a request to speak in a room is reported, and an answer to it is none to a contact`()
    async throws
  {
    let lines = Lines()
    let database = try await AccountDatabase.inMemory()
    let session = try await session(lines, in: database)
    let room = JID(local: "den", domain: "rooms.natter.test")
    session.handle(.roomsChanged([Room(jid: room, nick: "alice", phase: .inside)]))
    session.handle(
      .voiceRequested(VoiceRequest(room: room, nick: "carol", jid: bob.with(resource: "x"))))
    let address = "den@rooms.natter.test/carol"
    #expect(
      lines.all.last
        == "carol (bob@natter.test) asks to speak in den. /accept \(address) or /deny \(address)")
    for command in ["accept", "deny"] {
      #expect(await session.take("/\(command) \(address)"))
      #expect(lines.all.last?.hasPrefix("carol has not asked to speak") == true, "\(lines.all)")
    }
    #expect(try await database.roster.contacts().isEmpty)
    #expect(await session.take("/voice"))
    #expect(lines.all.last?.contains("room") == true, "\(lines.all)")
  }

  @Test func `a room that was closed stays one, and an unknown address is not cut`()
    async throws
  {
    let lines = Lines()
    let database = try await AccountDatabase.inMemory()
    let session = try await session(lines, in: database)
    let room = JID(local: "den", domain: "rooms.natter.test")
    _ = try await database.conversations.open(room, kind: .room)
    try await database.conversations.hide(room)
    #expect(await session.take("/chat den@rooms.natter.test"))
    #expect(try await database.conversations.conversation(room)?.kind == .room)
    for unknown in ["den", "new"] {
      #expect(await session.take("/msg \(unknown)@rooms.natter.test/bob SECRET"))
      #expect(
        lines.all.last?.contains("/join \(unknown)@rooms.natter.test") == true, "\(lines.all)")
    }
    #expect(try await database.outbox.queued().isEmpty)
  }

  @Test func `the address that it was started with is opened, and nothing is sent`() async throws {
    let lines = Lines()
    let session = try await session(lines)
    await session.open(address: "xmpp:bob@natter.test?message;body=pay%20me")
    #expect(session.current == bob)
    #expect(!lines.all.contains { $0.contains("pay me") })
    // A room is not entered for an address that anybody may have written: the command for it is
    // shown.
    await session.open(address: "xmpp:den@rooms.natter.test?join")
    #expect(session.current == bob && session.rooms.isEmpty)
    #expect(lines.all.last?.hasSuffix(": /join den@rooms.natter.test") == true)
    #expect(await session.take("/join den@rooms.natter.test"))
    #expect(session.current == JID(local: "den", domain: "rooms.natter.test"))
    for text in ["natter://files/show", "xmpp:natter.test", "natter:x"] {
      await session.open(address: text)
      #expect(lines.all.last?.hasPrefix("Line mode opens the address of") == true, "\(text)")
      #expect(lines.all.last?.contains(text) == true)
    }
  }

  @Test func `an address of a server that was never asked is opened when the user types it`()
    async throws
  {
    let lines = Lines()
    let database = try await AccountDatabase.inMemory()
    let session = try await session(lines, in: database)
    let eve = JID(local: "eve", domain: "elsewhere.test")
    await session.open(address: "xmpp:eve@elsewhere.test?message;body=pay%20me")
    #expect(session.current == nil)
    #expect(lines.all.last?.hasSuffix(": /chat eve@elsewhere.test") == true, "\(lines.all)")
    #expect(try await database.conversations.conversation(eve) == nil)
    #expect(await session.take("/chat eve@elsewhere.test"))
    #expect(session.current == eve)
    // From now on there is nothing to ask.
    session.current = nil
    await session.open(address: "xmpp:eve@elsewhere.test")
    #expect(session.current == eve)
  }

  @Test func `the text of an address that is typed is printed, and not sent`() async throws {
    let lines = Lines()
    let database = try await AccountDatabase.inMemory()
    let session = try await session(lines, in: database)
    #expect(await session.take("/chat xmpp:bob@natter.test?message;body=tea%20at%20five"))
    #expect(session.current == bob)
    #expect(lines.all.last == "The address has a text, which was not sent: tea at five")
    #expect(try await database.outbox.queued().isEmpty)
  }

  @Test func `a person is not entered like a room`() async throws {
    let lines = Lines()
    let database = try await AccountDatabase.inMemory()
    let session = try await session(lines, in: database)
    _ = try await database.conversations.open(bob, kind: .direct)
    #expect(await session.take("/join bob@natter.test"))
    #expect(lines.all.last?.hasPrefix("bob@natter.test is a person, not a room: /chat") == true)
    #expect(session.current == nil && session.rooms.isEmpty)
    #expect(try await database.conversations.conversation(bob)?.kind == .direct)
    #expect(try await database.bookmarks.bookmarks().isEmpty)
  }

  @Test func `an address for another account changes nothing`() async throws {
    let lines = Lines()
    let session = try await session(lines)
    await session.open(address: "xmpp://carol@natter.test/bob@natter.test")
    #expect(session.current == nil)
    // Line mode is for one account: /login adds none there.
    #expect(
      lines.all.last
        == "carol@natter.test is not one of your accounts. To add one, run 'natter login JID' in a "
        + "shell.")
    await session.open(address: "xmpp://\(session.account.jid.bare)/bob@natter.test")
    #expect(session.current == bob)
  }
}
