import Foundation
import NatterCore
import SQLite
import Testing
import XMPP

@testable import Storage

/// The histories of other programs in the database of an account.
@Suite struct ImportStoreTests {
  private static let account = Sample.romeo.bare
  private static let nick = JID(local: "balcony", domain: "rooms.example.org", resource: "nurse")

  private func entry(
    _ body: String, at seconds: Double = 0, in conversation: JID = Sample.juliet,
    from sender: JID? = nil, origin: String? = nil, stanza: String? = nil, corrects: String? = nil,
    kind: Conversation.ConversationKind = .direct,
    precision: HistoryEntry.Precision = .second
  ) -> HistoryEntry {
    let sender = sender ?? conversation
    var message = IncomingMessage(
      conversation: conversation, sender: sender,
      direction: sender == Self.account ? .outgoing : .incoming, body: body,
      sentAt: Sample.date(seconds), originID: origin, stanzaID: stanza, isDelayed: true)
    message.archivedAt = message.sentAt
    message.replaces = corrects
    return HistoryEntry(message, kind: kind, precision: precision)
  }

  /// Imports entries as one batch.
  @discardableResult private func add(
    _ entries: [HistoryEntry], to account: AccountDatabase, shownSince: Double = 0
  ) async throws -> (batch: ImportBatch.ID, tally: ImportTally) {
    let batch = try await account.imports.beginImport(
      format: "test", path: "/history", at: Sample.date(9000))
    let tally = try await account.imports.add(
      entries, to: batch, shownSince: Sample.date(shownSince))
    try await account.imports.endImport(batch)
    return (batch, tally)
  }

  private func bodies(_ account: AccountDatabase, _ jid: JID = Sample.juliet) async throws
    -> [String]
  {
    try await account.timeline.latest(100, in: jid).map(\.body)
  }

  /// Each way in which a message is recognized.
  private var history: [HistoryEntry] {
    [
      entry("by archive id", at: 1, stanza: "s1"),
      entry("by origin id", at: 2, origin: "5f1c2d3e-9a8b-4c7d"),
      entry("by text", at: 3),
      entry("my own", at: 4, from: Self.account),
      entry("in the room", at: 5, in: Sample.room, from: Self.nick, kind: .room),
      entry("by an unknown nick", at: 6, in: Sample.room, from: Sample.room, kind: .room),
      entry("by me", at: 7, in: Sample.room, from: Self.account, kind: .room),
      entry("by the minute", at: 8, precision: .minute),
    ]
  }

