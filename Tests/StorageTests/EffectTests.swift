import Foundation
import NatterCore
import SQLite
import Testing
import XMPP

@testable import Storage

/// Reactions (XEP-0444), retractions (XEP-0424) and moderation (XEP-0425).
@Suite struct EffectTests {
  static let counting: @Sendable (IncomingMessage) -> Bool = { _ in true }
  static let nurse = JID(local: "balcony", domain: "rooms.example.org", resource: "nurse")
  static let tybalt = JID(local: "balcony", domain: "rooms.example.org", resource: "tybalt")

  static func effect(
    _ kind: Message.Effect, _ id: String, _ body: String = "", at seconds: Double = 5,
    from sender: JID = Sample.phone, in conversation: JID = Sample.juliet, origin: String,
    stanza: String? = nil, occupant: String? = nil, since: Double? = nil,
    direction: Message.Direction = .incoming
  ) -> IncomingMessage {
    var message = Sample.message(
      body, at: seconds, from: sender, in: conversation, origin: origin, stanza: stanza,
      direction: direction)
    (message.effect, message.replaces, message.occupantID) = (kind, id, occupant)
    message.presentSince = since.map(Sample.date)
    return message
  }

  @discardableResult
  static func insert(_ messages: IncomingMessage..., into account: AccountDatabase) async throws
    -> StoredMessages
  {
    try await account.messages.insert(messages, countsUnread: counting)
  }

  static func shown(_ account: AccountDatabase, in jid: JID = Sample.juliet) async throws
    -> [String]
  {
    try await account.timeline.latest(20, in: jid).map { message in
      let reactions = message.reactions.map {
        " " + ($0.isOwn ? "me" : $0.sender.resource ?? "she") + ":" + $0.emoji.joined()
      }
      return (message.retraction.map { "(\($0.rawValue))" } ?? message.body) + reactions.joined()
    }
  }

  /// Every text of the database that has `word` in it.
  static func traces(of word: String, in account: AccountDatabase) async throws -> [String] {
    try await account.database.write { db in
      try SearchIndex.takeUp(in: db)
      let columns = [
        "body", "first_body", "reply_text", "file_address", "file_name", "file_other_addresses",
      ]
      let rows = try columns.flatMap { column in
        try db.rows("SELECT id FROM message WHERE \(column) LIKE ?", "%\(word)%") {
          "\(column) \($0.int64(0))"
        }
      }
      return rows
        + (try db.rows("SELECT rowid FROM message_text WHERE message_text MATCH ?", word) {
          "found \($0.int64(0))"
        })
        + (try db.rows("SELECT text FROM input_history WHERE text LIKE ?", "%\(word)%") {
          "typed \($0.string(0))"
        })
    }
  }

  static func checkIndex(of account: AccountDatabase) async throws {
    try await account.database.write { db in
      try SearchIndex.takeUp(in: db)
      try db.run("INSERT INTO message_text (message_text, rank) VALUES ('integrity-check', 1)")
    }
    #expect(try await account.faults() == [])
  }

  // MARK: Reactions

