import Foundation
import SQLite
import Testing

@Suite struct MigratorTests {
  static let one = Migration("1 notes", sql: "CREATE TABLE note (text TEXT NOT NULL) STRICT")
  static let two = Migration(
    "2 stars", sql: "ALTER TABLE note ADD COLUMN stars INTEGER NOT NULL DEFAULT 0")
  struct Refusal: Error {}

  static func migrator(_ steps: Migration...) -> Migrator {
    Migrator(steps, applicationID: 0x7465_7374)
  }

  static func columns(of database: Database) async throws -> [String] {
    try await database.read { db in
      try db.rows("SELECT name FROM pragma_table_info('note')") { $0.string(0) }
    }
  }

  @Test func `a new file needs no backup`() async throws {
    let scratch = try Scratch()
    let database = try await Database.open(
      .file(scratch.path("a.db")), migrator: Self.migrator(Self.one, Self.two))
    #expect(try await Self.columns(of: database) == ["text", "stars"])
    await database.close()
    #expect(try scratch.names == ["a.db"])
  }

  @Test func `an old file is copied, then brought forward`() async throws {
    let scratch = try Scratch()
    let path = scratch.path("a.db")
    let old = try await Database.open(.file(path), migrator: Self.migrator(Self.one))
    try await old.write { try $0.run("INSERT INTO note VALUES ('kept')") }
    await old.close()
    let database = try await Database.open(.file(path), migrator: Self.migrator(Self.one, Self.two))
    let rows = try await database.read { db in
      try db.rows("SELECT text || stars FROM note") { $0.string(0) }
    }
    #expect(rows == ["kept0"])
    let backup = try await Database.open(
      .file(path + ".before-2.backup"), migrator: Self.migrator(Self.one))
    #expect(try await Self.columns(of: backup) == ["text"])
    #expect(try scratch.mode("a.db.before-2.backup") == 0o600)
  }

