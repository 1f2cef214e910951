import Foundation
import SQLite
import Testing

/// Databases that are only read, with and without a program that writes them.
@Suite struct DatabaseReadingTests {
  static let schema = DatabaseTests.schema

  private func texts(of database: Database) async throws -> [String] {
    try await database.read { db in
      try db.rows("SELECT text FROM note ORDER BY id") { $0.string(0) }
    }
  }

  private func writer(_ scratch: Scratch, _ texts: String...) async throws -> Database {
    let database = try await Database.open(.file(scratch.path("a.db")), migrator: Self.schema)
    for text in texts { try await add(text, to: database) }
    return database
  }

  private func add(_ text: String, to database: Database) async throws {
    try await database.write { try $0.run("INSERT INTO note (text) VALUES (?)", text) }
  }

  private func reader(_ scratch: Scratch) async throws -> Database? {
    try await Database.openReading(scratch.path("a.db"), migrator: Self.schema)
  }

  @Test func `a reader beside a writer sees each commit`() async throws {
    let scratch = try Scratch()
    let writer = try await writer(scratch, "one")
    let reader = try #require(try await reader(scratch))
    #expect(try await texts(of: reader) == ["one"])
    try await add("two", to: writer)
    #expect(try await texts(of: reader) == ["one", "two"])
    await reader.close()
    await writer.close()
    #expect(try scratch.names == ["a.db"])
  }

  @Test func `reading a closed database creates nothing and changes nothing`() async throws {
    let scratch = try Scratch()
    await (try await writer(scratch, "one")).close()
    let before = try scratch.bytes("a.db")
    let reader = try #require(try await reader(scratch))
    #expect(reader.isReadOnly)
    #expect(try await texts(of: reader) == ["one"])
    #expect(try scratch.names == ["a.db"])
    await reader.close()
    #expect(try scratch.names == ["a.db"])
    #expect(try scratch.bytes("a.db") == before)
  }

  @Test func `a reader copies one state of a database, beside a writer and without one`()
    async throws
  {
    let scratch = try Scratch()
    let writer = try await writer(scratch, "one")
    let reader = try #require(try await reader(scratch))
    try await reader.backUp(to: scratch.path("copy.db"))
    #expect(try scratch.mode("copy.db") == 0o600)
    // Reading and writing go on, and the next copy replaces the first one.
    try await add("two", to: writer)
    #expect(try await texts(of: reader) == ["one", "two"])
    try await reader.backUp(to: scratch.path("copy.db"))
    await reader.close()
    await writer.close()
    let closed = try #require(try await self.reader(scratch))
    try await closed.backUp(to: scratch.path("again.db"))
    #expect(try scratch.names == ["a.db", "again.db", "copy.db"])
    for name in ["copy.db", "again.db"] {
      let copy = try await Database.open(.file(scratch.path(name)), migrator: Self.schema)
      #expect(try await texts(of: copy) == ["one", "two"])
      await copy.close()
    }
  }

