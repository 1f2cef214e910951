import Foundation
import Storage
import TestSupport
import Testing

/// The commands that print what is stored, without a connection.
@Suite(.limitedConcurrency) struct HeadlessTests {
  let stored: StoredHome
  init() throws { stored = try StoredHome() }

  /// Every command that reads, with what it needs.
  private static let commands = [
    ["unread"], ["unread", "--total"], ["history", "bob@natter.test"], ["search", "tea"],
    ["contacts"], ["rooms"], ["export", "--format", "text"],
  ]

  /// What each command prints.
  private static let printed: [(arguments: [String], expected: String)] = [
    (["unread"], "2 tea@rooms.natter.test @1\n1 bob@natter.test\n"),
    (["unread", "--total"], "3\n"),
    (["unread", "--total", "--json"], "{\"unread\":3,\"mentions\":1}\n"),
    (
      ["unread", "--json"],
      #"""
      {"account":"me@natter.test","conversation":"tea@rooms.natter.test","kind":"room",\#
      "name":"Tea room","unread":2,"mentions":1,"last":"2026-11-28T10:03:00.000000Z"}
      {"account":"me@natter.test","conversation":"bob@natter.test","kind":"direct",\#
      "unread":1,"mentions":0,"last":"2026-11-28T10:01:30.000000Z"}

      """#
    ),
    (
      ["history", "bob@natter.test"],
      """
      2026-11-28 10:00:00 Bob  hello
      2026-11-28 10:01:00 you  yes
      2026-11-28 10:01:30 Bob  good tea

      """
    ),
    (["history", "--limit", "1", "bob@natter.test"], "2026-11-28 10:01:30 Bob  good tea\n"),
    (
      ["history", "bob@natter.test", "--until", "2026-11-28T10:01:00Z"],
      "2026-11-28 10:00:00 Bob  hello\n"
    ),
    (["history", "bob@natter.test", "--until", "2026-11-27"], ""),
    (
      ["history", "bob@natter.test", "--since=2026-11-28T10:01:01Z", "--until=2026-11-28"],
      "2026-11-28 10:01:30 Bob  good tea\n"
    ),
    (
      ["history", "tea@rooms.natter.test"],
      """
      2026-11-28 10:02:00 carol  me: \u{FFFD}[31mtea?
          or coffee
      2026-11-28 10:03:00 carol  green tea

      """
    ),
    (
      ["history", "--json", "--limit=1", "tea@rooms.natter.test"],
      #"""
      {"id":"5","account":"me@natter.test","conversation":"tea@rooms.natter.test","kind":"room",\#
      "from":"tea@rooms.natter.test/carol","nick":"carol","direction":"in",\#
      "at":"2026-11-28T10:03:00.000000Z","body":"green tea","delayed":false,"origin_id":"o180"}

      """#
    ),
    (
      ["search", "TEA"],
      """
      2026-11-28 10:03:00 tea@rooms.natter.test carol  green tea
      2026-11-28 10:01:30 bob@natter.test Bob  good tea

      """
    ),
    (
      ["search", "tea", "green", "--in", "tea@rooms.natter.test"],
      "2026-11-28 10:03:00 tea@rooms.natter.test carol  green tea\n"
    ),
    (
      ["search", "--limit", "1", "tea"],
      "2026-11-28 10:03:00 tea@rooms.natter.test carol  green tea\n"
    ),
    (
      ["search", "--json", "--limit=1", "tea"],
      #"""
      {"id":"5","account":"me@natter.test","conversation":"tea@rooms.natter.test","kind":"room",\#
      "from":"tea@rooms.natter.test/carol","nick":"carol","direction":"in",\#
      "at":"2026-11-28T10:03:00.000000Z","body":"green tea","delayed":false,"origin_id":"o180"}

      """#
    ),
    (["contacts"], "bob@natter.test\tBob\n"),
    (
      ["contacts", "--json"],
      #"""
      {"account":"me@natter.test","address":"bob@natter.test","name":"Bob","groups":["Friends"],\#
      "subscription":"both","pending":false}

      """#
    ),
    (["rooms"], "tea@rooms.natter.test\tTea room\n"),
    (
      ["rooms", "--json"],
      #"""
      {"account":"me@natter.test","conversation":"tea@rooms.natter.test","kind":"room",\#
      "name":"Tea room","unread":2,"mentions":1,"last":"2026-11-28T10:03:00.000000Z",\#
      "nick":"me","autojoin":true}

      """#
    ),
  ]

  @Test(arguments: printed)
  func `a command prints what is stored, and changes nothing`(
    arguments: [String], expected: String
  ) async throws {
    try await stored.fill()
    let before = try stored.state
    let run = try await stored.run(arguments)
    #expect(run.text == expected)
    #expect(run.status == .exited(0) && run.errorText == "", "\(run.errorText)")
    #expect(try stored.state == before)
  }

  @Test func `times are local, and those for programs are in UTC`() async throws {
    try await stored.fill()
    let run = try await stored.run(
      ["history", "bob@natter.test", "--limit=1"], ["TZ": "XXX-05:30"])
    #expect(run.text == "2026-11-28 15:31:30 Bob  good tea\n")
    let day = try await stored.run(
      ["history", "bob@natter.test", "--since=15:31", "--json"], ["TZ": "XXX-05:30"])
    #expect(day.status == .exited(0), "\(day.errorText)")
    let json = try await stored.run(
      ["history", "bob@natter.test", "--limit=1", "--json"], ["TZ": "XXX-05:30"])
    #expect(json.text.contains(#""at":"2026-11-28T10:01:30.000000Z""#))
  }

  @Test func `text in another language stays in lines for people`() async throws {
    try await stored.fill()
    let run = try await stored.run("--lang", "fr", "history", "bob@natter.test")
    #expect(run.text.contains(" vous  yes"), "\(run.text)")
  }

  @Test(arguments: commands)
  func `without an account it ends as send does`(arguments: [String]) async throws {
    let home = try Home()
    let run = try await CommandRun(Programs.natter, arguments, environment: home.environment())
    #expect(run.status == .exited(77))
    #expect(run.errorText.contains("natter login JID"))
    #expect(run.text == "" && home.folder.files == [])
  }

  @Test func `a request that cannot be right needs neither an account nor a password`()
    async throws
  {
    // One has no account, the other no data and no password of the account.
    for home in [try Home(), stored.home] {
      for (arguments, text) in [
        (["presence.set", #"{"availability":"never"}"#], "The value of availability"),
        (["no.method"], "no such method"),
      ] {
        let run = try await CommandRun(
          Programs.natter, ["call"] + arguments, environment: home.environment())
        #expect(run.status == .exited(2) && run.text == "")
        #expect(run.errorText.contains(text), "\(run.errorText)")
      }
    }
  }

  /// Mistakes, with the exit code and a part of the sentence for each.
  private static let mistakes: [(arguments: [String], code: Int32, text: String)] = [
    (["history", "nobody@natter.test"], 1, "no conversation with nobody@natter.test"),
    (["history", "no address"], 2, "not a valid address"),
    (["search", "coffee", "milk"], 1, ""), (["search", "tea", "--in", "x@y.test"], 1, ""),
    (["search", "tea", "--in", "no address"], 2, "not a valid address"),
    (["search", "tea", "before:soon"], 2, "not valid: before:soon"),
    (["history", "bob@natter.test", "--since", "soon"], 2, "invalid time soon for --since"),
    (["history", "bob@natter.test", "--limit", "x"], 2, "invalid number x for --limit"),
    (["unread", "--in", "x"], 2, "--in works only with these commands: search, scripts"),
    (["send", "bob@natter.test", "x", "--json"], 2, "unread, history, search"),
    (["unread", "--account", "typo@natter.test"], 77, "typo@natter.test is not one"),
    (["export", "nobody@natter.test"], 1, "no conversation with nobody@natter.test"),
    (["export", "no address"], 2, "not a valid address"),
    (["export", "--format", "mbox"], 2, "jsonl, text, html"),
    (["export", "--format", "archive"], 2, "name it with --output"),
    (["export", "--output", "/none/a.txt"], 1, "/none/a.txt"),
    (["tail", "--since=1h", "--after=5"], 2, "either --since or --after"),
    (["tail", "no address"], 2, "not a valid address"), (["call"], 2, "METHOD"),
    (["call", "rooms.list", "[]"], 2, "not a JSON object"),
    (["call", "rooms.join", "{}"], 2, "The value of conversation"),
    (["serve", "--socket", "--offline"], 2, "--socket=PATH"),
    (["unread", "--offline"], 2, "--offline works only with 'serve'"),
  ]

  @Test(arguments: mistakes)
  func `exit codes say what was wrong`(
    arguments: [String], code: Int32, text: String
  ) async throws {
    try await stored.fill()
    let run = try await stored.run(arguments)
    #expect(run.status == .exited(code))
    #expect(run.text == "" && run.errorText.hasPrefix(text.isEmpty ? "" : "natter: "))
    #expect(text.isEmpty || run.errorText.contains(text), "\(run.errorText)")
    #expect(run.errorText.isEmpty == text.isEmpty)
  }

  @Test func `messages that are not searched yet are reported`() async throws {
    try await stored.fill()
    try await alter("UPDATE search_progress SET missing_up_to = 3")
    let run = try await stored.run("search", "tea")
    #expect(run.text == "2026-11-28 10:03:00 tea@rooms.natter.test carol  green tea\n")
    #expect(run.status == .exited(0))
    #expect(
      run.errorText.hasPrefix(
        "natter: me@natter.test: messages up to 2026-11-28 10:01:30 are not searched yet."),
      "\(run.errorText)")
    // In one conversation all are.
    let here = try await stored.run("search", "tea", "--in", "bob@natter.test")
    #expect(here.text == "2026-11-28 10:01:30 bob@natter.test Bob  good tea\n")
    #expect(here.errorText == "")
  }

  @Test(arguments: commands)
  func `output that cannot be written ends with 74`(arguments: [String]) async throws {
    try await stored.fill()
    let run = try await CommandRun(
      "sh", ["-c", "exec \"$0\" \"$@\" > /dev/full", Programs.natter] + arguments,
      environment: stored.home.environment())
    #expect(run.status == .exited(74), "\(run.errorText)")
    #expect(run.errorText.contains("standard output could not be written"))
  }

  @Test(arguments: commands)
  func `a database that cannot be read ends with 65, and stays as it is`(arguments: [String])
    async throws
  {
    for (change, text) in [
      ("INSERT INTO schema_migration VALUES (9999, '9999 later')", "written by a newer version"),
      ("DELETE FROM schema_migration WHERE number > 1", "used by an older version"),
      ("PRAGMA application_id = 7", "another program's database"),
    ] {
      try? FileManager.default.removeItem(atPath: stored.database)
      try await stored.fill()
      try await alter(change)
      try await expectRefusal(arguments, text)
    }
    try Data("this was a database once, and is none".utf8).write(
      to: URL(filePath: stored.database))
    try await expectRefusal(arguments, "is damaged")
  }

  /// Changes the database with SQL.
  private func alter(_ sql: String) async throws {
    try await CommandRun.check(
      "python3",
      [
        "-c",
        "import sqlite3, sys; d = sqlite3.connect(sys.argv[1]); d.execute(sys.argv[2]); d.commit();"
          + " d.close()", stored.database, sql,
      ])
  }

  private func expectRefusal(_ arguments: [String], _ text: String) async throws {
    let before = try stored.state
    let run = try await stored.run(arguments)
    #expect(run.status == .exited(65) && run.text == "", "\(run.errorText)")
    #expect(run.errorText.contains(text), "\(run.errorText)")
    #expect(run.errorText.contains(stored.database))
    #expect(try stored.state == before)
  }

  @Test func `a reader that goes away ends it with 0, and a signal ends it as a shell says`()
    async throws
  {
    try await stored.fill { account in
      let body = String(repeating: "x", count: 500)
      _ = try await account.messages.insert(
        (0..<2000).map { stored.message("\($0) \(body)", at: Double($0)) },
        countsUnread: { _ in false })
    }
    let history = ["history", "--limit", "0", "bob@natter.test"]
    let script = """
      "$@" | head -n 1; echo "ended with ${PIPESTATUS[0]}"
      "$@" >&-; echo "ended with $?"
      """
    let shell = try await CommandRun(
      "bash", ["-c", script, "bash", Programs.natter] + history,
      environment: stored.home.environment())
    let lines = shell.text.split(separator: "\n")
    #expect(lines.count == 3 && shell.errorText == "", "\(shell.errorText)")
    #expect(lines[0].hasPrefix("2026-11-28 10:00:00 bob@natter.test  0 xxx"))
    #expect(lines[1...] == ["ended with 0", "ended with 0"])

    // Nobody reads: it waits until its pipe has room.
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    defer { for end in ends { close(end) } }
    let null = open("/dev/null", O_RDWR | O_CLOEXEC)
    defer { close(null) }
    let child = try ChildProcess(
      Programs.natter, history, environment: stored.home.environment(),
      descriptors: (null, ends[1], null))
    let size = fcntl(ends[0], 1032)  // F_GETPIPE_SZ
    try #require(size > 0)
    let isFull = try await polls {
      var count: Int32 = 0
      return ioctl(ends[0], UInt(FIONREAD), &count) == 0 && count > size / 2
    }
    #expect(isFull)
    child.signal(SIGINT)
    #expect(await child.waitsForEnd(upTo: .seconds(60)) == .signalled(SIGINT))
  }

  @Test(arguments: commands)
  func `it needs no HOME, and writes nowhere`(arguments: [String]) async throws {
    try await stored.fill()
    let before = try stored.state
    let run = try await stored.run(arguments, ["HOME": "", "TERM": "", "XDG_STATE_HOME": "/none"])
    #expect(run.status == .exited(0) && !run.text.isEmpty, "\(run.errorText)")
    let lost = try await stored.run(arguments, ["HOME": "", "XDG_DATA_HOME": ""])
    #expect(lost.status == .exited(78) && lost.errorText.contains("HOME"), "\(lost.errorText)")
    // A home that cannot be written.
    let folders = [stored.home.data.path, stored.home.data.appending(path: "accounts").path]
    for folder in folders { chmod(folder, 0o500) }
    defer { for folder in folders { chmod(folder, 0o700) } }
    let start = try StorageFailureTests().bound(arguments)
    let bound = try await CommandRun(
      start.program, start.arguments, environment: stored.home.environment())
    #expect(bound.status == .exited(0) && bound.text == run.text, "\(bound.errorText)")
    for folder in folders { chmod(folder, 0o700) }
    #expect(try Set(stored.state.keys) == Set(before.keys))
  }

  @Test func `many at once beside a full screen have all it has stored`() async throws {
    let home = try Home()
    let screen = try NatterRun.local(home: home)
    try await screen.openGuide()
    let arguments = ["--account", "me@localhost"]
    for number in 1...5 {
      try await HistoryReaders.haveAll(20, beside: screen, in: home, after: "line number \(number)")
    }
    let search = try await CommandRun(
      Programs.natter, ["search", "number"] + arguments, environment: home.environment())
    #expect(search.text.split(separator: "\n").filter { $0.contains("line number") }.count >= 5)
    #expect(await screen.quit() == .exited(0))
    let after = try await CommandRun(
      Programs.natter, ["history", "natter@localhost"] + arguments, environment: home.environment())
    #expect(after.text.contains("you  line number 5\n"))
    // No log is left behind.
    let names = home.folder.files.filter {
      $0.contains("/accounts/") && ($0.hasSuffix("-wal") || $0.hasSuffix("-shm"))
    }
    #expect(names == [])
  }
}