  @Test func `a newer file is refused and left as it was`() async throws {
    let scratch = try Scratch()
    let path = scratch.path("a.db")
    let newer = try await Database.open(.file(path), migrator: Self.migrator(Self.one, Self.two))
    try await newer.write { try $0.run("INSERT INTO note VALUES ('x', 1)") }
    await newer.close()
    let before = try scratch.bytes("a.db")
    await #expect(throws: Migrator.Failure.newerSchema("2 stars")) {
      try await Database.open(.file(path), migrator: Self.migrator(Self.one))
    }
    #expect(try scratch.bytes("a.db") == before)
    #expect(try scratch.names == ["a.db"])
  }

  /// Runs `script` on a new file, without any step.
  static func makeFile(at path: String, script: String) async throws {
    let file = try await Database.open(.file(path), migrator: migrator())
    try await file.write { try $0.runScript(script) }
    await file.close()
  }

  @Test(arguments: [
    ("PRAGMA application_id = 7", Migrator.Failure.foreign),
    ("PRAGMA application_id = 7; CREATE TABLE schema_migration (a INTEGER)", .foreign),
    ("CREATE TABLE note (text TEXT NOT NULL) STRICT", .foreign),
    (
      """
      CREATE TABLE schema_migration (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
      INSERT INTO schema_migration VALUES (1, '1 notes');
      CREATE TABLE note (text TEXT NOT NULL) STRICT
      """, .developmentSchema
    ),
  ])
  func `a file that these steps did not make is refused and left as it was`(
    script: String, failure: Migrator.Failure
  ) async throws {
    let scratch = try Scratch()
    let path = scratch.path("a.db")
    try await Self.makeFile(at: path, script: script)
    let before = try scratch.bytes("a.db")
    let migrator = Self.migrator(Self.one, Self.two)
    await #expect(throws: failure) { try await Database.open(.file(path), migrator: migrator) }
    #expect(throws: failure) { try Database.examine(path, migrator: migrator) }
    #expect(try scratch.bytes("a.db") == before)
    #expect(try scratch.names == ["a.db"])
  }

  @Test func `what was not closed in a file of other steps stays in its log`() async throws {
    let scratch = try Scratch()
    let path = scratch.path("a.db")
    let file = try await Database.open(.file(path), migrator: Self.migrator())
    try await file.write { try $0.runScript("CREATE TABLE schema_migration (a INTEGER) STRICT") }
    for suffix in ["", "-wal"] {
      try scratch.write(try scratch.bytes("a.db" + suffix), to: "b.db" + suffix)
    }
    await file.close()
    let before = try [scratch.bytes("b.db"), scratch.bytes("b.db-wal")]
    await #expect(throws: Migrator.Failure.developmentSchema) {
      try await Database.open(.file(scratch.path("b.db")), migrator: Self.migrator(Self.one))
    }
    #expect(try [scratch.bytes("b.db"), scratch.bytes("b.db-wal")] == before)
  }

  @Test(arguments: [nil, "", "PRAGMA user_version = 1"])
  func `a file in which nothing was stored is a new one`(script: String?) async throws {
    let scratch = try Scratch()
    let path = scratch.path("a.db")
    try scratch.write(Data(), to: "a.db")
    if let script { try await Self.makeFile(at: path, script: script) }
    let database = try await Database.open(.file(path), migrator: Self.migrator(Self.one))
    #expect(try await Self.columns(of: database) == ["text"])
    await database.close()
    #expect(try scratch.names == ["a.db"])
  }

  @Test func `a step that fails leaves the schema before it`() async throws {
    let scratch = try Scratch()
    let path = scratch.path("a.db")
    let failing = Migration("2 fails") { db in
      try db.run("CREATE TABLE half (a INTEGER) STRICT")
      throw Refusal()
    }
    await #expect(throws: Refusal.self) {
      try await Database.open(.file(path), migrator: Self.migrator(Self.one, failing))
    }
    let database = try await Database.open(.file(path), migrator: Self.migrator(Self.one, Self.two))
    let tables = try await database.read { db in
      try db.rows("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name") {
        $0.string(0)
      }
    }
    #expect(tables == ["note", "schema_migration"])
    #expect(try await Self.columns(of: database) == ["text", "stars"])
  }

  @Test func `steps that are not all applied leave the file, and the backup of it, as it was`()
    async throws
  {
    let scratch = try Scratch()
    let path = scratch.path("a.db")
    let old = try await Database.open(.file(path), migrator: Self.migrator(Self.one))
    try await old.write { try $0.run("INSERT INTO note VALUES ('kept')") }
    await old.close()
    let failing = Migration("3 moons") { _ in throw Refusal() }
    for _ in 0..<2 {
      await #expect(throws: Refusal.self) {
        try await Database.open(
          .file(path), migrator: Self.migrator(Self.one, Self.two, failing))
      }
    }
    let backup = path + ".before-3.backup"
    for file in [path, backup] {
      // Another schema would be refused.
      let database = try await Database.open(.file(file), migrator: Self.migrator(Self.one))
      #expect(try await Self.columns(of: database) == ["text"])
      await database.close()
    }
    let three = Migration("3 moons", sql: "ALTER TABLE note ADD COLUMN moons INTEGER")
    let new = try await Database.open(
      .file(path), migrator: Self.migrator(Self.one, Self.two, three))
    #expect(try await Self.columns(of: new) == ["text", "stars", "moons"])
    await new.close()
    let kept = try await Database.open(.file(backup), migrator: Self.migrator(Self.one))
    #expect(try await Self.columns(of: kept) == ["text"])
  }

  @Test func `a step may not break references`() async throws {
    let parents = Migration(
      "1 parents",
      sql: """
        CREATE TABLE parent (id INTEGER PRIMARY KEY) STRICT;
        CREATE TABLE child (parent INTEGER REFERENCES parent (id)) STRICT;
        INSERT INTO parent VALUES (1);
        INSERT INTO child VALUES (1);
        """)
    let orphans = Migration("2 orphans", sql: "DELETE FROM parent")
    let error = try await #require(throws: SQLiteError.self) {
      try await Database.open(.memory, migrator: Self.migrator(parents, orphans))
    }
    #expect(error.kind == .constraint)
  }
}

