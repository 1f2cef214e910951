import Foundation
import NatterCore
import Storage
import TestSupport
import Testing
import ViewModels
import XMPP

@testable import natter

@Suite struct PlainSessionTests {
  private final class Lines {
    var all: [String] = []
  }

  private let alice = JID(local: "alice", domain: "natter.test")
  private let bob = JID(local: "bob", domain: "natter.test")

  /// - Parameter prepare: changes what the session is given, and has the database and the outbox.
  private func session(
    _ lines: Lines, language: String = "en", beginning: JID? = nil,
    prepare: (inout PlainSession.PlainPorts, AccountDatabase) -> Void = { _, _ in }
  ) async throws -> PlainSession {
    let home = try Home()
    let context = try SendCommandTests.context(["--plain"], home: home, language: language)
    let account = Account(jid: alice)
    let database = try await AccountDatabase.inMemory()
    let services = try context.services(
      for: account, database: database, credentials: context.credentials, hub: EventHub())
    var ports = PlainSession.PlainPorts(
      timeline: database.messages, conversations: database.conversations,
      roster: database.roster, sending: services.outbox, relating: services.outbox,
      people: services.roster, presence: services.presence,
      connection: services.connection, reading: services.readState,
      rooms: services.rooms, files: services.files,
      absolute: { $0 }, isFile: { _ in false })
    prepare(&ports, database)
    return PlainSession(
      account: account, beginning: beginning, ports: ports,
      format: ItemFormat(
        localizer: context.localizer.saying(PlainSession.ownWords), account: alice),
      output: { lines.all.append($0) })
  }

  private func message(_ id: Int64, _ body: String, from sender: JID) -> Message {
    Message(
      id: Message.ID(id), conversation: bob, sender: sender,
      direction: sender == alice ? .outgoing : .incoming, body: body,
      sentAt: Date(timeIntervalSince1970: Double(id)), originID: "o\(id)",
      delivery: sender == alice ? .queued : nil)
  }

  @Test func `a message is printed once, whichever ways bring it`() async throws {
    let lines = Lines()
    let session = try await session(lines)
    let own = message(2, "hello", from: alice)
    session.handle(.messagesStored([message(1, "hi", from: bob), own]))
    session.handle(.historyStored([own]))
    session.handle(.messagesStored([own]))
    #expect(lines.all.count { $0.contains("hello") } == 1)
    session.handle(.historyStored([message(3, "from elsewhere", from: alice)]))
    #expect(lines.all.count { $0.contains("from elsewhere") } == 1)
  }

  @Test func `only the first line of a message says who speaks`() async throws {
    let lines = Lines()
    let session = try await session(lines)
    session.handle(
      .messagesStored([message(1, "a\nOnline.\r\ncarol: b\u{2028}c\u{85}d", from: bob)]))
    #expect(lines.all.count == 5)
    #expect(lines.all.first?.hasPrefix("bob@natter.test, to you: a") == true)
    #expect(lines.all.dropFirst().allSatisfy { $0.hasPrefix("| ") })
  }

  @Test func `what is typed goes to nobody until somebody is chosen`() async throws {
    let lines = Lines()
    let session = try await session(lines)
    session.handle(.messagesStored([message(1, "hi", from: bob)]))
    #expect(await session.take("secret"))
    #expect(session.current == nil)
    #expect(lines.all.last == "To whom? /chat JID chooses.")
  }

