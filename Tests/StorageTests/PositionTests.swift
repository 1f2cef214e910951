import Foundation
import NatterCore
import SQLite
import Testing
import XMPP

@testable import Storage

/// The order of a conversation, apart from the times of its messages.
@Suite struct PositionTests {
  /// A message that is sent again behind a later one has the archive's position and its own time.
  @Test func `a page moves messages and leaves their times as they are`() async throws {
    let account = try await AccountDatabase.inMemory()
    let parts = ArchiveParts(store: account.archiveRanges)
    let sent = [("two", 12.0), ("one", 11.5)].map {
      Sample.message($0.0, at: $0.1, stanza: $0.0)
    }
    _ = try await account.messages.insert(sent, countsUnread: { _ in false })
    #expect(try await bodies(account) == ["one", "two"])
    var range = try await parts.begin(at: ArchiveParts.position("before", at: 5))
    range.end = ArchiveParts.position("one", at: 12)
    _ = try await parts.store(sent, making: range, adjoining: .beside(later: []))
    let stored = try await account.timeline.latest(9, in: Sample.juliet)
    #expect(stored.map(\.body) == ["two", "one"])
    #expect(stored.map(\.sentAt) == [Sample.date(12), Sample.date(11.5)])
    #expect(stored[0].position < stored[1].position)
  }

  @Test func `a message typed with a slow clock waits since it was typed, wherever it is moved`()
    async throws
  {
    let account = try await AccountDatabase.inMemory()
    _ = try await account.messages.insert(
      [Sample.message("the question", at: 9000, stanza: "q")], countsUnread: { _ in false })
    let typed = try await OutboxTests.enqueue(account, "the answer", "o1", at: 10)
    try await account.database.write { db in
      let position = ColumnCoding.microseconds(Sample.date(9500))
      _ = try PlacementWriter.write(MessagePlacer(moves: [typed.id.rawValue: position]), in: db)
    }
    let stored = try #require(try await account.timeline.storedMessage(typed.id))
    #expect(stored.sentAt == Sample.date(10) && stored.position.time == Sample.date(9500))
    let expired = try await account.outbox.expire(queuedBefore: Sample.date(11), reason: "late")
    #expect(expired.map(\.id) == [typed.id])
  }

  @Test func `the database refuses another time of sending`() async throws {
    let account = try await AccountDatabase.inMemory()
    _ = try await account.messages.insert([Sample.message("hi")], countsUnread: { _ in false })
    await #expect(throws: (any Error).self) {
      try await account.database.write { db in try db.run("UPDATE message SET sent_at = 1") }
    }
    // Other changes of the row are none of it.
    try await account.database.write { db in
      try db.run("UPDATE message SET sent_at = sent_at, body = 'ho'")
    }
    #expect(try await bodies(account) == ["ho"])
  }

  @Test func `the first unread message and the next page go by the position`() async throws {
    let account = try await AccountDatabase.inMemory()
    var late = Sample.message("late", at: 1)
    late.placedAt = Sample.date(20)
    let stored = try await account.messages.insert(
      [Sample.message("first", at: 10), late, Sample.message("last", at: 30)],
      countsUnread: { $0.body == "late" })
    let shown = try await account.timeline.latest(9, in: Sample.juliet)
    #expect(shown.map(\.body) == ["first", "late", "last"])
    #expect(stored.conversations.first?.firstUnread == shown[1].position)
    #expect(stored.conversations.first?.lastActivity == Sample.date(30))
    let older = try await account.timeline.messages(
      before: shown[1].position, 9, in: Sample.juliet)
    let newer = try await account.timeline.messages(after: shown[1].position, 9, in: Sample.juliet)
    #expect(older.map(\.body) == ["first"] && newer.map(\.body) == ["last"])
  }

  /// A position may be on another clock's scale: the requested history would begin too late, and
  /// messages of a room without an archive would be missing.
  @Test func `the time since the newest message of a room is not that of its position`()
    async throws
  {
    let account = try await AccountDatabase.inMemory()
    _ = try await account.bookmarks.openConversation(of: Sample.room, name: nil)
    let occupant = JID(local: "balcony", domain: "rooms.example.org", resource: "juliet")
    var late = Sample.message("late", at: 1, from: occupant, in: Sample.room, stanza: "l")
    (late.isDelayed, late.placedAt) = (true, Sample.date(9000))
    _ = try await account.messages.insert([late], countsUnread: { _ in false })
    let remote = try await account.bookmarks.newestMessage(in: Sample.room)
    #expect(remote?.at == Sample.date(1) && remote?.isRoomsWord == true && remote?.id == "l")
    let typed = try await account.outbox.enqueue(
      body: "the answer", to: Sample.room, from: Sample.romeo, originID: "o1", at: Sample.date(10)
    ).message
    #expect(typed.position.time > Sample.date(9000))
    try await account.outbox.markAttempted(["o1"], at: Sample.date(12))
    _ = try await account.outbox.setDelivery(.sent, ofOriginID: "o1")
    let local = try await account.bookmarks.newestMessage(in: Sample.room)
    #expect(local?.at == Sample.date(12) && local?.isRoomsWord == false)
  }

  private func bodies(_ account: AccountDatabase) async throws -> [String] {
    try await account.timeline.latest(9, in: Sample.juliet).map(\.body)
  }
}
