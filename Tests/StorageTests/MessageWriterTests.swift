import Foundation
import NatterCore
import SQLite
import TestSupport
import Testing
import XMPP

@testable import Storage

@Suite struct MessageWriterTests {
  static let counting: @Sendable (IncomingMessage) -> Bool = { _ in true }
  static let silent: @Sendable (IncomingMessage) -> Bool = { _ in false }

  @Test func `what insert returns is what is read later`() async throws {
    let account = try await AccountDatabase.inMemory()
    var late = Sample.message("line 1\nline 2 👩‍👩‍👧 \u{0}", at: 0.123456789, origin: "o", stanza: "s")
    late.isDelayed = true
    let other = Sample.message("", at: 1, from: Sample.juliet)
    let (stored, conversations) = try await account.messages.insert(
      [late, other], countsUnread: Self.counting
    ).parts
    #expect(stored.map(\.body) == [late.body, ""])
    #expect(stored[0].isDelayed && stored[0].originID == "o" && stored[0].stanzaID == "s")
    #expect(stored[0].delivery == nil && stored[0].sender == Sample.phone)
    #expect(try await account.timeline.latest(10, in: Sample.juliet) == stored)
    #expect(conversations.count == 1)
    #expect(try await account.conversations.conversation(Sample.juliet) == conversations[0])
  }

  @Test func `an empty batch changes nothing`() async throws {
    let account = try await AccountDatabase.inMemory()
    let result = try await account.messages.insert([], countsUnread: Self.counting)
    #expect(result.messages.isEmpty && result.conversations.isEmpty)
    #expect(try await account.conversations.conversations().isEmpty)
  }

  @Test func `a message known by its stanza-id is stored once, in one batch and in two`()
    async throws
  {
    let account = try await AccountDatabase.inMemory()
    let message = Sample.message("hi", stanza: "s1")
    let changed = Sample.message("another", stanza: "s1")
    let first = try await account.messages.insert([message, changed], countsUnread: Self.counting)
    let second = try await account.messages.insert([message], countsUnread: Self.counting)
    #expect(first.messages.map(\.body) == ["hi"])
    #expect(first.conversations.map(\.unread) == [1])
    #expect(second.messages.isEmpty && second.conversations.isEmpty)
  }

  @Test func `an origin-id is known together with the bare sender`() async throws {
    let account = try await AccountDatabase.inMemory()
    let (messages, _) = try await account.messages.insert(
      [
        Sample.message("hi", from: Sample.phone, origin: "o"),
        Sample.message("hi", from: Sample.tablet, origin: "o"),
        Sample.message("hi", from: Sample.phone, origin: "o", stanza: "s"),
        Sample.message("mine", from: Sample.romeo, origin: "o", direction: .outgoing),
      ], countsUnread: Self.counting
    ).parts
    #expect(messages.map(\.body) == ["hi", "mine"])
    #expect(messages.last?.delivery == .sent)
  }

