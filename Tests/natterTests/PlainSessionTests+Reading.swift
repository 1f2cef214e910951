import Foundation
import NatterCore
import Storage
import TestSupport
import Testing
import Text
import ViewModels
import XMPP

@testable import natter

// Earlier messages, unread conversations, the block list, and help in line mode.
extension PlainSessionTests {
  /// Stores messages of a day, one a minute: `m1`, `m2` and so on.
  private func store(_ numbers: ClosedRange<Int>, in database: AccountDatabase) async throws {
    let start = Date(timeIntervalSince1970: 1_700_000_000)
    let messages = numbers.map { number in
      IncomingMessage(
        conversation: bob, sender: bob, body: "m\(number).",
        sentAt: start.addingTimeInterval(Double(number) * 60), originID: "i\(number)",
        stanzaID: "i\(number)", isDelayed: false)
    }
    _ = try await database.messages.insert(messages) { _ in true }
  }

  private func texts(_ lines: Lines, from first: Int) -> [String] {
    lines.all.dropFirst(first).compactMap { line in
      line.firstMatch(of: /m[0-9]+\./).map { String($0.output) }
    }
  }

  @Test func `the last messages are printed, as many as the user asks for`() async throws {
    let lines = Lines()
    let database = try await AccountDatabase.inMemory()
    let session = try await session(lines, beginning: bob, in: database)
    try await store(1...30, in: database)
    #expect(await session.take("/history"))
    #expect(texts(lines, from: 0) == (11...30).map { "m\($0)." })
    let count = lines.all.count
    #expect(await session.take("/history 3"))
    #expect(texts(lines, from: count) == ["m28.", "m29.", "m30."])
    for text in ["0", "-1", "many", "1001", "99999999999999999999"] {
      #expect(await session.take("/history \(text)"))
      #expect(lines.all.last == "\(text) is not a number of messages: 1 to 1000.")
    }
  }

  @Test func `messages that only the server has are requested before the last ones are printed`()
    async throws
  {
    let lines = Lines()
    let database = try await AccountDatabase.inMemory()
    let history = PagedHistory()
    let session = try await session(lines, beginning: bob, in: database) { $0.history = history }
    try await store(21...30, in: database)
    await history.serve { page in
      guard page < 2 else { return .beginning }
      try await self.store((11 - page * 10)...(20 - page * 10), in: database)
      return .fetched
    }
    #expect(await session.take("/history 15"))
    #expect(texts(lines, from: 0) == (16...30).map { "m\($0)." })
    #expect(await history.requests == 1)
    let count = lines.all.count
    #expect(await session.take("/history 50"))
    #expect(lines.all.dropFirst(count).first == "The conversation begins here.")
    #expect(texts(lines, from: count) == (1...30).map { "m\($0)." })
    await history.serve { _ in .offline }
    #expect(await session.take("/history 50"))
    #expect(lines.all.contains { $0.hasPrefix("Older messages may be on the server") })
  }

  @Test func `the whole history is fetched beside what is typed`() async throws {
    let lines = Lines()
    let database = try await AccountDatabase.inMemory()
    let history = PagedHistory()
    let session = try await session(lines, beginning: bob, in: database) { $0.history = history }
    #expect(await session.take("/history cancel"))
    #expect(lines.all.last?.hasPrefix("No history is being fetched.") == true)
    await history.serve { page in
      guard page < 2 else { return .beginning }
      try await self.store((11 - page * 10)...(20 - page * 10), in: database)
      return .fetched
    }
    // Without a connection it waits for one.
    #expect(await session.take("/history fetch"))
    #expect(lines.all.contains { $0.hasPrefix("Fetching the whole history of ") })
    #expect(await history.requests == 0)
    await session.take(.connectionChanged(.online))
    func isComplete() -> Bool {
      lines.all.contains { $0.hasPrefix("The whole history of ") && $0.hasSuffix(": 20 messages.") }
    }
    while !isComplete() { await Task.yield() }
    #expect(await history.requests == 3)
    #expect(texts(lines, from: 0) == [])
  }

  @Test func `a server that takes long does not hold what is typed`() async throws {
    let lines = Lines()
    let database = try await AccountDatabase.inMemory()
    let history = PagedHistory()
    let session = try await session(lines, beginning: bob, in: database) { $0.history = history }
    try await store(1...2, in: database)
    let (silence, _) = AsyncStream<Void>.makeStream()
    await history.serve { _ in
      for await _ in silence {}
      return .fetched
    }
    try await PlainHistory(session: session, patience: {}).show("10")
    #expect(lines.all.first?.hasPrefix("The server takes long.") == true, "\(lines.all)")
    #expect(texts(lines, from: 0) == ["m1.", "m2."])
  }

