import SQLite
import Testing

/// Reading apart from everything else.
@Suite struct DatabaseReaderTests {
  private static let forever = """
    WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number)
    SELECT COUNT(*) FROM number
    """

  private static func file(in scratch: Scratch) async throws -> Database {
    try await Database.open(.file(scratch.path("a.db")), migrator: DatabaseTests.schema)
  }

  private static func texts(_ database: Database) async throws -> [String] {
    try await database.readAside { db in
      try db.rows("SELECT text FROM note ORDER BY id") { $0.string(0) }
    }
  }

  @Test func `each commit is seen, and nothing before it`() async throws {
    let scratch = try Scratch()
    for database in [try await DatabaseTests.memory(), try await Self.file(in: scratch)] {
      #expect(try await Self.texts(database) == [])
      try await database.write { try $0.run("INSERT INTO note (text) VALUES ('one')") }
      #expect(try await Self.texts(database) == ["one"])
      await #expect(throws: DatabaseTests.Refusal.self) {
        try await database.write { db in
          try db.run("INSERT INTO note (text) VALUES ('two')")
          throw DatabaseTests.Refusal()
        }
      }
      #expect(try await Self.texts(database) == ["one"])
      await database.close()
      await #expect(throws: SQLiteError.self) { try await Self.texts(database) }
    }
  }

  @Test func `a read that takes long does not keep others from writing`() async throws {
    let scratch = try Scratch()
    let database = try await Self.file(in: scratch)
    let reading = Task {
      try await database.readAside { try $0.firstRow(Self.forever) { $0.int64(0) } }
    }
    for number in 0..<10 {
      try await database.write { try $0.run("INSERT INTO note (text) VALUES (?)", "\(number)") }
    }
    let count = try await database.read { db in
      try db.firstRow("SELECT COUNT(*) FROM note") { $0.int(0) }
    }
    #expect(count == 10)
    reading.cancel()
    await #expect(throws: CancellationError.self) { try await reading.value }
    // The connection is as good as before.
    #expect(try await Self.texts(database).count == 10)
    await database.close()
  }

  @Test func `closing the database ends the reads that run and those that wait`() async throws {
    let scratch = try Scratch()
    let database = try await Self.file(in: scratch)
    try await database.write { try $0.run("INSERT INTO note (text) VALUES ('kept')") }
    let (begun, beginning) = AsyncStream<Void>.makeStream()
    let running = Task {
      try await database.readAside { db in
        beginning.finish()
        return try db.firstRow(Self.forever) { $0.int64(0) }
      }
    }
    for await _ in begun {}
    let waiting = Task {
      try await database.readAside { try $0.firstRow(Self.forever) { $0.int64(0) } }
    }
    await database.close()
    for read in [running, waiting] {
      let error = await #expect(throws: SQLiteError.self) { try await read.value }
      #expect(error?.text.contains("is closed") == true)
    }
    // The log was emptied, and is gone.
    #expect(try scratch.names == ["a.db"])
  }

  @Test func `reads that wait and are cancelled do not begin, and end no others`() async throws {
    let scratch = try Scratch()
    let database = try await Self.file(in: scratch)
    let first = Task {
      try await database.readAside { try $0.firstRow(Self.forever) { $0.int64(0) } }
    }
    let second = Task {
      try await database.readAside { try $0.firstRow(Self.forever) { $0.int64(0) } }
    }
    second.cancel()
    first.cancel()
    await #expect(throws: CancellationError.self) { try await first.value }
    await #expect(throws: CancellationError.self) { try await second.value }
    #expect(try await Self.texts(database) == [])
    await database.close()
    // The last connection has taken the log into the file.
    #expect(try scratch.names == ["a.db"])
  }
}
