import Foundation
import NatterCore
import SQLite
import Storage
import TestSupport
import XMPP

/// A command without a terminal, measured from its start to its end.
struct TimedCommand {
  let program: String
  let arguments: [String]
  let environment: [String: String]
  /// Where it runs; `nil`: in no home. Its folders are there at least until the command has ended.
  var home: Home?

  /// The results of one run.
  struct Figures {
    let milliseconds: Double
    /// The peak of the resident memory in bytes; 0 unless it was asked for.
    let peak: Int
  }

  /// Runs the command to its end.
  ///
  /// The peak is read again and again while the command runs: that of `wait4` includes the memory
  /// of this process, from which the command was started.
  /// - Parameter output: the path of a new file, which gets what the command prints.
  /// - Throws: `TimedProcess.Failure` when it cannot be started, or does not exit with 0.
  @discardableResult
  func run(to output: String, watchingMemory: Bool = false) throws -> Figures {
    let errors = output + ".errors"
    let clock = ContinuousClock()
    let start = clock.now
    let process = try spawn(output: output, errors: errors)
    var (status, peak): (CInt, Int) = (0, 0)
    if watchingMemory {
      // Once it has ended there is no figure, which counts as 0.
      while waitpid(process, &status, WNOHANG) == 0 {
        peak = max(peak, try ResidentMemory.peak(of: process))
        // A millisecond.
        poll(nil, 0, 1)
      }
    } else {
      while waitpid(process, &status, 0) < 0, errno == EINTR {}
    }
    let time = clock.now - start
    withExtendedLifetime(home) {}
    guard status == 0 else {
      let text = (try? String(contentsOfFile: errors, encoding: .utf8)) ?? ""
      throw failure("it ended with the status \(status): \(text.suffix(400))")
    }
    return Figures(milliseconds: time / .milliseconds(1), peak: peak)
  }

  private func spawn(output: String, errors: String) throws -> pid_t {
    try TimedProcess.start(
      [program] + arguments, environment: environment.map { "\($0.key)=\($0.value)" }
    ) { actions in
      posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
      for (descriptor, path) in [(CInt(1), output), (2, errors)] {
        posix_spawn_file_actions_addopen(
          &actions, descriptor, path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
      }
    }
  }

  private func failure(_ text: String) -> TimedProcess.Failure {
    TimedProcess.Failure(description: "\(program) \(arguments.first ?? ""): \(text)")
  }
}

/// A program other than Natter that reads rows of a database: the shell of SQLite, or Python.
struct RowReader {
  /// The name in tables.
  let name: String
  private let path: String

  /// Returns the shell if it is installed and prints JSON (SQLite 3.33), or else Python; `nil`:
  /// there is neither.
  static func installed(in folder: TemporaryFolder) -> RowReader? {
    if let path = try? Programs.path(of: "sqlite3") {
      let shell = RowReader(name: "sqlite3", path: path)
      let trial = shell.json("SELECT 1", of: ":memory:")
      // An older shell does not know the option, which makes it no rival.
      if (try? trial.run(to: folder.path("trial"))) != nil { return shell }
    }
    return (try? Programs.path(of: "python3")).map { RowReader(name: "python3", path: $0) }
  }

  /// Prints the rows of a query as an array of JSON objects.
  func json(_ query: String, of database: String) -> TimedCommand {
    isShell
      ? command("-batch", "-json", database, query)
      : command(
        "-c",
        """
        import json, sqlite3, sys
        database = sqlite3.connect(sys.argv[1])
        database.row_factory = sqlite3.Row
        separator = "["
        for row in database.execute(sys.argv[2]):
            sys.stdout.write(separator + json.dumps(dict(row), ensure_ascii=False))
            separator = ",\\n"
        print("]")
        """, database, query)
  }

  /// Prints the statements that make the database again.
  func dump(of database: String) -> TimedCommand {
    isShell
      ? command("-batch", database, ".dump")
      : command(
        "-c",
        """
        import sqlite3, sys
        for line in sqlite3.connect(sys.argv[1]).iterdump():
            print(line)
        """, database)
  }

