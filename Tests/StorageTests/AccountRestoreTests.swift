import Foundation
import NatterCore
import SQLite
import Testing
import XMPP

@testable import Storage

/// Replacing a database in which nothing is stored with that of an archive.
@Suite struct AccountRestoreTests {
  private let scratch: Scratch
  init() throws { scratch = try Scratch() }

  private var path: String { scratch.path("data/a.db") }
  private var restore: AccountRestore { AccountRestore(path, reason: "not sent then") }

  /// The files of the account.
  private var files: [String] {
    get throws {
      try FileManager.default.contentsOfDirectory(atPath: scratch.path("data")).sorted()
    }
  }

  /// Returns the database of an archive: the copy of an account that `fill` filled.
  private func archived(
    _ fill: (AccountDatabase) async throws -> Void = { _ in }
  ) async throws -> Data {
    let account = try await AccountDatabase.open(at: scratch.path("original.db"))
    _ = try await account.messages.insert(
      [Sample.message("one", at: 1, origin: "o1"), Sample.message("two", at: 2, origin: "o2")],
      countsUnread: { _ in true })
    try await fill(account)
    let copy = try await account.exports.writeCopy(to: scratch.path("copy.db"))
    await copy.close()
    await account.close()
    return try scratch.bytes("copy.db")
  }

  private func contents(_ data: Data) -> AccountRestore.Contents {
    { take in
      for start in stride(from: 0, to: data.count, by: 65_536) {
        try take(Array(data[start..<min(start + 65_536, data.count)]))
      }
    }
  }

  private func run(_ data: Data) async throws -> AccountRestore.Summary? {
    try await restore.run(contents(data))
  }

  @Test func `an account without data becomes what was archived, whole`() async throws {
    let data = try await archived { account in
      try await account.conversations.setDraft("half a sen", of: Sample.juliet)
      try await account.settings.setValue("1", for: "pins")
      try await account.database.write { db in
        try db.run("INSERT INTO import_batch (format, path, at) VALUES ('x', '/x', 1)")
      }
    }
    #expect(try await restore.isPossible())
    #expect(try await run(data) == AccountRestore.Summary(messages: 2, unsent: 0))
    #expect(try files == ["a.db", "a.db.lock"])
    var information = stat()
    #expect(stat(path, &information) == 0 && information.st_mode & 0o777 == 0o600)
    let account = try await AccountDatabase.open(at: path)
    #expect(try await account.timeline.latest(9, in: Sample.juliet).map(\.body) == ["one", "two"])
    let juliet = try #require(try await account.conversations.conversation(Sample.juliet))
    #expect(juliet.draft == "half a sen" && juliet.unread == 2)
    #expect(try await account.settings.values() == ["pins": "1"])
    #expect(try await account.imports.imports().count == 1)
    #expect(try await account.faults() == [])
    await account.close()
    // It is there now.
    #expect(try await !restore.isPossible())
    #expect(try await run(data) == nil)
  }

  @Test func `a database in which nothing is stored is replaced, and any other kept`() async throws
  {
    let data = try await archived()
    let empty = try await AccountDatabase.open(at: path)
    await empty.close()
    #expect(try await restore.isPossible())
    #expect(try await run(data)?.messages == 2)

    try FileManager.default.removeItem(atPath: path)
    let used = try await AccountDatabase.open(at: path)
    try await used.settings.setValue("tea", for: "notify.words")
    await used.close()
    #expect(try await !restore.isPossible())
    #expect(try await run(data) == nil)
    #expect(try files == ["a.db", "a.db.lock"])
    let kept = try await AccountDatabase.open(at: path)
    #expect(try await kept.settings.values() == ["notify.words": "tea"])
    await kept.close()
  }

  @Test func `an account that is open is not touched`() async throws {
    let data = try await archived()
    let open = try await AccountDatabase.open(at: path)
    await #expect(throws: StorageError.locked(by: getpid())) { try await run(data) }
    #expect(try await open.conversations.conversations().isEmpty)
    await open.close()
  }

