import Foundation
import NatterCore
import SQLite
import Testing
import XMPP

@testable import Storage

@Suite struct AccountDatabaseTests {
  static let fixtures = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "Fixtures")

  /// A file as the Natter left it whose newest schema was `version`: each version has a script of
  /// what it adds to the one before it.
  static func oldFile(_ version: Int, in scratch: Scratch) async throws -> String {
    let scripts = try (1...version).map {
      try String(contentsOf: fixtures.appending(path: "schema-\($0).sql"), encoding: .utf8)
    }
    return try await file(scripts.joined(), in: scratch)
  }

  /// Opens a file of an earlier version, after `change`.
  static func account(
    from version: Int, in scratch: Scratch,
    _ change: @Sendable (DatabaseConnection) throws -> Void
  ) async throws -> AccountDatabase {
    let path = try await oldFile(version, in: scratch)
    let old = try await Database.open(
      .file(path),
      migrator: Migrator(
        Array(Schema.migrator.migrations.prefix(version)), applicationID: Schema.applicationID))
    try await old.write(change)
    await old.close()
    return try await AccountDatabase.open(at: path)
  }

  /// A file that `script` makes, without any step.
  private static func file(_ script: String, in scratch: Scratch) async throws -> String {
    let path = scratch.path("old.db")
    let database = try await Database.open(
      .file(path), migrator: Migrator([], applicationID: Schema.applicationID))
    try await database.write { try $0.runScript(script) }
    await database.close()
    return path
  }

  static func schema(of account: AccountDatabase) async throws -> [String] {
    try await account.database.read { db in
      try db.rows("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type, name") {
        // Comments and line breaks are no part of what a schema means.
        $0.string(0).split(separator: "\n").map { line in
          line.split(separator: "--", omittingEmptySubsequences: false)[0]
            .split(whereSeparator: \.isWhitespace).joined(separator: " ")
        }.filter { !$0.isEmpty }.joined(separator: " ")
      }
    }
  }

  @Test func `each schema has its file to be tested from`() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: Self.fixtures.path)
    #expect(Set(names) == Set((1...Schema.migrator.version).map { "schema-\($0).sql" }))
  }

  @Test(arguments: 1...Schema.migrator.version)
  func `every old file becomes what a new one is, with all it held`(version: Int) async throws {
    let scratch = try Scratch()
    let path = try await Self.oldFile(version, in: scratch)
    let account = try await AccountDatabase.open(at: path)
    let fresh = try await AccountDatabase.inMemory()
    #expect(try await Self.schema(of: account) == Self.schema(of: fresh))
    #expect(try await account.faults() == [])

    let messages = try await account.timeline.latest(10, in: Sample.juliet)
    #expect(messages.map(\.id.rawValue) == [1, 3, 5, 4])
    #expect(messages.map(\.delivery) == [nil, nil, .failed(reason: "too long"), .queued])
    #expect(messages[1].isDelayed && messages[0].stanzaID == "s1")
    #expect(try await account.outbox.queued().map(\.body) == ["Here"])
    let juliet = try #require(try await account.conversations.conversation(Sample.juliet))
    #expect(juliet.unread == 1 && juliet.draft == "half a sen")
    #expect(juliet.firstUnread == messages[1].position)
    #expect(try await account.conversations.conversations() == [juliet])
    #expect(try await account.conversations.conversation(Sample.room)?.name == "Balcony")
    #expect(
      try await account.conversations.inputHistory(of: Sample.juliet, limit: 9) == ["Here", "Lost"])
    #expect(try await account.roster.contacts().first?.groups == ["Capulets", "Friends"])
    #expect(try await account.roster.rosterVersion() == "v7")
    #expect(try await account.settings.values() == ["guide.seen": "1"])
    if version < Schema.migrator.version {
      #expect(
        try scratch.names.contains("old.db.before-\(Schema.migrator.version).backup"))
    }
  }

  @Test(arguments: 1...Schema.migrator.version)
  func `each kept file takes the steps that are still to come, after a copy`(version: Int)
    async throws
  {
    let scratch = try Scratch()
    let path = try await Self.oldFile(version, in: scratch)
    let next = Schema.migrator.version + 1
    let tomorrow = Migrator(
      Schema.migrator.migrations + [
        Migration("\(next) tomorrow", sql: "ALTER TABLE contact ADD COLUMN birthday TEXT")
      ], applicationID: Schema.applicationID)
    let database = try await Database.open(.file(path), migrator: tomorrow)
    let names = try await database.read { db in
      try db.rows("SELECT jid FROM contact WHERE birthday IS NULL ORDER BY jid") { $0.string(0) }
    }
    #expect(names == ["juliet@example.org", "nurse@example.org"])
    await database.close()
    #expect(throws: StorageError.newerSchema(path: path)) { try AccountDatabase.examine(path) }
    let copy = "\(path).before-\(next).backup"
    #expect(try AccountDatabase.examine(copy))
    #expect(
      try await AccountDatabase.open(at: copy).settings.values() == ["guide.seen": "1"])
  }

  /// Steps of builds from before the baseline: a table of the same name, and no application id.
  @Test(arguments: [
    (number: 1, name: "1 conversations and messages"),
    (29, "29 what typed messages come after"),
    (1, "1 baseline"),
  ])
  func `a file of a development build is left as it is, and can be set aside`(
    number: Int, name: String
  ) async throws {
    let scratch = try Scratch()
    let path = try await Self.file(
      """
      CREATE TABLE schema_migration (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
      INSERT INTO schema_migration VALUES (\(number), '\(name)');
      CREATE TABLE setting (
        key TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
      INSERT INTO setting VALUES ('guide.seen', '1');
      """, in: scratch)
    let before = try scratch.bytes("old.db")
    await #expect(throws: StorageError.developmentSchema(path: path)) {
      try await AccountDatabase.open(at: path)
    }
    #expect(throws: StorageError.developmentSchema(path: path)) {
      try AccountDatabase.examine(path)
    }
    #expect(try scratch.bytes("old.db") == before)
    #expect(try scratch.names == ["old.db", "old.db.lock"])
    let aside = try AccountDatabase.setAside(path)
    #expect(try Data(contentsOf: URL(filePath: aside)) == before)
    #expect(try await AccountDatabase.open(at: path).settings.values() == [:])
  }

  @Test(arguments: [
    "PRAGMA application_id = 252006675", "CREATE TABLE setting (key TEXT, value TEXT) STRICT",
  ])
  func `a database of another program is left as it is`(script: String) async throws {
    let scratch = try Scratch()
    let path = try await Self.file(script, in: scratch)
    let before = try scratch.bytes("old.db")
    await #expect(throws: StorageError.foreign(path: path)) {
      try await AccountDatabase.open(at: path)
    }
    #expect(throws: StorageError.foreign(path: path)) { try AccountDatabase.examine(path) }
    #expect(try scratch.bytes("old.db") == before)
  }

  @Test func `an empty file is a new one`() async throws {
    let scratch = try Scratch()
    try scratch.write(Data(), to: "a.db")
    #expect(try AccountDatabase.examine(scratch.path("a.db")))
    let account = try await AccountDatabase.open(at: scratch.path("a.db"))
    #expect(try await account.settings.values() == [:])
    await account.close()
    #expect(try scratch.names == ["a.db", "a.db.lock"])
  }

  @Test func `two at once are refused with the number of the first`() async throws {
    let scratch = try Scratch()
    let path = scratch.path("a/b/a.db")
    let first = try await AccountDatabase.open(at: path)
    await #expect(throws: StorageError.locked(by: ProcessInfo.processInfo.processIdentifier)) {
      try await AccountDatabase.open(at: path)
    }
    // One store is enough to keep the others out; closing lets them in.
    let settings = first.settings
    await first.close()
    let second = try await AccountDatabase.open(at: path).settings
    await #expect(throws: StorageError.locked(by: ProcessInfo.processInfo.processIdentifier)) {
      try await AccountDatabase.open(at: path)
    }
    #expect(try await second.values() == [:])
    await #expect(throws: StorageError.self) { try await settings.values() }
  }

  @Test func `what was stored is there after opening again`() async throws {
    let scratch = try Scratch()
    let path = scratch.path("a.db")
    var stored: [Message] = []
    do {
      let account = try await AccountDatabase.open(at: path)
      stored = try await account.messages.insert(
        [Sample.message("hi", origin: "o")], countsUnread: { _ in true }
      ).messages
      await account.close()
      await #expect(throws: StorageError.self) { try await account.outbox.queued() }
    }
    let account = try await AccountDatabase.open(at: path)
    #expect(try await account.timeline.latest(5, in: Sample.juliet) == stored)
  }

  @Test func `a kill at any moment loses no batch that was stored`() async throws {
    let scratch = try Scratch()
    let account = try await AccountDatabase.open(at: scratch.path("a.db"))
    var expected: [String] = []
    for round in 0..<12 {
      let batch = (0..<20).map { Sample.message("\(round) \($0)", at: Double(round * 20 + $0)) }
      _ = try await account.messages.insert(batch, countsUnread: { _ in true })
      _ = try await account.outbox.enqueue(
        body: "typed \(round)", to: Sample.juliet, from: Sample.romeo, originID: "o\(round)",
        at: Sample.date(Double(round * 20) + 19.5))
      expected += batch.map(\.body) + ["typed \(round)"]
      // What the disk holds at this moment: nothing was closed.
      for suffix in ["", "-wal"] {
        try scratch.write(try scratch.bytes("a.db" + suffix), to: "copy\(round).db" + suffix)
      }
      let copy = try await AccountDatabase.open(at: scratch.path("copy\(round).db"))
      #expect(try await copy.faults() == [])
      #expect(try await copy.timeline.latest(1000, in: Sample.juliet).map(\.body) == expected)
      #expect(try await copy.outbox.queued().count == round + 1)
    }
  }

  @Test func `a damaged file is left as it is, and can be set aside`() async throws {
    let scratch = try Scratch()
    let path = scratch.path("a.db")
    let garbage = Data(repeating: 0x42, count: 9000)
    try scratch.write(garbage, to: "a.db")
    await #expect(throws: StorageError.damaged(path: path)) {
      try await AccountDatabase.open(at: path)
    }
    #expect(try scratch.bytes("a.db") == garbage)
    try scratch.write(Data("earlier".utf8), to: "a.db.set-aside-1")
    #expect(try AccountDatabase.setAside(path) == path + ".set-aside-2")
    #expect(try scratch.bytes("a.db.set-aside-2") == garbage)
    let account = try await AccountDatabase.open(at: path)
    #expect(throws: StorageError.self) { try AccountDatabase.setAside(path) }
    #expect(try await account.conversations.conversations().isEmpty)
  }

  @Test(arguments: DatabaseFiles.endings)
  func `what SQLite keeps beside a file is set aside with it`(ending: String) throws {
    let scratch = try Scratch()
    try scratch.write(Data("words".utf8), to: "a.db")
    try scratch.write(Data("beside".utf8), to: "a.db" + ending)
    #expect(try AccountDatabase.setAside(scratch.path("a.db")).hasSuffix("a.db.set-aside-1"))
    #expect(try scratch.bytes("a.db.set-aside-1" + ending) == Data("beside".utf8))
    #expect(try !scratch.names.contains("a.db" + ending))
  }

  @Test func `a newer file is left as it is`() async throws {
    let scratch = try Scratch()
    let path = scratch.path("a.db")
    let newer = try await Database.open(
      .file(path),
      migrator: Migrator(
        Schema.migrator.migrations + [Migration("999 tomorrow", sql: "SELECT 1")],
        applicationID: Schema.applicationID))
    await newer.close()
    let before = try scratch.bytes("a.db")
    await #expect(throws: StorageError.newerSchema(path: path)) {
      try await AccountDatabase.open(at: path)
    }
    #expect(try scratch.bytes("a.db") == before)
  }

  @Test func `an account's database is one file, written through a log of its own`() async throws {
    let scratch = try Scratch()
    let name = AccountDatabase.fileName(of: Sample.juliet)
    let account = try await AccountDatabase.open(at: scratch.path(name))
    let settings = try await account.database.withoutTransaction { db in
      try ["journal_mode", "synchronous", "foreign_keys"].map { pragma in
        try db.firstRow("PRAGMA \(pragma)") { $0.string(0) }
      }
    }
    #expect(settings == ["wal", "2", "1"])
    try await account.settings.setValue("b", for: "a")
    #expect(try scratch.names.contains(name + "-wal"))
    await account.close()
    #expect(try scratch.names.filter { !$0.hasSuffix(".lock") } == [name])
  }

  @Test func `a file's name is safe and distinguishes accounts`() {
    func name(_ local: String?, _ domain: String) -> String {
      AccountDatabase.fileName(of: JID(local: local, domain: domain, resource: "r"))
    }
    #expect(name("romeo", "example.org") == "romeo@example.org.db")
    #expect(name(nil, "..") == "%2e%2e.db" || name(nil, "..") == "%2e..db")
    #expect(name("a%b", "[::1]") == "a%25b@%5b%3a%3a1%5d.db")
    #expect(name("é", "x") == "%c3%a9@x.db")
    let long = String(repeating: "a", count: 900)
    #expect(name(long + "b", "x").utf8.count < 255)
    #expect(name(long + "b", "x") != name(long + "c", "x"))
  }

  @Test func `each failure is shown in a text of its own`() {
    let errors: [StorageError] = [
      .damaged(path: "/p"), .newerSchema(path: "/p"), .developmentSchema(path: "/p"),
      .foreign(path: "/p"), .full(path: "/p"), .notWritable(path: "/p"),
      .locked(by: 7), .locked(by: nil),
      .underlying(SQLiteError(code: 10, message: "disk I/O error")),
    ]
    let reported = errors.map { NatterError(reporting: $0, key: "error.unexpected") }
    #expect(Set(reported.map(\.key)).count == errors.count)
    #expect(reported.allSatisfy { $0.kind == .storage && $0.key.hasPrefix("error.storage.") })
    #expect(reported[6].arguments == ["pid": "7"])
  }

  @Test(arguments: ["-wal", "-shm", "-journal"])
  func `a directory where SQLite keeps a file beside the database is named`(suffix: String)
    async throws
  {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appending(path: "a.db").path
    await (try await AccountDatabase.open(at: path)).close()
    try FileManager.default.createDirectory(
      atPath: path + suffix, withIntermediateDirectories: false)
    await #expect(throws: StorageError.notAFile(path: path + suffix)) {
      _ = try await AccountDatabase.open(at: path)
    }
    try FileManager.default.removeItem(atPath: path + suffix)
    await (try await AccountDatabase.open(at: path)).close()
  }

  @Test func `an error known to SQLite alone is shown with the file's name`() {
    let error = StorageError(SQLiteError(code: 1, message: "odd"), path: "/d/a.db")
    #expect(error.natterError.arguments == ["path": "/d/a.db", "detail": "SQLite 1"])
  }
}