@Suite struct DatabaseLockTests {
  @Test func `a lock is held once and can be taken when it is given back`() throws {
    let scratch = try Scratch()
    let path = scratch.path("lock")
    var lock: DatabaseLock? = try DatabaseLock(path: path)
    #expect(try scratch.mode("lock") == 0o600)
    #expect(throws: DatabaseLock.Failure.held(by: ProcessInfo.processInfo.processIdentifier)) {
      try DatabaseLock(path: path)
    }
    withExtendedLifetime(lock) {}
    lock = nil
    _ = try DatabaseLock(path: path)
  }

  @Test func `a lock file with foreign content serves as well`() throws {
    let scratch = try Scratch()
    try scratch.write(Data("something much longer than a number\n".utf8), to: "lock")
    let lock = try DatabaseLock(path: scratch.path("lock"))
    #expect(
      try scratch.bytes("lock") == Data("\(ProcessInfo.processInfo.processIdentifier)\n".utf8))
    withExtendedLifetime(lock) {}
  }

  @Test func `a look at whether it is held keeps no one from it, and changes nothing`()
    async throws
  {
    let scratch = try Scratch()
    let path = scratch.path("lock")
    try scratch.write(Data("4242\n".utf8), to: "lock")
    try DatabaseLock.check(path)
    #expect(try scratch.bytes("lock") == Data("4242\n".utf8))
    let looking = Task.detached {
      while !Task.isCancelled { try? DatabaseLock.check(path) }
    }
    for _ in 0..<2000 { _ = try DatabaseLock(path: path) }
    looking.cancel()
    await looking.value
    let lock = try DatabaseLock(path: path)
    #expect(throws: DatabaseLock.Failure.held(by: ProcessInfo.processInfo.processIdentifier)) {
      try DatabaseLock.check(path)
    }
    withExtendedLifetime(lock) {}
  }

  /// Earlier versions take it, and look at it, with `flock` alone.
  @Test
  func `a program that is stopped while looking keeps no one from it, and none takes it beside it`()
    throws
  {
    let scratch = try Scratch()
    let path = scratch.path("lock")
    try scratch.write(Data(), to: "lock")
    let other = open(path, O_RDWR | O_CLOEXEC)
    defer { close(other) }
    #expect(flock(other, LOCK_SH | LOCK_NB) == 0)
    try DatabaseLock.check(path)
    var lock: DatabaseLock? = try DatabaseLock(path: path)
    #expect(flock(other, LOCK_EX | LOCK_NB) != 0)
    withExtendedLifetime(lock) {}
    lock = nil
    #expect(flock(other, LOCK_EX | LOCK_NB) == 0)
    #expect(throws: DatabaseLock.Failure.self) { try DatabaseLock.check(path) }
    #expect(throws: DatabaseLock.Failure.self) { try DatabaseLock(path: path) }
    // What it took before it saw the other one is given back.
    #expect(flock(other, LOCK_UN) == 0)
    try DatabaseLock.check(path)
    withExtendedLifetime(try DatabaseLock(path: path)) {}
  }

  @Test func `a program that has ended is not named as the holder`() throws {
    let scratch = try Scratch()
    let path = scratch.path("lock")
    let ended = Process()
    ended.executableURL = URL(filePath: "/bin/true")
    try ended.run()
    ended.waitUntilExit()
    let lock = try DatabaseLock(path: path)
    // As it is until the next one has written its own.
    try scratch.write(Data("\(ended.processIdentifier)\n".utf8), to: "lock")
    #expect(throws: DatabaseLock.Failure.held(by: nil)) { try DatabaseLock(path: path) }
    withExtendedLifetime(lock) {}
  }

  @Test func `a lock that cannot be made says why`() throws {
    let scratch = try Scratch()
    #expect(throws: DatabaseLock.Failure.self) { try DatabaseLock(path: scratch.path("no/lock")) }
  }

  @Test func `a killed holder's lock is free`() async throws {
    let scratch = try Scratch()
    let path = scratch.path("lock")
    let holder = Process()
    holder.executableURL = URL(filePath: "/usr/bin/flock")
    holder.arguments = ["-x", path, "sh", "-c", "echo held; exec sleep 100"]
    let output = Pipe()
    holder.standardOutput = output
    try holder.run()
    _ = try output.fileHandleForReading.read(upToCount: 4)
    #expect(throws: DatabaseLock.Failure.held(by: nil)) { try DatabaseLock(path: path) }
    // The lock lives with the descriptor, which the parent and its child share.
    for child in try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap(Int32.init)
    where parent(of: child) == holder.processIdentifier {
      kill(child, SIGKILL)
    }
    kill(holder.processIdentifier, SIGKILL)
    holder.waitUntilExit()
    var lock: DatabaseLock?
    for _ in 0..<2000 where lock == nil {
      lock = try? DatabaseLock(path: path)
      await Task.yield()
    }
    #expect(lock != nil)
  }

  private func parent(of process: Int32) -> Int32? {
    guard let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
      let end = text.lastIndex(of: ")")
    else { return nil }
    let fields = text[text.index(after: end)...].split(separator: " ")
    return fields.count > 1 ? Int32(fields[1]) : nil
  }
}