  @Test(arguments: ["en", "fr"])
  func `a command that lacks something says how it is written, as its help does`(language: String)
    async throws
  {
    let lines = Lines()
    let session = try await session(lines, language: language)
    for name in [
      "msg", "chat", "me", "say", "edit", "react", "reply", "upload", "goto", "search", "add",
      "accept", "deny", "remove", "join", "leave", "nick", "invite", "kick", "ban", "unban",
      "affiliation", "role",
    ] {
      #expect(await session.take("/\(name)"))
      let usage = session.localizer("command.\(name).usage")
      #expect(usage.hasPrefix("/\(name) "))
      #expect(lines.all.last == session.localizer("plain.usage", ["usage": usage]))
    }
  }

  @Test func `the messages of a day are printed`() async throws {
    let lines = Lines()
    let database = try await AccountDatabase.inMemory()
    let session = try await session(lines, in: database)
    #expect(await session.take("/goto 2023-11-14"))
    #expect(lines.all.last?.hasPrefix("No conversation is open.") == true)
    session.current = bob
    try await store(1...30, in: database)
    #expect(await session.take("/goto 2023-11-10"))
    #expect(texts(lines, from: 0) == (1...20).map { "m\($0)." })
    #expect(lines.all.contains("No messages on 2023-11-10; the next ones are shown."))
    #expect(await session.take("/goto 2024-01-01"))
    #expect(lines.all.last == "No messages since 2024-01-01.")
    #expect(await session.take("/goto sunday"))
    #expect(lines.all.last?.contains("\"sunday\" is not a date") == true)
    #expect(await session.take("/goto"))
    #expect(lines.all.last == "Usage: /goto DATE")
  }

