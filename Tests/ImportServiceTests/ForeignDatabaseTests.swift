import Foundation
import NatterCore
import TestSupport
import Testing

@testable import ImportService
@testable import SQLite

@Suite struct ForeignDatabaseTests {
  static let table = "CREATE TABLE note(id INTEGER PRIMARY KEY, text TEXT);"

  private func texts(_ database: ForeignDatabase) throws -> [String?] {
    var texts: [String?] = []
    try database.scan("note", ["text"]) { texts.append($0.text(0)) }
    return texts
  }

  @Test func `a database is read without a trace beside it`() throws {
    let fixture = try HistoryFixture()
    let path = try fixture.database(
      Self.table + "INSERT INTO note VALUES (1, 'one'), (2, NULL);", "a.db")
    let before = try Data(contentsOf: URL(filePath: path))
    let database = try ForeignDatabase(path: path)
    #expect(try texts(database) == ["one", nil])
    #expect(fixture.folder.files == ["a.db"])
    #expect(try Data(contentsOf: URL(filePath: path)) == before)
    try database.requireUnchanged()
  }

  @Test func `what another program has in its log is read, and its files stay`() throws {
    let fixture = try HistoryFixture()
    let path = fixture.path("a.db")
    let writer = try DatabaseConnection(path: path, flags: 6)
    try writer.runScript(
      "PRAGMA journal_mode = WAL;" + Self.table + "INSERT INTO note VALUES (1, 'one');")
    let before = fixture.folder.files
    let database = try ForeignDatabase(path: path)
    #expect(try texts(database) == ["one"])
    #expect(fixture.folder.files == before)
    // A copy is read: the writer goes on, and nothing of that is seen.
    try writer.runScript("INSERT INTO note VALUES (2, 'two');")
    #expect(try texts(database) == ["one"])
    try database.requireUnchanged()
    #expect(try texts(try ForeignDatabase(path: path)) == ["one", "two"])
  }

  @Test func `a log that consists of a hole is copied as one`() throws {
    let fixture = try HistoryFixture()
    let path = try fixture.database(Self.table + "INSERT INTO note VALUES (1, 'one');", "a.db")
    try fixture.write([], "a.db-wal")
    // Larger than the disk: as bytes, the copy would not end.
    try #require(truncate(fixture.path("a.db-wal"), 1 << 40) == 0)
    #expect(try texts(try ForeignDatabase(path: path)) == ["one"])
  }

