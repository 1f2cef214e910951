import Foundation
import TestSupport
import Testing

/// Damaged, newer, locked and unwritable databases.
@Suite(.limitedConcurrency) struct StorageFailureTests {
  let home: Home
  let site: FaultySite

  init() throws {
    home = try Home()
    // Nobody listens: what is stored is what counts here.
    site = try FaultySite(
      options: ["--server", "127.0.0.1:\(LoopbackPort.free())", "--tls", "starttls"])
  }

  var database: URL {
    home.data.appending(path: "accounts/\(FaultySite.account).db")
  }

  /// Makes the account's database, with one message that waits to be sent.
  func makeDatabase() async throws {
    let run = try await site.command(["send", "bob@natter.test", "the old message"], home: home)
    #expect(run.status == .exited(69), "\(run.errorText)")
    #expect(FileManager.default.fileExists(atPath: database.path))
  }

  func isAlive(_ natter: NatterRun) async throws {
    natter.terminal.press(.f1)
    try await natter.shows("Help:")
    natter.terminal.press(.escape)
    try await natter.hides("Help:")
  }

  /// Waits for the shell, behind the alert that there is no connection.
  func waitsForShell(_ natter: NatterRun) async throws {
    try await natter.shows("Not connected", "Try now")
    natter.terminal.press(.escape)
    try await natter.hides("Try now")
  }

  // MARK: Damaged, newer

  @Test func `a damaged database is left as it is, or set aside when asked`() async throws {
    try await makeDatabase()
    var broken = try Data(contentsOf: database)
    broken.replaceSubrange(0..<100, with: Data(repeating: 0x2a, count: 100))
    try broken.write(to: database)

    let run = try await site.command(["send", "bob@natter.test", "new"], home: home)
    #expect(run.status == .exited(1))
    #expect(run.errorText.contains("is damaged and was not changed"), "\(run.errorText)")
    #expect(run.errorText.contains(database.path))
    let doctor = try await site.command(["doctor", FaultySite.account], home: home)
    #expect(doctor.status == .exited(1))
    #expect(doctor.text.contains("[BAD] messages: "), "\(doctor.text)")
    #expect(doctor.text.contains("is damaged and was not changed"), "\(doctor.text)")
    #expect(try Data(contentsOf: database) == broken)

    let first = try site.screen(home: home)
    try await first.shows("Damaged database", "was not changed", "Set it aside", "Quit")
    try await isAlive(first)
    first.terminal.press(.escape)
    #expect(await first.terminal.waitsForEnd(upTo: .seconds(60)) == .exited(1))
    #expect(try Data(contentsOf: database) == broken)

    let second = try site.screen(home: home)
    try await second.shows("Damaged database", "Set it aside")
    second.terminal.press(.tab, .enter)
    try await waitsForShell(second)
    #expect(try Data(contentsOf: URL(filePath: database.path + ".set-aside-1")) == broken)
    try await second.open(chat: "bob@natter.test")
    try await second.say("a new beginning")
    try await second.shows("a new beginning")
    #expect(await second.quit() == .exited(0))
  }

