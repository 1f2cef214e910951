import ExportService
import NatterCore
import Testing
import XMPP

@testable import natter

@Suite struct CommandLineOptionsTests {
  @Test func `no arguments open the full screen`() throws {
    let (options, command) = try CommandLineOptions.parse([])
    #expect(command == .fullScreen)
    #expect(options == CommandLineOptions())
  }

  @Test func `options take their value after a blank or an =`() throws {
    let (spaced, _) = try CommandLineOptions.parse(["--account", "a@b", "--tls", "direct"])
    let (joined, _) = try CommandLineOptions.parse(["--account=a@b", "--tls=direct"])
    #expect(spaced == joined)
    #expect(spaced.account == "a@b")
    #expect(spaced.security == .direct)
  }

  @Test func `a word after two dashes is never an option`() throws {
    let (_, command) = try CommandLineOptions.parse(["send", "a@b", "--", "--bogus", "x"])
    #expect(command == .send(to: "a@b", text: "--bogus x"))
  }

  @Test func `send without text or with a dash reads standard input`() throws {
    #expect(try CommandLineOptions.parse(["send", "a@b"]).1 == .send(to: "a@b", text: nil))
    #expect(try CommandLineOptions.parse(["send", "a@b", "-"]).1 == .send(to: "a@b", text: nil))
  }