  @Test func `a database is recognized by its tables, in the file or in the log`() throws {
    let fixture = try HistoryFixture()
    func isNote(_ path: String) -> Bool {
      ForeignDatabase.recognizes(path) { try $0.hasTable("NOTE") }
    }
    let writer = try DatabaseConnection(path: fixture.path("log.db"), flags: 6)
    try writer.runScript("PRAGMA journal_mode = WAL;" + Self.table)
    #expect(isNote(fixture.path("log.db")))
    // The log cannot be copied. That is the error of the reading.
    let path = try fixture.database(Self.table, "file.db")
    try fixture.write("words", "file.db-wal/words")
    #expect(isNote(path))
    #expect(
      throws: ImportFailure.unreadable(path: path + "-wal", reason: String(EISDIR))
    ) { try ForeignDatabase(path: path) }
    #expect(!isNote(try fixture.database("CREATE TABLE other(id);", "other.db")))
    #expect(!isNote(try fixture.write("words", "text")) && !isNote(fixture.path("none")))
  }

  @Test func `a change of the file while it is read is noticed`() throws {
    let fixture = try HistoryFixture()
    let path = try fixture.database(Self.table, "a.db")
    let database = try ForeignDatabase(path: path)
    let writer = try DatabaseConnection(path: path, flags: 2)
    try writer.runScript("INSERT INTO note VALUES (1, 'one');")
    #expect(throws: ImportFailure.self) { try database.requireUnchanged() }
  }

  @Test func `columns are found by name, and views are no tables`() throws {
    let fixture = try HistoryFixture()
    let path = try fixture.database(
      Self.table + """
        INSERT INTO note VALUES (1, 'one');
        CREATE VIEW endless AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x FROM n)
          SELECT x FROM n;
        """, "a.db")
    let database = try ForeignDatabase(path: path)
    #expect(try database.columns(of: "note") == ["id", "text"])
    #expect(try database.columns(of: "endless") == [])
    #expect(try database.columns(of: "none") == [])
    var isNull: Bool?
    try database.scan("note", ["missing"]) { isNull = $0.isNull(0) }
    #expect(isNull == true)
  }

  @Test func `the case of a name does not matter, as in SQLite`() throws {
    let fixture = try HistoryFixture()
    // The first letter of the last column is U+212A (kelvin), which SQLite does not fold.
    let path = try fixture.database(
      """
      CREATE TABLE Note(ID INTEGER PRIMARY KEY, "Text" TEXT, "\u{212A}ind" TEXT);
      INSERT INTO Note VALUES (1, 'one', 'x');
      """, "a.db")
    let database = try ForeignDatabase(path: path)
    #expect(try database.columns(of: "NOTE").isSuperset(of: ["id", "text"]))
    #expect(try texts(database) == ["one"])
    var isNull: Bool?
    try database.scan("note", ["kind"]) { isNull = $0.isNull(0) }
    #expect(isNull == true)
  }

  @Test func `an error of the caller stays what it is`() throws {
    let fixture = try HistoryFixture()
    let path = try fixture.database(Self.table + "INSERT INTO note VALUES (1, 'one');", "a.db")
    let own = SQLiteError(code: 13, message: "the disk is full")
    #expect(throws: own) {
      try ForeignDatabase(path: path).scan("note", ["text"]) { _ in throw own }
    }
  }

  @Test func `what is no database is refused`() throws {
    let fixture = try HistoryFixture()
    #expect(throws: ImportFailure.damaged(path: fixture.path("text"))) {
      try ForeignDatabase(path: try fixture.write("words", "text"))
    }
    #expect(throws: ImportFailure.unreadable(path: "/none", reason: String(ENOENT))) {
      try ForeignDatabase(path: "/none")
    }
    #expect(throws: ImportFailure.self) { try ForeignDatabase(path: fixture.folder.root.path) }
  }

  @Test func `a text over the limit is distinguished from an empty one`() throws {
    let fixture = try HistoryFixture()
    let path = try fixture.database(
      Self.table + """
        INSERT INTO note VALUES (1, printf('%1048576c', 'a')), (2, printf('%1048577c', 'a')),
          (3, ''), (4, 'a' || char(0) || 'b');
        """, "a.db")
    var found: [[Int]] = []
    var last: String?
    try ForeignDatabase(path: path).scan("note", ["text"]) {
      last = $0.body(0)
      found.append([$0.isTooLong(0) ? 1 : 0, last?.utf8.count ?? -1])
    }
    #expect(found == [[0, 1 << 20], [1, -1], [0, -1], [0, 2]])
    #expect(last == "ab")
  }

  @Test func `a row that is too long is named, and those around it are read`() throws {
    let fixture = try HistoryFixture()
    let size = DatabaseConnection.foreignRowLimit + 1
    let path = try fixture.database(
      Self.table + """
        INSERT INTO note VALUES (1, 'one'), (4, zeroblob(\(size))), (5, 'five'),
          (9, zeroblob(\(size)));
        """, "a.db")
    let database = try ForeignDatabase(path: path)
    var skipped: [Int64] = []
    var texts: [String?] = []
    try database.scan("note", ["text"], tooLong: { skipped.append($0) }) {
      texts.append($0.text(0))
    }
    #expect(skipped == [4, 9])
    #expect(texts == ["one", "five"])
    // Elsewhere it is an error, instead of a row in memory.
    #expect(throws: ImportFailure.self) {
      try database.forEachRow("SELECT text FROM note WHERE id = 4") { _ in }
    }
  }

  @Test func `what is no integer does not count as 0`() throws {
    let fixture = try HistoryFixture()
    let path = try fixture.database(
      """
      CREATE TABLE note(id INTEGER PRIMARY KEY, number);
      INSERT INTO note VALUES (1, 0), (2, 'x'), (3, '7'), (4, 2.0), (5, 2.5), (6, x'31'), (7, NULL);
      """, "a.db")
    var numbers: [Int?] = []
    try ForeignDatabase(path: path).scan("note", ["number"]) { numbers.append($0.int(0)) }
    #expect(numbers == [0, nil, 7, 2, nil, nil, nil])
  }
}
