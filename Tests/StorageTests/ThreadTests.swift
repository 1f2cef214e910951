import Foundation
import NatterCore
import SQLite
import Testing
import XMPP

@testable import Storage

/// The threads of messages (XEP-0201): stored with them, and answered in.
@Suite struct ThreadTests {
  private let one = Message.Thread(id: "one", parent: "zero")
  private let two = Message.Thread(id: "two")

  private func message(
    _ body: String, at seconds: Double, in thread: Message.Thread?, of conversation: JID? = nil,
    origin: String? = nil, direction: Message.Direction = .incoming
  ) -> IncomingMessage {
    var message = Sample.message(
      body, at: seconds, from: conversation?.with(resource: "nurse") ?? Sample.phone,
      in: conversation ?? Sample.juliet, origin: origin ?? "o\(seconds)", direction: direction)
    message.thread = thread
    return message
  }

  @discardableResult
  private func insert(_ messages: IncomingMessage..., into account: AccountDatabase) async throws
    -> StoredMessages
  {
    try await account.messages.insert(messages) { _ in true }
  }

  private func send(
    _ body: String, _ thread: ThreadChoice = .ofConversation, to conversation: JID = Sample.juliet,
    at seconds: Double = 50, over account: AccountDatabase
  ) async throws -> Message {
    try await account.outbox.enqueue(
      body: body, file: nil, reply: nil, thread: thread, to: conversation, from: Sample.romeo,
      originID: body, at: Sample.date(seconds)
    ).message
  }

  @Test func `a thread is stored with its message, and kept when it is corrected`() async throws {
    let account = try await AccountDatabase.inMemory()
    let stored = try await insert(
      message("in", at: 0, in: one, origin: "o1"), message("no", at: 1, in: nil), into: account)
    #expect(stored.messages.map(\.thread) == [one, nil])
    var correction = message("corrected", at: 2, in: two, origin: "o2")
    correction.replaces = "o1"
    try await insert(correction, into: account)
    let messages = try await account.timeline.latest(9, in: Sample.juliet)
    #expect(messages.map(\.body) == ["corrected", "no"])
    #expect(messages.map(\.thread) == [one, nil])
  }

  @Test func `a message of the user is in the thread of the contact's newest message`()
    async throws
  {
    let account = try await AccountDatabase.inMemory()
    #expect(try await send("first", at: 0, over: account).thread == nil)
    try await insert(
      message("a", at: 1, in: one), message("b", at: 2, in: two),
      message("own", at: 3, in: one, direction: .outgoing), into: account)
    let sent = try await send("yse", over: account)
    #expect(sent.thread == two)
    // Its correction is in the same thread, whatever came since.
    try await insert(message("c", at: 60, in: nil), into: account)
    _ = try await account.outbox.relations.enqueueCorrection(
      of: sent.id, body: "yes", from: Sample.romeo, originID: "o9", at: Sample.date(61))
    let queued = try await account.outbox.queued()
    #expect(queued.map(\.body) == ["first", "yse", "yes"])
    #expect(queued.map(\.thread) == [nil, two, two])
    #expect(try await send("plain", at: 70, over: account).thread == nil)
  }

  @Test func `a given thread is kept, and so is none`() async throws {
    let account = try await AccountDatabase.inMemory()
    try await insert(message("a", at: 1, in: one), into: account)
    #expect(try await send("x", .given(two), over: account).thread == two)
    #expect(try await send("y", .given(nil), over: account).thread == nil)
    let failed = try await send("z", over: account)
    _ = try await account.outbox.setDelivery(.failed(reason: "no"), ofOriginID: "z")
    #expect(try await account.outbox.requeue(failed.id, at: Sample.date(99))?.thread == one)
  }

  @Test func `no thread gets into a room, to an occupant or into another conversation`()
    async throws
  {
    let account = try await AccountDatabase.inMemory()
    _ = try await account.conversations.open(Sample.room, kind: .room)
    let occupant = try #require(Sample.room.with(resource: "nurse"))
    try await insert(
      message("a", at: 1, in: one), message("b", at: 2, in: one, of: Sample.room),
      message("c", at: 3, in: one, of: occupant), into: account)
    let others = [Sample.room, occupant, JID(local: "paris", domain: "example.org")]
    for (number, conversation) in others.enumerated() {
      let sent = try await send("\(number)", to: conversation, over: account)
      #expect(sent.conversation == conversation && sent.thread == nil)
    }
    #expect(try await send("juliet", over: account).thread == one)
  }

  @Test func `the contact's newest message is looked for among the last ones only`() async throws {
    let account = try await AccountDatabase.inMemory()
    try await insert(message("a", at: 0, in: one), into: account)
    let own = (1..<ThreadRecord.depth).map {
      message("own \($0)", at: Double($0), in: nil, direction: .outgoing)
    }
    _ = try await account.messages.insert(own) { _ in false }
    #expect(try await send("near", at: 900, over: account).thread == one)
    #expect(try await send("far", at: 901, over: account).thread == nil)
    let plan = try await account.database.read { db in
      try db.rows("EXPLAIN QUERY PLAN " + ThreadRecord.newest, arguments: [1, 1]) { $0.string(3) }
    }
    #expect(plan.contains { $0.contains("message USING INDEX message_page (conversation=?)") })
  }

