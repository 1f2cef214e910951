import Foundation
import SQLite
import Testing

@Suite struct DatabaseTests {
  static let schema = MigratorTests.migrator(
    Migration(
      "1 notes", sql: "CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT"))
  struct Refusal: Error {}

  static func memory() async throws -> Database {
    try await Database.open(.memory, migrator: schema)
  }

  @Test func `a value comes back as it was bound`() async throws {
    let database = try await Self.memory()
    let values: [SQLValue] = [
      .null, .integer(.min), .integer(.max), .real(0.1), .text(""), .text("a\0b"), .text("日本 👩‍👩‍👧"),
      .blob([]), .blob([0, 255]),
    ]
    for value in values {
      let back = try await database.read { db in
        try db.firstRow("SELECT ?", value) { $0.value(0) }
      }
      #expect(back == value)
    }
  }

  @Test func `a text that an earlier version stored comes back bounded`() async throws {
    let database = try await Self.memory()
    let stored = "a" + String(repeating: "\u{301}\u{316}", count: 1000)
    try await database.read { db in
      try db.firstRow("SELECT ?", stored) { row in
        #expect(row.string(0).unicodeScalars.count > 2000)
        #expect(row.string(0).allSatisfy { $0.unicodeScalars.count <= 31 })
      }
    }
  }

  @Test(arguments: ["", "a\0b", "é 👩‍👩‍👧 \u{301}", String(repeating: "x", count: 100_000)])
  func `the bytes of a text are those that were stored`(text: String) async throws {
    let database = try await Self.memory()
    try await database.read { db in
      try db.firstRow("SELECT ?, NULL", text) { row in
        #expect(row.withUTF8(0) { $0.elementsEqual(text.utf8) })
        #expect(row.withUTF8(1) { $0.isEmpty })
      }
    }
  }

  @Test func `typed columns answer what was stored`() async throws {
    let database = try await Self.memory()
    let absent: String? = nil
    try await database.read { db in
      let found = try db.firstRow(
        "SELECT ?, ?, ?, ?, ?, ?", 7, true, 1.5, "x", [UInt8]([1]), absent
      ) {
        row in
        #expect(row.int(0) == 7 && row.bool(1) && row.double(2) == 1.5)
        #expect(row.string(3) == "x" && row.bytes(4) == [1])
        #expect(row.optionalString(5) == nil && row.string(5).isEmpty && row.isNull(5))
        #expect(row.optionalInt(0) == 7 && row.optionalInt64(5) == nil)
        return true
      }
      #expect(found == true)
    }
  }

  @Test func `a change that gives rows is done to its end when one of them was enough`()
    async throws
  {
    let database = try await Database.open(
      .memory,
      migrator: MigratorTests.migrator(
        Migration(
          "1 texts",
          sql: """
            CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT;
            CREATE VIRTUAL TABLE words USING fts5 (text, content = 'note', content_rowid = 'id');
            CREATE TRIGGER note_deleted AFTER DELETE ON note BEGIN
              INSERT INTO words (words, rowid, text) VALUES ('delete', old.id, old.text);
            END;
            """)))
    for round in 1...4 {
      // Enough for the index to write out and merge what it holds, at the end of a statement.
      let text = (1...100_000).map { "\($0 * round % 99991)" }.joined(separator: " ")
      try await database.write { db in
        try db.run("INSERT INTO note (id, text) VALUES (1, ?)", text)
        try db.run("INSERT INTO words (rowid, text) SELECT id, text FROM note")
      }
      let id = try await database.write { db in
        try db.firstRow("DELETE FROM note WHERE id = 1 RETURNING id") { $0.int64(0) }
      }
      #expect(id == 1)
    }
    let left = try await database.read { db in try db.rows("SELECT id FROM note") { $0.int64(0) } }
    #expect(left.isEmpty)
  }