  @Test func `commands that read have their options, and only theirs`() throws {
    func request(_ arguments: String...) throws -> ReadingRequest? {
      guard case .read(let request) = try CommandLineOptions.parse(arguments).1 else { return nil }
      return request
    }
    #expect(try request("unread") == ReadingRequest(.unread))
    #expect(try request("contacts") == ReadingRequest(.contacts))
    #expect(try request("rooms") == ReadingRequest(.rooms))
    let total = try #require(try request("unread", "--total", "--json"))
    #expect(total.isTotal && total.isJSON)
    let history = try #require(
      try request("history", "--since", "2h", "--until=14:30", "a@b", "--limit", "0"))
    #expect(history.subject == .history("a@b") && history.limit == 0 && !history.isJSON)
    #expect(!history.fetches)
    #expect(try request("history", "a@b", "--fetch")?.fetches == true)
    #expect(history.since == .ago(7200) && history.until == .clock(hour: 14, minute: 30))
    let search = try #require(try request("search", "two", "--in", "a@b", "terms", "--limit=3"))
    #expect(search.subject == .search("two terms") && search.limit == 3)
    #expect(search.conversation == "a@b")
    #expect(try request("search", "--", "--json")?.subject == .search("--json"))
    #expect(try CommandLineOptions.parse(["history", "--help"]).1 == .help("history"))
  }

  @Test func `export takes its format from the option, or from the name of the file`() throws {
    func request(_ arguments: String...) throws -> ExportRequest? {
      let command = try CommandLineOptions.parse(["export"] + arguments).1
      guard case .export(let request) = command else { return nil }
      return request
    }
    #expect(try request() == ExportRequest())
    #expect(try request("--all", "--output", "-") == ExportRequest())
    let page = try #require(
      try request("a@b", "--output=x.html", "--force", "c@d", "--since", "2h", "--until=14:30"))
    #expect(page.addresses == ["a@b", "c@d"] && page.format == .html && page.mayReplace)
    #expect(page.output == "x.html" && !page.includesFiles)
    #expect(page.since == .ago(7200) && page.until == .clock(hour: 14, minute: 30))
    #expect(try request("--output", "x", "--format", "text")?.format == .text)
    #expect(try request("--output", "x")?.format == .jsonl)
    let archive = try #require(try request("--output", "x.tar", "--files"))
    #expect(archive.format == .archive && archive.includesFiles)
    #expect(try CommandLineOptions.parse(["export"]).1.onlyReads)
    #expect(try CommandLineOptions.parse(["export", "--help"]).1 == .help("export"))
  }

  @Test(arguments: [
    (["--format", "mbox"], "cli.bad-choice"),
    (["--format", "archive"], "cli.export-archive-output"),
    (["--output", "x.tar", "a@b"], "cli.export-archive-whole"),
    (["--output", "x.tar", "--since", "2h"], "cli.export-archive-whole"),
    (["--files"], "cli.option-of-command"), (["--all", "a@b"], "cli.extra-operand"),
    (["--force=yes"], "cli.takes-no-value"), (["--json"], "cli.option-of-commands"),
    ([""], "cli.missing-operand"), (["--output"], "cli.needs-value"),
  ])
  func `options of export that do not fit are refused`(arguments: [String], key: String) {
    let error = #expect(throws: UsageError.self) {
      try CommandLineOptions.parse(["export"] + arguments)
    }
    #expect(error?.key == key)
  }

  @Test func `import has its options`() throws {
    func request(_ arguments: String...) throws -> ImportRequest? {
      let command = try CommandLineOptions.parse(["import"] + arguments).1
      guard case .importHistory(let request) = command else { return nil }
      return request
    }
    #expect(try request("a", "b") == ImportRequest(.files(["a", "b"])))
    #expect(try request("--find", "--json")?.action == .find)
    #expect(try request("--undo=12")?.action == .undo(12))
    let all = try #require(
      try request(
        "--as", "mcabber", "--me", "ali", "--me=al", "--tz", "+02:00", "--since", "2026-01-31",
        "--only", "bob@natter.test", "--dry-run", "histo"))
    #expect(all.action == .files(["histo"]) && all.format == "mcabber" && !all.isJSON)
    #expect(all.names == ["ali", "al"] && all.zone == "+02:00" && all.isTrial)
    #expect(all.only == JID(local: "bob", domain: "natter.test") && all.since != nil)
  }

  @Test func `commands of the bridge have their options, and only theirs`() throws {
    func request(_ arguments: String...) throws -> ClientRequest? {
      guard case .bridge(let request) = try CommandLineOptions.parse(arguments).1 else {
        return nil
      }
      return request
    }
    #expect(try request("serve") == .serve(name: nil, isOffline: false, socket: nil))
    #expect(
      try request("serve", "--as", "bot", "--offline", "--socket=/a/b")
        == .serve(name: "bot", isOffline: true, socket: .path("/a/b")))
    // An argument after it is no path.
    #expect(
      try request("serve", "--socket") == .serve(name: nil, isOffline: false, socket: .account))
    #expect(throws: UsageError.self) { try request("serve", "--socket", "/a/b") }
    #expect(throws: UsageError("cli.needs-value", ["option": "--socket"])) {
      try request("serve", "--socket=")
    }
    #expect(
      try request("tail", "a@b", "--json", "--after", "12", "c@d")
        == .tail(TailRequest(addresses: ["a@b", "c@d"], cursor: 12, isJSON: true)))
    #expect(try request("tail", "--since=2h") == .tail(TailRequest(since: .ago(7200))))
    #expect(throws: UsageError("cli.two-beginnings")) {
      try request("tail", "--since=2h", "--after=1")
    }
    #expect(try request("call", "ping") == .call(method: "ping", parameters: nil))
    #expect(try request("call", "ping", "-") == .call(method: "ping", parameters: "-"))
    let error = #expect(throws: UsageError.self) { try request("call", "ping", "--as=bot") }
    #expect(error?.key == "cli.option-of-commands")
  }

  @Test func `version wins over everything else`() throws {
    #expect(try CommandLineOptions.parse(["send", "--version"]).1 == .version)
    #expect(try CommandLineOptions.parse(["-V"]).1 == .version)
  }

  @Test func `the built-in server opens the screen, line mode and addresses`() throws {
    for words in [[], ["--plain"], ["--fresh"], ["xmpp:a@b"]] {
      #expect(try CommandLineOptions.parse(["--local"] + words).1 == .fullScreen)
    }
    #expect(try CommandLineOptions.parse(["--local", "send", "--help"]).1 == .help("send"))
  }

  @Test func `help belongs to the command before it`() throws {
    #expect(try CommandLineOptions.parse(["--help", "send"]).1 == .help("send"))
    #expect(try CommandLineOptions.parse(["login", "a@b", "--account", "a@b"]).1 == .login("a@b"))
    #expect(
      try CommandLineOptions.parse(["doctor", "Alice@X.org", "--account", "alice@x.org"]).1
        == .doctor("Alice@X.org"))
    #expect(
      try CommandLineOptions.parse(["doctor", "o'neil@x.org", "--account", "o\\27neil@x.org"]).1
        == .doctor("o'neil@x.org"))
    #expect(try CommandLineOptions.parse(["doctor", "--crash"]).1 == .crash(1))
    #expect(try CommandLineOptions.parse(["doctor", "--crash", "3"]).1 == .crash(3))
    #expect(try CommandLineOptions.parse(["--help"]).1 == .help(nil))
    #expect(try CommandLineOptions.parse(["send", "--help"]).1 == .help("send"))
  }

  @Test(arguments: [
    (["--bogus"], "cli.unknown-option"), (["-x"], "cli.unknown-option"),
    (["tails"], "cli.unknown-command"), (["--account"], "cli.needs-value"),
    (["--tls", "maybe"], "cli.bad-choice"), (["--log-level=loud"], "cli.bad-choice"),
    (["send"], "cli.missing-operand"), (["login"], "cli.missing-operand"),
    (["login", "a@b", "c@d"], "cli.extra-operand"), (["accounts", "x"], "cli.extra-operand"),
    (["--local=yes"], "cli.takes-no-value"), (["--fresh"], "cli.fresh-needs-local"),
    (["--fresh", "xmpp:a@b"], "cli.fresh-needs-local"),
    (["--browser"], "cli.option-of-command"), (["--file", "a"], "cli.option-of-command"),
    (["login", "a@b", "--file", "a"], "cli.option-of-command"),
    (["send", "a@b", "x", "--browser"], "cli.option-of-command"),
    (["--local", "send", "a@b", "x"], "cli.local-without-command"),
    (["doctor", "--local"], "cli.local-without-command"),
    (["--crash"], "cli.option-of-command"), (["accounts", "--crash"], "cli.option-of-command"),
    (["doctor", "--crash", "0"], "cli.bad-crash"), (["doctor", "--crash=1"], "cli.takes-no-value"),
    (["doctor", "--crash", "a@b"], "cli.bad-crash"),
    (["--help", "tails"], "cli.unknown-command"), (["tails", "--help"], "cli.unknown-command"),
    (["--version", "extra"], "cli.extra-operand"),
    (["--account="], "cli.needs-value"), (["--server", ""], "cli.needs-value"),
    (["--local", "--server", "a"], "cli.not-with-local"),
    (["--local", "--tls=off"], "cli.not-with-local"),
    (["--local", "--ca-file", "a"], "cli.not-with-local"),
    (["--local", "--http-url", "https://a"], "cli.not-with-local"),
    (["--local", "--password-file", "a", "xmpp:a@b"], "cli.not-with-local"),
    (["send", "", "x"], "cli.missing-operand"), (["send", " "], "cli.missing-operand"),
    (["login", ""], "cli.missing-operand"), (["logout", ""], "cli.missing-operand"),
    (["doctor", ""], "cli.missing-operand"), (["theme", "check", ""], "cli.missing-operand"),
    ([""], "cli.missing-operand"), (["", "send", "a@b"], "cli.missing-operand"),
    (["login", "a@b", "--account", "c@d"], "cli.two-accounts"),
    (["doctor", "a@b", "--account", "c@d"], "cli.two-accounts"),
    (["history"], "cli.missing-operand"), (["search", " "], "cli.missing-operand"),
    (["history", "a@b", "c@d"], "cli.extra-operand"), (["unread", "x"], "cli.extra-operand"),
    (["contacts", "x"], "cli.extra-operand"), (["rooms", "x"], "cli.extra-operand"),
    (["history", "a@b", "--since", "soon"], "cli.bad-time"),
    (["history", "a@b", "--until=2026-02-30"], "cli.bad-time"),
    (["history", "a@b", "--limit", "-1"], "cli.bad-number"),
    (["search", "x", "--limit", "many"], "cli.bad-number"),
    (["history", "a@b", "--limit"], "cli.needs-value"),
    (["unread", "--json=yes"], "cli.takes-no-value"),
    (["search", "x", "--since", "1d"], "cli.option-of-commands"),
    (["history", "a@b", "--in", "c@d"], "cli.option-of-commands"),
    (["search", "a", "--fetch"], "cli.option-of-command"),
    (["contacts", "--total"], "cli.option-of-command"), (["--total"], "cli.option-of-command"),
    (["send", "a@b", "x", "--json"], "cli.option-of-commands"),
    (["unread", "--limit", "3"], "cli.option-of-commands"),
    (["xmpp:a@b", "--json"], "cli.option-of-commands"),
    (["unread", "--local"], "cli.local-without-command"),
    (["import"], "cli.missing-operand"), (["import", ""], "cli.missing-operand"),
    (["import", "--find", "x"], "cli.extra-operand"),
    (["import", "--undo", "1", "x"], "cli.extra-operand"),
    (["import", "--undo", "none"], "cli.bad-import"),
    (["import", "x", "--undo=0"], "cli.bad-import"),
    (["import", "--undo", "1", "--dry-run"], "cli.undo-with"),
    (["import", "--find", "--undo", "1"], "cli.undo-with"),
    (["import", "x", "--as", "irc"], "cli.bad-choice"),
    (["import", "x", "--tz", "Nowhere/City"], "cli.bad-zone"),
    (["import", "x", "--only", "@"], "cli.bad-address"),
    (["import", "x", "--since", "soon"], "cli.bad-time"),
    (["import", "x", "--dry-run=1"], "cli.takes-no-value"),
    (["import", "x", "--limit", "1"], "cli.option-of-commands"),
    (["history", "a@b", "--dry-run"], "cli.option-of-command"),
    (["--find"], "cli.option-of-command"),
  ])
  func `a command line that means nothing is a usage error`(arguments: [String], key: String) {
    #expect {
      _ = try CommandLineOptions.parse(arguments)
    } throws: { ($0 as? UsageError)?.key == key }
  }
}
