import Foundation
import NatterCore
import Storage
import TestSupport
import Testing
import Text
import ViewModels
import XMPP

@testable import natter

@Suite struct PlainSessionTests {
  final class Lines {
    var all: [String] = []
  }

  let alice = JID(local: "alice", domain: "natter.test")
  let bob = JID(local: "bob", domain: "natter.test")

  /// - Parameters:
  ///   - database: `nil`: one of its own.
  ///   - prepare: changes the ports of the session.
  func session(
    _ lines: Lines, language: String = "en", beginning: JID? = nil,
    in database: AccountDatabase? = nil, prepare: (inout PlainPorts) -> Void = { _ in }
  ) async throws -> PlainSession {
    let home = try Home()
    let context = try SendCommandTests.context(["--plain"], home: home, language: language)
    let account = Account(jid: alice)
    let database = if let database { database } else { try await AccountDatabase.inMemory() }
    let services = try context.services(
      for: account, database: database, credentials: context.credentials, hub: EventHub())
    var ports = PlainPorts(
      timeline: database.timeline, searching: database.search,
      conversations: database.conversations, roster: database.roster,
      preferences: database.settings, sending: services.outbox, relating: services.outbox,
      people: services.roster, blocking: services.blockList, presence: services.presence,
      connection: services.connection, reading: services.readState,
      rooms: services.rooms, history: services.history, files: services.files,
      paths: PlainPaths(absolute: { $0 }, isFile: { _ in false }))
    prepare(&ports)
    return PlainSession(
      account: account, beginning: beginning, ports: ports,
      format: ItemFormat(
        localizer: context.localizer.saying(PlainText.own), account: alice),
      output: { lines.all.append($0) })
  }

  func message(_ id: Int64, _ body: String, from sender: JID) -> Message {
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

  @Test func `what was missed and comes late is printed, and what is only older is not`()
    async throws
  {
    let lines = Lines()
    let session = try await session(lines)
    session.handle(.messagesStored([message(5, "news", from: bob)]))
    session.handle(.historyStored([message(1, "long ago", from: bob)]))
    #expect(lines.all.count == 1)
    func moment(_ seconds: Double) -> String {
      session.format.moment(Date(timeIntervalSince1970: seconds), now: Date())
    }
    let missed = [message(3, "second", from: alice), message(2, "first", from: bob)]
    session.handle(.historyStored(missed, missed: true))
    session.handle(.historyStored(missed, missed: true))
    #expect(
      lines.all.dropFirst() == [
        "Missed messages from bob@natter.test, older than the lines above:",
        "bob@natter.test, to you: first (\(moment(2)))",
        "you, to bob@natter.test: second (\(moment(3)))",
      ])
    // A time alone would be today's.
    #expect(moment(2).hasSuffix("1970 \(moment(2).suffix(5))"))
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

  @Test(arguments: ["\n\n  a\n\nb\r\n\n", "/me waves\n \n"])
  func `line ends at either end of a text print no empty lines`(text: String) async throws {
    let lines = Lines()
    let session = try await session(lines)
    session.handle(.messagesStored([message(1, text, from: bob)]))
    #expect(lines.all.count == (text.hasPrefix("/me") ? 1 : 3), "\(lines.all)")
    #expect(lines.all.first?.contains(text.hasPrefix("/me") ? "waves" : "  a") == true)
  }

  @Test func `how a call ended is printed once`() async throws {
    let lines = Lines()
    let session = try await session(lines)
    func call(_ state: Message.Call) -> Message { storedCall(state, at: Date()) }
    session.handle(.messagesStored([call(.ringing)]))
    for _ in 1...2 { session.handle(.messagesChanged([call(.missed)])) }
    #expect(lines.all.count == 2, "\(lines.all)")
    #expect(lines.all.first?.contains("is calling") == true)
    #expect(lines.all.last?.contains("Missed call") == true)
  }

  @Test func `a call whose end never arrived is printed once, as missed`() async throws {
    let lines = Lines()
    let session = try await session(lines)
    let long = Date(timeIntervalSince1970: 1)
    session.handle(.messagesStored([storedCall(.ringing, at: long)]))
    session.handle(.messagesChanged([storedCall(.missed, at: long)]))
    #expect(lines.all.count == 1, "\(lines.all)")
    #expect(lines.all.first?.contains("Missed call") == true)
  }

  private func storedCall(_ state: Message.Call, at sentAt: Date) -> Message {
    Message(
      id: Message.ID(1), conversation: bob, sender: bob, direction: .incoming, body: "",
      sentAt: sentAt, originID: "call", content: .call(state))
  }

  @Test func `what is typed goes to no one until a conversation is chosen`() async throws {
    let lines = Lines()
    let session = try await session(lines)
    session.handle(.messagesStored([message(1, "hi", from: bob)]))
    #expect(await session.take("secret"))
    #expect(session.current == nil)
    #expect(lines.all.last == "No conversation is open. /chat ADDRESS opens one.")
  }

  @Test func `where a conversation is chosen at the start, it is said, and typed text goes there`()
    async throws
  {
    let lines = Lines()
    let database = try await AccountDatabase.inMemory()
    let session = try await session(lines, beginning: bob, in: database)
    await session.follow(AsyncStream { $0.finish() })
    #expect(
      lines.all.suffix(1) == [
        "You are talking to bob@natter.test. What you type now is sent there."
      ])
    #expect(await session.take("help"))
    #expect(try await database.outbox.queued().map(\.body) == ["help"])
    #expect(!lines.all.contains { $0.hasPrefix("No conversation is open.") })
  }

