import Foundation
import TestSupport
import Testing

/// `natter import` with the history of many years.
@Suite(.serialized, .long) struct ImportLongTests {
  /// Adds 100,000 messages of twenty people to a copy of the database that profanity wrote.
  private static let script = """
    import shutil, sqlite3, sys
    shutil.copy(sys.argv[1], sys.argv[2])
    d = sqlite3.connect(sys.argv[2])
    d.executemany(
        "INSERT INTO ChatLogs (from_jid, to_jid, message, timestamp, type, stanza_id)"
        " VALUES (?, 'alice@natter.test', ?, ?, 'chat', ?)",
        ((f"friend{n % 20}@natter.test", f"message {n}",
          f"2024-01-{1 + n // 5000:02}T{n // 3600 % 24:02}:{n // 60 % 60:02}:{n % 60:02}Z", f"s{n}")
         for n in range(100_000)))
    d.commit()
    d.close()
    """

  @Test func `a hundred thousand messages are imported once, and are undone`() async throws {
    let stored = try StoredHome()
    let fixture = Programs.checkout.appending(
      path: "Tests/ImportServiceTests/Fixtures/profanity/database/alice_at_natter.test/chatlog.db"
    ).path
    let database = stored.home.folder.path("chatlog.db")
    try await CommandRun.check("python3", ["-c", Self.script, fixture, database])
    func natter(_ arguments: String...) async throws -> CommandRun {
      try await CommandRun(
        Programs.natter, arguments + ["--account", "me@natter.test"],
        environment: stored.home.environment(), upTo: .seconds(900))
    }
    let first = try await natter("import", database)
    #expect(first.status == .exited(0), "\(first.errorText)")
    #expect(first.text.contains("messages added: 100010; already here: 0."), "\(first.text)")
    let second = try await natter("import", database)
    #expect(second.text.contains("messages added: 0; already here: 100010."), "\(second.text)")
    let history = try await natter("history", "--limit", "0", "friend7@natter.test")
    let lines = history.text.split(separator: "\n")
    #expect(lines.count == 5_000 && lines.last?.hasSuffix("message 99987") == true)
    let undone = try await natter("import", "--undo", "1")
    #expect(undone.text == "import 1 is undone: messages removed: 100010\n", "\(undone.errorText)")
  }
}