  @Test func `a day that only the server has is requested, and gaps after it are marked`()
    async throws
  {
    let lines = Lines()
    let database = try await AccountDatabase.inMemory()
    let history = PagedHistory()
    let session = try await session(lines, beginning: bob, in: database) { $0.history = history }
    try await store(29...30, in: database)
    await history.serve { _ in
      try await self.store(1...2, in: database)
      return .fetched
    }
    let start = Date(timeIntervalSince1970: 1_700_000_000)
    await history.leave(
      HistoryHole(after: start.addingTimeInterval(120), before: start.addingTimeInterval(29 * 60)))
    #expect(await session.take("/goto 2023-11-10"))
    let shown = lines.all.compactMap { line in
      line.hasPrefix("--") ? "gap" : line.firstMatch(of: /m[0-9]+\./).map { String($0.output) }
    }
    #expect(shown == ["m1.", "m2.", "gap", "m29.", "m30."])
    await history.serve { _ in .offline }
    #expect(await session.take("/goto 2023-11-10"))
    #expect(
      lines.all.contains(
        "No answer from the server: messages of 2023-11-10 may be missing."))
  }

  @Test func `conversations with unread messages are listed, and opened by their numbers`()
    async throws
  {
    let lines = Lines()
    let database = try await AccountDatabase.inMemory()
    let session = try await session(lines, in: database)
    let abel = JID(local: "abel", domain: "natter.test")
    _ = try await database.conversations.open(abel, kind: .direct)
    #expect(await session.take("/unread"))
    #expect(lines.all.last == "No unread messages.")
    try await store(1...2, in: database)
    #expect(await session.take("/unread"))
    #expect(lines.all.last == "1: bob@natter.test, 2 unread")
    #expect(await session.take("/window 1"))
    #expect(session.current == bob)
    #expect(await session.take("/unread"))
    #expect(lines.all.last == "No unread messages.")
    #expect(await session.take("/unread here"))
    #expect(session.current == nil)
    #expect(lines.all.last == "bob@natter.test is marked as unread.")
    #expect(await session.take("/unread"))
    #expect(lines.all.last == "1: bob@natter.test, 1 unread")
    #expect(await session.take("/read all"))
    #expect(lines.all.last == "All conversations are marked as read.")
    #expect(await session.take("/read all"))
    #expect(lines.all.last == "No unread messages.")
    for typed in ["/read everything", "/unread everything"] {
      #expect(await session.take(typed))
      #expect(lines.all.last?.hasPrefix("\"everything\" is not ") == true)
    }
  }

  @Test func `an address is blocked when the command is repeated, and unblocked at once`()
    async throws
  {
    let lines = Lines()
    let ports = FakePorts()
    let session = try await session(lines) { $0.blocking = ports }
    #expect(await session.take("/block"))
    #expect(lines.all.last?.hasPrefix("No conversation is open.") == true)
    #expect(await session.take("/block bob@natter.test"))
    #expect(lines.all.suffix(2).first?.contains("bob@natter.test sends?") == true)
    #expect(lines.all.last == "/block again confirms.")
    // Another command in between drops the question, and so does another address.
    #expect(await session.take("/unread"))
    for address in ["bob", "eve", "bob"] {
      #expect(await session.take("/block \(address)@natter.test"))
      #expect(lines.all.last == "/block again confirms.")
    }
    #expect(await ports.calls.isEmpty)
    #expect(await session.take("/block"))
    #expect(await ports.calls == ["block bob@natter.test -"])
    #expect(lines.all.last == "bob@natter.test is blocked.")
    #expect(await session.take("/unblock bob@natter.test"))
    #expect(await ports.calls.last == "unblock bob@natter.test")
    #expect(lines.all.last == "bob@natter.test is unblocked.")
  }

  @Test func `a contact is removed when the command is repeated`() async throws {
    let lines = Lines()
    let database = try await AccountDatabase.inMemory()
    let session = try await session(lines, in: database)
    _ = try await database.roster.apply([RosterPush(Contact(jid: bob), version: nil)])
    session.handle(.contactsChanged([Contact(jid: bob, name: "Robert")]))
    #expect(await session.take("/remove"))
    #expect(lines.all.last == "Usage: /remove ADDRESS")
    #expect(await session.take("/remove robert"))
    #expect(lines.all.last?.hasPrefix("Remove Robert (bob@natter.test)") == true)
    #expect(try await database.roster.contact(bob)?.changes.isEmpty == true)
    #expect(await session.take("/remove"))
    // There is no connection.
    #expect(lines.all.last?.hasPrefix("Saved here") == true, "\(lines.all)")
  }

  @Test(arguments: ["en", "fr", "zh-Hans"])
  func `help has a line for each command`(language: String) async throws {
    let lines = Lines()
    let session = try await session(lines, language: language)
    #expect(await session.take("/help"))
    #expect(lines.all.count == PlainCommand.all.count + 1)
    for (line, command) in zip(lines.all, PlainCommand.all) {
      #expect(line.hasPrefix("/" + command.name), "\(line)")
      // A text that is missing shows its key.
      #expect(!line.contains("command."), "\(line)")
    }
    #expect(Set(PlainCommand.all.map(\.name)).count == PlainCommand.all.count)
  }

  @Test func `help of one command has its other names, and says what works elsewhere`()
    async throws
  {
    let lines = Lines()
    let session = try await session(lines)
    for typed in ["search", "/search", "lastlog", "FIND"] {
      #expect(await session.take("/help \(typed)"))
      #expect(lines.all.suffix(2).first?.hasPrefix("/search TEXT: prints") == true)
      #expect(lines.all.last == "Also: /find, /lastlog", "\(lines.all)")
    }
    #expect(await session.take("/help accept"))
    #expect(lines.all.last == "/accept ADDRESS: accepts a request or an invitation")
    #expect(await session.take("/help split"))
    #expect(lines.all.suffix(2).first?.hasPrefix("/split [beside|stacked|off]: ") == true)
    #expect(lines.all.last?.hasPrefix("/split works only in the full screen") == true)
    #expect(await session.take("/help frobnicate"))
    #expect(lines.all.last?.contains("no command /frobnicate") == true)
  }

  @Test func `every command of line mode is one of the full screen, or of its own`() {
    let shared = Set(CommandTable.all.map(\.name))
    for command in PlainCommand.all {
      #expect(
        shared.contains(command.name) != PlainCommandTable.ownNames.contains(command.name),
        "\(command.name)")
    }
  }
}

/// An archive that answers as a test says.
private actor PagedHistory: HistoryFetching {
  private var answer: @MainActor @Sendable (_ page: Int) async throws -> HistoryOutcome = { _ in
    .beginning
  }
  private(set) var requests = 0
  private var hole: HistoryHole?

  func leave(_ hole: HistoryHole) { self.hole = hole }

  func serve(_ answer: @escaping @MainActor @Sendable (_ page: Int) async throws -> HistoryOutcome)
  {
    self.answer = answer
  }

  func fetchOlder(in conversation: JID) async throws -> HistoryOutcome {
    defer { requests += 1 }
    return try await answer(requests)
  }
  func fetch(from start: Date?, in conversation: JID) async throws -> HistoryOutcome {
    try await fetchOlder(in: conversation)
  }
  func holes(in conversation: JID) -> [HistoryHole] { hole.map { [$0] } ?? [] }
  func counted(_ hole: HistoryHole, in conversation: JID) -> HistoryHole { hole }
  func fetchMissing(in hole: HistoryHole, of conversation: JID) -> HistoryOutcome { .beginning }
}