  @Test
  func
    `where SQLite ends a transaction by itself, its reason is shown, and nothing more is stored`()
    async throws
  {
    let database = try await Self.memory()
    let error = await #expect(throws: SQLiteError.self) {
      try await database.write { db in
        try db.run("INSERT INTO note (id, text) VALUES (1, 'first')")
        // The first error is overlooked.
        try? db.run("INSERT OR ROLLBACK INTO note (id, text) VALUES (1, 'again')")
        try? db.run("INSERT INTO note (id, text) VALUES (2, 'outside of any transaction')")
      }
    }
    #expect(error?.kind == .constraint, "\(String(describing: error))")
    #expect(
      try await database.read { db in try db.rows("SELECT id FROM note") { $0.int64(0) } } == [])
    try await database.write { db in try db.run("INSERT INTO note (text) VALUES ('kept')") }
    #expect(
      try await database.read { db in try db.rows("SELECT text FROM note") { $0.string(0) } }
        == ["kept"])
  }

  @Test func `a transaction that throws leaves nothing behind`() async throws {
    let database = try await Self.memory()
    await #expect(throws: Refusal.self) {
      try await database.write { db in
        try db.run("INSERT INTO note (text) VALUES ('lost')")
        throw Refusal()
      }
    }
    try await database.write { db in try db.run("INSERT INTO note (text) VALUES ('kept')") }
    let texts = try await database.read { db in
      try db.rows("SELECT text FROM note") { $0.string(0) }
    }
    #expect(texts == ["kept"])
  }

  @Test func `a savepoint that throws undoes its own part alone`() async throws {
    let database = try await Self.memory()
    try await database.write { db in
      try db.run("INSERT INTO note (text) VALUES ('before')")
      do {
        try db.savepoint {
          try db.run("INSERT INTO note (text) VALUES ('inside')")
          throw Refusal()
        }
      } catch is Refusal {}
      try db.savepoint { try db.run("INSERT INTO note (text) VALUES ('after')") }
    }
    let texts = try await database.read { db in
      try db.rows("SELECT text FROM note") { $0.string(0) }
    }
    #expect(texts == ["before", "after"])
  }

  @Test func `one statement can run inside its own loop`() async throws {
    let database = try await Self.memory()
    let sums = try await database.write { db in
      for text in ["1", "2"] { try db.run("INSERT INTO note (text) VALUES (?)", text) }
      let sql = "SELECT text FROM note ORDER BY id"
      return try db.rows(sql) { outer in
        let text = outer.string(0)
        return try db.rows(sql) { text + $0.string(0) }
      }
    }
    #expect(sums == [["11", "12"], ["21", "22"]])
  }

  @Test func `an error shows its statement and not its arguments`() async throws {
    let database = try await Self.memory()
    let error = try await #require(throws: SQLiteError.self) {
      try await database.write { db in
        try db.run("INSERT INTO note (id, text) VALUES (1, ?)", "first secret")
        try db.run("INSERT INTO note (id, text) VALUES (1, ?)", "second secret")
      }
    }
    #expect(error.kind == .constraint)
    #expect(error.code == 19 && error.extendedCode == 1555)
    #expect(error.sql == "INSERT INTO note (id, text) VALUES (1, ?)")
    #expect(!"\(error)".contains("secret"))
  }

  @Test func `bad SQL is an error and the next statement works`() async throws {
    let database = try await Self.memory()
    await #expect(throws: SQLiteError.self) {
      try await database.read { db in try db.rows("SELEC 1") { _ in } }
    }
    await #expect(throws: SQLiteError.self) { try await database.write { try $0.run("  ") } }
    let one = try await database.read { db in try db.firstRow("SELECT 1") { $0.int(0) } }
    #expect(one == 1)
  }

  @Test func `many writers at once lose nothing`() async throws {
    let scratch = try Scratch()
    let database = try await Database.open(.file(scratch.path("a.db")), migrator: Self.schema)
    await withTaskGroup { group in
      for number in 0..<50 {
        group.addTask {
          _ = try? await database.write {
            try $0.run("INSERT INTO note (text) VALUES (?)", "\(number)")
          }
        }
      }
    }
    let count = try await database.read { db in
      try db.firstRow("SELECT COUNT(DISTINCT text) FROM note") { $0.int(0) }
    }
    #expect(count == 50)
  }

  @Test func `code on the actor can say that it is there`() async throws {
    let database = try await Self.memory()
    try await database.read { _ in database.assertIsolated() }
  }

  @Test func `what is asked after closing is an error`() async throws {
    let database = try await Self.memory()
    await database.close()
    await database.close()
    await #expect(throws: SQLiteError.self) { try await database.read { _ in } }
  }

  @Test func `a database without room says so and goes on when there is some`() async throws {
    let database = try await Self.memory()
    let long = String(repeating: "x", count: 4000)
    try await database.withoutTransaction { try $0.run("PRAGMA max_page_count = 20") }
    let error = try await #require(throws: SQLiteError.self) {
      try await database.write { db in
        for _ in 0..<100 { try db.run("INSERT INTO note (text) VALUES (?)", long) }
      }
    }
    #expect(error.kind == .full)
    try await database.withoutTransaction { try $0.run("PRAGMA max_page_count = 2000") }
    try await database.write { try $0.run("INSERT INTO note (text) VALUES (?)", long) }
    let count = try await database.read { db in
      try db.firstRow("SELECT COUNT(*) FROM note") { $0.int(0) }
    }
    #expect(count == 1)
  }
}
