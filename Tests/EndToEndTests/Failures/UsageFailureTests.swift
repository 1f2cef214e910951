import Foundation
import TestSupport
import Testing

/// Mistakes on the command line, in files and in the environment.
@Suite(.limitedConcurrency) struct UsageFailureTests {
  let home: Home
  init() throws { home = try Home() }

  func natter(_ arguments: [String], _ more: [String: String] = [:], input: String = "")
    async throws -> CommandRun
  {
    try await CommandRun(
      Programs.natter, arguments, environment: home.environment(more),
      directory: home.home.path, input: input)
  }

  @Test(arguments: [
    (["--nonsense"], "unknown option --nonsense"), (["-x"], "unknown option -x"),
    (["frobnicate"], "unknown command frobnicate"), (["send"], "send: JID is missing"),
    (["login"], "login: JID is missing"), (["accounts", "x"], "unexpected argument x"),
    (["--account"], "--account needs a value"), (["--local=yes"], "takes no value"),
    (["--tls", "maybe"], "auto, starttls, direct, off"), (["--log-level", "loud"], "info, debug"),
    (["--fresh"], "--fresh works only with --local"),
    (["--fresh", "accounts"], "--fresh works only with --local"),
    (["--browser"], "--browser works only with 'login'"),
    (["accounts", "--file", "a"], "--file works only with 'send'"),
    (["--local", "send", "bob@localhost", "hi"], "it cannot be used with 'send'"),
    (["send", "bob@localhost", "hi", "--local"], "it cannot be used with 'send'"),
    (["--local", "accounts"], "it cannot be used with 'accounts'"),
    (["--local", "--fresh", "doctor"], "it cannot be used with 'doctor'"),
    (["--local", "login", "a@b.test"], "it cannot be used with 'login'"),
    (["--print-config", "extra"], "unexpected argument extra"),
    (["--print-keys", "extra"], "unexpected argument extra"),
    (["--help", "mcp"], "unknown command mcp"),
    (["mcp", "--help"], "unknown command mcp"),
    (["--version", "extra"], "unexpected argument extra"),
    (["--account="], "--account needs a value"),
    (["--local", "--tls", "off"], "--tls cannot be used with --local"),
    (["login", "a@b.test", "--account", "c@d.test"], "Name only one."),
  ])
  func `wrong usage is one line, a hint and exit 2`(arguments: [String], words: String)
    async throws
  {
    let run = try await natter(arguments)
    #expect(run.status == .exited(2))
    #expect(run.text == "")
    let lines = run.errorText.split(separator: "\n")
    #expect(lines.count == 2 && lines.first?.contains(words) == true, "\(run.errorText)")
    #expect(lines.last == "Try 'natter --help'.")
    #expect(home.folder.files == [])
  }

  @Test(arguments: ["--help", "--version", "--print-config", "--print-keys"])
  func `output that cannot be printed is no success, unless no one reads on`(option: String)
    async throws
  {
    for (redirection, code) in [("> /dev/full", Int32(74)), ("> >(:)", 0)] {
      let run = try await CommandRun(
        "bash", ["-c", "exec \"$0\" \(option) \(redirection)", Programs.natter],
        environment: home.environment())
      #expect(run.status == .exited(code), "\(redirection)")
      // The version is printed without the files that have the texts.
      let words = option == "--version" ? "No space left on device" : "the disk is full"
      #expect(run.errorText.contains(words) == (code == 74), "\(run.errorText)")
    }
  }

  @Test(arguments: ["mcp", "grant"])
  func `what is not built yet is an unknown command`(name: String) async throws {
    let run = try await natter([name])
    #expect(run.status == .exited(2))
    #expect(run.errorText.contains("unknown command \(name)"))
  }

