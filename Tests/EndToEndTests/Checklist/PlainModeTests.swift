import Foundation
import TestSupport
import Testing

/// Line mode: append-only, for screen readers, slow lines and `TERM=dumb`.
@Suite(.limitedConcurrency) struct PlainModeTests {
  @Test(arguments: ["dumb", "xterm-256color", ""])
  func `line mode talks without a single escape byte`(type: String) async throws {
    let home = try Home()
    let run = try PTYProcess(
      Programs.natter, ["--local", "--plain"], environment: home.environment(terminal: type),
      rows: 50, columns: 200)
    try await run.shows("line mode", "Online.", "Natter, to you: Hello me", upTo: .seconds(60))
    run.type("/chat natter@localhost\n")
    try await run.shows("You are talking to", upTo: .seconds(60))
    run.type("keys é日\n")
    try await run.shows("you, to Natter: keys é日", upTo: .seconds(60))
    run.type("/frobnicate\n")
    try await run.shows("no command /frobnicate. Nothing was sent.", upTo: .seconds(60))
    run.type("/quit\n")
    #expect(await run.waitsForEnd(upTo: .seconds(60)) == .exited(0))
    #expect(!PrintedOutput(run.rawOutput).hasEscape)
    #expect(run.screen.malformedBytes == 0)
    #expect(run.isGivenBack())
  }

  @Test(arguments: [
    ("dumb", "the terminal type 'dumb' cannot show a full screen, so this is line mode"),
    ("", "TERM is not set"),
  ])
  func `a terminal that has no full screen gets line mode, and is shown why`(
    type: String, reason: String
  ) async throws {
    let home = try Home()
    let run = try PTYProcess(
      Programs.natter, ["--local"], environment: home.environment(terminal: type), rows: 50,
      columns: 200)
    try await run.shows("line mode, as me@localhost", "Online.", upTo: .seconds(60))
    #expect(run.screen.text(row: 0).hasPrefix("natter: " + reason), "\(run.screen)")
    #expect(run.screen.contains("set TERM to the type of your terminal"))
    run.type("/quit\n")
    #expect(await run.waitsForEnd(upTo: .seconds(60)) == .exited(0))
    #expect(!PrintedOutput(run.rawOutput).hasEscape)
    #expect(run.isGivenBack())
  }

  @Test func `of a terminal type that is unknown natter says to name one that is known`()
    async throws
  {
    let home = try Home()
    let run = try PTYProcess(
      Programs.natter, ["--local"], environment: home.environment(terminal: "unknown"),
      rows: 10, columns: 200)
    try await run.shows(
      "does not know the terminal type 'unknown'. Set TERM to one that it knows, as in TERM=xterm",
      upTo: .seconds(60))
    #expect(await run.waitsForEnd(upTo: .seconds(60)) == .exited(1))
  }

  @Test(arguments: ["no-such-terminal", "xterm-ghostty"])
  func `a terminal type without an entry has the full screen, and natter says whose entry it takes`(
    type: String
  ) async throws {
    let home = try Home()
    let run = try NatterRun.local(home: home, rows: 30, columns: 160, terminal: type)
    try await run.shows("No terminfo entry for TERM=\(type) here: Natter uses xterm-256color.")
    #expect(await run.quit() == .exited(0))
    #expect(run.terminal.isGivenBack())
    let doctor = try PTYProcess(
      Programs.natter, ["doctor"], environment: home.environment(terminal: type), rows: 50,
      columns: 200)
    try await doctor.shows("No terminfo entry for TERM=\(type) here", upTo: .seconds(60))
    #expect(await doctor.waitsForEnd(upTo: .seconds(60)) != nil)
  }

  @Test func `line mode is what natter begins with where the settings say so`() async throws {
    let home = try Home()
    try FileManager.default.createDirectory(at: home.config, withIntermediateDirectories: true)
    try Data("[ui]\nmode = \"plain\"\n".utf8).write(
      to: home.config.appending(path: "config.toml"))
    let run = try PTYProcess(
      Programs.natter, ["--local"], environment: home.environment(terminal: "xterm-256color"),
      rows: 50, columns: 200)
    try await run.shows("line mode, as me@localhost", "Online.", upTo: .seconds(60))
    #expect(run.screen.text(row: 0).contains("natter --screen"), "\(run.screen)")
    run.type("/quit\n")
    #expect(await run.waitsForEnd(upTo: .seconds(60)) == .exited(0))
    #expect(!PrintedOutput(run.rawOutput).hasEscape)
    // The option asks for the full screen, which opens.
    let screen = try NatterRun(["--local", "--screen"], home: home)
    try await screen.waitsOnline()
    #expect(await screen.quit() == .exited(0))
  }