  private var isShell: Bool { name == "sqlite3" }

  private func command(_ arguments: String...) -> TimedCommand {
    TimedCommand(
      program: path, arguments: arguments,
      environment: ["PATH": Programs.searchPath, "LANG": "C.UTF-8", "HOME": "/nonexistent"])
  }
}

/// A private profile with an account, whose server refuses connections.
struct CommandProfile {
  static let account = SearchCorpus.account
  static let contact = JID(local: "juliet", domain: "example.org")

  /// Facts about the messages that were stored.
  struct Content {
    let unread: Int
    /// The newest message of `contact`; `nil`: it has none.
    let newest: Message.ID?
  }

  /// The program.
  let natter: String
  let home: Home

  init(_ natter: String) throws {
    self.natter = natter
    home = try Home()
    try home.folder.write(
      "[account]\naddress = \"\(Self.account)\"\n", to: "config/natter/config.toml")
  }

  /// Returns a profile whose account has no messages. An account that was never open here is none
  /// to import into.
  static func empty(_ natter: String) async throws -> CommandProfile {
    let profile = try CommandProfile(natter)
    let account = try await AccountDatabase.open(at: profile.database)
    await account.close()
    return profile
  }

  var database: String {
    home.data.appending(path: "accounts/\(AccountDatabase.fileName(of: Self.account))").path
  }

  func command(_ arguments: String...) -> TimedCommand {
    TimedCommand(
      program: natter, arguments: arguments, environment: home.natterEnvironment, home: home)
  }

  /// Stores made-up messages; those of others in the newer half are unread.
  /// - Parameter isOneConversation: whether all of them are of `contact`.
  func fill(_ count: Int, isOneConversation: Bool) async throws -> Content {
    let corpus = SearchCorpus(SearchLanguage.all[0], size: count, seed: 1)
    let account = try await AccountDatabase.open(at: database)
    if isOneConversation {
      _ = try await account.conversations.open(Self.contact, kind: .direct)
    } else {
      for (jid, isRoom) in corpus.conversations {
        _ = try await account.conversations.open(jid, kind: isRoom ? .room : .direct)
      }
    }
    let middle = corpus.middle
    var stored = 0
    try await corpus.forEachBatch(of: 5000) { lines in
      let messages = lines.enumerated().map { index, line in
        let number = stored + index
        guard isOneConversation else { return line.message(number) }
        return IncomingMessage(
          conversation: Self.contact, sender: line.nick == nil ? Self.account : Self.contact,
          direction: line.nick == nil ? .outgoing : .incoming, body: line.text,
          sentAt: line.sentAt, originID: "o\(number)")
      }
      _ = try await account.messages.insert(messages) {
        $0.direction == .incoming && $0.sentAt >= middle
      }
      stored += lines.count
    }
    let unread = try await account.conversations.conversations().reduce(0) { $0 + $1.unread }
    let newest = try await account.timeline.latest(1, in: Self.contact).last?.id
    await account.close()
    return Content(unread: unread, newest: newest)
  }

  /// The query for what `natter history` and `natter export` print of each message.
  static let rows = """
    SELECT message.id AS id, conversation.jid AS conversation, sender, is_outgoing, sent_at, body,
      delivery, is_delayed, origin_id, stanza_id
    FROM conversation CROSS JOIN message ON message.conversation = conversation.id
    WHERE corrects IS NULL ORDER BY conversation.id, position, message.id
    """
}

/// A database of profanity with made-up messages.
enum ForeignHistory {
  private static let schema = """
    CREATE TABLE ChatLogs (id INTEGER PRIMARY KEY AUTOINCREMENT, from_jid TEXT NOT NULL,
      to_jid TEXT NOT NULL, from_resource TEXT, to_resource TEXT, message TEXT, timestamp TEXT,
      type TEXT, stanza_id TEXT, archive_id TEXT, replace_id TEXT, encryption TEXT,
      marked_read INTEGER);
    CREATE TABLE DbVersion (dv_id INTEGER PRIMARY KEY, version INTEGER UNIQUE);
    INSERT INTO DbVersion (version) VALUES (1);
    """
  /// Only so that the file can be made by `Database`.
  private static let migrator = Migrator(
    [Migration("profanity", sql: schema)], applicationID: 0x7072_6F66)

