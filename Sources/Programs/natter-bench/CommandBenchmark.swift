import Foundation
import NatterCore
import TestSupport
import XMPP

/// `natter-bench commands`: the commands that read, export and import stored messages, beside a
/// program that does as little as possible with the same rows: the shell of SQLite, or Python.
///
/// Limits: `natter unread` takes at most 3 times as long as `natter --version`, `history` and
/// `export` at most twice as long as printing the rows as JSON, `import` of profanity's database at
/// most 4 times as long as its dump. An idle `natter tail` never wakes. Ten of them slow the answer
/// to a key by at most a fifth. The memory of an import grows by at most 16 MiB. Whether the limits
/// hold is printed; only wrong results are a failure. For figures that users get, measure a program
/// that was built as README's section "Build and install it" describes. The files take some 2 GB
/// below `/tmp`.
struct CommandBenchmark {
  struct Options {
    let natter: String
    /// The messages for `natter unread` and of the long import.
    var many = 1_000_000
    /// The messages for all else.
    var count = 100_000
    /// The messages of the short import.
    var few = 1000
    var rounds = 5
    /// Indicates whether only the results are judged, and little is measured.
    var isQuick = false

    /// Reads `[--natter PATH] [--many N] [--messages N] [--rounds N] [--quick]`.
    init(arguments: [String]) {
      natter = StartBenchmark.program(arguments)
      func number(_ name: String) -> Int? {
        StartBenchmark.value(name, arguments).flatMap { Int($0) }.map { max(1, $0) }
      }
      isQuick = arguments.contains("--quick")
      if isQuick { (many, count, few, rounds) = (3000, 1000, 100, 1) }
      many = number("--many") ?? many
      count = number("--messages") ?? count
      rounds = number("--rounds") ?? rounds
    }
  }

  /// A command and its rival, which are measured in alternation.
  private struct Pair {
    let name: String
    /// The greatest ratio of the times that is good.
    let limit: Double
    /// The runs of each in a round.
    var repetitions = 1
    /// These return milliseconds.
    let natter: () async throws -> Double
    let rival: () throws -> Double
    /// Returns what is wrong with the results of both; `nil`: nothing.
    let problem: () throws -> String?
    var times = (natter: [Double](), rival: [Double]())

    mutating func measure() async throws {
      for _ in 0..<repetitions {
        times.natter.append(try await natter())
        times.rival.append(try rival())
      }
    }
  }

  let options: Options
  private let folder: TemporaryFolder

  init(options: Options) throws {
    self.options = options
    folder = try TemporaryFolder("commands")
  }

  /// Prints a table.
  /// - Returns: whether all results are right.
  func run() async throws -> Bool {
    defer { folder.remove() }
    print(
      "\(options.many) messages of unread, \(options.count) of all else; "
        + "\(options.rounds) rounds, \(options.natter)")
    let reader = RowReader.installed(in: folder)
    if reader == nil {
      print("without history, export and import: needs sqlite3 3.33 or python3 as their rival")
    }
    let stored = try CommandProfile(options.natter)
    let content = try await stored.fill(options.count, isOneConversation: true)
    var pairs = [try await unread()]
    if let reader {
      pairs.append(contentsOf: [history(stored, reader), export(stored, reader)])
      pairs.append(try await importing(reader))
    }
    var isRight = true
    // The first run of each fills the page cache; its results are judged.
    for pair in pairs {
      _ = (try await pair.natter(), try pair.rival())
      guard let problem = try pair.problem() else { continue }
      print("WRONG: \(pair.name): \(problem)")
      isRight = false
    }
    for _ in 0..<options.rounds {
      for index in pairs.indices { try await pairs[index].measure() }
    }
    let medians = pairs.map { pair in
      (
        name: pair.name, limit: pair.limit,
        natter: Table.percentile(0.5, of: pair.times.natter),
        rival: Table.percentile(0.5, of: pair.times.rival)
      )
    }
    // The profile of `unread` goes with it.
    pairs = []
    let newest = content.newest?.rawValue ?? 0
    let wakes = try await IdleTail(profile: stored, newest: newest)
      .wakes(over: .seconds(options.isQuick ? 1 : 10))
    let memory = try await memory()
    let echoes = options.isQuick ? nil : try await ReaderEcho(natter: options.natter).run()

    print(Table.row("", "natter", "rival", "ratio", "limit", "holds"))
    for median in medians {
      row(median.name, median.natter, median.rival, limit: median.limit)
    }
    print(
      Table.row(
        "tail, idle: wakes a second", Figure.text(wakes), "-", "-", "0", verdict(wakes == 0)))
    if let echoes {
      row("key, 10 tails / none, p99 ms", echoes.readers, echoes.none, limit: 1.2)
    }
    let growth = memory.many - memory.few
    print(
      Table.row(
        "import, \(options.many) / \(options.few), MiB", Figure.text(memory.many),
        Figure.text(memory.few), (growth < 0 ? "" : "+") + Figure.text(growth), "+16",
        verdict(growth <= 16)))
    print(isRight ? "all results are right" : "NOT all results are right")
    return isRight
  }