  @Test(arguments: [
    (["send", "no address at all", "x"], 2 as Int32, "is not a valid address"),
    (["send", "--account", "nobody", "bob@natter.test", "x"], 2, "is not a valid address"),
    (
      ["send", "--account", "a@b.test", "--server", "host:port", "c@d.test", "x"], 2,
      "is not a valid server"
    ),
    (
      ["send", "--account", "a@b.test", "--server", "host:99999", "c@d.test", "x"], 2,
      "is not a valid server"
    ),
    (
      ["send", "--account", "a@b.test", "--server", "[::1", "c@d.test", "x"], 2,
      "is not a valid server"
    ),
    (
      ["send", "--account", "a@b.test", "--server", "a:b:c", "c@d.test", "x"], 2,
      "is not a valid server"
    ),
    (["doctor", "nobody"], 2, "is not a valid address"),
    (["doctor", "--server", "[::1"], 2, "is not a valid server"),
    (
      ["doctor", "a@b.test", "--password-file", "/nowhere/pw"], 2, "/nowhere/pw cannot be read"
    ),
    (["theme", "check", "/nowhere/theme.toml"], 2, "Check its name and its permissions."),
    (["accounts", "--server", "host:99999"], 2, "is not a valid server"),
    (["accounts", "--http-url", "foo"], 2, "foo is not a valid web address"),
    (["accounts", "--account", "nobody"], 2, "nobody is not a valid address"),
    (["logout", "a@b.test", "--ca-file", "/nowhere/ca"], 2, "/nowhere/ca cannot be read"),
    (["send", "--account", "a@b.test", "bob@natter.test", "  "], 2, "no text"),
    (["send", "bob@natter.test", "x"], 77, "no account is signed in"),
    (["send", "--account", "a@b.test", "bob@natter.test", "x"], 77, "no password is stored"),
    (
      ["send", "--account", "a@b.test", "--password-file", "/nowhere/pw", "c@d.test", "x"], 2,
      "/nowhere/pw cannot be read"
    ),
    (
      ["login", "a@b.test", "--ca-file", "/nowhere/ca", "--password-file", "/dev/null"], 2,
      "/nowhere/ca cannot be read"
    ),
    (["login", "a@b.test", "--password-file", "/dev/null"], 2, "no password there"),
    (
      ["login", "a@b.test", "--password-file", "-"], 2, "the first line of standard input is empty"
    ),
    (["login", "a@b.test"], 2, "the password of a@b.test is needed"),
    (["accounts", "--lang", "xx"], 2, "unknown language xx"),
    (["--help", "--lang", "xx"], 2, "unknown language xx"),
    (["--print-config", "--lang", "xx"], 2, "unknown language xx"),
    (["accounts", "--theme", "nightfall"], 2, "unknown theme nightfall. Available: auto, "),
    (["send", "--theme", "nightfall", "bob@natter.test", "x"], 2, "colour-blind"),
    (["--plain", "--local", "--theme", "nightfall"], 2, "unknown theme nightfall"),
    (["doctor", "--theme", "nightfall"], 2, "unknown theme nightfall"),
    (["logout", "a@b.test"], 1, "not one of the accounts"),
    (["logout", "foo"], 2, "foo is not a valid address"),
    (["accounts", "--config", "/nowhere/config.toml"], 78, "/nowhere/config.toml cannot be read"),
    (["accounts", "--profile", "../up"], 2, "is not a valid profile name"),
  ])
  func `what is wrong with an argument is said`(arguments: [String], code: Int32, words: String)
    async throws
  {
    let run = try await natter(arguments)
    #expect(run.status == .exited(code), "\(run.errorText)")
    #expect(run.text == "")
    #expect(run.errorText.contains(words), "\(run.errorText)")
    let last = run.errorText.split(separator: "\n").last
    #expect((last == "Try 'natter --help'.") == (code == 2), "\(run.errorText)")
  }

  @Test(arguments: [
    (["--server", "host:abc"], "is not a valid server"),
    (["--account", "nobody"], "is not a valid address"),
    (["--ca-file", "/nowhere/ca"], "/nowhere/ca cannot be read"),
    (["--ca-file", "/etc/passwd"], "/etc/passwd contains no certificate in PEM form"),
    (["--http-url", "ftp://x"], "ftp://x"),
    (["--account", "a@b.test", "--password-file", "/nowhere/pw"], "/nowhere/pw cannot be read"),
    (["--password-file", "/etc/hostname"], "name it with --account"),
    (["--tls", "off", "--server", "chat.example.org"], "chat.example.org"),
  ])
  func `what is wrong with an option is said before the full screen opens`(
    arguments: [String], words: String
  ) async throws {
    let run = try NatterRun(arguments, home: home)
    #expect(await run.terminal.waitsForEnd(upTo: .seconds(60)) == .exited(2))
    #expect(run.screen.contains(words) && run.screen.contains("Try 'natter --help'."))
    #expect(!String(decoding: run.terminal.rawOutput, as: UTF8.self).contains("\u{1b}[?1049h"))
  }