  @Test func `a compact copy has nothing of what was deleted`() async throws {
    let scratch = try Scratch()
    let computed = MigratorTests.migrator(
      Migration(
        "1 notes",
        sql: """
          CREATE TABLE note (
            id INTEGER PRIMARY KEY, text TEXT NOT NULL,
            length INTEGER GENERATED ALWAYS AS (LENGTH(text)) VIRTUAL
          ) STRICT
          """))
    let database = try await Database.open(.file(scratch.path("a.db")), migrator: computed)
    try await add("one", to: database)
    try await add("a secret text", to: database)
    try await database.write { try $0.run("DELETE FROM note WHERE text = 'a secret text'") }
    try await database.writeCompactCopy(to: scratch.path("copy.db"))
    #expect(try scratch.mode("copy.db") == 0o600)
    #expect(try scratch.bytes("copy.db").range(of: Data("a secret text".utf8)) == nil)
    await database.close()
    let copy = try #require(
      try await Database.openReading(scratch.path("copy.db"), migrator: computed))
    #expect(try await texts(of: copy) == ["one"])
    #expect(try scratch.names == ["a.db", "copy.db"])
  }

  @Test func `a copy that is cancelled or cannot be written is not there`() async throws {
    let scratch = try Scratch()
    let texts = (0..<20_000).map { "text number \($0)" }
    let writer = try await writer(scratch)
    try await writer.write { db in
      for text in texts { try db.run("INSERT INTO note (text) VALUES (?)", text) }
    }
    let reader = try #require(try await reader(scratch))
    let path = scratch.path("copy.db")
    await Task {
      withUnsafeCurrentTask { $0?.cancel() }
      await #expect(throws: CancellationError.self) { try await reader.backUp(to: path) }
      await #expect(throws: CancellationError.self) { try await writer.writeCompactCopy(to: path) }
    }.value
    for database in [reader, writer] {
      await #expect(throws: SQLiteError.self) {
        try await database.backUp(to: scratch.path("none/copy.db"))
      }
    }
    #expect(try await self.texts(of: reader).count == 20_000)
    await reader.close()
    await writer.close()
    #expect(try scratch.names == ["a.db"])
  }

  @Test func `a file that a writer changes after it was opened is read again`() async throws {
    let scratch = try Scratch()
    await (try await writer(scratch, "one")).close()
    let reader = try #require(try await reader(scratch))
    #expect(try await texts(of: reader) == ["one"])
    let writer = try await writer(scratch, "two")
    #expect(try await texts(of: reader) == ["one", "two"])
    await writer.close()
    #expect(try await texts(of: reader) == ["one", "two"])
    await (try await self.writer(scratch, "three")).close()
    #expect(try await texts(of: reader) == ["one", "two", "three"])
  }

  @Test func `a writer that closes while another program reads leaves an empty log`()
    async throws
  {
    let scratch = try Scratch()
    let writer = try await writer(scratch, "one")
    let reader = try #require(try await reader(scratch))
    #expect(try await texts(of: reader) == ["one"])
    await writer.close()
    let log = scratch.url.appending(path: "a.db-wal")
    #expect(((try? Data(contentsOf: log)) ?? Data()).isEmpty)
    #expect(try await texts(of: reader) == ["one"])
    await reader.close()
    // The next program finds everything in the file.
    let copy = try Scratch()
    try copy.write(try scratch.bytes("a.db"), to: "a.db")
    let again = try await Database.open(.file(copy.path("a.db")), migrator: Self.schema)
    #expect(try await texts(of: again) == ["one"])
  }

  @Test func `there is nothing to read in a file that is missing, or empty`() async throws {
    let scratch = try Scratch()
    #expect(try await reader(scratch) == nil)
    #expect(try scratch.names == [])
    try scratch.write(Data(), to: "a.db")
    #expect(try await reader(scratch) == nil)
    #expect(try scratch.names == ["a.db"])
  }

  @Test func `a reader cannot write`() async throws {
    let scratch = try Scratch()
    await (try await writer(scratch, "one")).close()
    let reader = try #require(try await reader(scratch))
    let error = try await #require(throws: SQLiteError.self) { try await add("x", to: reader) }
    #expect(error.kind == .notWritable)
    #expect(try await texts(of: reader) == ["one"])
  }

  @Test func `an earlier and a later schema are refused and left as they were`() async throws {
    let scratch = try Scratch()
    let (one, two) = (MigratorTests.one, MigratorTests.two)
    let path = scratch.path("a.db")
    await (try await Database.open(.file(path), migrator: MigratorTests.migrator(one))).close()
    let before = try scratch.bytes("a.db")
    await #expect(throws: Migrator.Failure.olderSchema("2 stars")) {
      try await Database.openReading(path, migrator: MigratorTests.migrator(one, two))
    }
    #expect(try scratch.bytes("a.db") == before)
    await (try await Database.open(.file(path), migrator: MigratorTests.migrator(one, two))).close()
    await #expect(throws: Migrator.Failure.newerSchema("2 stars")) {
      try await Database.openReading(path, migrator: MigratorTests.migrator(one))
    }
  }

  @Test func `a foreign file is refused`() async throws {
    let scratch = try Scratch()
    try scratch.write(Data("not a database at all, though long enough".utf8), to: "a.db")
    let error = try await #require(throws: SQLiteError.self) { try await reader(scratch) }
    #expect(error.kind == .damaged)
  }
}