  private func row(_ name: String, _ natter: Double, _ rival: Double, limit: Double) {
    let ratio = natter / max(rival, 0.001)
    print(
      Table.row(
        name, Figure.text(natter), Figure.text(rival), Figure.ratio(ratio), Figure.ratio(limit),
        verdict(ratio <= limit)))
  }

  private func verdict(_ holds: Bool) -> String { options.isQuick ? "-" : holds ? "yes" : "NO" }

  // MARK: - Commands

  private func unread() async throws -> Pair {
    let profile = try CommandProfile(options.natter)
    let unread = try await profile.fill(options.many, isOneConversation: false).unread
    let output = folder.path("unread")
    return Pair(
      name: "unread / --version, ms", limit: 3, repetitions: options.isQuick ? 1 : 5,
      natter: { try profile.command("unread").run(to: output).milliseconds },
      rival: { try profile.command("--version").run(to: output + ".version").milliseconds },
      problem: {
        let counts = try String(contentsOfFile: output, encoding: .utf8).split(separator: "\n")
          .map { Int($0.prefix { $0 != " " }) ?? 0 }
        let sum = counts.reduce(0, +)
        return sum == unread && unread > 0 ? nil : "\(sum) of \(unread) messages are unread"
      })
  }

  private func history(_ profile: CommandProfile, _ reader: RowReader) -> Pair {
    let contact = CommandProfile.contact.description
    return reading(
      "history", profile, reader,
      profile.command("history", contact, "--limit", "0", "--json"))
  }

  private func export(_ profile: CommandProfile, _ reader: RowReader) -> Pair {
    reading("export", profile, reader, profile.command("export", "--format", "jsonl", "--all"))
  }

  /// - Parameter command: prints all messages of the profile as JSON.
  private func reading(
    _ name: String, _ profile: CommandProfile, _ reader: RowReader, _ command: TimedCommand
  ) -> Pair {
    let (output, rows) = (folder.path(name), folder.path(name + ".rows"))
    let rival = reader.json(CommandProfile.rows, of: profile.database)
    return Pair(
      name: "\(name) / \(reader.name), JSON, ms", limit: 2,
      natter: { try command.run(to: output).milliseconds },
      rival: { try rival.run(to: rows).milliseconds },
      problem: {
        let decoder = JSONDecoder()
        let newline = UInt8(ascii: "\n")
        // Other lines are the head of an export, or say that messages are missing.
        let printed = try Data(contentsOf: URL(filePath: output)).split(separator: newline)
          .compactMap { try? decoder.decode(ReadMessage.self, from: $0) }
        let read = try decoder.decode(
          [ReadMessage].self, from: Data(contentsOf: URL(filePath: rows)))
        return printed == read && read.count == options.count
          ? nil : "\(printed.count) and \(read.count) of \(options.count) messages, or others"
      })
  }

  private func importing(_ reader: RowReader) async throws -> Pair {
    let (source, output) = (folder.path("chatlog.db"), folder.path("import"))
    try await ForeignHistory.write(options.count, to: source)
    let dump = folder.path("dump")
    let rival = reader.dump(of: source)
    return Pair(
      name: "import / \(reader.name), dump, ms", limit: 4,
      // Into an empty profile each time.
      natter: {
        try await CommandProfile.empty(options.natter).command("import", "--json", source)
          .run(to: output).milliseconds
      },
      rival: { try rival.run(to: dump).milliseconds },
      problem: {
        let lines = try String(contentsOfFile: dump, encoding: .utf8).split(separator: "\n")
          .count { $0.hasPrefix("INSERT INTO ChatLogs") || $0.hasPrefix("INSERT INTO \"ChatLogs") }
        let added = try added(output)
        return added == options.count && lines == options.count
          ? nil : "\(added) and \(lines) of \(options.count) messages"
      })
  }

  /// Returns the number of messages that an import added, by what it printed.
  private func added(_ output: String) throws -> Int {
    try JSONDecoder().decode(
      ImportedCount.self, from: Data(contentsOf: URL(filePath: output))
    ).added
  }