  /// Pages of one moment are a microsecond apart: a long one ends after the clock.
  @Test(arguments: ["sent", "queued"])
  func `live messages are behind what an archive has put ahead of the clock, one's own too`(
    delivery: String
  ) async throws {
    let account = try await AccountDatabase.inMemory()
    var page = Sample.message("page", at: 10.010, stanza: "s1")
    page.archivedAt = page.sentAt
    _ = try await account.messages.insert([page], countsUnread: Self.silent)
    _ = try await account.outbox.enqueue(
      body: "typed", to: Sample.juliet, from: Sample.romeo, originID: "o1", at: Sample.date(9))
    try await account.database.write { db in
      try db.run(
        "UPDATE message SET delivery = ?, placed_at = ? WHERE origin_id = 'o1'", delivery,
        ColumnCoding.microseconds(Sample.date(10.011)))
    }
    _ = try await account.messages.insert(
      [Sample.message("live", at: 10, stanza: "s2")], countsUnread: Self.silent)
    // A pending message has no position at the server yet.
    #expect(
      try await account.timeline.latest(9, in: Sample.juliet).map(\.body)
        == (delivery == "sent" ? ["page", "typed", "live"] : ["page", "live", "typed"]))
  }

  @Test(arguments: ["nurse", "\u{301}nurse", "\u{200D}nurse", "a@b/c", "@"])
  func `whatever a resource begins with, an address comes back as it was stored`(
    resource: String
  ) throws {
    for local in ["balcony", nil] {
      let jid = JID(local: local, domain: "rooms.example.org", resource: resource)
      #expect(ColumnCoding.jid(jid.description) == jid)
      #expect(ColumnCoding.jid(jid.bare.description) == jid.bare)
    }
  }

  @Test func `in a room the occupant is the sender`() async throws {
    let account = try await AccountDatabase.inMemory()
    _ = try await account.conversations.open(Sample.room, kind: .room)
    let nurse = JID(local: "balcony", domain: "rooms.example.org", resource: "nurse")
    let tybalt = JID(local: "balcony", domain: "rooms.example.org", resource: "tybalt")
    let batch = [nurse, tybalt, nurse].map {
      Sample.message("hi", from: $0, in: Sample.room, origin: "1")
    }
    let (messages, conversations) = try await account.messages.insert(
      batch, countsUnread: Self.counting
    ).parts
    #expect(messages.map(\.sender) == [nurse, tybalt])
    #expect(conversations.map(\.kind) == [.room])
  }

  @Test func `in a room another's echo of a local message is a message of its own`()
    async throws
  {
    for isBack in [false, true] {
      let account = try await AccountDatabase.inMemory()
      _ = try await account.conversations.open(Sample.room, kind: .room)
      _ = try await account.outbox.enqueue(
        body: "hi", to: Sample.room, from: Sample.romeo, originID: "o", at: Sample.date(0))
      let own = try #require(Sample.room.with(resource: "romeo"))
      let robot = try #require(Sample.room.with(resource: "robot"))
      var (reflected, echo) = (
        Sample.message(
          "hi", from: own, in: Sample.room, origin: "o", stanza: "s1", direction: .outgoing),
        Sample.message("hi", from: robot, in: Sample.room, origin: "o", stanza: "s2")
      )
      // The sender is known by the occupant id, or because the user's own message is reflected
      // already.
      if isBack {
        let stored = try await account.messages.insert([reflected], countsUnread: Self.counting)
        #expect(stored.messages.isEmpty)
      } else {
        (reflected.occupantID, echo.occupantID) = ("x", "y")
      }
      let stored = try await account.messages.insert(
        [echo, reflected], countsUnread: Self.counting)
      #expect(stored.messages.map(\.sender) == [robot])
      #expect(try await account.timeline.latest(9, in: Sample.room).count == 2)
    }
  }

  @Test func `what comes back under a nick of before is known where the room shows nicks only`()
    async throws
  {
    let account = try await AccountDatabase.inMemory()
    _ = try await account.conversations.open(Sample.room, kind: .room)
    _ = try await account.outbox.enqueue(
      body: "hi", to: Sample.room, from: Sample.romeo, originID: "o", at: Sample.date(0))
    let before = try #require(Sample.room.with(resource: "romeo_"))
    let stored = try await account.messages.insert(
      [Sample.message("hi", from: before, in: Sample.room, origin: "o", stanza: "s1")],
      countsUnread: Self.counting)
    #expect(stored.messages.isEmpty && stored.changed.map(\.delivery) == [.sent])
  }

  @Test func `ids that come by another road are added`() async throws {
    let account = try await AccountDatabase.inMemory()
    let roads = [
      Sample.message("hi", origin: "o"), Sample.message("hi", origin: "o", stanza: "s"),
      Sample.message("hi", stanza: "s"),
    ]
    var stored = 0
    for road in roads {
      stored += try await account.messages.insert([road], countsUnread: Self.counting).messages
        .count
    }
    #expect(stored == 1)
    #expect(try await account.timeline.latest(1, in: Sample.juliet).first?.stanzaID == "s")
  }

  @Test func `one stanza-id in two conversations is two messages`() async throws {
    let account = try await AccountDatabase.inMemory()
    let (messages, _) = try await account.messages.insert(
      [Sample.message("a", stanza: "s"), Sample.message("b", in: Sample.room, stanza: "s")],
      countsUnread: Self.silent
    ).parts
    #expect(messages.count == 2)
  }

  @Test(arguments: 1...12)
  func `any order of any repetitions stores the same set`(seed: UInt64) async throws {
    let account = try await AccountDatabase.inMemory()
    var random = SeededGenerator(seed: seed)
    // Each message takes several roads: live, carbon, archive, resend.
    var roads: [IncomingMessage] = []
    for number in 0..<60 {
      let conversation = number % 3 == 0 ? Sample.room : Sample.juliet
      let complete = Sample.message(
        "m\(number)", at: Double(number % 7), in: conversation, origin: "o\(number)",
        stanza: "s\(number)")
      var other = complete
      if number.isMultiple(of: 2) { other.stanzaID = nil } else { other.originID = nil }
      roads += Array(repeating: complete, count: Int.random(in: 1...3, using: &random))
      roads += Array(repeating: other, count: Int.random(in: 0...2, using: &random))
    }
    roads.shuffle(using: &random)
    var announced: [String] = []
    while !roads.isEmpty {
      let count = min(roads.count, Int.random(in: 1...20, using: &random))
      let result = try await account.messages.insert(
        Array(roads.prefix(count)), countsUnread: Self.counting)
      announced += result.messages.map(\.body)
      roads.removeFirst(count)
    }
    #expect(announced.sorted() == (0..<60).map { "m\($0)" }.sorted())
    var stored: [String] = []
    for conversation in [Sample.room, Sample.juliet] {
      let messages = try await account.timeline.latest(1000, in: conversation)
      #expect(messages.map(\.position) == messages.map(\.position).sorted())
      let unread = try await account.conversations.conversation(conversation)?.unread
      #expect(unread == messages.count)
      stored += messages.map(\.body)
    }
    #expect(stored.sorted() == announced.sorted())
    #expect(try await account.faults() == [])
  }

  @Test func `a batch that does not fit is not stored at all`() async throws {
    let account = try await AccountDatabase.inMemory()
    try await account.database.withoutTransaction { try $0.run("PRAGMA max_page_count = 60") }
    let batch = (0..<200).map { Sample.message(String(repeating: "word ", count: 500) + "\($0)") }
    await #expect(throws: StorageError.full(path: ":memory:")) {
      try await account.messages.insert(batch, countsUnread: Self.counting)
    }
    #expect(try await account.conversations.conversations().isEmpty)
    let (messages, _) = try await account.messages.insert(
      [Sample.message("small")], countsUnread: Self.counting
    ).parts
    #expect(messages.count == 1)
  }

  @Test func `the search index follows the messages`() async throws {
    let account = try await AccountDatabase.inMemory()
    _ = try await account.messages.insert(
      [Sample.message("Crème brûlée tonight"), Sample.message("nothing")],
      countsUnread: Self.silent)
    let (typed, _) = try await account.outbox.enqueue(
      body: "brulee, yes", to: Sample.juliet, from: Sample.romeo, originID: "o", at: Sample.date(0))
    let matches: @Sendable (DatabaseConnection) throws -> Int? = { db in
      try SearchIndex.takeUp(in: db)
      return try db.firstRow(
        "SELECT COUNT(*) FROM message_text WHERE message_text MATCH 'brulee'"
      ) { $0.int(0) }
    }
    #expect(try await account.database.write(matches) == 2)
    #expect(try await account.outbox.remove(typed.id) == .gone)
    #expect(try await account.database.write(matches) == 1)
    try await account.database.write { db in
      try db.run("INSERT INTO message_text (message_text, rank) VALUES ('integrity-check', 1)")
    }
  }
}