  // MARK: Signing in again

  @Test func `an ended sign-in names a way on, and a password typed unseen completes it`()
    async throws
  {
    let lines = Lines()
    var hidden: [Bool] = []
    var passwords: [String] = []
    let session = try await session(lines) { ports in
      ports.signIn = { password, _ in
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

  @Test func `what needs a connection names the command, as line mode has no keys`() async throws {
    let lines = Lines()
    let session = try await session(lines)
    session.report(NatterError(.offline, "error.offline"))
    await PlainPresence(session: session).showConnection()
    #expect(
      lines.all == [
        "This needs a connection. /connect tries now.", "Offline. /connect connects.",
      ])
  }

  // MARK: Commands that are named

  @Test func `no text that line mode may say names a command that it has not`() async throws {
    let lines = Lines()
    let session = try await session(lines)
    let words = Set(PlainCommand.all.map { "/" + $0.name })
    #expect(words.count > 15)
    // They are there.
    for word in words.union(["/help"]) where word != "/quit" {
      #expect(await session.take(word))
      #expect(lines.all.last?.contains("no command") != true, "\(word)")
      session.passwordQuestion = nil
    }
    // What only full-screen commands lead to.
    let others = [
      "error.noSuchLink", "error.badSync", "error.badPin", "error.pinsFull",
      "error.location.noCommand",
    ]
    let said = [
      "error.", "room.", "exit.", "plain.", "stanza.", "timeline.expired",
      "timeline.outside",
    ]
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

  @Test func `a problem of the connection is shown once, until it changes`()
    async throws
  {
    let lines = Lines()
    let session = try await session(lines)
    func fail(_ kind: ConnectionProblem.ProblemKind) {
      session.handle(.connectionChanged(.connecting(host: "natter.test")))
      session.handle(
        .connectionChanged(
          .waiting(until: Date(), reason: ConnectionProblem(kind, host: "natter.test")))
      )
    }
    for _ in 0..<5 { fail(.refused) }
    #expect(lines.all.count { $0.hasPrefix("Connecting to") } == 1)
    #expect(lines.all.count { $0.hasPrefix("Connection refused.") } == 1, "\(lines.all)")
    #expect(lines.all.last?.contains("/connect") == true)
    for _ in 0..<2 { fail(.localServerFailed) }
    #expect(lines.all.count { $0 == "The built-in server is not running." } == 1)
    #expect(await session.take("/connect"))
    fail(.localServerFailed)
    #expect(lines.all.count { $0 == "The built-in server is not running." } == 2)
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
    for unknown in ["frobnicate", "blockx", ""] {
      #expect(await session.take("/\(unknown)"))
      #expect(lines.all.last?.contains("no command /\(unknown)") == true, "\(lines.all)")
    }
    #expect(await !session.take("/exit"))
  }

  @Test(arguments: [("fr", "quitter", "discuter"), ("zh-Hans", "退出", "聊天")])
  func `a command goes by its name in the user's language, too`(
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