  /// Returns the peaks of a long and of a short import, in MiB.
  private func memory() async throws -> (many: Double, few: Double) {
    func peaks(_ count: Int, runs: Int) async throws -> Double {
      let (source, output) = (folder.path("history.db"), folder.path("history"))
      try await ForeignHistory.write(count, to: source)
      defer { try? FileManager.default.removeItem(atPath: source) }
      var peaks: [Double] = []
      for _ in 0..<runs {
        let figures = try await CommandProfile.empty(options.natter)
          .command("import", "--json", source).run(to: output, watchingMemory: true)
        let added = try added(output)
        guard added == count else {
          throw TimedProcess.Failure(description: "\(added) of \(count) messages imported")
        }
        peaks.append(Double(figures.peak) / 1_048_576)
      }
      return Table.percentile(0.5, of: peaks)
    }
    let few = try await peaks(options.few, runs: options.rounds)
    // A long one takes minutes, and its peak hardly differs from run to run.
    return (try await peaks(options.many, runs: 1), few)
  }
}

/// The members of a message that Natter and its rivals print alike.
private struct ReadMessage: Decodable, Equatable {
  let id: String
  let body: String

  private enum Key: CodingKey { case id, body }

  init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: Key.self)
    // The rivals print the number of the row.
    id =
      try (try? members.decode(String.self, forKey: .id))
      ?? String(members.decode(Int64.self, forKey: .id))
    body = try members.decode(String.self, forKey: .body)
  }
}

/// The output of `natter import --json`.
private struct ImportedCount: Decodable {
  let added: Int
}

/// The time from a key to the screen while messages arrive, without and with ten `natter tail` that
/// print them.
struct ReaderEcho {
  let natter: String

  private static let (readers, keys, turn, rate) = (10, 200, 20, 20)

  /// Returns the milliseconds that 99 % of the keys do not exceed; `nil`, and prints why, where no
  /// server or no peer can be started.
  func run() async throws -> (readers: Double, none: Double)? {
    for needed in [ProgramRequirement.prosody, .slixmpp] {
      guard let problem = needed.problem else { continue }
      print("without keys beside readers: \(problem)")
      return nil
    }
    let server = try await ProsodyServer(users: ["alice": "secret", "bob": "secret"])
    do {
      let times = try await measure(on: server)
      await server.stop()
      return (Table.percentile(0.99, of: times.readers), Table.percentile(0.99, of: times.none))
    } catch {
      await server.stop()
      throw error
    }
  }

  private func measure(
    on server: any XMPPServer
  ) async throws -> (readers: [Double], none: [Double]) {
    let alice = server.jid("alice")
    let peer = try await SlixmppPeer(server.jid("bob"), password: "secret", server: server)
    let screen = try await NatterScreen(natter, "alice", talkingTo: server.jid("bob"), on: server)
    var entrant = try await EchoEntrant("natter", screen.terminal, keeping: screen) {
      try await peer.talk(to: alice, perSecond: Self.rate, until: $0)
    }
    var random = SeededGenerator(seed: 1)
    var times = (readers: [Double](), none: [Double]())
    for _ in 0..<Self.keys / Self.turn {
      let pauses = (0..<Self.turn).map { _ in
        Duration.milliseconds(.random(in: 40...100, using: &random))
      }
      try await entrant.type(pauses, isBusy: true)
      times.none += entrant.busy.suffix(pauses.count)
      let readers = try await start(as: alice, in: screen.home)
      try await entrant.type(pauses, isBusy: true)
      times.readers += entrant.busy.suffix(pauses.count)
      for reader in readers { await reader.stop() }
    }
    await screen.terminal.stop()
    await peer.signOut()
    return times
  }

  /// Starts the readers, and waits until they have printed all messages that are stored.
  private func start(as account: String, in home: Home) async throws -> [ChildProcess] {
    let names = (0..<Self.readers).map { "reader\($0)" }
    let readers = try names.map {
      try home.start(
        natter, ["--account", account, "tail", "--json", "--since", "1h"], writing: $0)
    }
    func printed() -> [Int] { names.map { home.folder.text($0)?.utf8.count ?? 0 } }
    guard try await polls(until: { printed().allSatisfy { $0 > 0 } }),
      try await settles(for: .milliseconds(500), printed)
    else {
      throw TimedProcess.Failure(
        description: "natter tail: \(home.folder.text("reader0.errors") ?? "") prints nothing")
    }
    return readers
  }
}
