import Foundation
import NatterCore
import SQLite
import Testing
import TestSupport
import XMPP

@testable import ImportService

/// A database and text logs that profanity 0.13 wrote.
@Suite struct ProfanityTests {
  private let database = Histories.path("profanity/database/alice_at_natter.test/chatlog.db")

  /// Makes a database with the columns that all versions have.
  private static func make(_ path: String) async throws -> Database {
    let sql = """
      CREATE TABLE ChatLogs (from_jid, to_jid, message, timestamp, type, from_resource);
      """
    return try await Database.open(
      .file(path), migrator: Migrator([Migration("1", sql: sql)], applicationID: 0x4f54_4852))
  }

  /// Makes a folder with a database of messages.
  /// - Parameter rows: their addresses, texts, times and types, as SQL writes rows of values.
  private static func folder(of rows: String) async throws -> TemporaryFolder {
    let folder = try TemporaryFolder("profanity")
    let database = try await make(folder.path("chatlog.db"))
    try await database.write { db in
      try db.run(
        "INSERT INTO ChatLogs (from_jid, to_jid, message, timestamp, type) VALUES \(rows);")
    }
    await database.close()
    return folder
  }

  @Test func `the whole database is read`() throws {
    let messages = try Histories.messages(ProfanityFormat.self, database)
    #expect(messages.count == 10)
    let first = try #require(messages.first)
    #expect(first.account == Histories.alice && first.conversation == Histories.bob)
    #expect(first.direction == .incoming && first.kind == .direct && first.nick == nil)
    #expect(first.body == "Hello from bob" && first.precision == .microsecond)
    #expect(abs(first.sentAt.timeIntervalSince(Histories.date(10.128112))) < 0.000_001)
    #expect(first.originID == "2fcd1e9d3adc4c5dafb7e15d5ee3ec24")
    #expect(first.stanzaID == "7739d80c-5922-4470-8993-5f8ee6839862")
    #expect(messages[1].body == "two\nlines" && messages[3].body == "日本語です")
    #expect(messages[6].corrects == "corr-1" && messages[6].body == "a typo")
    #expect(messages[7].direction == .outgoing && messages[7].stanzaID == nil)
    #expect(messages[9].conversation == Histories.tea && messages[9].kind == .room)
    #expect(messages[9].direction == .outgoing && messages[9].nick == nil)
  }

  @Test(arguments: ["profanity", "profanity/database", "profanity/database/alice_at_natter.test"])
  func `a folder around it is as good`(name: String) throws {
    let path = Histories.path(name)
    #expect(HistoryFormats.format(of: path) is ProfanityFormat.Type)
    #expect(try Histories.messages(ProfanityFormat.self, path).count == 10)
  }

  @Test func `without the name of its folder the addresses reveal the account`() throws {
    let folder = try TemporaryFolder("profanity")
    defer { folder.remove() }
    let copy = folder.path("chatlog.db")
    try FileManager.default.copyItem(atPath: database, toPath: copy)
    // Alice and bob are in every message with a contact; only she is in a room.
    let messages = try Histories.messages(ProfanityFormat.self, copy, ImportContext())
    #expect(Set(messages.map(\.account)) == [Histories.alice])
    #expect(messages.last?.direction == .outgoing)
    #expect(messages.last?.conversation == Histories.tea)
    #expect(folder.files == ["chatlog.db"])
  }

  @Test func `an account that writes to itself is in no more messages for that`() async throws {
    let folder = try await Self.folder(
      of: """
        ('bob@natter.test', 'bob@natter.test', 'one', '2026-11-28T21:04:00Z', 'chat'),
        ('alice@natter.test', 'bob@natter.test', 'two', '2026-11-28T21:04:01Z', 'chat'),
        ('alice@natter.test', 'eve@natter.test', 'three', '2026-11-28T21:04:02Z', 'chat')
        """)
    defer { folder.remove() }
    let path = folder.path("chatlog.db")
    // Bob is not in the last one.
    let unknown = try Histories.read(ProfanityFormat.self, path, ImportContext())
    #expect(unknown == [.foreign, .foreign, .foreign])
  }

