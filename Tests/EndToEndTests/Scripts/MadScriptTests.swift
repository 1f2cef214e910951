import Foundation
import TestSupport
import Testing

/// Scripts that go wrong while somebody writes.
@Suite(.requires(.python3), .limitedConcurrency) struct MadScriptTests {
  let scripts: ScriptHome
  init() throws { scripts = try ScriptHome() }

  /// What a script does once it was greeted, and what its page says of it.
  struct Madness: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let program: String
    /// On its page, in state failed.
    let reason: String

    init(_ name: String, _ program: String, _ reason: String) {
      (testDescription, self.program, self.reason) = (name, program, reason)
    }
  }

  private static let greeting = """
    import json, os, sys, time

    def say(**members):
        print(json.dumps({"jsonrpc": "2.0", **members}), flush=True)

    say(id="hello", method="hello", params={"api": 1})
    sys.stdin.readline()

    """

  private static let commands = """
    [permission."ui.command"]
    why = "for /mad"
    [command.mad]
    help = "Goes mad"

    """

  private static let failures = [
    Madness(
      "a million lines", "for number in range(1000000): print('nonsense', number)",
      "writes lines that are not JSON"),
    Madness(
      "random bytes", "while True: os.write(1, os.urandom(65536))",
      "writes lines that are not JSON"),
    Madness(
      "a million requests",
      "for number in range(1000000): say(id=number % 50, method='conversations.list', params={})",
      "asked on although it was refused"),
    Madness(
      "a thousand children",
      "for number in range(1000): os.fork() or time.sleep(600)\ntime.sleep(600)",
      "more than 256 processes"),
  ]

  @Test(arguments: failures)
  func `a script that floods costs nobody a key, and its page says why it was stopped`(
    madness: Madness
  ) async throws {
    try await scripts.add(
      "mad", "start = \"login\"\n" + Self.commands, Self.greeting + madness.program)
    let natter = try NatterRun.local(home: scripts.home)
    try await natter.waitsOnline()
    try await natter.open(chat: "natter@localhost")
    // It begins now, or soon.
    try await natter.say("nobody waits for a script")
    try await natter.shows("nobody waits for a script", tick: "✓✓")
    try await natter.waits(forScript: "mad", state: "failed")
    try await natter.opens(pageOfScript: "mad")
    try await natter.shows(madness.reason)
    #expect(await natter.quit() == .exited(0))
  }

  @Test func `a line of two megabytes is refused, and the script goes on`() async throws {
    try await scripts.add(
      "mad", Self.commands,
      Self.greeting + """
        for line in map(json.loads, sys.stdin):
            if line.get("method") == "command.run":
                print("x" * (2 << 20), flush=True)
                refused = json.loads(sys.stdin.readline())
                say(id=line["id"], result={"note": f"refused with {refused['error']['code']}"})
            elif line.get("method") == "bye":
                break

        """)
    let natter = try NatterRun.local(home: scripts.home)
    try await natter.waitsOnline()
    try await natter.open(chat: "natter@localhost")
    try await natter.waits(forScript: "mad", state: "sleeps")
    try await natter.say("/mad")
    try await natter.shows("mad: refused with -32700")
    try await natter.say("/mad")
    try await natter.say("after it")
    try await natter.shows("after it", tick: "✓✓")
    #expect(await natter.quit() == .exited(0))
  }

  @Test
  func `a script that exits at once is an error of its command, with the last line of its log`()
    async throws
  {
    try await scripts.add(
      "mad", Self.commands, "import sys\nprint('no city', file=sys.stderr)\nsys.exit(3)\n")
    let natter = try NatterRun.local(home: scripts.home)
    try await natter.waitsOnline()
    try await natter.open(chat: "natter@localhost")
    try await natter.waits(forScript: "mad", state: "sleeps")
    try await natter.enter("/mad")
    try await natter.shows("mad ended with status 3: no city")
    // It is there again, to be sent once more.
    try await natter.shows("> /mad")
    #expect(await natter.quit() == .exited(0))
    let log = try await scripts.scripts("log", "mad")
    #expect(log.text.contains("no city"))
  }

  @Test func `a command that never answers lets its user write, and ends after its time`()
    async throws
  {
    try await scripts.add("mad", Self.commands, Self.greeting + "while True: time.sleep(1000)\n")
    let natter = try NatterRun.local(home: scripts.home)
    try await natter.waitsOnline()
    try await natter.open(chat: "natter@localhost")
    try await natter.waits(forScript: "mad", state: "sleeps")
    try await natter.say("/mad")
    try await natter.say("nobody waits for a script")
    try await natter.shows("nobody waits for a script", tick: "✓✓")
    try await natter.shows("mad did not answer in time.")
    // It is killed with the program, or before.
    #expect(await natter.quit() == .exited(0))
  }

  /// More than are read at once.
  @Test func `forty thousand lines in its log cost nobody a key`() async throws {
    try await scripts.add(
      "mad", "start = \"login\"\n" + Self.commands,
      Self.greeting + """
        for number in range(40000): print("complaint", number, file=sys.stderr)
        print("last words", file=sys.stderr, flush=True)
        sys.stdin.read()

        """)
    let natter = try NatterRun.local(home: scripts.home)
    try await natter.waitsOnline()
    try await natter.open(chat: "natter@localhost")
    try await natter.say("nobody waits for a script")
    try await natter.shows("nobody waits for a script", tick: "✓✓")
    try await scripts.logs("last words", of: "mad")
    #expect(await natter.quit() == .exited(0))
  }
}

/// The same, where Natter waits longer before it gives a script up.
@Suite(.long, .requires(.python3), .limitedConcurrency) struct MadScriptLongTests {
  @Test func `a script that ends with an error each time is started four times, and has failed`()
    async throws
  {
    let scripts = try ScriptHome()
    try await scripts.add(
      "mad", "start = \"login\"\n",
      "import sys\nprint('no city', file=sys.stderr)\nsys.exit(3)\n")
    let natter = try NatterRun.local(home: scripts.home)
    try await natter.waitsOnline()
    try await natter.open(chat: "natter@localhost")
    // After 1, 5 and 30 seconds.
    try await natter.waits(forScript: "mad", state: "failed")
    try await natter.opens(pageOfScript: "mad")
    try await natter.shows("mad ended with status 3: no city")
    #expect(await natter.quit() == .exited(0))
    let log = try await scripts.scripts("log", "mad")
    #expect(log.text.split(separator: "\n").count { $0.hasSuffix("no city") } == 4)
  }
}
