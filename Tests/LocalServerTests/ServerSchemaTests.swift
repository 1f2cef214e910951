import Foundation
import SQLite
import Testing
import XML
import XMPP

@testable import LocalServer

/// The server's database from version to version.
@Suite struct ServerSchemaTests {
  private static let fixtures = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "Fixtures")

  /// The schema without comments and line breaks.
  private static func schema(of database: Database) async throws -> [String] {
    try await database.read { db in
      try db.rows("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type, name") {
        $0.string(0).replacing(/--.*/, with: "").split(whereSeparator: \.isWhitespace)
          .joined(separator: " ")
      }
    }
  }

  /// Makes the database that `script` describes, without any step.
  private static func make(_ script: String, in directory: URL) async throws -> URL {
    let file = directory.appending(path: LocalServerProcess.databaseName)
    let database = try await Database.open(
      .file(file.path), migrator: Migrator([], applicationID: Schema.applicationID))
    try await database.write { try $0.runScript(script) }
    await database.close()
    return file
  }

  private func inDirectory(_ body: (URL) async throws -> Void) async throws {
    let directory = TestServer.temporaryDirectory()
    defer { try? FileManager.default.removeItem(at: directory) }
    try await body(directory)
  }

  @Test func `each schema of the server has its file to be tested from`() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: Self.fixtures.path)
    #expect(
      Set(names.filter { $0.hasSuffix(".sql") })
        == Set((1...Schema.migrator.version).map { "schema-\($0).sql" }))
  }

  @Test(arguments: 1...Schema.migrator.version)
  func `every old file of the server becomes what a new one is, with all it held`(version: Int)
    async throws
  {
    try await inDirectory { directory in
      let script = try String(
        contentsOf: Self.fixtures.appending(path: "schema-\(version).sql"), encoding: .utf8)
      let file = try await Self.make(script, in: directory)
      let database = try await Database.open(.file(file.path), migrator: Schema.migrator)
      let fresh = try await Database.open(.memory, migrator: Schema.migrator)
      #expect(try await Self.schema(of: database) == Self.schema(of: fresh))
      #expect(try await database.faults() == [])
      try await database.read { db in
        let ledger = ServerTransaction(db)
        #expect(try ledger.rosters.version(of: "alice") == 3)
        let requests = try ledger.rosters.requests(of: "alice")
        #expect(requests.map(\.contact.description) == ["carol@localhost"])
        #expect(requests.first?.content.map(\.text) == ["Hello"])
        #expect(
          try ledger.nodes.members(of: "urn:xmpp:microblog:0", "alice") == ["bob@localhost"])
      }
      await database.close()
    }
  }

  @Test func `the server leaves a database of a development build as it is, until it begins anew`()
    async throws
  {
    try await inDirectory { directory in
      let file = try await Self.make(
        """
        CREATE TABLE schema_migration (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
        INSERT INTO schema_migration VALUES (1, 'accounts, rosters, messages');
        CREATE TABLE account (name TEXT PRIMARY KEY NOT NULL) STRICT, WITHOUT ROWID;
        """, in: directory)
      let before = try Data(contentsOf: file)
      await #expect(throws: Migrator.Failure.developmentSchema) {
        _ = try await TestServer.start(in: directory, try TestServer.settings())
      }
      #expect(try Data(contentsOf: file) == before)
      let server = try await TestServer.start(
        in: directory, try TestServer.settings(), fresh: true)
      try await server.stop()
    }
  }

  @Test func `the server does not take a database of another kind`() async throws {
    try await inDirectory { directory in
      // That of an account with Natter.
      let file = try await Self.make("PRAGMA application_id = 0x4e617474", in: directory)
      let before = try Data(contentsOf: file)
      await #expect(throws: Migrator.Failure.foreign) {
        _ = try await TestServer.start(in: directory, try TestServer.settings())
      }
      #expect(try Data(contentsOf: file) == before)
    }
  }
}