  @Test func `a peer of several accounts is no account, whatever is said in rooms`() async throws {
    let folder = try await Self.folder(
      of: """
        ('alice@natter.test', 'bob@natter.test', 'one', '2026-11-28T21:04:00Z', 'chat'),
        ('bob@natter.test', 'alice@old.test', 'two', '2026-11-28T21:04:01Z', 'chat'),
        ('alice@natter.test', 'tea@rooms.natter.test', 'three', '2026-11-28T21:04:02Z', 'muc')
        """)
    defer { folder.remove() }
    let path = folder.path("chatlog.db")
    // Bob alone is in every message with a contact, but did not write the message in the room.
    let unknown = try Histories.read(ProfanityFormat.self, path, ImportContext())
    #expect(unknown == [.foreign, .foreign, .foreign])
    let items = try Histories.read(ProfanityFormat.self, path)
    let messages = Histories.messages(items)
    #expect(messages.map(\.body) == ["one", "three"])
    #expect(messages.allSatisfy { $0.account == Histories.alice && $0.direction == .outgoing })
    #expect(messages.map(\.conversation) == [Histories.bob, Histories.tea])
    #expect(items[1] == .foreign)
  }

  @Test func `a database in use is copied first, and read with its log`() async throws {
    let folder = try TemporaryFolder("profanity")
    defer { folder.remove() }
    try folder.makeFolder("alice_at_natter.test")
    let copy = folder.path("alice_at_natter.test/chatlog.db")
    let running = try await Self.make(copy)
    try await running.write { db in
      try db.run(
        """
        INSERT INTO ChatLogs (from_jid, to_jid, message, timestamp, type)
          VALUES ('bob@natter.test', 'alice@natter.test', 'in the log', ?, 'chat')
        """, "2026-11-28T22:04:10+0100")
    }
    let before = folder.files
    let last = try Histories.messages(ProfanityFormat.self, copy).last
    #expect(last?.body == "in the log" && last?.sentAt == Histories.date(10))
    #expect(folder.files == before)
    await running.close()
  }

