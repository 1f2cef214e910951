import Foundation
import SQLite
import TestSupport
import Testing

@testable import Storage

/// The report about a database that is not opened.
@Suite struct ExaminationTests {
  private func closedDatabase(in scratch: Scratch) async throws -> String {
    let path = scratch.path("a %41?#.db")
    let account = try await AccountDatabase.open(at: path)
    for number in 0..<200 {
      _ = try await OutboxTests.enqueue(account, "some words \(number)", "o\(number)")
    }
    await account.close()
    return path
  }

  private func files(in scratch: Scratch) throws -> [String: Data] {
    var files: [String: Data] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: scratch.path("")) {
      files[name] = try Data(contentsOf: URL(filePath: scratch.path(name)))
    }
    return files
  }

  @Test
  func `one that is whole is good, one that is missing is distinguished, and nothing changes`()
    async throws
  {
    let scratch = try Scratch()
    #expect(try !AccountDatabase.examine(scratch.path("none.db")))
    let path = try await closedDatabase(in: scratch)
    let before = try files(in: scratch)
    #expect(try AccountDatabase.examine(path))
    #expect(try files(in: scratch) == before)
  }

  @Test func `one of an earlier version is good`() async throws {
    let scratch = try Scratch()
    let path = try await AccountDatabaseTests.oldFile(1, in: scratch)
    #expect(try AccountDatabase.examine(path))
  }

  @Test(arguments: ["-wal", "-shm", "-journal", ".lock"])
  func `one with a file beside it that cannot be read is reported`(suffix: String) async throws {
    let scratch = try Scratch()
    let path = try await closedDatabase(in: scratch)
    try? FileManager.default.removeItem(atPath: path + suffix)
    #expect(
      FileManager.default.createFile(
        atPath: path + suffix, contents: Data(), attributes: [.posixPermissions: 0]))
    // As root it would be good: permissions do not bind root.
    await #expect(throws: StorageError.self) {
      try await BoundThread.run { try AccountDatabase.examine(path) }
    }
  }

  @Test func `foreign bytes, and a page that is overwritten, are damage`() async throws {
    let scratch = try Scratch()
    let path = try await closedDatabase(in: scratch)
    let whole = try Data(contentsOf: URL(filePath: path))
    for range in [0..<whole.count, 8192..<whole.count] {
      var bytes = whole
      bytes.replaceSubrange(range, with: Data(repeating: 0xA5, count: range.count))
      try bytes.write(to: URL(filePath: path))
      #expect(throws: StorageError.damaged(path: path)) { try AccountDatabase.examine(path) }
      #expect(try Data(contentsOf: URL(filePath: path)) == bytes)
    }
  }

  @Test func `one of a newer version is reported as such`() async throws {
    let scratch = try Scratch()
    let path = scratch.path("new.db")
    let newer = Migrator(
      Schema.migrator.migrations + [Migration("of tomorrow", sql: "")],
      applicationID: Schema.applicationID)
    let database = try await Database.open(.file(path), migrator: newer)
    await database.close()
    #expect(throws: StorageError.newerSchema(path: path)) { try AccountDatabase.examine(path) }
  }

  @Test func `one that is in use is left alone, and looked at with its log once it was killed`()
    async throws
  {
    let scratch = try Scratch()
    let path = scratch.path("used.db")
    let account = try await AccountDatabase.open(at: path)
    _ = try await OutboxTests.enqueue(account, "words", "o")
    #expect(throws: StorageError.locked(by: getpid())) { try AccountDatabase.examine(path) }
    // As a killed one leaves it: the log is not in the file yet.
    let copy = scratch.path("killed.db")
    for suffix in ["", "-wal"] {
      try FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix)
    }
    #expect(try AccountDatabase.examine(copy))
    await account.close()
  }
}
