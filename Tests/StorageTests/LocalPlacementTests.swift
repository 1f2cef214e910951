import Foundation
import NatterCore
import SQLite
import Testing
import XMPP

@testable import Storage

/// The positions of local messages in rooms, which the reflections show.
@Suite struct LocalPlacementTests {
  private func said(_ text: String, by nick: String, at seconds: Double) -> IncomingMessage {
    IncomingMessage(
      conversation: Sample.room, sender: Sample.room.with(resource: nick) ?? Sample.room,
      direction: nick == "me" ? .outgoing : .incoming, body: text,
      sentAt: Date(timeIntervalSince1970: 1_700_000_000 + seconds), originID: "o-\(text)",
      stanzaID: "s-\(text)")
  }

  @Test func `what was said in a room before it gave a message back is above that`()
    async throws
  {
    let account = try await AccountDatabase.inMemory()
    _ = try await account.messages.insert([said("first", by: "bob", at: 0)]) { _ in true }
    try await account.database.write { try $0.run("UPDATE conversation SET kind = 'room'") }
    for (number, text) in ["one", "two"].enumerated() {
      _ = try await account.outbox.enqueue(
        body: text, to: Sample.room, from: Sample.room.with(resource: "me") ?? Sample.room,
        originID: "o-\(text)", at: Date(timeIntervalSince1970: 1_700_000_001 + Double(number)))
    }
    try await account.outbox.markAttempted(
      ["o-one", "o-two"], at: Date(timeIntervalSince1970: 1_700_000_003))
    let stored = try await account.messages.insert(
      [
        said("crossed", by: "bob", at: 4), said("one", by: "me", at: 5),
        said("later", by: "bob", at: 6),
      ]
    ) { _ in true }
    // What is still on its way goes behind what was typed before it.
    #expect(
      try await account.timeline.latest(10, in: Sample.room).map(\.body)
        == ["first", "crossed", "one", "two", "later"])
    #expect(stored.changed.map(\.body).contains("one"))
    _ = try await account.messages.insert([said("two", by: "me", at: 7)]) { _ in true }
    #expect(
      try await account.timeline.latest(10, in: Sample.room).map(\.body)
        == ["first", "crossed", "one", "later", "two"])
    #expect(try await account.faults() == [])
  }

  /// An occupant receives their own messages in a room before the archive has returned the earlier
  /// ones.
  @Test func `what a room gave back before its archive was read comes after all that this has`()
    async throws
  {
    let account = try await Self.givenBack()
    try await account.database.write { db in
      let rows = try Self.rows(db)
      let borders = MessagePlacer.Borders(
        end: .init(row: try rows["behind"], at: Sample.date(10), reach: Sample.date(0)),
        start: .init(row: try rows["one"], at: Sample.date(11), reach: Sample.date(30)))
      let placement = try PlacementReader(in: db).placement(of: [:], between: borders)
      _ = try PlacementWriter.write(placement, in: db)
    }
    #expect(
      try await account.timeline.latest(10, in: Sample.juliet).map(\.body)
        == ["before", "behind", "one", "two"])
  }

  /// The page was asked for before that was said. Where it goes on from what the room gave back
  /// first, only the second is later; the one that stores the page may not know that yet.
  @Test(arguments: [true, false], [true, false])
  func `what a room gave back while its archive is read comes after the page that lacks it`(
    goesOnFromFirst: Bool, isKnown: Bool
  ) async throws {
    let account = try await Self.givenBack()
    try await account.database.write { db in
      let rows = try Self.rows(db)
      let end = MessagePlacer.Edge(
        row: try rows[goesOnFromFirst ? "one" : "before"],
        at: Sample.date(goesOnFromFirst ? 5 : 0), reach: .distantPast)
      let placement = try PlacementReader(in: db).placement(
        of: [rows.conversation: [rows["behind"]]], between: .init(end: end),
        before: isKnown ? ["two"] : [])
      _ = try PlacementWriter.write(placement, in: db)
    }
    #expect(
      try await account.timeline.latest(10, in: Sample.juliet).map(\.body)
        == (goesOnFromFirst
          ? ["before", "one", "behind", "two"] : ["before", "behind", "one", "two"]))
  }

  /// An archive that is read again, page by page: the neighbours of a page are not reported.
  @Test func `what was typed at the end of a page stays before what it was known to be before`()
    async throws
  {
    let account = try await Self.typedBetween()
    try await account.database.write { db in
      let rows = try Self.rows(db)
      // The first was put too far, the second where it belongs.
      try db.run(
        "UPDATE message SET placed_at = ? WHERE body = 'two'",
        ColumnCoding.microseconds(Sample.date(9)))
      let placement = try PlacementReader(in: db).placement(
        of: [rows.conversation: [rows["before"], rows["one"]]], between: .init())
      _ = try PlacementWriter.write(placement, in: db)
    }
    #expect(
      try await account.timeline.latest(10, in: Sample.juliet).map(\.body)
        == ["before", "one", "two", "behind"])
  }

  /// An archive that reports whole seconds, or ignores the id of the query, returns the end of the
  /// previous page again.
  @Test func `a page that has only what was typed goes on after what the page before ended with`()
    async throws
  {
    let account = try await Self.typedBetween()
    try await account.database.write { db in
      let rows = try Self.rows(db)
      let end = MessagePlacer.Edge(
        row: try rows["one"], at: Sample.date(20), reach: Sample.date(0))
      let placement = try PlacementReader(in: db).placement(
        of: [rows.conversation: [rows["one"], rows["two"]]], between: .init(end: end))
      _ = try PlacementWriter.write(placement, in: db)
      let follows = try db.rows("SELECT follows FROM message WHERE is_outgoing = 1") {
        $0.optionalInt64(0)
      }
      let before = try rows["before"]
      #expect(follows == [before, before])
    }
  }

  /// Archives keep receipts, too: what a page ends with need not be a message.
  @Test func `a page that has only what was typed and a receipt is gone on from by the next one`()
    async throws
  {
    let (account, own) = try await Self.typedFirst()
    let parts = ArchiveParts(store: account.archiveRanges)
    var range = try await parts.begin(at: ArchiveParts.position("receipt 1", at: 30))
    range.end = ArchiveParts.position("receipt 2", at: 31)
    range = try await parts.store([own[0]], making: range, adjoining: .beside(later: []))
    let behind = Sample.message("behind", at: 33, stanza: "s-behind")
    range.end = ArchiveParts.position("s-behind", at: 33)
    range = try await parts.store([own[1], behind], making: range, adjoining: .beside(later: []))
    // Another part begins behind that.
    let later = try await parts.begin(at: ArchiveParts.position("receipt 3", at: 40))
    range.end = later.end
    _ = try await parts.store([], making: range, absorbing: [later])

    #expect(
      try await account.timeline.latest(10, in: Sample.juliet).map(\.body)
        == ["one", "two", "behind"])
    #expect(try await account.faults() == [])
  }

  /// Messages that the server had stored have the time of their arrival there: before the end of
  /// the known range, by this machine's clock.
  @Test func `what the archive has sent is before the page that is read on from there`()
    async throws
  {
    let (account, own) = try await Self.typedFirst()
    let parts = ArchiveParts(store: account.archiveRanges)
    var range = try await parts.begin(at: ArchiveParts.position("receipt 1", at: 30))
    range.end = ArchiveParts.position("receipt 1", at: 40)
    range = try await parts.store([], making: range)
    let kept = [33, 34].map {
      Sample.message("kept \($0)", at: Double($0), stanza: "s-kept \($0)")
    }
    _ = try await account.messages.insert(kept, countsUnread: { _ in false })

    range.end = ArchiveParts.position("s-two", at: 40)
    range = try await parts.store(own, making: range, adjoining: .beside(later: []))
    let behind = Sample.message("behind", at: 50, stanza: "s-behind")
    range.end = ArchiveParts.position("s-behind", at: 50)
    _ = try await parts.store(kept + [behind], making: range, adjoining: .beside(later: []))
    #expect(
      try await account.timeline.latest(10, in: Sample.juliet).map(\.body)
        == ["one", "two", "kept 33", "kept 34", "behind"])
    #expect(try await account.faults() == [])
  }

  /// Two parts meet in which nobody else says anything at their border; what a third one begins
  /// with is not beside that.
  @Test func `what was typed first does not come behind what was typed later where parts meet`()
    async throws
  {
    let (account, own) = try await Self.typedFirst(["one", "two", "three", "four"])
    let parts = ArchiveParts(store: account.archiveRanges)
    var early = try await parts.begin(at: ArchiveParts.position("receipt 1", at: 30))
    early.end = ArchiveParts.position("receipt 2", at: 31)
    _ = try await parts.store(Array(own[..<2]), making: early, adjoining: .beside(later: []))

    let said = Sample.message("said", at: 40, stanza: "s-said")
    var newest = ArchiveRange(
      archive: Sample.romeo.bare, start: ArchiveParts.position("s-said", at: 40),
      end: ArchiveParts.position("s-four", at: 41), reachesBeginning: false)
    newest = try await parts.store(
      [said] + own[2...], making: newest, adjoining: .beside(later: []))
    let live = try await parts.begin(at: ArchiveParts.position("receipt 3", at: 60))
    newest.end = live.end
    _ = try await parts.store([], making: newest, absorbing: [live])
    #expect(
      try await account.timeline.latest(10, in: Sample.juliet).map(\.body)
        == ["one", "two", "said", "three", "four"])
    #expect(try await account.faults() == [])
  }

  /// Texts as they are typed, and as the archive has them.
  private static func typedFirst(_ texts: [String] = ["one", "two"]) async throws -> (
    AccountDatabase, [IncomingMessage]
  ) {
    let account = try await AccountDatabase.inMemory()
    let own = texts.map {
      Sample.message(
        $0, at: 31, from: Sample.romeo, origin: "o-\($0)", stanza: "s-\($0)", direction: .outgoing)
    }
    for message in own {
      _ = try await account.outbox.enqueue(
        body: message.body, to: Sample.juliet, from: Sample.romeo,
        originID: try #require(message.originID), at: Sample.date(20))
    }
    try await account.outbox.markAttempted(texts.map { "o-\($0)" }, at: Sample.date(20))
    return (account, own)
  }

  /// Two messages of the other side, "one" and "two" between them, which are known to come after
  /// the first and are at the end.
  private static func typedBetween() async throws -> AccountDatabase {
    let account = try await AccountDatabase.inMemory()
    _ = try await account.messages.insert(
      [Sample.message("before", at: 0), Sample.message("behind", at: 10)],
      countsUnread: { _ in false })
    for text in ["one", "two"] {
      _ = try await account.outbox.enqueue(
        body: text, to: Sample.juliet, from: Sample.romeo, originID: "o-\(text)",
        at: Sample.date(20))
    }
    try await account.outbox.markAttempted(["o-one", "o-two"], at: Sample.date(20))
    try await account.database.write { db in
      try db.run("UPDATE message SET follows = ? WHERE is_outgoing = 1", rows(db)["before"])
    }
    return account
  }

  /// The same in a room that has given both back, between the two.
  private static func givenBack() async throws -> AccountDatabase {
    let account = try await typedBetween()
    try await account.database.write { db in
      try db.run("UPDATE conversation SET kind = 'room'")
      try db.run("UPDATE message SET stanza_id = body")
      try db.run(
        "UPDATE message SET placed_at = ? WHERE is_outgoing = 1",
        ColumnCoding.microseconds(Sample.date(5)))
    }
    return account
  }

  private struct Rows {
    let conversation: Int64
    let ids: [String: Int64]
    subscript(_ body: String) -> Int64 {
      get throws { try #require(ids[body]) }
    }
  }

  private static func rows(_ db: DatabaseConnection) throws -> Rows {
    let ids = try db.rows("SELECT body, id FROM message") { ($0.string(0), $0.int64(1)) }
    let conversation = try db.firstRow("SELECT conversation FROM message") { $0.int64(0) }
    return Rows(
      conversation: try #require(conversation), ids: Dictionary(uniqueKeysWithValues: ids))
  }
}