  @Test func `rows that are no messages are skipped, and broken ones named`() async throws {
    let folder = try TemporaryFolder("profanity")
    defer { folder.remove() }
    let path = folder.path("chatlog.db")
    let made = try await Self.make(path)
    try await made.write { db in
      try db.runScript(
        """
        INSERT INTO ChatLogs VALUES
          ('bob@b', 'alice@natter.test', '[REDACTED]', '2026-11-28T21:04:00Z', 'chat', ''),
          ('bob@b', 'alice@natter.test', 'a' || char(0) || 'b', '2026-11-28T21:04:00Z', 'chat', ''),
          ('bob@b', 'alice@natter.test', 'when', 'yesterday', 'chat', ''),
          ('@', 'alice@natter.test', 'who', '2026-11-28T21:04:00Z', 'chat', ''),
          ('bob@b', 'alice@natter.test', 'what', '2026-11-28T21:04:00Z', 'presence', ''),
          ('bob@b', 'alice@natter.test', CAST(x'61ff62' AS TEXT), '2026-11-28T21:04:00Z', 'chat', ''),
          ('bob@b', 'alice@natter.test', printf('%1048577s', 'x'), '2026-11-28T21:04:00Z', 'chat', ''),
          ('tea@r', 'alice@natter.test', 'psst', '2026-11-28T21:04:00Z', 'mucpm', 'carol'),
          ('tea@r', 'alice@natter.test', 'hi', '2026-11-28T21:04:00Z', 'muc', 'carol');
        """)
    }
    await made.close()
    let items = try Histories.read(ProfanityFormat.self, path)
    let messages = Histories.messages(items)
    #expect(messages.map(\.body) == ["ab", "a\u{FFFD}b", "psst", "hi"])
    #expect(messages[2].conversation == JID(local: "tea", domain: "r", resource: "carol"))
    #expect(messages[3].nick == "carol" && messages[3].kind == .room)
    #expect(items.count { $0 == .skipped } == 2)
    #expect(
      items.filter { if case .refused = $0 { true } else { false } } == [
        .refused(place: "\(path) ChatLogs 3"), .refused(place: "\(path) ChatLogs 4"),
        .refused(place: "\(path) ChatLogs 7"),
      ])
  }

  @Test func `the account that wrote in a room is the owner, for each account that imports`()
    async throws
  {
    let folder = try TemporaryFolder("profanity")
    defer { folder.remove() }
    let path = folder.path("chatlog.db")
    try FileManager.default.copyItem(atPath: database, toPath: path)
    for account in [JID(local: "zoe", domain: "natter.test"), Histories.bob, nil] {
      var context = ImportContext()
      context.account = account
      let messages = try Histories.messages(ProfanityFormat.self, path, context)
      #expect(messages.count == 10)
      #expect(messages.allSatisfy { $0.account == Histories.alice })
    }
  }

  @Test func `without an owner that it says, the messages of others are theirs`() async throws {
    let folder = try TemporaryFolder("profanity")
    defer { folder.remove() }
    let path = folder.path("chatlog.db")
    let made = try await Self.make(path)
    try await made.write { db in
      for number in 1...9 {
        let jids = ["alice@natter.test", "bob@natter.test"]
        let (sender, receiver) = number < 8 ? (jids[1], jids[0]) : (jids[0], jids[1])
        try db.run(
          """
          INSERT INTO ChatLogs (from_jid, to_jid, message, timestamp, type)
            VALUES (?, ?, 'words', '2026-11-28T21:04:00Z', 'chat')
          """, sender, receiver)
      }
    }
    await made.close()
    var context = ImportContext()
    // All are between alice and bob: each may be the owner, but no third account.
    for account in [JID(local: "zoe", domain: "natter.test"), nil] {
      context.account = account
      let items = try Histories.read(ProfanityFormat.self, path, context)
      #expect(items == Array(repeating: .foreign, count: 9))
    }
    context.account = Histories.bob
    #expect(
      try Histories.messages(ProfanityFormat.self, path, context).map(\.direction).prefix(9)
        == Array(repeating: .outgoing, count: 7) + [.incoming, .incoming])
  }

  @Test func `a damaged database is refused, and crashes nothing`() throws {
    let bytes = [UInt8](try Data(contentsOf: URL(filePath: database)))
    try Histories.damage(ProfanityFormat.self, bytes, as: "chatlog.db", step: 37)
    try Histories.damage(ProfanityFormat.self, Array(bytes.prefix(100)), as: "chatlog.db")
  }

  @Test func `a damaged database of one account keeps none from being read of the others`() throws {
    let folder = try TemporaryFolder("profanity")
    defer { folder.remove() }
    let broken = "bob_at_natter.test/chatlog.db"
    try folder.write("SQLite format 3\0 and nothing more", to: broken)
    try folder.makeFolder("carol_at_natter.test")
    try FileManager.default.copyItem(
      atPath: database, toPath: folder.path("carol_at_natter.test/chatlog.db"))
    let items = try Histories.read(ProfanityFormat.self, folder.root.path)
    #expect(items.first == .refused(place: folder.root.path + "/" + broken))
    #expect(Histories.messages(items).count == 10 && items.count == 11)
    #expect(throws: ImportFailure.self) {
      try Histories.read(ProfanityFormat.self, folder.path(broken))
    }
  }

  @Test func `text logs are read where there is no database`() throws {
    let path = Histories.path("profanity-logs")
    #expect(HistoryFormats.format(of: path) is ProfanityFormat.Type)
    let messages = try Histories.messages(ProfanityFormat.self, path, Histories.context(["ali"]))
    #expect(
      messages.map(\.body) == [
        "Hello from bob", "two\nlines", "/me waves", "日本語です", "it's \"quoted\" <b>&amp;",
        "a tpyo", "a typo", "Hello bob, it's me", "/me sits down", "room words",
      ])
    #expect(messages.map(\.direction).suffix(3) == [.outgoing, .outgoing, .outgoing])
    #expect(messages.prefix(7).map(\.direction).allSatisfy { $0 == .incoming })
    #expect(messages.allSatisfy { $0.account == Histories.alice })
    #expect(messages.last?.kind == .room && messages.last?.nick == "ali")
    #expect(messages[0].conversation == Histories.bob)
  }
}