  @Test func `a reaction changes its message, uncounted, and is no line of its own`() async throws {
    let account = try await AccountDatabase.inMemory()
    try await Self.insert(Sample.message("yonder", origin: "o1"), into: account)
    let stored = try await Self.insert(
      Self.effect(.reaction, "o1", "👍 ❤", origin: "r1"), into: account)
    #expect(stored.messages.isEmpty && stored.conversations.isEmpty)
    #expect(
      stored.changed.map(\.reactions) == [
        [.init(sender: Sample.juliet, isOwn: false, emoji: ["👍", "❤"])]
      ])
    #expect(try await Self.shown(account) == ["yonder she:👍❤"])
    let conversation = try await account.conversations.conversation(Sample.juliet)
    #expect(conversation?.unread == 1 && conversation?.lastActivity == Sample.date(0))
    #expect(try await Self.traces(of: "👍", in: account) == ["first_body 2"])
    try await Self.checkIndex(of: account)
  }

  @Test func `of one person's the last counts by the archive's order, in whatever order they come`()
    async throws
  {
    for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0], [2, 0, 1]] {
      let account = try await AccountDatabase.inMemory()
      let reactions = [
        Self.effect(.reaction, "o1", "👍", at: 1, origin: "r1"),
        Self.effect(.reaction, "o1", "👍 🎉", at: 2, from: Sample.tablet, origin: "r2"),
        Self.effect(.reaction, "o1", "🎉", at: 3, origin: "r3"),
      ]
      for index in order {
        try await Self.insert(reactions[index], into: account)
        // The message comes among them.
        if index == 1 { try await Self.insert(Sample.message("x", origin: "o1"), into: account) }
      }
      #expect(try await Self.shown(account) == ["x she:🎉"], "\(order)")
    }
  }

  @Test func `none is one that was taken back; the same twice is one; others keep theirs`()
    async throws
  {
    let account = try await AccountDatabase.inMemory()
    let first = Self.effect(.reaction, "o1", "👍", at: 1, origin: "r1")
    let own = Self.effect(
      .reaction, "o1", "❤", at: 2, from: Sample.romeo, origin: "r2", direction: .outgoing)
    try await Self.insert(Sample.message("x", origin: "o1"), first, own, into: account)
    var archived = first
    archived.stanzaID = "s1"
    let again = try await Self.insert(archived, first, own, into: account)
    #expect(again.changed.isEmpty)
    #expect(try await Self.shown(account) == ["x she:👍 me:❤"])
    try await Self.insert(Self.effect(.reaction, "o1", "", at: 3, origin: "r3"), into: account)
    #expect(try await Self.shown(account) == ["x me:❤"])
  }

  @Test func `one whose message is not here waits unseen, and brings no conversation to the list`()
    async throws
  {
    let account = try await AccountDatabase.inMemory()
    let early = try await Self.insert(
      Self.effect(.reaction, "o1", "👍", origin: "r1"), into: account)
    #expect(early == StoredMessages())
    #expect(try await account.conversations.conversations().isEmpty)
    #expect(try await Self.shown(account) == [])
    let late = try await Self.insert(Sample.message("x", origin: "o1"), into: account)
    #expect(late.messages.map(\.reactions.count) == [1] && late.changed.isEmpty)
    #expect(try await Self.shown(account) == ["x she:👍"])
    #expect(try await account.conversations.conversations().map(\.unread) == [1])
  }

  @Test func `in a room the room's id counts, and the lasting id shows who it is`() async throws {
    let account = try await AccountDatabase.inMemory()
    _ = try await account.conversations.open(Sample.room, kind: .room)
    var message = Sample.message("x", from: Self.nurse, in: Sample.room, origin: "o1", stanza: "s1")
    message.occupantID = "n"
    try await Self.insert(
      message,
      // Every sender can choose an id.
      Self.effect(
        .reaction, "o1", "👎", at: 1, from: Self.tybalt, in: Sample.room, origin: "r1",
        occupant: "t"),
      Self.effect(
        .reaction, "s1", "👍", at: 2, from: Self.tybalt, in: Sample.room, origin: "r2",
        occupant: "t"),
      // The same user, under another name by now; and another one under the earlier name.
      Self.effect(
        .reaction, "s1", "🎉", at: 3, from: Self.nurse, in: Sample.room, origin: "r3",
        occupant: "t"),
      Self.effect(
        .reaction, "s1", "❤", at: 4, from: Self.tybalt, in: Sample.room, origin: "r4",
        occupant: "u"), into: account)
    #expect(try await Self.shown(account, in: Sample.room) == ["x nurse:🎉 tybalt:❤"])
    // A room without such ids leaves messages those of their senders.
    try await Self.insert(
      Sample.message("y", at: 9, from: Self.nurse, in: Sample.room, origin: "o2"),
      Self.effect(
        .reaction, "o2", "👍", at: 10, from: Self.tybalt, in: Sample.room, origin: "r5"),
      into: account)
    #expect(try await Self.shown(account, in: Sample.room).last == "y tybalt:👍")
  }

  @Test func `a local reaction toggles, waits for a connection, and is known again`() async throws {
    let account = try await AccountDatabase.inMemory()
    let id = try await Self.insert(Sample.message("x", origin: "o1"), into: account).messages[0].id
    func react(_ emoji: String, _ origin: String) async throws -> [[String]]? {
      try await account.outbox.relations.enqueueReaction(
        emoji, to: id, from: Sample.romeo.bare, originID: origin, at: Sample.date(9)
      )?.reactions.map(\.emoji)
    }
    #expect(try await react("👍", "r1") == [["👍"]])
    #expect(try await account.outbox.queued().map(\.body) == ["👍"])
    try await account.outbox.markAttempted(["r1"], at: Sample.date(9))
    #expect(try await react("❤", "r2") == [["👍", "❤"]])
    // A retraction of a message that had not been sent is not sent.
    #expect(try await react("👍", "r3") == [["❤"]])
    // The same with the variation selector for colour.
    #expect(try await react("❤\u{FE0F}", "r4") == [])
    let queued = try await account.outbox.queued()
    #expect(queued.map(\.originID) == ["r1", "r4"] && queued.map(\.body) == ["👍", ""])
    #expect(queued.allSatisfy { $0.effect == .reaction && $0.replaces == "o1" })
    let back = try await Self.insert(
      Self.effect(
        .reaction, "o1", "👍", at: 9, from: Sample.romeo, origin: "r1", stanza: "s1",
        direction: .outgoing), into: account)
    #expect(back.messages.isEmpty)
    #expect(try await account.outbox.queued().map(\.originID) == ["r4"])
    #expect(try await account.outbox.expire(queuedBefore: .distantFuture, reason: "").isEmpty)
    #expect(try await react("two words", "r5") == nil)
  }

  @Test func `one that was refused is none`() async throws {
    let account = try await AccountDatabase.inMemory()
    let id = try await Self.insert(Sample.message("x", origin: "o1"), into: account).messages[0].id
    _ = try await account.outbox.relations.enqueueReaction(
      "👍", to: id, from: Sample.romeo.bare, originID: "r1", at: Sample.date(9))
    let changed = try await account.outbox.setDelivery(.failed(reason: "no"), ofOriginID: "r1")
    #expect(changed?.id == id && changed?.reactions == [] && changed?.delivery == nil)
  }

  @Test func `a message that has no id yet is not reacted to`() async throws {
    let account = try await AccountDatabase.inMemory()
    _ = try await account.conversations.open(Sample.room, kind: .room)
    let message = try await account.outbox.enqueue(
      body: "x", to: Sample.room, from: Sample.romeo.bare, originID: "o1", at: Sample.date(0)
    ).message
    func react() async throws -> Message? {
      try await account.outbox.relations.enqueueReaction(
        "👍", to: message.id, from: Sample.romeo.bare, originID: "r1", at: Sample.date(1))
    }
    #expect(try await react() == nil)
    try await Self.insert(
      Sample.message(
        "x", from: Self.nurse, in: Sample.room, origin: "o1", stanza: "s1", direction: .outgoing),
      into: account)
    #expect(try await react() != nil)
    #expect(try await account.outbox.queued().map(\.replaces) == ["s1"])
  }

  // MARK: What the archive's order says

  /// A page of an archive.
  private func page(_ messages: [IncomingMessage], in account: AccountDatabase) async throws
    -> StoredMessages
  {
    let positions = messages.map { ArchivePosition(id: $0.stanzaID ?? "", at: $0.placedAt) }
    return try await account.archiveRanges.insert(
      messages,
      making: ArchiveRange(
        row: nil, archive: Sample.romeo.bare, peer: nil, start: positions[0],
        end: positions[positions.count - 1], reachesBeginning: false),
      absorbing: [], beginningWithFirst: false, adjoining: .unknown, countsUnread: { _ in true }
    ).stored
  }

  @Test func `which is the last is decided again when the archive puts them in another order`()
    async throws
  {
    let account = try await AccountDatabase.inMemory()
    var first = Sample.message("one", at: 1, origin: "c1", stanza: "s1")
    var second = Sample.message("two", at: 2, origin: "c2", stanza: "s2")
    (first.replaces, second.replaces) = ("o1", "o1")
    let reactions = [
      Self.effect(.reaction, "o1", "👍", at: 3, origin: "r1", stanza: "s3"),
      Self.effect(.reaction, "o1", "👎", at: 4, origin: "r2", stanza: "s4"),
    ]
    _ = try await account.messages.insert(
      [Sample.message("zero", at: 0, origin: "o1", stanza: "s0"), first, second] + reactions,
      countsUnread: Self.counting)
    #expect(try await Self.shown(account) == ["two she:👎"])
    let moved = try await page([second, first, reactions[1], reactions[0]], in: account)
    #expect(try await Self.shown(account) == ["one she:👍"])
    #expect(moved.changed.map(\.body) == ["one"])
    #expect(moved.changed.map { $0.reactions.map(\.emoji) } == [[["👍"]]])
  }

  // MARK: How much it costs

  @Test func `no row is looked for one by one`() async throws {
    let account = try await AccountDatabase.inMemory()
    func plan(_ sql: String, _ count: Int) async throws -> String {
      try await account.database.read { db in
        try db.rows(
          "EXPLAIN QUERY PLAN " + sql,
          arguments: Array(repeating: 1 as any SQLConvertible, count: count)
        ) { $0.string(3) }.joined(separator: "; ")
      }
    }
    let waiting = try await plan(
      "SELECT id FROM message INDEXED BY message_effect_waiting WHERE conversation = ? AND replaces = ? AND corrects = 0",
      2)
    #expect(
      waiting.contains(
        "SEARCH message USING INDEX message_effect_waiting (conversation=? AND replaces=?)"))
    let effects = try await plan(
      "SELECT id FROM message WHERE corrects = ? AND effect = 'reaction'", 1)
    #expect(effects.contains("message_corrects (corrects=? AND effect=?)"))
    let replies = try await plan(
      "SELECT id FROM message WHERE conversation = ? AND reply_id = ? AND reply_text <> ''",
      2)
    #expect(replies.contains("USING INDEX message_reply (conversation=? AND reply_id=?)"))
    for id in ["stanza_id", "origin_id"] {
      let named = try await plan(
        "SELECT id FROM message WHERE conversation = ? AND \(id) = ? AND effect IS NULL", 2)
      // An index that has the effect as well need not look at the row.
      #expect(
        named.replacing("COVERING ", with: "")
          .contains("USING INDEX message_\(id) (conversation=? AND \(id)=?"), "\(named)")
    }
    let latest = try await plan(TimelineQuery.latest.sql, 2)
    let settled = try await plan(
      """
      SELECT id FROM message WHERE corrects = ? AND effect IS NULL
      ORDER BY position DESC, id DESC LIMIT 1
      """, 1)
    #expect(!settled.contains("TEMP B-TREE"), "\(settled)")
    #expect(!latest.contains("reaction") && latest.contains("message_page"))
  }
}