  @Test func `a second import of the same adds nothing`() async throws {
    let account = try await AccountDatabase.inMemory()
    let first = try await add(history, to: account)
    #expect(first.tally.added == 8 && first.tally.known == 0)
    #expect(first.tally.conversations == [Sample.juliet, Sample.room])
    #expect(try await account.imports.preview(history) == ImportTally(added: 0, known: 8))
    let second = try await add(history, to: account)
    #expect(second.tally.added == 0 && second.tally.known == 8)
    let imports = try await account.imports.imports()
    #expect(
      imports == [
        ImportBatch(
          id: first.batch, format: "test", path: "/history", at: Sample.date(9000), rows: 8)
      ])
    #expect(try await account.imports.undoImport(second.batch) == nil)
  }

  @Test func `a preview counts the same conversations as the import`() async throws {
    let account = try await AccountDatabase.inMemory()
    let entries = [
      entry("to all", at: 1, in: Sample.room, from: Self.nick, kind: .room),
      entry("to me alone", at: 2, in: Self.nick, from: Self.nick),
    ]
    #expect(try await account.imports.preview(entries).conversations == [Sample.room])
    #expect(try await add(entries, to: account).tally.conversations == [Sample.room])
  }

  @Test func `nothing is unread, everything is late, and the user's own was sent`() async throws {
    let account = try await AccountDatabase.inMemory()
    try await add(history, to: account)
    let messages = try await account.timeline.latest(10, in: Sample.juliet)
    #expect(messages.map(\.delivery) == [nil, nil, nil, .sent, nil])
    #expect(messages.map(\.isDelayed) == [true, true, true, true, true])
    let conversations = try await account.conversations.conversations()
    #expect(Set(conversations.map(\.jid)) == [Sample.juliet, Sample.room])
    #expect(conversations.allSatisfy { $0.unread == 0 && $0.firstUnread == nil })
    #expect(conversations.first { $0.jid == Sample.juliet }?.lastActivity == Sample.date(8))
    #expect(conversations.first { $0.jid == Sample.room }?.kind == .room)
  }

  @Test func `a conversation without a recent message is hidden, unless it was there`()
    async throws
  {
    let account = try await AccountDatabase.inMemory()
    _ = try await account.conversations.open(Sample.room, kind: .room)
    try await add(history, to: account, shownSince: 1000)
    #expect(try await account.conversations.conversations().map(\.jid) == [Sample.room])
    #expect(try await account.conversations.conversation(Sample.juliet) != nil)
  }

  @Test func `messages of one second with different ids, nicks or texts are all stored`()
    async throws
  {
    let account = try await AccountDatabase.inMemory()
    let other = JID(local: "balcony", domain: "rooms.example.org", resource: "romeo")
    let tally = try await add(
      [
        entry("ok", at: 1.1, stanza: "s1"), entry("ok", at: 1.2, stanza: "s2"),
        entry("ok", at: 5.3, origin: "o3"), entry("ok", at: 5.4, origin: "o4"),
        entry("no", at: 1.5), entry("no", at: 2.5), entry("no", at: 2.6, from: Self.account),
        entry("hi", at: 1, in: Sample.room, from: Self.nick, kind: .room),
        entry("hi", at: 1, in: Sample.room, from: other, kind: .room),
        // Not two of them.
        entry("no", at: 1.9),
      ], to: account
    ).tally
    #expect(tally.added == 9 && tally.known == 1)
  }

  @Test func `equal texts within a second are two messages where their times are exact`()
    async throws
  {
    let account = try await AccountDatabase.inMemory()
    let exact = [1.25, 1.5].map { entry("ok", at: $0, precision: .microsecond) }
    #expect(try await add(exact, to: account).tally.added == 2)
    #expect(try await add(exact, to: account).tally == ImportTally(added: 0, known: 2))
    // A history without parts of a second may have either of them.
    let tally = try await add([entry("ok", at: 1)], to: account).tally
    #expect(tally.added == 0 && tally.known == 1)
  }

  /// More than are compared with an entry: those that are nearest to its time are.
  @Test func `many equal texts of one second are known where their times are exact`() async throws {
    let account = try await AccountDatabase.inMemory()
    let exact = (1...300).map {
      entry("ok", at: 1 + Double($0) / 1000, precision: .microsecond)
    }
    #expect(try await add(exact, to: account).tally.added == 300)
    #expect(try await add(exact, to: account).tally == ImportTally(added: 0, known: 300))
    // With ids of an archive, none is another one.
    let archived = (1...300).map { entry("yes", at: 5, stanza: "s\($0)") }
    #expect(try await add(archived, to: account).tally.added == 300)
    #expect(try await add(archived, to: account).tally.known == 300)
  }

  @Test func `an entry goes to where its time belongs, and is found by its text`() async throws {
    let account = try await AccountDatabase.inMemory()
    _ = try await account.messages.insert([
      Sample.message("first", at: 0, origin: "a"), Sample.message("last", at: 20, origin: "b"),
    ]) { _ in true }
    try await add([entry("between", at: 10), entry("before", at: -10)], to: account)
    #expect(try await bodies(account) == ["before", "first", "between", "last"])
    let found = try await account.search.messages(
      having: SearchQuery("between"), in: Sample.juliet, limit: 9)
    #expect(found.count == 1)
    #expect(try await account.conversations.conversation(Sample.juliet)?.unread == 2)
  }

  @Test func `what the server brought already is not imported again`() async throws {
    let account = try await AccountDatabase.inMemory()
    var corrected = Sample.message("a typo", at: 40, origin: "c2", stanza: "s5")
    corrected.replaces = "c1"
    _ = try await account.messages.insert([
      Sample.message("with ids", at: 0.4, origin: "1", stanza: "s1"),
      Sample.message("by the other clock", at: 10.9, origin: "2", stanza: "s2"),
      Sample.message("a tpyo", at: 39, origin: "c1", stanza: "s4"), corrected,
    ]) { _ in false }
    let tally = try await add(
      [
        entry("with ids", at: 0.4, stanza: "s1"), entry("by the other clock", at: 12),
        entry("a tpyo", at: 39), entry("a typo", at: 40), entry("by the other clock", at: 14),
      ], to: account
    ).tally
    #expect(tally.known == 4 && tally.added == 1)
  }

  @Test func `the archive adds its ids to an imported message, which then stays`() async throws {
    let account = try await AccountDatabase.inMemory()
    let batch = try await add([entry("hello", at: 10), entry("bye", at: 20)], to: account).batch
    var archived = Sample.message("hello", at: 11.5, origin: "o1", stanza: "s1")
    (archived.isDelayed, archived.archivedAt) = (true, archived.sentAt)
    for _ in 0..<2 {
      let stored = try await account.messages.insert([archived]) { _ in false }
      #expect(stored.messages == [])
    }
    let message = try await account.timeline.latest(10, in: Sample.juliet).first
    #expect(message?.stanzaID == "s1" && message?.originID == "o1")
    var later = Sample.message("bye", at: 22.5, origin: "o2", stanza: "s2")
    (later.isDelayed, later.archivedAt) = (true, later.sentAt)
    #expect(try await account.messages.insert([later]) { _ in false }.messages.count == 1)
    #expect(try await account.imports.undoImport(batch) == 1)
    #expect(try await bodies(account) == ["hello", "bye"])
  }

  @Test func `a live message with the same text is another one`() async throws {
    let account = try await AccountDatabase.inMemory()
    try await add([entry("hello", at: 10)], to: account)
    let stored = try await account.messages.insert(
      [Sample.message("hello", at: 11, origin: "o1")]) { _ in true }
    #expect(stored.messages.count == 1)
  }

  @Test func `a correction changes its message, in whatever order they come`() async throws {
    let account = try await AccountDatabase.inMemory()
    try await add(
      [
        entry("a tpyo", at: 1, origin: "c1"),
        entry("a typo", at: 2, origin: "c2", corrects: "c1"),
        entry("later", at: 4, origin: "d2", corrects: "d1"),
        entry("ealier", at: 3, origin: "d1"),
      ], to: account)
    #expect(try await bodies(account) == ["a typo", "later"])
  }

  @Test func `an entry may have its corrected text and its reactions with it`() async throws {
    let account = try await AccountDatabase.inMemory()
    var both = entry("a tpyo", at: 1, origin: "c1")
    both.correctedText = "a typo"
    both.reactions = [Message.Reaction(sender: Self.account, isOwn: true, emoji: ["👍"])]
    #expect(try await add([both], to: account).tally.added == 2)
    let message = try #require(try await account.timeline.latest(10, in: Sample.juliet).first)
    #expect(message.body == "a typo" && message.edit != nil)
    #expect(message.reactions == both.reactions)
    #expect(try await account.details.firstText(of: message.id) == "a tpyo")
    #expect(try await add([both], to: account).tally == ImportTally(added: 0, known: 1))
  }

  @Test func `undoing an import leaves what was there before it, and what came since`()
    async throws
  {
    let account = try await AccountDatabase.inMemory()
    _ = try await account.messages.insert([Sample.message("a tpyo", at: 0, origin: "c1")]) { _ in
      false
    }
    let batch = try await add(
      history + [
        entry("a typo", at: 2, origin: "c2", corrects: "c1"),
        entry("imported", at: 30, origin: "i1", stanza: "i1"),
      ], to: account
    ).batch
    // The server brings a change of an imported message.
    var change = Sample.message("better", at: 40, origin: "i2", stanza: "s9")
    change.replaces = "i1"
    _ = try await account.messages.insert([change]) { _ in false }
    #expect(try await bodies(account).suffix(1) == ["better"])

    #expect(try await account.imports.undoImport(batch) == 10)
    #expect(try await bodies(account) == ["a tpyo", "better"])
    #expect(try await account.conversations.conversation(Sample.room) == nil)
    #expect(
      try await account.conversations.conversation(Sample.juliet)?.lastActivity == Sample.date(40))
    #expect(try await account.imports.imports() == [])
    let found = try await account.search.messages(
      having: SearchQuery("imported"), in: Sample.juliet, limit: 9)
    #expect(found.isEmpty)
    #expect(try await account.faults() == [])
    // The same can be imported again.
    #expect(try await add(history, to: account).tally.added == 8)
  }

  @Test func `a conversation goes with the last import that has messages in it`() async throws {
    let account = try await AccountDatabase.inMemory()
    let first = try await add([entry("one", at: 1)], to: account)
    let second = try await add([entry("two", at: 2)], to: account)
    #expect(try await account.imports.undoImport(first.batch) == 1)
    #expect(try await account.conversations.conversations().count == 1)
    #expect(try await account.imports.undoImport(second.batch) == 1)
    #expect(try await account.conversations.conversations().isEmpty)
  }

  @Test func `a large import is undone in steps`() async throws {
    let account = try await AccountDatabase.inMemory()
    let count = ImportStore.step + 5
    let batch = try await add((0..<count).map { entry("\($0)", at: Double($0)) }, to: account).batch
    #expect(try await account.imports.undoImport(batch) == count)
    #expect(try await bodies(account) == [])
    #expect(try await account.conversations.conversation(Sample.juliet) == nil)
  }

  @Test func `a file of the version before it takes imports`() async throws {
    let scratch = try Scratch()
    let account = try await AccountDatabaseTests.account(from: 8, in: scratch) { _ in }
    let before = try await bodies(account)
    let batch = try await add([entry("imported", at: -90_000)], to: account).batch
    #expect(try await bodies(account) == ["imported"] + before)
    #expect(try await account.imports.undoImport(batch) == 1)
    #expect(try await bodies(account) == before)
    await account.close()
  }

  @Test func `a message of a time still to come is not below what is said after the import`()
    async throws
  {
    let account = try await AccountDatabase.inMemory()
    let history = [
      entry("tomorrow", at: 90_000), entry("later still", at: 95_000), entry("before", at: 8000),
    ]
    #expect(try await add(history, to: account).tally.added == 3)
    #expect(try await bodies(account) == ["before", "tomorrow", "later still"])
    #expect(
      try await account.conversations.conversation(Sample.juliet)?.lastActivity
        == Sample.date(9000))
    let live = IncomingMessage(
      conversation: Sample.juliet, sender: Sample.juliet, direction: .incoming, body: "now",
      sentAt: Sample.date(9500), originID: "live", isDelayed: false)
    _ = try await account.messages.insert([live], countsUnread: { _ in true })
    let messages = try await account.timeline.latest(10, in: Sample.juliet)
    #expect(messages.map(\.body) == ["before", "tomorrow", "later still", "now"])
    // The time that is shown is the history's.
    #expect(messages[1].sentAt == Sample.date(90_000))
    // They are known by it.
    #expect(try await account.imports.preview(history) == ImportTally(added: 0, known: 3))
    #expect(try await add(history, to: account).tally.added == 0)
  }
}
