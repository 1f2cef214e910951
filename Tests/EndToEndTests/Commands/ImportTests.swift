import Foundation
import NatterCore
import Storage
import TestSupport
import Testing

/// `natter import` with the database that profanity wrote.
@Suite(.limitedConcurrency) struct ImportTests {
  let stored: StoredHome
  init() throws { stored = try StoredHome() }

  private static let fixtures = Programs.checkout.appending(
    path: "Tests/ImportServiceTests/Fixtures")
  private static let database = fixtures.appending(
    path: "profanity/database/alice_at_natter.test/chatlog.db"
  ).path
  /// The account of the home, which is another one than the history's.
  private static let account = ["--account", "me@natter.test"]

  @Test func `a database imported twice is here once, and is undone`() async throws {
    let first = try await stored.run(["import", Self.database] + Self.account)
    #expect(first.status == .exited(0), "\(first.errorText)")
    #expect(
      first.text == """
        \(Self.database) (profanity): messages added: 10; already here: 0.
          To undo this: natter import --undo 1

        """)
    let history = try await stored.run("history", "bob@natter.test")
    #expect(
      history.text == """
        2026-11-28 21:04:10 bob@natter.test  Hello from bob
        2026-11-28 21:04:10 bob@natter.test  two
            lines
        2026-11-28 21:04:10 bob@natter.test  /me waves
        2026-11-28 21:04:10 bob@natter.test  日本語です
        2026-11-28 21:04:11 bob@natter.test  it's "quoted" <b>&amp;
        2026-11-28 21:04:11 bob@natter.test  a typo
        2026-11-28 21:04:14 you  Hello bob, it's me
        2026-11-28 21:04:14 you  /me sits down

        """)
    #expect(try await stored.run("unread").text == "")

    let second = try await stored.run(["import", "--json", Self.database] + Self.account)
    #expect(second.text.contains(#""added":0,"known":10,"#))
    #expect(!second.text.contains("batch"))
    let undone = try await stored.run("import", "--undo", "1")
    #expect(undone.text == "import 1 is undone: messages removed: 10\n")
    #expect(try await stored.run("history", "bob@natter.test").status == .exited(1))
    #expect(try await stored.run("import", "--undo", "1").status == .exited(1))
  }

  @Test func `a dry run stores nothing, and counts what is here`() async throws {
    let arguments = ["import", "--dry-run", Self.database] + Self.account
    for known in [0, 10] {
      let run = try await stored.run(arguments)
      #expect(
        run.text
          == "\(Self.database) (profanity): messages to add: \(10 - known); already here: \(known). "
          + "Nothing was stored.\n")
      if known == 0 { _ = try await stored.run(["import", Self.database] + Self.account) }
    }
  }

  @Test func `the history of another account needs a decision`() async throws {
    let run = try await stored.run("import", Self.database)
    #expect(run.status == .exited(2) && run.text == "")
    #expect(run.errorText.contains("alice@natter.test"))
  }

  @Test func `an account that another Natter has open is not touched`() async throws {
    try await stored.fill { _ in
      let run = try await stored.run(["import", Self.database] + Self.account)
      #expect(run.status == .exited(75))
      #expect(run.errorText.contains("another Natter"))
    }
  }

  @Test func `what has no format says what was looked for`() async throws {
    let path = stored.home.folder.path("config/natter/config.toml")
    let run = try await stored.run("import", path)
    #expect(run.status == .exited(65) && run.errorText.contains("mcabber"))
    let missing = try await stored.run("import", "/nonexistent")
    #expect(missing.status == .exited(65))
    // One of two is imported.
    let both = try await stored.run(["import", path, Self.database] + Self.account)
    #expect(both.status == .exited(1) && both.text.contains("messages added: 10"))
  }

  @Test func `histories of known programs are listed`() async throws {
    let folder = stored.home.data.deletingLastPathComponent().appending(path: "profanity")
    try FileManager.default.copyItem(
      at: Self.fixtures.appending(path: "profanity"), to: folder)
    let run = try await stored.run("import", "--find")
    #expect(run.text == "profanity\t10\t\(folder.path)\n")
    #expect(run.status == .exited(0))
  }

  @Test func `an encrypted backup asks for its password`() async throws {
    // Version, program, account, time, nonce, salt; then what no password decrypts.
    var bytes: [UInt8] = [0, 0, 0, 2]
    for text in ["Conversations", "me@natter.test"] {
      bytes += [0, UInt8(text.utf8.count)] + text.utf8
    }
    bytes += [UInt8](repeating: 7, count: 8 + 12 + 16 + 64)
    let folder = stored.home.folder
    let path = folder.path("backup.ceb")
    try Data(bytes).write(to: URL(filePath: path))
    try folder.write("secret\n", to: "password")
    let run = try await stored.run("import", path)
    #expect(run.status == .exited(2) && run.errorText.contains("--password-file"))
    let wrong = try await stored.run(
      "import", path, "--password-file", folder.path("password"))
    #expect(wrong.status == .exited(65) && wrong.text.contains("cannot be decrypted"))
    #expect(!(wrong.text + wrong.errorText).contains("secret"))
  }

  @Test func `an archive restores an account without data whole, and is merged afterwards`()
    async throws
  {
    try await stored.fill()
    try await stored.fill { account in
      try await account.conversations.setDraft("half a sen", of: StoredHome.bob)
    }
    let archive = stored.home.folder.path("a.tar")
    let exported = try await stored.run("export", "--all", "--output", archive)
    #expect(exported.status == .exited(0), "\(exported.errorText)")
    let lines = try await stored.run("export", "--all").text.split(separator: "\n").dropFirst()

    let other = try StoredHome()
    let trial = try await other.run("import", "--dry-run", archive)
    #expect(trial.text.contains("the whole account would be restored; messages: 5"))
    #expect(!FileManager.default.fileExists(atPath: other.database))
    let first = try await other.run("import", archive)
    #expect(first.status == .exited(0), "\(first.errorText)")
    #expect(first.text.contains("the whole account is restored; messages: 5"))
    #expect(
      try await other.run("export", "--all").text.split(separator: "\n").dropFirst() == lines)
    let account = try #require(try await AccountDatabase.openReading(at: other.database))
    #expect(try await account.conversations.conversation(StoredHome.bob)?.draft == "half a sen")
    await account.close()

    let second = try await other.run("import", "--json", archive)
    #expect(second.text.contains(#""restored":false,"added":0,"known":5,"#), "\(second.text)")
    #expect(try await other.run("import", "--undo", "1").status == .exited(1))

    // A changed byte of the database: nothing is imported.
    var bytes = [UInt8](try Data(contentsOf: URL(filePath: archive)))
    bytes[3000] ^= 1
    try Data(bytes).write(to: URL(filePath: archive))
    let third = try StoredHome()
    let damaged = try await third.run("import", archive)
    #expect(damaged.status == .exited(65) && damaged.text.contains("nothing of this archive"))
    #expect(!FileManager.default.fileExists(atPath: third.database))
  }
}