  @Test(arguments: [[], [FaultySite.account], ["stranger@natter.test"]])
  func `natter doctor looks at the messages of every account, and says whose they are`(
    named: [String]
  ) async throws {
    try await makeDatabase()
    try home.folder.write(
      """
      version = 1
      default = "\(FaultySite.account)"

      [account."\(FaultySite.account)"]
      tls = "auto"

      [account."bob+@natter.test"]
      tls = "auto"

      [account."carol@natter.test"]
      tls = "auto"

      """, to: "data/natter/accounts.toml")
    try home.folder.write(
      String(repeating: "no database at all. ", count: 100),
      to: "data/natter/accounts/bob%2b@natter.test.db")
    let doctor = try await site.command(["doctor"] + named, home: home)
    let lines = doctor.text.split(separator: "\n").filter { $0.contains("] messages: ") }
    let folder = home.data.appending(path: "accounts").path
    #expect(
      Set(lines.map(String.init)).isSuperset(of: [
        "[ok] messages: \(FaultySite.account): \(database.path): no faults were found; "
          + "tokenizer of its search index: natter",
        "[ok] messages: carol@natter.test: \(folder)/carol@natter.test.db: not there yet",
      ]), "\(doctor.text)")
    #expect(
      lines.contains {
        $0.hasPrefix("[BAD] messages: bob+@natter.test: ") && $0.contains("is damaged")
      }, "\(doctor.text)")
    // The named account is checked first, stored or not.
    #expect(lines.count == (named == ["stranger@natter.test"] ? 4 : 3), "\(doctor.text)")
    #expect(lines.first?.contains(named.first ?? FaultySite.account) == true, "\(doctor.text)")
    #expect(doctor.status == .exited(1))
  }

  @Test func `damage in the middle of the file is found, too`() async throws {
    try await makeDatabase()
    var broken = try Data(contentsOf: database)
    // The schema's page stays readable up to its tree.
    broken.replaceSubrange(100..<4096, with: Data(repeating: 0xee, count: 3996))
    try broken.write(to: database)
    let natter = try site.screen(home: home)
    try await natter.shows("Damaged database", "Set it aside")
    natter.terminal.press(.escape)
    #expect(await natter.terminal.waitsForEnd(upTo: .seconds(60)) == .exited(1))
    #expect(try Data(contentsOf: database) == broken)
  }

  /// Overwrites the first page of a table, as a disk does that forgets one.
  private func damage(_ table: String, of file: URL) async throws {
    try await CommandRun.check(
      "python3",
      [
        "-c",
        """
        import sqlite3, sys
        file = sqlite3.connect(sys.argv[1])
        size = file.execute("PRAGMA page_size").fetchone()[0]
        page = file.execute(
            "SELECT rootpage FROM sqlite_master WHERE name = ?", (sys.argv[2],)).fetchone()[0]
        file.close()
        with open(sys.argv[1], "r+b") as bytes:
            bytes.seek((page - 1) * size)
            bytes.write(b"\\xee" * size)
        """, file.path, table,
      ])
  }

  @Test(arguments: ["message", "contact"])
  func `damage found only when it is read is reported once, and setting it aside begins anew`(
    table: String
  ) async throws {
    let before = try NatterRun.local(home: home)
    try await before.openGuide()
    try await before.waitsOnline()
    #expect(await before.quit() == .exited(0))
    let file = home.data.appending(path: "accounts/me@localhost.db")
    try await damage(table, of: file)

    let first = try NatterRun.local(home: home)
    try await first.shows("Damaged database", "Not now", "Set it aside")
    first.terminal.press(.escape)
    try await first.hides("Not now")
    try await isAlive(first)
    #expect(!first.screen.contains("Not now"))
    // Not as usual, with a look into the databases: what is damaged is known.
    first.terminal.press(.control("q"))
    #expect(await first.terminal.waitsForEnd(upTo: .seconds(60)) == .exited(0))

    let second = try NatterRun.local(home: home)
    try await second.shows("Damaged database", "Not now", "Set it aside")
    second.terminal.press(.tab, .enter)
    // What the server keeps comes back.
    try await second.hides("Not now")
    try await second.openGuide()
    try await second.waitsOnline()
    #expect(FileManager.default.fileExists(atPath: file.path + ".set-aside-1"))
    #expect(await second.quit() == .exited(0))
    let third = try NatterRun.local(home: home)
    try await third.waitsOnline()
    try await third.shows(NatterRun.greetingEnd)
    #expect(!third.screen.contains("Not now"))
    #expect(await third.quit() == .exited(0))
  }

  @Test(arguments: [("en", "damaged"), ("fr", "abîmées")])
  func `damaged data of the built-in server are named, and so is the way on`(
    language: String, word: String
  ) async throws {
    let noise = Data((0..<8192).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 11) })
    try home.folder.makeFolder("data/natter/local")
    let file = home.data.appending(path: "local/server.db")
    try noise.write(to: file)
    let first = try NatterRun(
      ["--local", "--lang", language], home: home, rows: 40, columns: 120)
    try await first.shows(word, "--fresh")
    #expect(!first.screen.contains("cli.local"))
    #expect(await first.quit() == .exited(0))
    #expect(try Data(contentsOf: file) == noise)
    let second = try NatterRun.local(isFresh: true, home: home)
    try await second.waitsOnline()
    #expect(await second.quit() == .exited(0))
  }

  @Test(arguments: ["local/server.db", "local/server.lock", "local"])
  func `a file in the way of the built-in server is named once, and Natter goes on without it`(
    name: String
  ) async throws {
    let file = home.data.appending(path: name)
    if name == "local" {
      try home.folder.write("a file", to: "data/natter/local")
    } else {
      try home.folder.makeFolder("data/natter/" + name)
    }
    let run = try NatterRun(["--local", "--plain"], home: home, rows: 40, columns: 300)
    try await run.shows(
      "The built-in server is not running.", "\(file.path) is in the way", "Move it away")
    #expect(!run.screen.contains("SQLite"))
    run.terminal.type("/connect\n")
    try await run.expects("told once more") { screen in
      screen.lines.count { $0.contains("The built-in server is not running.") } == 2
    }
    try FileManager.default.removeItem(at: file)
    run.terminal.type("/connect\n")
    try await run.shows("Online.")
    run.terminal.type("/quit\n")
    #expect(await run.terminal.waitsForEnd(upTo: .seconds(60)) == .exited(0))
  }

  @Test func `a database of a newer version is left as it is`() async throws {
    try await makeDatabase()
    // A step of the schema that this version has never heard of.
    try await CommandRun.check(
      "python3",
      [
        "-c",
        """
        import sqlite3, sys
        file = sqlite3.connect(sys.argv[1])
        row = list(file.execute("SELECT * FROM schema_migration ORDER BY number DESC LIMIT 1")
            .fetchone())
        names = [c[1] for c in file.execute("PRAGMA table_info(schema_migration)")]
        row[names.index("number")] += 1
        row[names.index("name")] = "of-tomorrow"
        file.execute("INSERT INTO schema_migration VALUES (" + ",".join("?" * len(row)) + ")", row)
        file.commit()
        """, database.path,
      ])
    let newer = try Data(contentsOf: database)

    let run = try await site.command(["send", "bob@natter.test", "new"], home: home)
    #expect(run.status == .exited(1))
    #expect(run.errorText.contains("was written by a newer version"), "\(run.errorText)")
    let natter = try site.screen(home: home)
    try await natter.shows("was written by a newer", "Quit")
    try await isAlive(natter)
    natter.terminal.press(.enter)
    #expect(await natter.terminal.waitsForEnd(upTo: .seconds(60)) == .exited(1))
    #expect(try Data(contentsOf: database) == newer)
  }

  @Test func `a database of a development build is left as it is, or set aside when asked`()
    async throws
  {
    try await makeDatabase()
    // Such a build gave its files no application id.
    try await CommandRun.check(
      "python3",
      [
        "-c",
        """
        import sqlite3, sys
        file = sqlite3.connect(sys.argv[1])
        file.execute("PRAGMA application_id = 0")
        file.commit()
        file.close()
        """, database.path,
      ])
    let old = try Data(contentsOf: database)

    let run = try await site.command(["send", "bob@natter.test", "new"], home: home)
    #expect(run.status == .exited(1))
    #expect(run.errorText.contains("is from a development build"), "\(run.errorText)")
    #expect(try Data(contentsOf: database) == old)
    let natter = try site.screen(home: home)
    try await natter.shows("is from a development build", "Set it aside", "Quit")
    #expect(try Data(contentsOf: database) == old)
    try await natter.choose("Set it aside", by: .tab)
    try await waitsForShell(natter)
    #expect(try Data(contentsOf: URL(filePath: database.path + ".set-aside-1")) == old)
    #expect(await natter.quit() == .exited(0))
  }

  // MARK: Two at once

  @Test func `a second one names the first, and takes over when asked`() async throws {
    let first = try site.screen(home: home)
    try await waitsForShell(first)
    try await first.open(chat: "bob@natter.test")
    try await first.type("half a sentence")

    let refused = try site.screen(home: home)
    try await refused.shows(
      "Another Natter is open", "\(first.terminal.child.identifier)", "Take over")
    try await isAlive(refused)
    refused.terminal.press(.escape)
    #expect(await refused.terminal.waitsForEnd(upTo: .seconds(60)) == .exited(0))
    #expect(first.terminal.status == nil)

    let second = try site.screen(home: home)
    try await second.shows("Another Natter is open", "Take over")
    try await second.choose("Take over", by: .tab)
    #expect(await first.terminal.waitsForEnd(upTo: .seconds(60)) == .exited(128 + SIGTERM))
    #expect(first.terminal.isCooked)
    // It prints why it has ended, behind its screen, and the status of the text.
    let words = first.screen.lines.joined()
    #expect(
      !first.screen.isAlternate && words.contains("another Natter (process")
        && words.contains("\(second.terminal.child.identifier)")
        && words.contains("with the text that you were"),
      "\(first.screen)")
    try await waitsForShell(second)
    try await second.shows("bob@natter.test", "> half a sentence")
    #expect(await second.quit() == .exited(0))
  }

  @Test(arguments: ["", "another"])
  func `a second one in another environment finds the first by the database`(runtime: String)
    async throws
  {
    let first = try site.screen(home: home)
    try await waitsForShell(first)
    // As after `su`, in a job of cron's, or where each sign-in has a runtime directory of its own.
    let directory = runtime.isEmpty ? "" : home.folder.path(runtime)
    let second = try site.screen(home: home, environment: ["XDG_RUNTIME_DIR": directory])
    try await second.shows("Another Natter is open", "\(first.terminal.child.identifier)")
    second.terminal.press(.escape)
    #expect(await second.terminal.waitsForEnd(upTo: .seconds(60)) == .exited(0))
    #expect(await first.quit() == .exited(0))
  }

  @Test func `an account of other files is another one, and is not asked about`() async throws {
    let first = try site.screen(home: home)
    try await waitsForShell(first)
    let second = try site.screen(
      home: home, environment: ["XDG_DATA_HOME": home.folder.path("elsewhere")])
    try await waitsForShell(second)
    #expect(!second.screen.contains("Another Natter"))
    #expect(await second.quit() == .exited(0))
    #expect(await first.quit() == .exited(0))
  }

  // MARK: The account's lock

  @Test func `one that starts while the last one still ends waits for it`() async throws {
    let first = try site.screen(home: home)
    try await waitsForShell(first)
    try await first.open(chat: "bob@natter.test")
    try await first.type("half a sentence")
    // The window is closed, and the next one opened at once.
    first.terminal.signal(SIGHUP)
    let second = try site.screen(home: home)
    try await waitsForShell(second)
    try await second.shows("> half a sentence")
    #expect(!second.screen.contains("Another Natter"))
    #expect(await second.quit() == .exited(0))
    #expect(await first.terminal.waitsForEnd(upTo: .seconds(60)) == .exited(128 + SIGHUP))
  }
}
