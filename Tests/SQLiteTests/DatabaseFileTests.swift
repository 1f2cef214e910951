import Foundation
import SQLite
import Testing

@Suite struct DatabaseFileTests {
  static let schema = DatabaseTests.schema

  @Test func `files are private whatever was there before`() async throws {
    let scratch = try Scratch()
    try scratch.write(Data(), to: "old.db")
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o666], ofItemAtPath: scratch.path("old.db"))
    for name in ["old.db", "new/deep/new.db"] {
      let database = try await Database.open(.file(scratch.path(name)), migrator: Self.schema)
      try await database.write { try $0.run("INSERT INTO note (text) VALUES ('x')") }
      for suffix in ["", "-wal", "-shm"] { #expect(try scratch.mode(name + suffix) == 0o600) }
    }
    #expect(try scratch.mode("new") == 0o700)
    #expect(try scratch.mode("new/deep") == 0o700)
  }

  @Test func `a closed database leaves one file, with everything in it`() async throws {
    let scratch = try Scratch()
    let path = scratch.path("a.db")
    let database = try await Database.open(.file(path), migrator: Self.schema)
    try await database.write { try $0.run("INSERT INTO note (text) VALUES ('x')") }
    await database.close()
    #expect(try scratch.names == ["a.db"])
    let again = try await Database.open(.file(path), migrator: Self.schema)
    let texts = try await again.read { db in try db.rows("SELECT text FROM note") { $0.string(0) } }
    #expect(texts == ["x"])
    #expect(try await again.faults() == [])
  }

  @Test func `durable settings are on`() async throws {
    let scratch = try Scratch()
    let database = try await Database.open(.file(scratch.path("a.db")), migrator: Self.schema)
    let settings = try await database.withoutTransaction { db in
      try ["journal_mode", "synchronous", "foreign_keys"].map { name in
        try db.firstRow("PRAGMA \(name)") { $0.string(0) }
      }
    }
    #expect(settings == ["wal", "2", "1"])
  }

  @Test(arguments: [
    Data("not a database at all, though long enough to be one".utf8), Data("short".utf8),
    Data(repeating: 0, count: 5000),
  ])
  func `a foreign file is refused and not touched`(content: Data) async throws {
    let scratch = try Scratch()
    try scratch.write(content, to: "a.db")
    let error = try await #require(throws: SQLiteError.self) {
      try await Database.open(.file(scratch.path("a.db")), migrator: Self.schema)
    }
    #expect(error.kind == .damaged)
    #expect(try scratch.bytes("a.db") == content)
    #expect(try scratch.names == ["a.db"])
  }

  @Test func `a database with a broken first page is refused and not touched`() async throws {
    let scratch = try Scratch()
    let path = scratch.path("a.db")
    let database = try await Database.open(.file(path), migrator: Self.schema)
    await database.close()
    var content = try scratch.bytes("a.db")
    content.replaceSubrange(100..<300, with: Data(repeating: 0xa5, count: 200))
    try scratch.write(content, to: "a.db")
    let error = try await #require(throws: SQLiteError.self) {
      try await Database.open(.file(path), migrator: Self.schema)
    }
    #expect(error.kind == .damaged)
    #expect(try scratch.bytes("a.db") == content)
  }

  @Test func `after a kill a broken page is found when the file is opened`() async throws {
    let scratch = try Scratch()
    let database = try await Database.open(.file(scratch.path("a.db")), migrator: Self.schema)
    try await database.write { db in
      for _ in 0..<200 {
        try db.run("INSERT INTO note (text) VALUES (?)", String(repeating: "x", count: 500))
      }
    }
    try await database.withoutTransaction {
      _ = try $0.rows("PRAGMA wal_checkpoint(FULL)") { _ in }
    }
    try await database.write { try $0.run("INSERT INTO note (text) VALUES ('in the log')") }
    var content = try scratch.bytes("a.db")
    content.replaceSubrange(8192..<8400, with: Data(repeating: 0xa5, count: 208))
    try scratch.write(content, to: "b.db")
    try scratch.write(try scratch.bytes("a.db-wal"), to: "b.db-wal")
    let error = try await #require(throws: SQLiteError.self) {
      try await Database.open(.file(scratch.path("b.db")), migrator: Self.schema)
    }
    #expect(error.kind == .damaged)
    #expect(try scratch.bytes("b.db") == content)
  }

  @Test func `a broken page of a file that was closed is reported when it is met, once`()
    async throws
  {
    let scratch = try Scratch()
    let path = scratch.path("a.db")
    let first = try await Database.open(.file(path), migrator: Self.schema)
    try await first.write { try $0.run("INSERT INTO note (text) VALUES ('x')") }
    let (size, page) = try await first.read { db in
      (
        try db.firstRow("PRAGMA page_size") { $0.int(0) } ?? 0,
        try db.firstRow("SELECT rootpage FROM sqlite_master WHERE name = 'note'") { $0.int(0) } ?? 0
      )
    }
    await first.close()
    // Closed without a fault, it has reported none.
    for await _ in first.damage { Issue.record("there is no damage") }
    var content = try scratch.bytes("a.db")
    let start = (page - 1) * size
    content.replaceSubrange(start..<start + size, with: Data(repeating: 0xee, count: size))
    try scratch.write(content, to: "a.db")

    let database = try await Database.open(.file(path), migrator: Self.schema)
    for _ in 0..<3 {
      let error = try await #require(throws: SQLiteError.self) {
        try await database.read { try $0.rows("SELECT text FROM note") { $0.string(0) } }
      }
      #expect(error.kind == .damaged)
    }
    var reported = 0
    for await _ in database.damage { reported += 1 }
    #expect(reported == 1)
    await database.close()
  }

  @Test func `a killed program's commits are there`() async throws {
    let scratch = try Scratch()
    let database = try await Database.open(.file(scratch.path("a.db")), migrator: Self.schema)
    for number in 1...20 {
      try await database.write { try $0.run("INSERT INTO note (text) VALUES (?)", "\(number)") }
      // What a kill at this moment leaves: the file and its log, with nothing closed.
      try scratch.write(try scratch.bytes("a.db"), to: "copy\(number).db")
      try scratch.write(try scratch.bytes("a.db-wal"), to: "copy\(number).db-wal")
      let copy = try await Database.open(
        .file(scratch.path("copy\(number).db")), migrator: Self.schema)
      let count = try await copy.read { db in
        try db.firstRow("SELECT COUNT(*) FROM note") { $0.int(0) }
      }
      #expect(count == number)
      #expect(try await copy.faults() == [])
    }
  }

  @Test func `a log that was cut off loses only the commit it was cut in`() async throws {
    let scratch = try Scratch()
    let database = try await Database.open(.file(scratch.path("a.db")), migrator: Self.schema)
    try await database.write { try $0.run("INSERT INTO note (text) VALUES ('one')") }
    let safe = try scratch.bytes("a.db-wal").count
    try await database.write { try $0.run("INSERT INTO note (text) VALUES ('two')") }
    let log = try scratch.bytes("a.db-wal")
    for length in stride(from: safe, to: log.count, by: 777) {
      try scratch.write(try scratch.bytes("a.db"), to: "c\(length).db")
      try scratch.write(log.prefix(length), to: "c\(length).db-wal")
      let copy = try await Database.open(
        .file(scratch.path("c\(length).db")), migrator: Self.schema)
      let texts = try await copy.read { db in try db.rows("SELECT text FROM note") { $0.string(0) }
      }
      #expect(texts == ["one"])
    }
  }

  @Test func `a path that cannot be made is an error of its own`() async throws {
    let scratch = try Scratch()
    try scratch.write(Data("x".utf8), to: "file")
    let error = try await #require(throws: SQLiteError.self) {
      try await Database.open(.file(scratch.path("file/a.db")), migrator: Self.schema)
    }
    #expect(error.kind == .cannotOpen)
    await #expect(throws: SQLiteError.self) {
      try await Database.open(.file(scratch.url.path), migrator: Self.schema)
    }
  }

  @Test func `a directory without rights is distinguished from other failures`() async throws {
    // The superuser may write anywhere but where the kernel itself writes.
    let error = try await #require(throws: SQLiteError.self) {
      try await Database.open(.file("/proc/sys/natter/a.db"), migrator: Self.schema)
    }
    #expect(error.kind == .notWritable || error.kind == .cannotOpen)
    #expect(error.systemError != 0)
  }

  @Test func `a database that may not grow is a full disk, and the database goes on after it`()
    async throws
  {
    let scratch = try Scratch()
    let database = try await Database.open(.file(scratch.path("a.db")), migrator: Self.schema)
    try await database.withoutTransaction {
      _ = try $0.rows("PRAGMA max_page_count = 8") { $0.int(0) }
    }
    let error = try await #require(throws: SQLiteError.self) {
      try await database.write { db in
        for _ in 0..<100 {
          try db.run("INSERT INTO note (text) VALUES (?)", String(repeating: "x", count: 4000))
        }
      }
    }
    #expect(error.kind == .full)
    try await database.withoutTransaction {
      _ = try $0.rows("PRAGMA max_page_count = 1000") { $0.int(0) }
    }
    try await database.write { try $0.run("INSERT INTO note (text) VALUES ('after')") }
    let texts = try await database.read { db in
      try db.rows("SELECT text FROM note") { $0.string(0) }
    }
    #expect(texts == ["after"])
    #expect(try await database.faults() == [])
  }

  @Test(arguments: [
    (ENOSPC, SQLiteError.Category.full), (EDQUOT, .full), (EFBIG, .full), (EACCES, .notWritable),
    (EROFS, .notWritable),
  ])
  func `a system error decides over the result code`(number: Int32, kind: SQLiteError.Category) {
    #expect(SQLiteError(code: 10, systemError: number, message: "disk I/O error").kind == kind)
  }

  @Test func `a backup is whole, private and replaces an older one`() async throws {
    let scratch = try Scratch()
    let database = try await Database.open(.file(scratch.path("a.db")), migrator: Self.schema)
    try await database.write { try $0.run("INSERT INTO note (text) VALUES ('x')") }
    try scratch.write(Data("old".utf8), to: "b.backup")
    try await database.backUp(to: scratch.path("b.backup"))
    #expect(try scratch.mode("b.backup") == 0o600)
    #expect(try scratch.names.filter { $0.contains("part") } == [])
    let copy = try await Database.open(.file(scratch.path("b.backup")), migrator: Self.schema)
    let texts = try await copy.read { db in try db.rows("SELECT text FROM note") { $0.string(0) } }
    #expect(texts == ["x"])
  }
}