  @Test(.requires(.prosody, .openssl), arguments: ["xterm-256color", "dumb"])
  func `at the first start line mode asks for address and password, and says how to try it out`(
    type: String
  ) async throws {
    let server = try await ProsodyServer(users: ["alice": "geheim ü"])
    let home = try Home()
    let run = try PTYProcess(
      Programs.natter,
      [
        "--plain", "--server", server.address, "--tls", "starttls", "--ca-file",
        server.authority.certificate,
      ], environment: home.environment(terminal: type), rows: 50, columns: 200)
    try await run.shows("You are not signed in yet", "natter --local --plain", "Your address")
    run.type("alice\n")
    try await run.shows("alice is not a valid address")
    run.type("alice@natter.test\n")
    try await run.shows("Password of alice@natter.test:")
    run.type("something else\n")
    // What is typed now is the password once more, and not shown; who mistyped the address gets
    // back to it.
    try await run.shows(
      "Wrong password.", "Password of alice@natter.test (an empty line: another address):",
      upTo: .seconds(60))
    run.type("something else\n")
    try await run.expects("the third question") {
      $0.lines.filter { $0.contains("Password of alice") }.count == 3
    }
    run.type("\n")
    try await run.shows("an empty line keeps alice@natter.test")
    run.type("\n")
    try await run.expects("the last question") {
      $0.lines.filter { $0.contains("Password of alice") }.count == 4
    }
    run.type("geheim ü\n")
    try await run.shows("line mode, as alice@natter.test", "Online.", upTo: .seconds(60))
    #expect(!run.screen.contains("something else") && !run.screen.contains("geheim"))
    run.type("/quit\n")
    #expect(await run.waitsForEnd(upTo: .seconds(60)) == .exited(0))
    // It is remembered.
    let again = try PTYProcess(
      Programs.natter, ["--plain"], environment: home.environment(terminal: type), rows: 50,
      columns: 200)
    try await again.shows("line mode, as alice@natter.test", "Online.", upTo: .seconds(60))
    again.type("/quit\n")
    #expect(await again.waitsForEnd(upTo: .seconds(60)) == .exited(0))
    await server.stop()
  }

  @Test func `a user who gives up at the first start, or has no terminal, is shown what to do`()
    async throws
  {
    let home = try Home()
    let run = try PTYProcess(
      Programs.natter, ["--plain"], environment: home.environment(), rows: 50, columns: 200)
    try await run.shows("Your address")
    run.type("\n")
    #expect(await run.waitsForEnd(upTo: .seconds(60)) == .exited(77))
    #expect(run.screen.contains("no account is signed in"))
    let script = try await CommandRun(
      Programs.natter, ["--plain"], environment: home.environment(), input: "hello\n",
      upTo: .seconds(60))
    #expect(script.status == .exited(77))
    #expect(script.errorText.contains("natter --local --plain"), "\(script.errorText)")
  }

  @Test func `line mode opens the address that it was started with`() async throws {
    let home = try Home()
    let run = try NatterRun(
      ["--local", "--plain", "xmpp:natter@localhost"], home: home, rows: 50, columns: 200)
    try await run.shows("You are talking to", "Online.")
    run.terminal.type("keys\n")
    // The name comes from the list of contacts, which may arrive later.
    try await run.shows(": keys (")
    run.terminal.type("/quit\n")
    #expect(await run.terminal.waitsForEnd(upTo: .seconds(60)) == .exited(0))
  }

  @Test func `a newcomer in line mode answers the guide, whose text is for line mode`()
    async throws
  {
    let home = try Home()
    // Nothing is installed, as in a checkout.
    let run = try NatterRun(
      ["--local", "--plain", "--profile", "work"], home: home, rows: 60, columns: 240,
      environment: ["PATH": Programs.searchPath])
    try await run.shows("You are talking to", "Online.", "Natter, to you: Hello me")
    try await run.shows("Three commands to remember: /help lists them all")
    let shown = run.screen.lines.joined()
    #expect(!shown.contains("F1"), "\(run.screen)")
    // What it says leads to the same server.
    let call = Programs.natter + " --profile work --local --plain --account bob"
    try await run.shows("| " + call)
    #expect(run.screen.lines.contains("| " + call), "\(run.screen)")
    let bob = try PTYProcess(
      "sh", ["-c", "exec " + call],
      environment: home.environment(["PATH": Programs.searchPath]), rows: 60, columns: 240)
    try await bob.shows("as bob@localhost", "Online.", "Natter, to you: Hello bob")
    run.terminal.type("help\n")
    try await run.shows("you, to Natter: help", "Natter, to you: I can tell you about: second")
    bob.type("/msg me@localhost it is me\n")
    try await run.shows("bob@localhost, to you: it is me")
    for terminal in [bob, run.terminal] {
      terminal.type("/quit\n")
      #expect(await terminal.waitsForEnd(upTo: .seconds(60)) == .exited(0))
    }
  }

  @Test func `line mode works without any terminal, and ends with its input`() async throws {
    let home = try Home()
    let run = try await CommandRun(
      Programs.natter, ["--local", "--plain"], environment: home.environment(terminal: ""),
      input: "/help\n", upTo: .seconds(120))
    #expect(run.status == .exited(0))
    #expect(run.text.contains("/chat"))
    #expect(!PrintedOutput(run.output + run.errors).hasEscape)
  }