  @Test func `nothing that waited is sent or transferred, and no session goes on`() async throws {
    let data = try await archived { account in
      _ = try await account.outbox.enqueue(
        body: "later", to: Sample.juliet, from: Sample.romeo.bare, originID: "q1",
        at: Sample.date(3))
      _ = try await account.transfers.add(
        FileTransfer(
          id: .init(0), direction: .upload, conversation: Sample.juliet, path: "/a", name: "a",
          state: .waiting, begun: Sample.date(4)))
    }
    #expect(try await run(data) == AccountRestore.Summary(messages: 3, unsent: 1))
    let account = try await AccountDatabase.open(at: path)
    #expect(try await account.outbox.queued().isEmpty)
    let last = try await account.timeline.latest(1, in: Sample.juliet).first
    #expect(last?.delivery == .failed(reason: "not sent then"))
    let states = try await account.database.read { db in
      try db.rows("SELECT state FROM transfer") { $0.string(0) }
    }
    #expect(states == ["paused"])
    await account.close()
  }

  @Test func `an archive of an earlier version is migrated, and leaves no copy of it`()
    async throws
  {
    let old = try await AccountDatabaseTests.oldFile(1, in: scratch)
    // Its queued message is one of its messages.
    #expect(try await run(try Data(contentsOf: URL(filePath: old)))?.unsent == 1)
    #expect(try files == ["a.db", "a.db.lock"])
    let account = try await AccountDatabase.open(at: path)
    #expect(try await account.timeline.latest(10, in: Sample.juliet).count == 4)
    await account.close()
  }

  private func create(_ name: String, _ migrator: Migrator) async throws {
    let database = try await Database.open(.file(scratch.path(name)), migrator: migrator)
    await database.close()
  }

  @Test func `a newer, foreign or empty database is refused, and nothing is left`() async throws {
    let newer = Migrator(
      Schema.migrator.migrations + [Migration("tomorrow", sql: "CREATE TABLE x (y TEXT) STRICT")],
      applicationID: Schema.applicationID)
    try await create("newer.db", newer)
    let foreign = Migrator([Migration("1", sql: "CREATE TABLE x (y TEXT)")], applicationID: 7)
    try await create("foreign.db", foreign)
    for (data, reason) in [
      (try scratch.bytes("newer.db"), StorageError.newerSchema(path: path)),
      (try scratch.bytes("foreign.db"), .foreign(path: path)), (Data(), .damaged(path: path)),
      (Data("no database at all".utf8), .damaged(path: path)),
    ] {
      await #expect(throws: AccountRestore.Refusal(reason: reason)) { try await run(data) }
      #expect(try files == ["a.db.lock"])
    }
  }

  /// Returns the database of an archive that others have changed.
  private func changed(_ sql: String) async throws -> Data {
    _ = try await archived()
    let copy = try await Database.open(
      .file(scratch.path("copy.db")), migrator: Schema.migrator)
    try await copy.write { try $0.runScript(sql) }
    await copy.close()
    return try scratch.bytes("copy.db")
  }