  @Test func `the newest messages of a thread are read without those of others`() async throws {
    let account = try await AccountDatabase.inMemory()
    let occupant = try #require(Sample.room.with(resource: "nurse"))
    try await insert(
      message("a", at: 1, in: two), message("b", at: 2, in: one), message("c", at: 3, in: nil),
      message("d", at: 4, in: two, origin: "o4"), message("e", at: 5, in: two),
      message("f", at: 6, in: two, of: occupant), into: account)
    var correction = message("corrected", at: 7, in: two)
    correction.replaces = "o4"
    try await insert(correction, into: account)
    func bodies(_ count: Int) async throws -> [String] {
      try await account.timeline.messages(inThread: "two", count, in: Sample.juliet).map(\.body)
    }
    #expect(try await bodies(9) == ["a", "corrected", "e"])
    #expect(try await bodies(2) == ["corrected", "e"])
    #expect(try await bodies(0) == [])
    let plan = try await account.database.read { db in
      try db.rows("EXPLAIN QUERY PLAN " + ThreadRecord.messages, arguments: ["a", "b", 1]) {
        $0.string(3)
      }
    }
    #expect(
      plan.contains { $0.contains("USING INDEX message_thread (conversation=? AND thread_id=?)") })
    #expect(!plan.contains { $0.contains("TEMP B-TREE") })
  }

  @Test func `threads that came from one are found by their first messages`() async throws {
    let account = try await AccountDatabase.inMemory()
    func child(_ id: String, of parent: String) -> Message.Thread? { .init(id: id, parent: parent) }
    try await insert(
      message("a", at: 1, in: two), message("b", at: 2, in: child("x", of: "two")),
      message("c", at: 3, in: child("y", of: "two")),
      message("d", at: 4, in: child("x", of: "two")),
      message("e", at: 5, in: child("z", of: "x")), message("f", at: 6, in: one), into: account)
    func bodies(_ id: String, _ count: Int = 9) async throws -> [String] {
      try await account.timeline.beginnings(ofThreadsFrom: id, count, in: Sample.juliet)
        .map(\.body)
    }
    #expect(try await bodies("two") == ["b", "c"])
    // Those that began last.
    #expect(try await bodies("two", 1) == ["c"])
    #expect(try await bodies("x") == ["e"])
    #expect(try await bodies("y") == [])
    #expect(try await bodies("two", 0) == [])
    #expect(try await account.timeline.thread(of: Sample.juliet) == one)
    #expect(try await account.timeline.thread(of: Sample.room) == nil)
    let plan = try await account.database.read { db in
      try db.rows(
        "EXPLAIN QUERY PLAN " + ThreadRecord.beginnings, arguments: [1, 1, "a", 1]
      ) { $0.string(3) }
    }
    #expect(plan.contains { $0.contains("message USING INDEX message_page (conversation=?)") })
    #expect(!plan.contains { $0 == "SCAN message" || $0 == "SCAN conversation" })
  }

  @Test func `a history without threads gets them from the archive`() async throws {
    let account = try await AccountDatabase.inMemory()
    try await insert(message("a", at: 0, in: nil, origin: "o1"), into: account)
    try await insert(message("a", at: 0, in: one, origin: "o1"), into: account)
    #expect(try await account.timeline.latest(9, in: Sample.juliet).map(\.thread) == [one])
    // It is never replaced.
    try await insert(message("a", at: 0, in: two, origin: "o1"), into: account)
    #expect(try await account.timeline.latest(9, in: Sample.juliet).map(\.thread) == [one])
  }

  @Test func `a message of another instance has the conversation's thread unless it may be sent`()
    async throws
  {
    let account = try await AccountDatabase.inMemory()
    try await insert(message("a", at: 0, in: one), into: account)
    for (id, thread, fate, expected) in [
      ("x", nil, HandoffState.unsent, one), ("y", two, .unsent, two),
      ("z", nil, .attempted(Sample.date(1)), nil),
    ] {
      let taken = try await account.outbox.takeOver(
        id, thread: thread, to: Sample.juliet, from: Sample.romeo, originID: id,
        typedAt: Sample.date(2), fate: fate)
      #expect(taken.message.thread == expected)
    }
  }

  @Test func `the spool keeps the thread and the other ids`() throws {
    let scratch = try Scratch()
    let spool = MessageSpool(besideDatabase: scratch.path("a.db"))
    var entry = MessageSpool.Entry(
      originID: "a", recipient: Sample.juliet, body: "hi", typedAt: Sample.date(1))
    entry.thread = two
    entry.otherIDs = ["b", "c"]
    try spool.leave(entry)
    #expect(spool.entries() == [entry])
  }
}