  static func write(_ count: Int, to path: String) async throws {
    let corpus = SearchCorpus(SearchLanguage.all[0], size: count, seed: 2)
    let database = try await Database.open(.file(path), migrator: migrator)
    var stored = 0
    try await corpus.forEachBatch(of: 5000) { lines in
      let first = stored
      try await database.write { db in
        for (index, line) in lines.enumerated() { try insert(line, first + index, into: db) }
      }
      stored += lines.count
    }
    // As profanity has it: nothing of Natter's, and no log beside the file.
    try await database.withoutTransaction { db in
      try db.runScript(
        """
        DROP TABLE schema_migration;
        PRAGMA application_id = 0;
        PRAGMA user_version = 0;
        PRAGMA journal_mode = DELETE;
        """)
    }
    await database.close()
  }

  private static func insert(
    _ line: SearchCorpus.Line, _ number: Int, into db: DatabaseConnection
  ) throws {
    let (own, other) = (CommandProfile.account.description, line.conversation.description)
    let isOwn = line.nick == nil
    try db.run(
      """
      INSERT INTO ChatLogs (from_jid, to_jid, from_resource, to_resource, message, timestamp, type,
        stanza_id, archive_id, replace_id, encryption)
        VALUES (?, ?, ?, '', ?, ?, ?, ?, '', '', 'none')
      """, isOwn ? own : other, isOwn ? other : own, line.isRoom ? line.nick : "phone", line.text,
      line.sentAt.formatted(.iso8601), line.isRoom ? "muc" : "chat", "s\(number)")
  }
}

/// `natter tail` beside a Natter that has the account open, while nothing happens.
struct IdleTail {
  let profile: CommandProfile
  /// The id of the newest message of the account.
  let newest: Int64

  /// Returns how often the threads of the command go to sleep in a second.
  func wakes(over time: Duration) async throws -> Double {
    let folder = profile.home.folder
    try folder.write("secret\n", to: "password")
    let owner = try profile.home.start(
      profile.natter,
      [
        "--account", CommandProfile.account.description, "--server", "127.0.0.1:1",
        "--password-file", folder.path("password"), "serve", "--socket",
      ], writing: "owner")
    // Before a process listens, stored data would answer.
    try await expects("a socket") { !profile.home.listeningSockets.isEmpty }
    let tail = try profile.home.start(
      profile.natter, ["tail", "--json", "--after", String(newest - 1)], writing: "tail")
    let id = "\"id\":\"\(newest)\""
    try await expects("the newest message") { folder.text("tail")?.contains(id) == true }
    // A command that is never idle is measured all the same.
    _ = try await settles(for: .seconds(1), upTo: .seconds(30)) {
      ProcessStatus.sleeps(of: tail.identifier)
    }
    let before = ProcessStatus.sleeps(of: tail.identifier)
    // The pause is what is measured; it does not wait for anything.
    try await Task.sleep(for: time)
    let after = ProcessStatus.sleeps(of: tail.identifier)
    guard owner.status == nil, tail.status == nil else {
      throw TimedProcess.Failure(
        description: "natter tail: \(folder.text("tail.errors") ?? "it has ended")")
    }
    await tail.stop()
    await owner.stop()
    return Double(ProcessStatus.wakes(from: before, to: after)) / (time / .seconds(1))
  }

  private func expects(_ what: String, _ condition: () -> Bool) async throws {
    guard try await polls(until: condition) else {
      throw TimedProcess.Failure(
        description: "natter tail: \(what) did not come: "
          + "\(profile.home.folder.text("tail.errors") ?? "")"
          + "\(profile.home.folder.text("owner.errors") ?? "")")
    }
  }
}
