import Configuration
import Foundation
import NatterCore
import Storage
import XMPP

/// `natter-bench start`: the time from the program's start to its first frame, compared with the
/// least that any program with ncurses takes (goal: at most three times that). For figures that
/// users get, measure a program that was built as README's section "Build and install it"
/// describes.
struct StartBenchmark {
  /// The program that is measured.
  let natter: String
  /// The number of starts of each.
  var runs = 20

  private static let size: (rows: UInt16, columns: UInt16) = (40, 120)
  private static let account = JID(local: "romeo", domain: "localhost")
  private static let contacts = 200
  /// A part of the newest message, which is directly above the input.
  static let readyText = "rose by any"

  /// A program to measure: its name, the process, and the text that shows that it is ready.
  private struct Entrant {
    let name: String
    let process: TimedProcess
    let readyText: String
    var times: [Duration] = []
    var resident: [Int] = []
  }

  /// Reads `--natter PATH` (default: the one beside this program) and `--runs N`.
  init(arguments: [String]) throws {
    natter = Self.program(arguments)
    runs = max(1, Self.value("--runs", arguments).flatMap { Int($0) } ?? runs)
  }

  /// The program of `--natter PATH`, or else the one beside this program.
  static func program(_ arguments: [String]) -> String {
    value("--natter", arguments)
      ?? URL(
        filePath: (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
          ?? CommandLine.arguments[0]
      ).deletingLastPathComponent().appending(path: "natter").path
  }

  /// The value of an option.
  static func value(_ name: String, _ arguments: [String]) -> String? {
    guard let index = arguments.firstIndex(of: name), index + 1 < arguments.count else {
      return nil
    }
    return arguments[index + 1]
  }

  /// Prints a table: milliseconds, and the ratio to the C program's median.
  func run() async throws {
    let directory = FileManager.default.temporaryDirectory
      .appending(path: "natter-bench-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }

    let hello = try compileHello(in: directory)
    let newcomer = directory.appending(path: "newcomer")
    let member = directory.appending(path: "member")
    try FileManager.default.createDirectory(at: newcomer, withIntermediateDirectories: true)
    try await Self.signIn(in: member.appending(path: ".local/share/natter"))
    var entrants = [
      entrant("ncurses hello-world in C", [hello], newcomer, readyText: "hello"),
      // The guide's last row.
      entrant("natter, first start (guide)", [natter], newcomer, readyText: "Enter"),
      entrant("natter, signed in (shell)", [natter], member, readyText: Self.readyText),
    ]
    // In alternation, so that other load on the machine affects all of them; the first round fills
    // the page cache.
    for round in 0...runs {
      for index in entrants.indices {
        let figures = try entrants[index].process.firstFrame(showing: entrants[index].readyText)
        guard round > 0 else { continue }
        entrants[index].times.append(figures.time)
        entrants[index].resident.append(figures.resident)
      }
    }
    print("process start to first frame, \(runs) runs each, \(natter)")
    print(Table.row("", "median ms", "min ms", "max ms", "ratio", "MiB"))
    let least = median(entrants[0].times)
    for entrant in entrants {
      let sorted = entrant.times.sorted()
      print(
        Table.row(
          entrant.name, milliseconds(median(sorted)), milliseconds(sorted[0]),
          milliseconds(sorted[sorted.count - 1]),
          String(format: "%.1f", median(sorted) / least),
          String(format: "%.1f", Double(entrant.resident.sorted()[runs / 2]) / 1_048_576)))
    }
    print("goal: a ratio of at most 3")
  }

  private func entrant(_ name: String, _ command: [String], _ home: URL, readyText: String)
    -> Entrant
  {
    // Nothing of the user's environment but the location of the program's resources.
    var environment = [
      "HOME=\(home.path)", "TERM=xterm-256color", "LANG=C.UTF-8", "PATH=/usr/bin:/bin",
    ]
    if let resources = ProcessInfo.processInfo.environment["NATTER_RESOURCES"] {
      environment.append("NATTER_RESOURCES=\(resources)")
    }
    return Entrant(
      name: name,
      process: TimedProcess(command: command, environment: environment, size: Self.size),
      readyText: readyText
    )
  }

  // MARK: - Baselines

  private func compileHello(in directory: URL) throws -> String {
    try CProgram.compile(
      """
      #include <locale.h>
      #include <ncurses.h>
      int main(void) {
        setlocale(LC_ALL, "");
        initscr();
        raw();
        noecho();
        keypad(stdscr, TRUE);
        start_color();
        mvprintw(LINES - 1, 0, "hello");
        refresh();
        getch();
        endwin();
        return 0;
      }

      """, to: directory.appending(path: "hello"))
  }

  /// Creates the data of a signed-in account, with contacts and messages; its server refuses
  /// connections. The newest message has `readyText`.
  /// - Parameter data: the folder with Natter's data.
  static func signIn(in data: URL) async throws {
    let accounts = data.appending(path: "accounts")
    try FileManager.default.createDirectory(
      at: accounts, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let account = Account(jid: Self.account, server: "127.0.0.1", port: 1, security: .direct)
    try await AccountFile(path: data.appending(path: "accounts.toml").path).save(account)
    try await CredentialFile(path: data.appending(path: "credentials").path) { _ in }
      .save(Credential(password: "secret"), for: Self.account)
    let database = try await AccountDatabase.open(
      at: accounts.appending(path: AccountDatabase.fileName(of: Self.account)).path)
    try await database.roster.replaceContacts(
      (1...Self.contacts).map {
        Contact(
          jid: JID(local: "contact\($0)", domain: "localhost"), name: "Contact \($0)",
          subscription: .both)
      }, version: nil)
    for number in 1...20 {
      let sender = JID(local: "contact\(number)", domain: "localhost", resource: "phone")
      _ = try await database.conversations.open(sender.bare, kind: .direct)
      _ = try await database.messages.insert(
        (1...60).map {
          IncomingMessage(
            conversation: sender.bare, sender: sender,
            body: $0 == 60 ? "A rose by any other name" : "What is in a name? (\($0))",
            sentAt: Date(timeIntervalSince1970: 1_700_000_000 + Double(number * 60 + $0)),
            originID: "o\(number)-\($0)", stanzaID: "s\(number)-\($0)")
        }, countsUnread: { _ in false })
    }
    await database.close()
  }

  // MARK: - Figures

  private func median(_ times: [Duration]) -> Duration { times.sorted()[times.count / 2] }

  private func milliseconds(_ duration: Duration) -> String {
    String(format: "%.1f", duration / .milliseconds(1))
  }
}
