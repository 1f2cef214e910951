import Foundation
import Testing

@testable import SQLite

/// Databases of other programs, which are read and not changed.
@Suite struct ForeignDatabaseTests {
  private func file(in scratch: Scratch, _ script: String) async throws -> String {
    let path = scratch.path("other.db")
    let database = try await Database.open(.file(path), migrator: Migrator([], applicationID: 0))
    try await database.write { try $0.runScript(script) }
    await database.close()
    return path
  }

  private let script = """
    CREATE TABLE Logs (id INTEGER PRIMARY KEY, Text TEXT);
    INSERT INTO Logs VALUES (1, 'one'), (2, 'two');
    CREATE VIEW secret AS SELECT * FROM Logs;
    """

  private func texts(_ database: ForeignDatabase) throws -> [String] {
    var texts: [String] = []
    try database.forEachRow("SELECT text FROM logs ORDER BY id") { texts.append($0.string(0)) }
    return texts
  }

  @Test func `a file is read in place, and nothing appears beside it`() async throws {
    let scratch = try Scratch()
    let path = try await file(in: scratch, script)
    let before = try scratch.names
    let database = try ForeignDatabase(path: path, copyingTo: scratch.path(""))
    #expect(try texts(database) == ["one", "two"])
    #expect(
      try database.firstRow("SELECT text FROM logs WHERE id = ?", 2) { $0.string(0) } == "two")
    #expect(try database.firstRow("SELECT text FROM logs WHERE id = 3") { $0.string(0) } == nil)
    #expect(try database.columns(of: "LOGS") == ["id", "text"])
    #expect(try database.columns(of: "secret") == [] && database.columns(of: "none") == [])
    #expect(try database.userVersion() == 0)
    try database.checkUnchanged()
    #expect(try scratch.names == before)
    #expect(ForeignDatabase.tables(of: path).contains("logs"))
    #expect(!ForeignDatabase.tables(of: path).contains("secret"))
  }

  @Test func `a file that changes while it is read in place is reported`() async throws {
    let scratch = try Scratch()
    let path = try await file(in: scratch, script)
    let database = try ForeignDatabase(path: path, copyingTo: scratch.path(""))
    let handle = try #require(FileHandle(forWritingAtPath: path))
    try handle.seekToEnd()
    try handle.write(contentsOf: Data(count: 4096))
    try handle.close()
    #expect(throws: SQLiteError.self) { try database.checkUnchanged() }
  }

  @Test func `a file in use is copied with its log, and the copy goes`() async throws {
    let scratch = try Scratch()
    let path = try await file(in: scratch, script)
    let running = try await Database.open(.file(path), migrator: Migrator([], applicationID: 0))
    try await running.write { try $0.run("INSERT INTO logs VALUES (3, 'in the log')") }
    let before = try scratch.names
    do {
      let database = try ForeignDatabase(path: path, copyingTo: scratch.path(""))
      #expect(try scratch.names.count == before.count + 1)
      try await running.write { try $0.run("INSERT INTO logs VALUES (4, 'later')") }
      #expect(try texts(database) == ["one", "two", "in the log"])
      try database.checkUnchanged()
    }
    #expect(try scratch.names == before)
    await running.close()
  }

  @Test(arguments: ["", "SQLite format 3", "Hello, this is a text and no database at all."])
  func `another file is refused`(text: String) throws {
    let scratch = try Scratch()
    try Data(text.utf8).write(to: URL(filePath: scratch.path("other.db")))
    let path = scratch.path("other.db")
    #expect(!ForeignDatabase.isDatabase(path) && ForeignDatabase.tables(of: path) == [])
    #expect(throws: (any Error).self) {
      try ForeignDatabase(path: scratch.path("none"), copyingTo: "/tmp")
    }
  }
}