  @Test func `doctor calls nothing ok that is not there`() async throws {
    let run = try await natter(["doctor", "x@host.invalid"])
    #expect(run.status == .exited(1))
    #expect(
      run.text.contains("[note] account: x@host.invalid: no password is stored."), "\(run.text)")
    let reported = run.text.split(separator: "\n").filter {
      $0.contains("host.invalid: no address was found")
    }
    #expect(reported.count == 1, "\(run.text)")
  }

  @Test(arguments: [("xterm-256color", "256"), ("vt100", "0"), ("xterm", "8")])
  func `doctor on a terminal shows its colours and widths, and leaves nothing behind`(
    type: String, colours: String
  ) async throws {
    let run = try NatterRun(["doctor"], home: home, terminal: type)
    #expect(await run.terminal.waitsForEnd(upTo: .seconds(60)) == .exited(0))
    #expect(run.screen.contains("[ok] colours: \(colours)"), "\(run.screen)")
    #expect(run.screen.contains("] character widths: "), "\(run.screen)")
    #expect(run.terminal.isCooked)
  }

  @Test(arguments: [
    ("linux", "zh_CN.UTF-8", true), ("linux", "C.UTF-8", false), ("xterm", "zh_CN.UTF-8", false),
  ])
  func `doctor reports that the kernel's console has no Chinese`(
    type: String, language: String, isReported: Bool
  ) async throws {
    let run = try await CommandRun(
      Programs.natter, ["doctor"],
      environment: home.environment(terminal: type, language: language))
    #expect(run.text.contains("fbterm") == isReported, "\(run.text)")
    #expect(run.status == .exited(0))
  }

  @Test(arguments: [("", "theme_day"), ("night", "theme_night")])
  func `doctor looks at the theme of the hour`(hour: String, key: String) async throws {
    // Day goes on all day, or has just begun elsewhere: an hour that is not now.
    let now = Int(Date().timeIntervalSince1970) / 3600 % 24
    let day =
      hour == "night"
      ? String(format: "%02d:00-%02d:00", (now + 6) % 24, (now + 8) % 24)
      : String(format: "%02d:00-%02d:00", (now + 22) % 24, (now + 4) % 24)
    try home.folder.write(
      "[ui]\ntheme = \"auto\"\nday_hours = \"\(day)\"\n\(key) = \"own\"\n",
      to: "config/natter/config.toml")
    try home.folder.write("inherits = \"nothing-such\"\n", to: "config/natter/themes/own.toml")
    let run = try await natter(["doctor"])
    #expect(run.text.contains("own.toml"), "\(run.text)")
  }

  @Test func `the printed keys, made one's own, have no mistakes`() async throws {
    let printed = try await natter(["--print-keys"])
    let own = printed.text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      line.hasPrefix("#\"") ? String(line.dropFirst()) : String(line)
    }
    try home.folder.write(own.joined(separator: "\n"), to: "config/natter/keys.toml")
    let doctor = try await natter(["doctor"])
    #expect(!doctor.text.contains("keys.toml"), "\(doctor.text)")
    #expect(doctor.status == .exited(0))
  }

  @Test(arguments: ["doctor", "theme check \"$1\""])
  func `a report that cannot be written is no success`(command: String) async throws {
    let theme = Programs.checkout.appending(path: "Resources/themes/night.toml").path
    for (redirection, fails) in [("> /dev/full", true), ("> /dev/null", false)] {
      let run = try await CommandRun(
        "bash", ["-c", "exec \"$0\" \(command) \(redirection)", Programs.natter, theme],
        environment: home.environment())
      #expect(run.errorText.contains("the disk is full") == fails, "\(run.errorText)")
      if fails { #expect(run.status == .exited(74)) }
    }
  }

  @Test(arguments: [
    "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR",
  ])
  func `a relative directory is named with its variable`(variable: String) async throws {
    let run = try await natter(["accounts"], [variable: "some/where"])
    #expect(run.status == .exited(78))
    #expect(run.errorText.contains(variable) && run.errorText.contains("some/where"))
    #expect(home.folder.files == [])
  }

  @Test func `without themes and languages it says where it looked`() async throws {
    let run = try await natter(["accounts"], ["NATTER_RESOURCES": "/nowhere/share"])
    #expect(run.status == .exited(70))
    #expect(run.errorText.contains("/nowhere/share"))
    #expect(run.errorText.contains("NATTER_RESOURCES"))
    // Half of them are none: a report that says all is well would be false.
    for missing in ["themes", "locales/en"] {
      let half = try home.folder.makeFolder("half-\(missing.prefix(6))")
      let whole = Programs.checkout.appending(path: "Resources")
      for folder in ["themes", "locales"] where !missing.hasPrefix(folder) {
        try FileManager.default.copyItem(
          at: whole.appending(path: folder), to: half.appending(path: folder))
      }
      for command in [["doctor"], ["accounts"], ["--local"]] {
        let run = try await natter(command, ["NATTER_RESOURCES": half.path])
        #expect(run.status == .exited(70), "\(missing) \(command): \(run.text)")
        #expect(run.errorText.contains("Looked in: " + half.path), "\(run.errorText)")
      }
    }
    let version = try await natter(["--version"], ["NATTER_RESOURCES": "/nowhere/share"])
    #expect(version.status == .exited(0))
    #expect(version.text.hasPrefix("natter "))
  }

  @Test func `an unknown theme is named`() async throws {
    let run = try NatterRun(["--theme", "nightfall"], home: home)
    #expect(await run.terminal.waitsForEnd(upTo: .seconds(60)) == .exited(2))
    try await run.shows("unknown theme nightfall", "Try 'natter --help'.")
    #expect(run.terminal.isCooked)
  }

  @Test func `text that is not UTF-8 is refused before anything is sent`() async throws {
    let run = try await CommandRun(
      "bash", ["-c", "printf 'caf\\351' | exec \"$0\" send bob@natter.test", Programs.natter],
      environment: home.environment())
    #expect(run.status == .exited(65))
    #expect(run.errorText.contains("not UTF-8"))
    let empty = try await natter(["send", "bob@natter.test"], input: "\n")
    #expect(empty.status == .exited(2))
    #expect(empty.errorText.contains("there is no text to send"))
  }

  @Test(arguments: [
    (0o755, "[note]", "mode 755, other users can read it"), (0o700, "[ok]", "mode 700"),
  ])
  func `doctor says who can read a directory`(mode: Int, verdict: String, reported: String)
    async throws
  {
    try home.folder.write("", to: "config/natter/config.toml")
    let directory = home.folder.path("config/natter")
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: directory)
    let lines = try await natter(["doctor"]).text.split(separator: "\n")
    let line = try #require(lines.first { $0.contains("\(directory): ") })
    #expect(line.contains(reported) && line.hasPrefix(verdict), "\(line)")
  }

  @Test func `a user who types a message into natter send is shown how to send it`() async throws {
    let run = try PTYProcess(
      Programs.natter, ["send", "bob@natter.test"], environment: home.environment(), rows: 24,
      columns: 100)
    try await run.shows("Ctrl+D sends it")
    run.type("hello\n\u{4}")
    try await run.shows("no account is signed in")
    #expect(await run.waitsForEnd(upTo: .seconds(60)) == .exited(77))
    let list = try PTYProcess(
      Programs.natter, ["accounts"], environment: home.environment(), rows: 24, columns: 100)
    try await list.shows("no account is stored here")
    #expect(await list.waitsForEnd(upTo: .seconds(60)) == .exited(0))
  }

  @Test(
    arguments: [[0xFF, 0xFE, 0x0A], [0x61, 0, 0x62], Array(repeating: 0x61, count: 5000)]
      as [[UInt8]])
  func `a password file that holds none is named`(bytes: [UInt8]) async throws {
    try Data(bytes).write(to: home.folder.url("picture"))
    let run = try await natter([
      "login", "alice@natter.test", "--password-file", home.folder.path("picture"),
    ])
    #expect(run.status == .exited(65))
    #expect(run.errorText.contains("picture is not a password"), "\(run.errorText)")
  }
}
