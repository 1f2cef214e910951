import Foundation
import TestSupport
import Testing

/// A home with scripts of the test's own, and what they leave in it.
struct ScriptHome: Sendable {
  let home: Home

  init() throws { home = try Home() }

  /// Runs `natter scripts` with exactly these arguments.
  @discardableResult
  func scripts(_ arguments: String..., sourceLocation: SourceLocation = #_sourceLocation)
    async throws -> CommandRun
  {
    let run = try await CommandRun(
      Programs.natter, ["scripts"] + arguments, environment: home.environment(),
      upTo: .seconds(120))
    #expect(run.status == .exited(0), "\(run)", sourceLocation: sourceLocation)
    return run
  }

  /// Adds a script in Python, and enables it.
  /// - Parameters:
  ///   - manifest: what its manifest has besides title, version and program.
  ///   - program: it may import `natter.py`.
  func add(_ name: String, _ manifest: String, _ program: String) async throws {
    let folder = "config/natter/scripts/\(name)"
    // A folder that others can write is refused.
    for path in ["config/natter", "config/natter/scripts", folder] {
      try home.folder.makeFolder(path)
    }
    let head = """
      title = "\(name)"
      version = "1"
      api = 1
      run = ["python3", "-B", "main.py"]

      """
    try home.folder.write(head + manifest, to: folder + "/manifest.toml")
    try home.folder.write(program, to: folder + "/main.py")
    let client = Programs.checkout.appending(path: "Resources/scripts/natter.py")
    try home.folder.write(
      String(contentsOf: client, encoding: .utf8), to: folder + "/natter.py")
    try await scripts("enable", name, "--yes")
  }

  /// The path of a file that a script has written into its working folder.
  func file(_ name: String, of script: String) -> String {
    "data/natter/scripts/\(script)/storage/\(name)"
  }

  /// Waits until a script has written exactly these lines.
  func holds(_ lines: [String], in name: String, of script: String) async throws {
    try await home.folder.holds(file(name, of: script)) {
      $0.split(separator: "\n").map(String.init) == lines
    }
  }

  /// The values that a script has in its storage, as JSON.
  func values(of script: String) -> [String] {
    let folder = "data/natter/scripts/\(script)/values"
    let names = try? FileManager.default.contentsOfDirectory(atPath: home.folder.path(folder))
    return (names ?? []).compactMap { home.folder.text("\(folder)/\($0)") }
  }

  /// Removes a file that a script has written.
  func remove(_ name: String, of script: String) {
    unlink(home.folder.path(file(name, of: script)))
  }

  /// Has the script `asking` send these requests at its start.
  func tell(_ requests: [String], to script: String) throws {
    try home.folder.makeFolder("data/natter/scripts/\(script)/storage")
    try home.folder.write(
      requests.joined(separator: "\n") + "\n", to: file("first", of: script))
  }

  /// Waits until the log of a script has a text.
  func logs(_ text: String, of script: String) async throws {
    try await home.folder.holds("state/natter/scripts/\(script).log") { $0.contains(text) }
  }

  /// A script that sends the requests that it is given, and writes what it gets: `given`, or the
  /// error's code and reason.
  ///
  /// They come by its command, METHOD PARAMETERS, or in its file `first`, one a line, which it
  /// reads at its start.
  static let asking = """
    import json, os, sys

    def say(**members):
        print(json.dumps({"jsonrpc": "2.0", **members}), flush=True)

    def ask(words):
        global asked
        asked += 1
        say(id=asked, method=words[0], params=json.loads("".join(words[1:]) or "{}"))

    def note(text):
        with open("answers", "a") as file:
            file.write(text + "\\n")

    asked = 0
    say(id="hello", method="hello", params={"api": 1})
    for line in map(json.loads, sys.stdin):
        if line.get("id") == "hello":
            for first in open("first") if os.path.exists("first") else []:
                ask(first.split())
        elif line.get("method") == "command.run":
            say(id=line["id"], result={})
            ask(line["params"]["arguments"])
        elif line.get("method") == "ping":
            say(id=line["id"], result={})
        elif line.get("method") == "bye":
            break
        elif "result" in line:
            note("given")
        elif "error" in line:
            error = line["error"]
            note(f"{error['code']} {error['data'].get('reason')}")

    """

  /// What the manifest of `asking` has.
  static let asksFor = """
    [permission."conversations.read"]
    why = "to count them"
    [permission."messages.read"]
    why = "to look at them"
    in = ["direct"]
    [permission."ui.command"]
    why = "for /ask"
    [command.ask]
    arguments = "METHOD [PARAMETERS]"
    help = "Sends a request"

    """
}

extension NatterRun {
  /// Waits until the list of scripts in Me has one in one of these states: from then on its
  /// commands are known. Goes back to the conversations.
  func waits(forScript name: String, state: String...) async throws {
    try await enter("/script")
    try await expects("the script \(name), \(state)") { screen in
      screen.text(row: 0).contains("[F6 Me]")
        && screen.lines.contains { line in
          line.contains(" \(name) ")
            && state.contains { line.contains(" \($0),") || line.hasSuffix(" \($0)") }
        }
    }
    terminal.press(.f2)
    try await shows("[F2 Chats]")
  }

  /// Opens the page of a script in Me, and waits until it is there. The script has to be known
  /// already.
  func opens(pageOfScript name: String) async throws {
    try await enter("/script rights \(name)")
    try await shows("Scripts: \(name)")
  }

  /// Waits until a script asks, opens its question, and gives an answer.
  /// - Parameter text: what the question has to contain.
  func answers(_ script: String, _ text: String, by answer: String) async throws {
    try await shows("\(script) asks - Alt+G")
    terminal.press(.alt("g"))
    try await shows("Wants to", text, "[>No<]")
    try await choose(answer)
    try await hides("Wants to")
  }
}
