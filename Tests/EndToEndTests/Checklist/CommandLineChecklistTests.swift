import Foundation
import TestSupport
import Testing

/// Statements 1 to 3, 6 and 7: what happens outside the screen.
@Suite(.limitedConcurrency) struct CommandLineChecklistTests {
  let home: Home
  init() throws { home = try Home() }

  func run(_ arguments: [String], _ environment: [String: String] = [:]) async throws -> CommandRun
  {
    try await CommandRun(
      Programs.natter, arguments, environment: home.environment(environment),
      upTo: .seconds(120))
  }

  @Test(arguments: [
    ["--version"], ["--help"], ["send", "--help"], ["doctor", "--help"], ["login", "--help"],
  ])
  func `1: version and help go to standard output without a terminal`(arguments: [String])
    async throws
  {
    // Neither TERM nor HOME is needed for them.
    let run = try await run(arguments, ["TERM": "", "HOME": "", "LANG": ""])
    #expect(run.status == .exited(0))
    #expect(run.errorText == "")
    #expect(run.text.contains("natter"))
    #expect(!PrintedOutput(run.output).hasEscape)
    #expect(try made == [])
  }

  /// The additions to the home: files, and folders that may be empty.
  private var made: Set<String> {
    get throws {
      Set(try FileManager.default.subpathsOfDirectory(atPath: home.folder.root.path))
        .subtracting(["config", "data", "state", "cache", "runtime", "home"])
    }
  }

  @Test(arguments: [["--frobnicate"], ["--frobnicate=1"], ["-x"], ["frobnicate"], ["--theme"]])
  func `2: an unknown option is one line on standard error and exit 2`(arguments: [String])
    async throws
  {
    let run = try await run(arguments)
    #expect(run.status == .exited(2))
    #expect(run.output == [])
    let lines = run.errorText.split(separator: "\n")
    // The one line, and where to look.
    #expect(lines.count == 2)
    #expect(lines.first?.contains(arguments[0].prefix { $0 != "=" }) == true)
    #expect(lines.last?.contains("--help") == true)
    #expect(!PrintedOutput(run.errors).hasEscape)
    #expect(try made == [])
  }

  @Test(arguments: [[], ["--local"], ["--account", "alice@host.invalid"]])
  func `3: without a terminal it ends at once, with one line and no escape byte`(
    arguments: [String]
  ) async throws {
    let run = try await run(arguments)
    #expect(run.status == .exited(1))
    #expect(run.output == [])
    #expect(run.errorText.split(separator: "\n").count == 1)
    #expect(run.errorText.hasPrefix("natter: "))
    #expect(!PrintedOutput(run.errors).hasEscape)
    #expect(try made == [])
    let isQuick = try await Pace.holds(.seconds(1)) {
      try await Pace.time { _ = try await self.run(arguments) }
    }
    #expect(isQuick)
  }

  @Test func `3: with only its output redirected it ends at once, too`() async throws {
    let file = home.folder.path("output")
    let shell = try PTYProcess(
      "sh", ["-c", "\"$1\" --local >\"$2\"; echo \"ended with $?\"", "sh", Programs.natter, file],
      environment: home.environment())
    try await shell.shows("ended with 1", upTo: .seconds(60))
    #expect(!PrintedOutput(shell.rawOutput).hasEscape)
    #expect(home.folder.text("output") == "")
    #expect(try made == ["output"])
    // Its input stays open, and nobody types: it waits for nothing.
    let isQuick = try await Pace.holds(.seconds(1)) {
      try await Pace.time {
        let again = try PTYProcess(
          "sh", ["-c", "exec \"$1\" --local >\"$2\"", "sh", Programs.natter, file],
          environment: home.environment())
        #expect(await again.child.waitsForEnd(upTo: .seconds(60)) == .exited(1))
      }
    }
    #expect(isQuick)
  }

  /// A namespace of its own: its counters count this one program's packets.
  @Test(.requiresNetworkNamespaces, arguments: TerminalDescription.testable)
  func `6: no packet leaves before the user gave an address`(terminal: TerminalDescription)
    async throws
  {
    let run = try PTYProcess(
      "unshare", ["-rn", Programs.natter],
      environment: home.environment(terminal: terminal.name))
    // The last lines of a page: those above them are on the screen by then.
    for page in 1...4 {
      if page > 1 { run.press(.right) }
      try await run.shows(
        "Welcome to Natter   \(page)/4", page == 4 ? "[>Sign in<]" : "[>Next<]",
        upTo: .seconds(60))
    }
    #expect(try sent(by: run) == 0)
    // On to the form: the address is what it is waiting for.
    run.press(.escape)
    try await run.shows("Address", "Password", upTo: .seconds(60))
    #expect(try sent(by: run) == 0)
    run.type("alice@host.invalid")
    try await run.shows("alice@host.invalid", upTo: .seconds(60))
    #expect(try sent(by: run) == 0)
    run.press(.control("q"))
    #expect(await run.waitsForEnd(upTo: .seconds(60)) == .exited(0))
  }

  /// Returns the number of packets that the program's namespace sent, or tried to send without a
  /// route.
  private func sent(by run: PTYProcess) throws -> Int {
    let folder = "/proc/\(run.child.identifier)/net"
    var count = 0
    for line in try String(contentsOfFile: "\(folder)/snmp6", encoding: .utf8).split(
      separator: "\n")
    {
      let words = line.split(separator: " ")
      if ["Ip6OutRequests", "Ip6OutNoRoutes"].contains(words[0]) { count += Int(words[1]) ?? 0 }
    }
    let rows = try String(contentsOfFile: "\(folder)/snmp", encoding: .utf8)
      .split(separator: "\n").map { $0.split(separator: " ") }
    for (names, numbers) in zip(rows, rows.dropFirst())
    where names[0] == "Ip:" && numbers[0] == "Ip:" {
      for (name, number) in zip(names, numbers) where ["OutRequests", "OutNoRoutes"].contains(name)
      {
        count += Int(number) ?? 0
      }
    }
    return count
  }

  @Test func `7: only XDG folders appear in HOME, and nothing in them is for others`() async throws
  {
    let run = try NatterRun.local(
      home: home, rows: 24, columns: 80,
      environment: [
        "XDG_CONFIG_HOME": "", "XDG_DATA_HOME": "", "XDG_STATE_HOME": "", "XDG_CACHE_HOME": "",
        "XDG_RUNTIME_DIR": "",
      ])
    try await run.openGuide()
    try await run.say("keys")
    try await run.shows("Enter sends, Ctrl+J")
    try await run.adds("a draft", toHave: "a draft")
    try home.expectOwnFoldersOnly()
    #expect(await run.quit() == .exited(0))
  }
}