  @Test(
    arguments: [
      "</dev/null", "<&-", "< <(:)", "< <(printf '/help\\n')", "< <(printf '/help')",
      "< <(sleep 1)",
    ], [["--local"], ["--account", "alice@natter.test"]])
  func `line mode ends with whatever its input is, with a server and without one`(
    input: String, account: [String]
  ) async throws {
    let home = try Home()
    var arguments = ["--plain"] + account
    if !account.contains("--local") {
      try home.folder.write("secret\n", to: "password")
      // Nobody listens.
      arguments += [
        "--password-file", home.folder.path("password"), "--server",
        "127.0.0.1:\(try LoopbackPort.free())", "--tls", "starttls",
      ]
    }
    let run = try await CommandRun(
      "bash", ["-c", "exec \"$0\" \"$@\" \(input)", Programs.natter] + arguments,
      environment: home.environment(terminal: ""), upTo: .seconds(120))
    #expect(run.status == .exited(0), "\(run.errorText)")
    #expect(run.text.contains("/upload") == input.contains("help"), "\(run.text)")
  }

  @Test func `a sign-in that ends names a way on, and the password that goes it is not shown`()
    async throws
  {
    let stage = try await LocalTokenTests.Stage()
    let relay = try FaultRelay(to: stage.web.port)
    let login = try await stage.login(
      ["--http-url", stage.web.address], port: relay.port)
    #expect(login.status == .exited(0), "\(login.errorText)")
    let run = try NatterRun(["--plain"], home: stage.own, rows: 50, columns: 200)
    try await run.shows("Online.")
    run.terminal.type("/chat keeper@localhost\n")
    try await run.shows("You are talking to")
    let kept = try LocalWeb.token(keptIn: stage.own)
    try await stage.web.revoke(try #require(kept.refresh))
    relay.inflict(.drop)
    try await run.shows("The sign-in has expired", "/login signs in again with the password.")
    // What is written meanwhile waits.
    run.terminal.type("for later\n")
    run.terminal.type("/login\n")
    try await run.shows("Password of erin@localhost")
    // The terminal does not report that it shows nothing any more.
    #expect(try await polls(upTo: .seconds(20)) { !run.terminal.isCooked })
    run.terminal.type("geheim\n")
    try await run.expects("online once more") { screen in
      screen.lines.count { $0 == "Online." } == 2
    }
    #expect(run.terminal.isCooked)
    #expect(try LocalWeb.token(keptIn: stage.own).access != kept.access)
    try await stage.keeper.lists("erin", unread: 1)
    run.terminal.type("/quit\n")
    #expect(await run.terminal.waitsForEnd(upTo: .seconds(60)) == .exited(0))
    let output = String(decoding: run.terminal.rawOutput, as: UTF8.self)
    #expect(!output.contains("geheim") && !PrintedOutput(run.terminal.rawOutput).hasEscape)
    #expect(await stage.keeper.quit() == .exited(0))
  }

  @Test func `the second instance learns which one has the account, and can take it over`()
    async throws
  {
    let home = try Home()
    let first = try NatterRun(["--local", "--plain"], home: home, rows: 50, columns: 200)
    try await first.shows("Online.")
    let piped = try await CommandRun(
      Programs.natter, ["--local", "--plain"], environment: home.environment(terminal: ""),
      input: "/help\n", upTo: .seconds(120))
    #expect(piped.status == .exited(1))
    #expect(
      piped.errorText.contains("another Natter (process \(first.terminal.child.identifier)) uses")
        && piped.errorText.contains("Quit that one and start again"), "\(piped.errorText)")
    let shy = try NatterRun(["--local", "--plain"], home: home, rows: 50, columns: 200)
    try await shy.shows("Take over? The other one saves everything and quits. [y/N]")
    shy.terminal.type("\n")
    #expect(await shy.terminal.waitsForEnd(upTo: .seconds(60)) == .exited(1))
    let second = try NatterRun(["--local", "--plain"], home: home, rows: 50, columns: 200)
    try await second.shows("[y/N]")
    second.terminal.type("y\n")
    try await second.shows("Online.")
    #expect(await first.terminal.waitsForEnd(upTo: .seconds(60)) == .exited(128 + SIGTERM))
    try await first.shows(
      "(process \(second.terminal.child.identifier)) has taken over me@localhost")
    second.terminal.type("/quit\n")
    #expect(await second.terminal.waitsForEnd(upTo: .seconds(60)) == .exited(0))
  }

  @Test(arguments: [SIGINT, SIGHUP])
  func `line mode that is ended by a signal leaves in order`(signal: Int32) async throws {
    let home = try Home()
    let run = try NatterRun(["--local", "--plain"], home: home, rows: 50, columns: 200)
    try await run.shows("Online.")
    run.terminal.signal(signal)
    #expect(await run.terminal.waitsForEnd(upTo: .seconds(60)) == .exited(128 + signal))
    await run.examinesDatabases(#_sourceLocation)
  }
}
