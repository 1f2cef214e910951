import Foundation
import TestSupport
import Testing

/// What a script has on the screen, and what becomes of it without its right.
@Suite(.requires(.python3), .limitedConcurrency) struct ScriptScreenTests {
  let scripts: ScriptHome
  init() throws { scripts = try ScriptHome() }

  /// A script that does everything that its manifest allows. Its texts begin or end with what must
  /// not reach a terminal.
  private static let program = #"""
    import json, sys

    def say(**members):
        print(json.dumps({"jsonrpc": "2.0", **members}), flush=True)

    def note(text):
        with open("answers", "a") as file:
            file.write(text + "\n")

    bad = "\x1b[2J\x1b]0;owned\x07"
    running = None
    say(id="hello", method="hello", params={"api": 1})
    for line in map(json.loads, sys.stdin):
        id, method, params = line.get("id"), line.get("method"), line.get("params", {})
        if id == "hello":
            item = {"id": "count", "text": "\x1b[2J7 open", "role": "good"}
            say(id="status", method="ui.status.set", params=item)
        elif id == "status" and line.get("error", {}).get("code") == -32001:
            note(f"{line['error']['code']} {line['error']['data'].get('reason')}")
        elif method == "command.run":
            running = id
            lines = [{"text": "first ticket" + bad}, {"text": "second ticket"}]
            pane = {"id": "list", "title": bad + "Tickets", "lines": lines}
            pane["keys"] = [{"key": "o", "label": "open" + bad}]
            say(id="pane", method="ui.pane.open", params=pane)
        elif id == "pane":
            code = line.get("error", {}).get("code")
            shown = {"pane": "list"} if code is None else {"note": f"no pane: {code}"}
            say(id=running, result=shown)
        elif method == "pane.key":
            lines = [{"text": f"{params['key']} in line {params['line']}"}]
            say(id="more", method="ui.pane.update", params={"id": "list", "lines": lines})
            say(id=id, result={})
        elif method == "url.open":
            note(params["url"])
            say(id=id, result={"note": "opened " + params["url"] + " " + bad})
        elif method == "decorate":
            answer = []
            for message in params["messages"]:
                start = message["body"].find("#12")
                if start >= 0:
                    note("decorates")
                    span = {"start": start, "length": 3, "role": "bad"}
                    answer.append({"id": message["id"], "spans": [span], "note": bad + "a ticket"})
            say(id=id, result=answer)
        elif method == "ping":
            say(id=id, result={})
        elif method == "bye":
            break

    """#

  private static let status = """
    start = "login"
    [permission."ui.status"]
    why = "to count"
    [status.count]

    """

  private static let decorations = """
    [permission."messages.read"]
    why = "to find numbers"
    in = ["all"]
    [permission."ui.decorate"]
    why = "to colour numbers"
    [decorate.numbers]
    in = ["all"]

    """

  private func start(_ environment: [String: String] = [:]) async throws -> NatterRun {
    // A status item has what other texts leave of the line.
    let natter = try NatterRun.local(home: scripts.home, columns: 140, environment: environment)
    try await natter.waitsOnline()
    try await natter.open(chat: "natter@localhost")
    return natter
  }

  /// Sends a message, and waits until it was displayed by the guide. The pane of details is to the
  /// right of it.
  private func sends(_ text: String, in natter: NatterRun) async throws {
    try await natter.say(text)
    try await natter.expects("“\(text)” displayed") { screen in
      screen.lines.contains { $0.contains("you    \(text)") && $0.contains(" ✓✓ ") }
    }
  }

  /// Waits until its page says that it does not hold a right.
  private func loses(_ right: String, _ words: String, in natter: NatterRun) async throws {
    try await natter.opens(pageOfScript: "shower")
    try await scripts.scripts("revoke", "shower", right)
    try await natter.expects("\(words): not allowed") { screen in
      screen.lines.contains { $0.contains(words) && $0.contains("not allowed") }
    }
    natter.terminal.press(.f2)
    try await natter.shows("[F2 Chats]")
  }

  /// Indicates whether the number in a message looks other than the word behind it.
  private static func isMarked(_ screen: VirtualTerminal) -> Bool {
    (0..<screen.rows).contains { row in
      (0..<screen.columns - 4).contains { column in
        screen.text(row: row, columns: column..<column + 9) == "#12 zebra"
          && screen[row, column].style != screen[row, column + 4].style
      }
    }
  }

  /// Checks that no text of the script has been taken for commands of the terminal.
  private func isHarmless(_ natter: NatterRun) {
    let output = String(decoding: natter.terminal.output(since: 0), as: UTF8.self)
    for command in ["\u{1B}]0;owned", "\u{1B}[2J7 open", "\u{1B}[2J\u{1B}]0"] {
      #expect(!output.contains(command))
    }
  }

  @Test func `a status item goes with the right, comes with it, and goes with the script`()
    async throws
  {
    try await scripts.add("shower", Self.status, Self.program)
    try await scripts.scripts("grant", "shower", "ui.status")
    let natter = try await start()
    try await natter.shows("[2J7 open")
    try await scripts.scripts("revoke", "shower", "ui.status")
    try await natter.hides("7 open")
    try await scripts.scripts("grant", "shower", "ui.status")
    try await scripts.scripts("restart", "shower")
    try await natter.shows("7 open")
    try await scripts.scripts("disable", "shower")
    try await natter.hides("7 open")
    isHarmless(natter)
    #expect(await natter.quit() == .exited(0))
  }

  @Test func `a status item is not shown where the user says no`() async throws {
    try await scripts.add("shower", Self.status, Self.program)
    let natter = try await start()
    try await natter.answers("shower", "\"to count\"", by: "No")
    try await scripts.holds(["-32001 declined"], in: "answers", of: "shower")
    try await sends("after it", in: natter)
    #expect(!natter.screen.contains("7 open"))
    #expect(await natter.quit() == .exited(0))
  }

  @Test func `a command shows its pane, whose keys reach the script, until it is closed`()
    async throws
  {
    try await scripts.add(
      "shower",
      """
      [permission."ui.command"]
      why = "for /list"
      [permission."ui.pane"]
      why = "to list"
      [command.list]
      help = "Lists tickets"
      [pane.list]

      """, Self.program)
    try await scripts.scripts("grant", "shower", "ui.pane")
    let natter = try await start()
    try await natter.waits(forScript: "shower", state: "sleeps")
    try await natter.enter("/list")
    try await natter.shows("Tickets", "first ticket", "second ticket")
    natter.terminal.press(.down)
    natter.terminal.type("o")
    try await natter.shows("o in line 1")
    try await natter.hides("second ticket")
    natter.terminal.press(.escape)
    try await natter.hides("o in line 1")
    // It goes with its right, while it is shown.
    try await natter.enter("/list")
    try await natter.shows("second ticket")
    try await scripts.scripts("revoke", "shower", "ui.pane")
    try await natter.hides("second ticket")
    try await natter.enter("/list")
    try await natter.shows("no pane: -32001")
    isHarmless(natter)
    #expect(await natter.quit() == .exited(0))
  }

  @Test func `a link is offered to the script for it, and not without the right`() async throws {
    try await scripts.add(
      "shower",
      """
      [permission."ui.url"]
      why = "to open tickets"
      [url.tickets]
      prefixes = ["https://t.example/"]

      """, Self.program)
    try await scripts.scripts("grant", "shower", "ui.url")
    let folder = try TemporaryFolder("opener")
    try folder.write(
      "#!/bin/sh\necho \"$1\" >> \(folder.path("opened"))\n", to: "browser", mode: 0o755)
    let natter = try await start(["BROWSER": folder.path("browser")])
    try await natter.waits(forScript: "shower", state: "sleeps")
    let link = "https://t.example/12"
    try await sends("see \(link)", in: natter)
    try await natter.enter("/link 1")
    try await natter.shows("Open as usual")
    try await natter.choose("Open with the script shower")
    try await natter.shows("opened \(link)")
    try await scripts.holds([link], in: "answers", of: "shower")
    // An address of the script alone is opened after a question, whose answer is no.
    try await sends("natter://script/shower/34", in: natter)
    try await natter.enter("/link 1")
    try await natter.shows("Let the script shower open")
    natter.terminal.press(.enter)
    try await natter.hides("Let the script shower open")
    try await loses("ui.url", "offer to open links", in: natter)
    try await sends("then \(link)", in: natter)
    try await natter.enter("/link 1")
    try await folder.holds("opened") { $0 == link + "\n" }
    try await scripts.holds([link], in: "answers", of: "shower")
    isHarmless(natter)
    #expect(await natter.quit() == .exited(0))
  }

  @Test func `a message is marked on the screen, not in what is stored, and only with the right`()
    async throws
  {
    try await scripts.add("shower", Self.decorations, Self.program)
    try await scripts.scripts("grant", "shower", "ui.decorate")
    try await scripts.scripts("grant", "shower", "messages.read", "--in", "all")
    let natter = try await start()
    try await natter.waits(forScript: "shower", state: "sleeps", "runs")
    try await natter.say("see #12 zebra")
    try await natter.shows("a ticket")
    try await natter.expects("a mark") { Self.isMarked($0) }
    try await scripts.scripts("revoke", "shower", "ui.decorate")
    try await natter.hides("a ticket")
    try await natter.expects("no mark") { !Self.isMarked($0) }
    isHarmless(natter)
    #expect(await natter.quit() == .exited(0))
    // It was asked about the message once.
    try await scripts.holds(["decorates"], in: "answers", of: "shower")
    let stored = try await CommandRun(
      Programs.natter,
      ["history", "natter@localhost", "--json", "--account", "me@localhost"],
      environment: scripts.home.environment(), upTo: .seconds(120))
    #expect(stored.status == .exited(0), "\(stored)")
    #expect(stored.text.contains(#""body":"see #12 zebra""#) && !stored.text.contains("a ticket"))
  }

  @Test func `a script that may not mark messages sees none of them`() async throws {
    try await scripts.add("shower", Self.decorations, Self.program)
    let natter = try await start()
    try await natter.say("see #12 zebra")
    try await natter.answers("shower", "\"to colour numbers\"", by: "No")
    try await sends("after it", in: natter)
    #expect(!natter.screen.contains("a ticket"))
    #expect(await natter.quit() == .exited(0))
    let answers = scripts.file("answers", of: "shower")
    #expect(scripts.home.folder.text(answers) == nil)
  }
}