  @Test func `where a conversation is chosen at the start, it is said, and typed text goes there`()
    async throws
  {
    let lines = Lines()
    var found: AccountDatabase?
    let session = try await session(lines, beginning: bob) { found = $1 }
    await session.follow(AsyncStream { $0.finish() })
    #expect(
      lines.all.suffix(1) == [
        "You are talking to bob@natter.test. What you type now is sent there."
      ])
    #expect(await session.take("help"))
    #expect(try await found?.messages.queued().map(\.body) == ["help"])
    #expect(!lines.all.contains { $0.hasPrefix("To whom?") })
  }

  @Test func `a name is looked up, and never taken for a server`() async throws {
    let lines = Lines()
    let session = try await session(lines)
    #expect(await session.take("/chat bob"))
    #expect(session.current == nil)
    #expect(lines.all.last?.hasPrefix("Nobody known is called bob.") == true)
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
    #expect(lines.all.last?.hasPrefix("Several are called bob") == true)
    #expect(await session.take("/chat bob@other.test"))
    #expect(session.current?.domain == "other.test")
  }

  @Test(arguments: ["/msg den@rooms.natter.test/bob SECRET", "/chat den@rooms.natter.test/bob"])
  func `somebody in a room is never taken for the room`(line: String) async throws {
    let lines = Lines()
    var found: AccountDatabase?
    let session = try await session(lines) { found = $1 }
    let database = try #require(found)
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
    #expect(try await database.messages.queued().map(\.conversation) == [bob])
  }

  @Test func `a room that was closed stays one, and nothing is cut off what nobody knows`()
    async throws
  {
    let lines = Lines()
    var found: AccountDatabase?
    let session = try await session(lines) { found = $1 }
    let database = try #require(found)
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
    #expect(try await database.messages.queued().isEmpty)
  }

  // MARK: What failed

  @Test func `what was not sent is sent again or dropped, by commands that its line names`()
    async throws
  {
    let lines = Lines()
    var found: AccountDatabase?
    let session = try await session(lines) { found = $1 }
    let messages = try #require(found).messages
    #expect(await session.take("/chat bob@natter.test"))
    for text in ["one", "two"] { #expect(await session.take(text)) }
    let queued = try await messages.queued()
    #expect(queued.map(\.body) == ["one", "two"])
    var failed: [Message] = []
    for message in queued {
      failed.append(
        try #require(
          try await messages.setDelivery(
            .failed(reason: "The server refused it."), ofOriginID: message.originID ?? "")))
    }
    session.handle(.messagesChanged(failed))
    #expect(
      lines.all.last
        == "Not sent to bob@natter.test: The server refused it. /retry bob@natter.test sends it "
        + "again, /cancel bob@natter.test drops it.")
    session.current = nil
    #expect(await session.take("/retry"))
    #expect(lines.all.last == "To whom? /chat JID chooses.")
    #expect(await session.take("/retry bob@natter.test"))
    #expect(lines.all.last == "Once more: 2 that failed.")
    #expect(try await messages.queued().map(\.body) == ["one", "two"])
    _ = try await messages.setDelivery(
      .failed(reason: "No."), ofOriginID: failed[0].originID ?? "")
    session.current = bob
    #expect(await session.take("/cancel"))
    #expect(lines.all.last == "Dropped: 1.")
    #expect(try await messages.latest(9, in: bob).map(\.body) == ["two"])
    // Where nothing failed, what waits is taken back.
    #expect(await session.take("/delete"))
    #expect(lines.all.last?.contains("nobody gets it. /delete once more") == true, "\(lines.all)")
    #expect(await session.take("/cancel"))
    #expect(lines.all.last == "Taken back before it was sent: \"two\"")
    #expect(try await messages.latest(9, in: bob).isEmpty)
    #expect(await session.take("/cancel"))
    #expect(lines.all.last == "Nothing failed here, and nothing waits to be sent.")
    #expect(await session.take("/retry"))
    #expect(lines.all.last == "No message failed here.")
  }

  @Test func `what the server refused is printed as that, also when it is told again later`()
    async throws
  {
    let lines = Lines()
    var found: AccountDatabase?
    let session = try await session(lines) { found = $1 }
    let messages = try #require(found).messages
    #expect(await session.take("/chat bob@natter.test"))
    #expect(await session.take("never arrived"))
    let queued = try #require(try await messages.queued().first)
    _ = try await messages.setDelivery(.failed(reason: "No."), ofOriginID: queued.originID ?? "")
    let later = Lines()
    let again = try await self.session(later) { ports, _ in
      ports = PlainSession.PlainPorts(
        timeline: messages, conversations: ports.conversations, roster: ports.roster,
        sending: ports.sending, relating: ports.relating, people: ports.people,
        presence: ports.presence, connection: ports.connection, reading: ports.reading,
        rooms: ports.rooms, files: ports.files, absolute: ports.absolute, isFile: ports.isFile)
    }
    #expect(await again.take("/chat bob@natter.test"))
    let said = try #require(later.all.firstIndex { $0.contains("never arrived") }, "\(later.all)")
    #expect(
      later.all.dropFirst(said + 1).first?.hasPrefix("Not sent to bob@natter.test: No.") == true)
  }

  @Test func `files are told with name, type and size, and opened and kept by their numbers`()
    async throws
  {
    let lines = Lines()
    let files = FakeFiles()
    let opened = Lines()
    let session = try await session(lines) { ports, _ in
      ports.files = files
      ports.open = { path, _ in opened.all.append(path) }
    }
    for number in 1...2 {
      let message = Message(
        id: .init(Int64(number)), conversation: bob, sender: bob, direction: .incoming,
        body: "https://a.example/\(number)", sentAt: Date(timeIntervalSince1970: 0),
        originID: "o\(number)",
        file: SharedFile(
          address: "https://a.example/\(number)", name: "rose\(number).png",
          mediaType: "image/png", byteCount: 12_000, width: 640, height: 480))
      if let offered = OfferedFile(message, localPath: number == 1 ? "/down/rose1.png" : nil) {
        await files.add(offered)
      }
      session.handle(.messagesStored([message]))
      #expect(
        lines.all.last?.contains(
          "file \(number): rose\(number).png, picture, 12 kB, 640x480, https://a.example/\(number)")
          == true)
    }
    // The number stays what it was, whatever came since, and whoever is talked to.
    _ = await session.take("/open 1")
    #expect(opened.all == ["/down/rose1.png"])
    _ = await session.take("/save 1 /x/y")
    #expect(await files.calls == ["fetch 1 /x/y"])
    _ = await session.take("/open 2")
    #expect(await files.calls == ["fetch 1 /x/y", "fetch 2 -"])
    session.handle(
      .transfersChanged([
        FileTransfer(
          id: .init(102), direction: .download, conversation: bob, path: "/down/x",
          name: "rose2.png", message: .init(2), state: .done,
          begun: Date(timeIntervalSince1970: 0))
      ]))
    #expect(opened.all == ["/down/rose1.png", "/down/x"])
    _ = await session.take("/open 3")
    #expect(lines.all.last == "No file has the number 3 here.")
  }

  @Test func `files that failed are tried again or dropped, those on their way after a question`()
    async throws
  {
    let lines = Lines()
    let files = FakeFiles()
    let session = try await session(lines) { ports, _ in ports.files = files }
    session.current = bob
    let error = NatterError(.refused, "error.files.noService")
    await files.move([transfer(1, .failed(error)), transfer(2, .running)])
    session.handle(.transfersChanged([transfer(1, .failed(error))]))
    #expect(lines.all.last?.contains("/retry bob@natter.test sends it again") == true)
    #expect(await session.take("/retry"))
    #expect(await files.calls == ["retry 1"])
    #expect(await session.take("/cancel"))
    #expect(await files.calls == ["retry 1", "cancel 1"])
    // The other one moves.
    await files.move([transfer(2, .running)])
    #expect(await session.take("/cancel"))
    #expect(lines.all.last == "Stop f2.txt? /cancel once more does it.")
    #expect(await session.take("/help"))
    #expect(await session.take("/cancel"))
    #expect(lines.all.last == "Stop f2.txt? /cancel once more does it.")
    #expect(await files.calls == ["retry 1", "cancel 1"])
    #expect(await session.take("/cancel"))
    #expect(await files.calls == ["retry 1", "cancel 1", "cancel 2"])
  }

  private func transfer(_ id: Int64, _ state: FileTransfer.State) -> FileTransfer {
    FileTransfer(
      id: .init(id), direction: .upload, conversation: bob, path: "/x/f\(id).txt",
      name: "f\(id).txt", state: state, begun: Date(timeIntervalSince1970: 0))
  }

  // MARK: Signing in again

  @Test func `a sign-in that ended names a way on, and a password that nobody sees goes it`()
    async throws
  {
    let lines = Lines()
    var hidden: [Bool] = []
    var passwords: [String] = []
    let session = try await session(lines) { ports, _ in
      ports.signIn = { password in
        passwords.append(password)
        if password == "wrong" { throw ConnectionProblem(.wrongPassword, host: "natter.test") }
      }
      ports.hidesInput = { hidden.append($0) }
    }
    session.handle(.connectionChanged(.refused(ConnectionProblem(.tokenRefused))))
    #expect(lines.all.last?.hasPrefix("/login signs in again with the password.") == true)
    #expect(lines.all.last?.contains("natter login --browser alice@natter.test") == true)
    // Another problem is none of a password's.
    session.handle(.connectionChanged(.refused(ConnectionProblem(.certificateExpired))))
    #expect(lines.all.last?.contains("/login") == false)
    for line in ["/login", "wrong"] { #expect(await session.take(line)) }
    #expect(lines.all.last?.hasPrefix("/login signs in again") == true)
    for line in ["/login", "", "/login", "  as typed "] { #expect(await session.take(line)) }
    #expect(passwords == ["wrong", "  as typed "])
    #expect(hidden == [true, false, true, false, true, false])
    #expect(lines.all.contains("Not signed in. /login asks again."))
    #expect(!lines.all.contains { $0.contains("as typed") || $0.contains("wrong ") })
  }

  // MARK: Commands that are named

  @Test func `no text that line mode may say names a command that it has not`() async throws {
    let lines = Lines()
    let session = try await session(lines)
    let help = session.format.localizer("plain.help")
    let words = Set(help.matches(of: /\/[a-z]+/).map { String($0.0) })
    #expect(words.count > 15)
    // They are there.
    for word in words.union(["/help"]) where word != "/quit" {
      #expect(await session.take(word))
      #expect(lines.all.last?.contains("no command") != true, "\(word)")
      session.isAskingPassword = false
    }
    // What only full-screen commands lead to.
    let others = ["error.noSuchLink", "error.badSync"]
    let said = ["error.", "room.", "exit.", "plain.", "stanza.", "timeline.expired"]
    for key in try englishTexts().keys.sorted()
    where said.contains(where: { key.hasPrefix($0) }) && !others.contains(key) {
      let text = session.format.localizer(key)
      for match in text.matches(of: /(?:^|[ :])(\/[a-z]+)/) {
        #expect(
          words.contains(String(match.1)) || match.1 == "/help", "\(key): \(text)")
      }
    }
    session.handle(.roomIncident(RoomIncident(room: bob, .created)))
    #expect(lines.all.last?.contains("/config") == false)
    #expect(lines.all.last?.contains("/invite") == true)
  }

  @Test func `what stands in the way of the connection is told once, until that changes`()
    async throws
  {
    let lines = Lines()
    let session = try await session(lines)
    func fail(_ kind: ConnectionProblem.Kind) {
      session.handle(.connectionChanged(.connecting(host: "natter.test")))
      session.handle(
        .connectionChanged(
          .waiting(until: Date(), attempt: 1, reason: ConnectionProblem(kind, host: "natter.test")))
      )
    }
    for _ in 0..<5 { fail(.refused) }
    #expect(lines.all.count { $0.hasPrefix("Connecting to") } == 1)
    #expect(lines.all.count { $0.hasPrefix("Connection refused.") } == 1, "\(lines.all)")
    #expect(lines.all.last?.contains("/connect") == true)
    for _ in 0..<2 { fail(.localServerFailed) }
    #expect(lines.all.count { $0 == "The built-in server does not run." } == 1)
    #expect(await session.take("/connect"))
    fail(.localServerFailed)
    #expect(lines.all.count { $0 == "The built-in server does not run." } == 2)
    session.handle(.connectionChanged(.online))
    fail(.refused)
    #expect(lines.all.count { $0.hasPrefix("Connection refused.") } == 2)
  }

  @Test func `a command may be typed in part, and one that may mean several is not taken`()
    async throws
  {
    let lines = Lines()
    let session = try await session(lines)
    session.handle(.contactsChanged([Contact(jid: bob, name: nil)]))
    #expect(await session.take("/ch bob"))
    #expect(session.current == bob)
    #expect(await session.take("/me"))
    #expect(lines.all.last?.contains("/me ACTION") == true)
    #expect(await session.take("/mem"))
    #expect(await session.take("/accept bob"))
    #expect(!lines.all.contains { $0.contains("no command") })
    // /leave and /login, not /link or /logout, which line mode has not.
    #expect(await session.take("/l"))
    #expect(lines.all.last?.contains("/leave, /login") == true, "\(lines.all)")
    for unknown in ["kick", "logout", "frobnicate", ""] {
      #expect(await session.take("/\(unknown)"))
      #expect(lines.all.last?.contains("no command /\(unknown)") == true, "\(lines.all)")
    }
    #expect(await !session.take("/exit"))
  }

  @Test func `the address that it was started with is opened, and nothing is sent`() async throws {
    let lines = Lines()
    let session = try await session(lines)
    await session.open(address: "xmpp:bob@natter.test?message;body=pay%20me")
    #expect(session.current == bob)
    #expect(!lines.all.contains { $0.contains("pay me") })
    await session.open(address: "xmpp:den@rooms.natter.test?join")
    #expect(session.current == JID(local: "den", domain: "rooms.natter.test"))
    for text in ["natter://files/show", "xmpp:natter.test", "natter:x"] {
      await session.open(address: text)
      #expect(lines.all.last?.hasPrefix("Line mode opens the address of") == true, "\(text)")
      #expect(lines.all.last?.contains(text) == true)
    }
  }

  @Test(arguments: [("fr", "quitter", "discuter"), ("zh-Hans", "退出", "聊天")])
  func `a command goes by its name in the person's language, too`(
    language: String, quit: String, chat: String
  ) async throws {
    let lines = Lines()
    let session = try await session(lines, language: language)
    session.handle(.contactsChanged([Contact(jid: bob, name: nil)]))
    #expect(await session.take("/\(chat) bob"))
    #expect(session.current == bob)
    session.current = nil
    #expect(await session.take("/chat bob"))
    #expect(session.current == bob)
    #expect(await !session.take("/\(quit.uppercased())"))
  }
}