  @Test func `triggers that others put into an archive are gone, and those of Natter are there`()
    async throws
  {
    let data = try await changed(
      """
      DROP TRIGGER message_sent_once;
      DROP TRIGGER message_deleted;
      CREATE TRIGGER message_deleted AFTER DELETE ON message BEGIN SELECT 1; END;
      CREATE TRIGGER "a ""listener"" b" AFTER INSERT ON message BEGIN
        UPDATE message SET body = 'read by others' WHERE id = new.id; END;
      CREATE TRIGGER "marked ""\u{301}" AFTER DELETE ON message BEGIN SELECT 1; END;
      """)
    #expect(try await run(data)?.messages == 2)
    let account = try await AccountDatabase.open(at: path)
    let fresh = try await AccountDatabase.inMemory()
    #expect(
      try await AccountDatabaseTests.schema(of: account) == AccountDatabaseTests.schema(of: fresh))
    await account.close()
  }

  @Test func `triggers that others put into an archive of an earlier version never run`()
    async throws
  {
    // Each step that is applied would add rows without end.
    let trigger = """
      CREATE TRIGGER endless AFTER INSERT ON schema_migration BEGIN
        INSERT INTO schema_migration
        WITH RECURSIVE n(i) AS (VALUES (1000) UNION ALL SELECT i + 1 FROM n)
        SELECT i, 'step ' || i FROM n;
      END;
      """
    let old = try await AccountDatabaseTests.oldFile(1, in: scratch)
    let database = try await Database.open(
      .file(old),
      migrator: Migrator(
        Array(Schema.migrator.migrations.prefix(1)), applicationID: Schema.applicationID))
    try await database.write { try $0.runScript(trigger) }
    await database.close()
    #expect(try await run(try Data(contentsOf: URL(filePath: old)))?.unsent == 1)
    let account = try await AccountDatabase.open(at: path)
    let fresh = try await AccountDatabase.inMemory()
    #expect(
      try await AccountDatabaseTests.schema(of: account) == AccountDatabaseTests.schema(of: fresh))
    await account.close()
  }

  @Test(arguments: ["schema_migration", "Schema_Migration"])
  func `a view with the name of the list of steps is not read`(name: String) async throws {
    let data = try await changed(
      """
      DROP TABLE schema_migration;
      CREATE VIEW \(name) AS
        WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n)
        SELECT i AS number, 'step ' || i AS name FROM n;
      """)
    await #expect(throws: AccountRestore.Refusal(reason: .foreign(path: path))) {
      try await run(data)
    }
  }

  @Test(arguments: [
    "DROP TABLE setting", "DROP INDEX message_thread", "CREATE TABLE more (a TEXT) STRICT",
    "CREATE VIEW more AS SELECT * FROM message", "ALTER TABLE setting ADD COLUMN more TEXT",
    "DROP TABLE setting; CREATE VIEW setting AS SELECT 'pins' AS name, '1' AS value",
  ])
  func `a database with other tables is refused`(change: String) async throws {
    let data = try await changed(change)
    await #expect(throws: AccountRestore.Refusal(reason: .damaged(path: path))) {
      try await run(data)
    }
    #expect(try files == ["a.db.lock"])
  }

  @Test(arguments: [
    "UPDATE sqlite_sequence SET seq = 9223372036854775807",
    "UPDATE sqlite_sequence SET seq = '9223372036854775807'",
    "INSERT INTO import_batch (id, format, path, at) VALUES (9223372036854775807, 'x', '/x', 1)",
  ])
  func `a database that could take no more rows is refused`(change: String) async throws {
    let data = try await changed(change)
    await #expect(throws: AccountRestore.Refusal(reason: .damaged(path: path))) {
      try await run(data)
    }
  }

  @Test func `an interruption leaves the account as it was`() async throws {
    struct Interruption: Error {}
    let data = try await archived()
    for isFull in [false, true] {
      await #expect(throws: (any Error).self) {
        try await restore.run { take in
          try take(Array(data.prefix(data.count / 2)))
          if isFull { throw SQLiteError(code: 13, message: "full") }
          throw Interruption()
        }
      }
      #expect(try files == ["a.db.lock"])
    }
    // Files that a killed program left are in nobody's way, nor is a log without its database.
    let left = AccountRestore.files(of: "data/a.db")
    #expect(left.contains("data/a.db.restore") && left.contains("data/a.db.restore-wal"))
    for name in left { try scratch.write(Data("half".utf8), to: name) }
    try scratch.write(Data("old".utf8), to: "data/a.db-wal")
    #expect(try await run(data)?.messages == 2)
    #expect(try files == ["a.db", "a.db.lock"])
  }

  @Test func `an examination changes nothing`() async throws {
    let data = try await archived()
    let other = AccountRestore(scratch.path("other"), reason: "")
    #expect(try await other.examine(contents(data)).messages == 2)
    #expect(try scratch.names.filter { $0.hasPrefix("other") } == [])
  }

  @Test func `a damaged database is refused or whole, and leaves no half file`() async throws {
    let data = try await archived()
    var variants = stride(from: 0, to: data.count, by: data.count / 12).map { data.prefix($0) }
    variants += stride(from: 40, to: data.count, by: data.count / 24).map { index in
      var changed = data
      changed[index] ^= 0xFF
      return changed
    }
    // The header of the file decides most.
    variants += (16..<40).map { index in
      var changed = data
      changed[index] ^= 0x41
      return changed
    }
    for variant in variants {
      let path = scratch.path("data/v.db")
      do {
        _ = try await AccountRestore(path, reason: "").run(contents(Data(variant)))
      } catch is AccountRestore.Refusal {} catch is StorageError {}
      let left = try files.filter { $0.hasPrefix("v.db.") && $0 != "v.db.lock" }
      #expect(left == [], "\(left)")
      if FileManager.default.fileExists(atPath: path) {
        let account = try await AccountDatabase.open(at: path)
        #expect(try await account.faults() == [])
        await account.close()
        try FileManager.default.removeItem(atPath: path)
      }
    }
  }
}
