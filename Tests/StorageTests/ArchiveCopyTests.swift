import Foundation
import NatterCore
import SQLite
import Testing
import XMPP

@testable import Storage

/// The copy of a database that goes into an archive.
@Suite struct ArchiveCopyTests {
  /// A text that must not be in an archive. Each statement contains it once.
  private static let secret = "canary-3f9a"
  private static let secrets = [
    """
    INSERT INTO stream_session (id, name, jid, handled, sent)
    VALUES (1, 'canary-3f9a', 'a@example.org/x', 1, 1)
    """,
    "INSERT INTO stream_stanza (stanza_id, xml) VALUES ('s', '<message>canary-3f9a</message>')",
    """
    INSERT INTO pending_change (kind, subject, payload)
    VALUES ('bookmark', 'r', '{"password":"canary-3f9a"}')
    """,
    """
    INSERT INTO command (id, kind, stanza, received_at)
    VALUES ('c1', 'invitation', '<password>canary-3f9a</password>', 1)
    """,
    "INSERT INTO own_invitation (address, kind) VALUES ('xmpp:x?canary-3f9a', 'contact')",
    "INSERT INTO room (jid, name, password) VALUES ('r@x', 'Room', 'canary-3f9a')",
    """
    INSERT INTO room_invitation (room, inviter, password, is_mediated)
    VALUES ('r@x', 'b@x', 'canary-3f9a', 1)
    """,
    "INSERT INTO input_history (conversation, text) VALUES (1, '/join r@x me canary-3f9a')",
    "UPDATE conversation SET draft = '/join r@x me canary-3f9a' WHERE id = 1",
  ]

  /// Rows that stay.
  private static let others = [
    "INSERT INTO input_history (conversation, text) VALUES (1, 'hello /there')",
    "INSERT INTO command (id, kind, stanza, received_at, is_settled) VALUES ('c2', 'x', '', 1, 1)",
    "INSERT INTO setting (key, value) VALUES ('sidebar.order', 'x')",
    "INSERT INTO contact (jid, name, subscription, is_pending) VALUES ('b@x', 'B', 'both', 0)",
  ]

  private func fill(_ account: AccountDatabase) async throws {
    _ = try await account.messages.insert(
      [Sample.message("one", at: 1, origin: "o1"), Sample.message("two", at: 2, origin: "o2")],
      countsUnread: { _ in true })
    try await account.database.write { db in
      for statement in Self.secrets + Self.others { try db.run(statement) }
    }
  }

  /// Returns the rows of each table, as text.
  private func contents(_ account: AccountDatabase) async throws -> [String: [String]] {
    try await account.database.read { db in
      let tables = try db.rows(
        """
        SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite!_%' ESCAPE '!'
          AND name NOT LIKE 'message!_text%' ESCAPE '!'
        """
      ) { $0.string(0) }
      var contents: [String: [String]] = [:]
      for table in tables {
        let columns = try db.rows("SELECT name FROM pragma_table_info(?)", table) { $0.string(0) }
        let row = columns.map { "quote(\"\($0)\")" }.joined(separator: " || ',' || ")
        contents[table] = try db.rows("SELECT \(row) FROM \(table)") { $0.string(0) }.sorted()
      }
      return contents
    }
  }

  @Test func `a copy has everything but secrets and the state of sessions`() async throws {
    let scratch = try Scratch()
    let account = try await AccountDatabase.open(at: scratch.path("a.db"))
    try await fill(account)
    let before = try await contents(account)
    let reader = try #require(try await AccountDatabase.openReading(at: scratch.path("a.db")))
    let copy = try await reader.exports.writeCopy(to: scratch.path("copy.db"))
    #expect(
      try await copy.timeline.latest(10, in: Sample.juliet).map(\.body) == ["one", "two"])
    let after = try await contents(copy)
    let emptied: Set = ["stream_session", "stream_stanza", "pending_change", "own_invitation"]
    for table in emptied { #expect(before[table]?.count == 1 && after[table] == [], "\(table)") }
    let changed: Set = ["command", "room", "room_invitation", "input_history", "conversation"]
    for table in changed { #expect(before[table] != after[table], "\(table)") }
    #expect(after["command"]?.count == 1 && after["input_history"]?.count == 1)
    #expect(after["room"]?.count == 1 && after["room_invitation"]?.count == 1)
    for table in Set(before.keys).subtracting(emptied).subtracting(changed) {
      #expect(before[table] == after[table], "\(table)")
    }
    #expect(!after.values.joined().contains { $0.contains(Self.secret) })
    // The original stays as it is.
    #expect(try await contents(account) == before)
    await copy.close()
    await reader.close()
    await account.close()
  }

  @Test func `the file of a copy is one, and contains no secret in any page`() async throws {
    let scratch = try Scratch()
    let account = try await AccountDatabase.open(at: scratch.path("a.db"))
    try await fill(account)
    // A text that was deleted before is not in it either.
    try await account.database.write { db in
      try db.run("INSERT INTO setting (key, value) VALUES ('k', ?)", Self.secret + "-deleted")
      try db.run("DELETE FROM setting WHERE key = 'k'")
    }
    let copy = try await account.exports.writeCopy(to: scratch.path("copy.db"))
    await copy.close()
    let bytes = try scratch.bytes("copy.db")
    #expect(bytes.range(of: Data(Self.secret.utf8)) == nil)
    #expect(try scratch.names == ["a.db", "a.db-shm", "a.db-wal", "a.db.lock", "copy.db"])
    await account.close()
    // It is an account's database as any other.
    let opened = try await AccountDatabase.open(at: scratch.path("copy.db"))
    #expect(try await opened.faults() == [])
    await opened.close()
  }

  @Test func `a copy that cannot be written is an error about the copy`() async throws {
    let scratch = try Scratch()
    let account = try await AccountDatabase.open(at: scratch.path("a.db"))
    let path = scratch.path("none/copy.db")
    let error = try await #require(throws: StorageError.self) {
      try await account.exports.writeCopy(to: path)
    }
    #expect("\(error)".contains(path))
    await account.close()
  }

  @Test func `only complete downloads are files of an archive, each once`() async throws {
    let account = try await AccountDatabase.inMemory()
    for (direction, state, path) in [
      ("download", "done", "/b"), ("download", "failed", "/c"), ("upload", "done", "/d"),
      ("download", "done", "/a"), ("download", "done", "/b"), ("download", "waiting", "/e"),
    ] {
      try await account.database.write { db in
        try db.run(
          """
          INSERT INTO transfer (direction, conversation, state, begun_at, path, name)
          VALUES (?, 'b@x', ?, 1, ?, 'n')
          """, direction, state, path)
      }
    }
    #expect(try await account.exports.downloadedPaths() == ["/b", "/a"])
  }
}
