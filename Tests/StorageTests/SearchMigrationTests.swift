import Foundation
import NatterCore
import SQLite
import Testing
import XMPP

@testable import Storage

/// The index of an earlier version, which is built anew while the program runs.
@Suite struct SearchMigrationTests {
  private static let silent: @Sendable (IncomingMessage) -> Bool = { _ in false }

  /// A file of the version before the tokenizer, with `count` messages more than the kept one.
  private func file(_ count: Int, in scratch: Scratch) async throws -> String {
    let path = try await AccountDatabaseTests.oldFile(5, in: scratch)
    let old = try await Database.open(
      .file(path),
      migrator: Migrator(
        Array(Schema.migrator.migrations.prefix(5)), applicationID: Schema.applicationID))
    try await old.write { db in
      for number in 0..<count {
        try db.run(
          """
          INSERT INTO message (conversation, sender, is_outgoing, body, sent_at)
            VALUES ((SELECT id FROM conversation WHERE jid = ?), ?, 0, ?, ?)
          """, Sample.juliet.description, Sample.phone.description, "我的玫瑰 rose\(number)",
          ColumnCoding.microseconds(Sample.date(1000 + Double(number))))
      }
      try db.run(
        "INSERT INTO message_text (rowid, body) SELECT id, body FROM message WHERE id > ?",
        try db.firstRow("SELECT MAX(id) FROM message_text_docsize") { $0.int64(0) } ?? 0)
    }
    await old.close()
    return path
  }

  private func fill(_ account: AccountDatabase, _ batch: Int) async throws -> Bool {
    try await account.database.write { try SearchIndex.fill(in: $0, batch: batch) }
  }

  private func missing(_ account: AccountDatabase) async throws -> Int64 {
    try await account.database.read { try SearchIndex.extent(in: $0).missingUpTo }
  }

  private func count(_ query: String, in account: AccountDatabase) async throws -> Int {
    try await account.search.messages(
      having: SearchQuery(query), in: Sample.juliet, limit: 1000
    ).count
  }

  private func expectSound(_ account: AccountDatabase) async throws {
    try await account.database.write { db in
      try SearchIndex.takeUp(in: db)
      try db.run("INSERT INTO message_text (message_text, rank) VALUES ('integrity-check', 1)")
    }
  }

  @Test func `all is found from the first moment on, and in the index at the end`() async throws {
    let scratch = try Scratch()
    let account = try await AccountDatabase.open(at: try await file(100, in: scratch))
    let all = try await missing(account)
    #expect(all >= 100)
    var steps = 0
    repeat {
      // Two characters in the middle of a line, wherever the mark is.
      #expect(try await count("玫瑰", in: account) == 100)
      #expect(try await count("rose7", in: account) == 11)
      let everywhere = try await account.search.matches(of: SearchQuery("玫瑰"), limit: 5)
      let mark = try await missing(account)
      #expect((everywhere.missingUpTo == nil) == (mark == 0))
      #expect(everywhere.count == min(100, Int(all - mark)))
      var pages = account.search.pages(of: SearchQuery("玫瑰"), in: nil, size: 1000)
      #expect(try await pages.next()?.count ?? 0 == everywhere.count)
      #expect(pages.missingUpTo == everywhere.missingUpTo)
      steps += 1
    } while try await fill(account, 20)
    #expect(steps > 5)
    #expect(try await missing(account) == 0)
    let indexed = try await account.database.read { db in
      try db.firstRow(
        "SELECT (SELECT COUNT(*) FROM message_text_docsize) = (SELECT COUNT(*) FROM message)"
      ) { $0.bool(0) }
    }
    #expect(indexed == true)
    try await expectSound(account)
    #expect(try await account.search.maintain() == false)
  }

  @Test func `messages that come and change meanwhile are found by what they say`() async throws {
    let scratch = try Scratch()
    let account = try await AccountDatabase.open(at: try await file(50, in: scratch))
    #expect(try await fill(account, 20))
    _ = try await account.messages.insert(
      [Sample.message("玫瑰 late", at: 5000, origin: "l1")], countsUnread: Self.silent)
    #expect(try await count("玫瑰", in: account) == 51)
    // One in the index, one that is missing, one that waits.
    try await account.database.write { db in
      for text in ["rose49", "rose1"] {
        try db.run(
          "UPDATE message SET body = 'a violet' WHERE body = ?", "我的玫瑰 \(text)")
      }
      try db.run("DELETE FROM message WHERE body = ?", "我的玫瑰 rose48")
    }
    var correction = Sample.message("a violet", at: 5001, origin: "l2")
    correction.replaces = "l1"
    _ = try await account.messages.insert([correction], countsUnread: Self.silent)
    for _ in 0..<4 {
      #expect(try await count("玫瑰", in: account) == 47)
      #expect(try await count("violet", in: account) == 3)
      _ = try await fill(account, 20)
    }
    #expect(try await missing(account) == 0)
    try await expectSound(account)
  }

  @Test func `it goes on where it was when the program was ended`() async throws {
    let scratch = try Scratch()
    let path = try await file(60, in: scratch)
    var account = try await AccountDatabase.open(at: path)
    #expect(try await fill(account, 25))
    let mark = try await missing(account)
    #expect(mark > 0)
    // A file as a program leaves it that is killed: without the last transaction.
    let copy = scratch.path("killed.db")
    try await account.backUp(to: copy)
    await account.close()
    account = try await AccountDatabase.open(at: copy)
    #expect(try await missing(account) == mark)
    while try await fill(account, 25) {}
    #expect(try await count("玫瑰", in: account) == 60)
    try await expectSound(account)
  }

  @Test func `a text that was deleted leaves nothing in the index`() async throws {
    let scratch = try Scratch()
    let account = try await AccountDatabase.open(at: try await file(50, in: scratch))
    while try await account.search.maintain() {}
    for round in 0..<3 {
      _ = try await account.messages.insert(
        [Sample.message("xyzzy\(round) plugh", at: 6000 + Double(round), origin: "x\(round)")],
        countsUnread: Self.silent)
      try await account.database.write { try SearchIndex.takeUp(in: $0) }
    }
    _ = try await account.messages.insert(
      [EffectTests.effect(.retraction, "x0", at: 7000, origin: "gone")], countsUnread: Self.silent)
    try await account.database.write {
      try $0.run("DELETE FROM message WHERE body = 'xyzzy1 plugh'")
    }
    // Gone in the transaction that retracts it.
    #expect(try await count("xyzzy0", in: account) == 0)
    #expect(try await count("xyzzy", in: account) == 1)
    while try await account.search.maintain() {}
    let blocks = try await account.database.read { db in
      try db.rows("SELECT block FROM message_text_data") {
        String(decoding: $0.bytes(0), as: UTF8.self)
      }
    }
    #expect(blocks.contains { $0.contains("xyzzy2") })
    #expect(!blocks.contains { $0.contains("xyzzy0") || $0.contains("xyzzy1") })
    try await expectSound(account)
  }
}
