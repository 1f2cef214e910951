import Foundation
import NatterCore
import SQLite
import Testing
import XMPP

@testable import Storage

/// The programs that sent messages for the user.
@Suite struct SenderTests {
  @Test func `a message keeps the name of the program that sent it`() async throws {
    let account = try await AccountDatabase.inMemory()
    func send(_ body: String, by program: String?) async throws -> Message {
      try await account.outbox.enqueue(
        body: body, file: nil, reply: nil, thread: .ofConversation, to: Sample.juliet,
        from: Sample.romeo, originID: body, at: Sample.date(1), by: program
      ).message
    }
    let first = try await send("hi", by: "greeter")
    #expect(first.sentBy == "greeter")
    // The first one has sent it.
    #expect(try await send("hi", by: "other") == first)
    #expect(try await send("mine", by: nil).sentBy == nil)
    _ = try await account.outbox.relations.enqueueCorrection(
      of: first.id, body: "hello", from: Sample.romeo, originID: "c", at: Sample.date(2))
    let stored = try await account.timeline.latest(9, in: Sample.juliet)
    #expect(stored.map(\.sentBy) == ["greeter", nil])
    #expect(stored.first?.body == "hello")
    #expect(try await account.outbox.queued().first?.sentBy == "greeter")
    // It is the database that says so, and not what was kept in memory.
    let names = try await account.database.read { db in
      try db.rows("SELECT sent_by FROM message ORDER BY id") { $0.optionalString(0) }
    }
    #expect(names == ["greeter", nil, nil])
  }
}
