import Foundation
import TestSupport
import Testing

/// Statements 25, 34 to 36, 39 and 40: what the program does to the terminal, and how it leaves it.
@Suite(.limitedConcurrency) struct TerminalChecklistTests {
  /// A shell that gave the terminal a title, then became Natter: as a person's terminal is.
  func titled(_ home: Home, _ environment: [String: String] = [:]) async throws -> PTYProcess {
    let run = try PTYProcess(
      "sh",
      [
        "-c", "ulimit -c 0; printf '\\033]2;before\\007'; exec \"$1\" --local", "sh",
        Programs.natter,
      ], environment: home.environment(environment))
    try await run.opensGuide()
    return run
  }

  /// Of the two, only the first asks the program, which leaves the screen as ^Z does.
  @Test(arguments: [SIGTSTP, SIGSTOP])
  func `25: stopped from outside and continued, it goes on`(signal: Int32) async throws {
    let home = try Home()
    try home.folder.write("set enable-bracketed-paste off\n", to: "inputrc")
    // A shell that sets the terminal as it likes it, and leaves it so to what it continues.
    let shell = try PTYProcess(
      "bash", ["--norc", "--noprofile", "-i"],
      environment: home.environment([
        "PS1": "prompt> ", "HISTFILE": "/dev/null", "INPUTRC": home.folder.path("inputrc"),
        "NATTER": Programs.natter,
      ]))
    try await shell.shows("prompt> ", upTo: .seconds(60))
    shell.type("\"$NATTER\" --local\n")
    try await shell.opensGuide()
    let inside = await shell.settles()
    let process = try #require(child(of: shell.child.identifier))
    for _ in 1...2 {
      kill(process, signal)
      #expect(try await polls(upTo: .seconds(30)) { isStopped(process) })
      try await shell.shows("Stopped", "prompt> ", upTo: .seconds(60))
      if signal == SIGTSTP {
        #expect(!shell.screen.isAlternate && shell.screen.isCursorVisible)
        #expect(shell.screen.modes.subtracting([7, 12, 25, 1]) == [])
      }
      // In the background it stops again, and the screen stays the shell's.
      shell.type(
        "clear; bg; until jobs >\"$HOME/jobs\"; grep -q Stopped \"$HOME/jobs\"; do sleep .1; done; echo st$((1 + 1))ll\n"
      )
      try await shell.shows("st2ll", upTo: .seconds(60))
      #expect(try await polls(upTo: .seconds(30)) { isStopped(process) })
      shell.type("echo hi$((1 + 1))\n")
      try await shell.shows("hi2", "st2ll", upTo: .seconds(60))
      shell.type("stty icanon echo; clear; fg\n")
      try await shell.looks(like: Picture(inside))
      // A mode may be written behind what is drawn.
      try await shell.expects("its modes", upTo: .seconds(20)) {
        $0.modes == inside.modes && $0.isAlternate
      }
      #expect(try await polls(upTo: .seconds(20)) { !shell.isCooked })
    }
    shell.type("awake")
    try await shell.expects("what was typed", upTo: .seconds(60)) {
      NatterRun.inputText($0) == "awake"
    }
    shell.press(.control("q"))
    try await shell.expects("the shell", upTo: .seconds(60)) {
      !$0.isAlternate && $0.contains("prompt> ")
    }
    shell.type("clear; echo code $?\n")
    try await shell.shows("code 0", upTo: .seconds(60))
    shell.type("exit\n")
    #expect(await shell.waitsForEnd(upTo: .seconds(60)) == .exited(0))
  }

  /// The first one that a process has started and that is still there.
  func child(of process: pid_t) -> pid_t? {
    let path = "/proc/\(process)/task/\(process)/children"
    return (try? String(contentsOfFile: path, encoding: .utf8))?.split(separator: " ").first
      .flatMap { pid_t($0) }
  }

  func isStopped(_ process: pid_t) -> Bool {
    (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8))?.contains(") T ")
      == true
  }

  @Test func `on exit the terminal is given back, with its title`() async throws {
    let run = try await titled(Home())
    #expect(run.screen.title.contains("Natter"))
    #expect(run.screen.modesEverSet.isSuperset(of: [1049, 2004]))
    run.press(.control("q"))
    #expect(await run.waitsForEnd(upTo: .seconds(60)) == .exited(0))
    #expect(run.isGivenBack(title: "before"))
  }

  @Test(arguments: [SIGTERM, SIGHUP, SIGINT, SIGQUIT])
  func `36: a signal ends it, terminal restored, draft kept, no orphan`(signal: Int32) async throws
  {
    let home = try Home()
    let run = try await NatterRun.chatting(home: home)
    let server = try #require(run.home.localServer?.pid)
    try await run.adds("unsent", toHave: "unsent")
    run.terminal.signal(signal)
    #expect(await run.terminal.waitsForEnd(upTo: .seconds(60)) == .exited(128 + signal))
    #expect(run.terminal.isGivenBack())
    #expect(await waitsUntilGone(server))
    let again = try run.startsAgain(rows: 24, columns: 80)
    try await again.waitsOnline()
    again.terminal.press(.alt("1"))
    try await again.inputHolds("unsent")
    #expect(await again.quit() == .exited(0))
  }

  @Test func `36: closing the terminal ends it and leaves no orphan`() async throws {
    let run = try await NatterRun.chatting()
    let server = try #require(run.home.localServer?.pid)
    run.terminal.hangUp()
    let status = await run.terminal.child.waitsForEnd(upTo: .seconds(60))
    // The end of the input and the signal come at once; whichever is first decides.
    #expect(status == .exited(128 + SIGHUP) || status == .exited(0))
    #expect(await waitsUntilGone(server))
  }

  @Test(arguments: [SIGTERM, SIGHUP])
  func `36: a signal ends it within 3 s also where the terminal takes nothing`(
    signal: Int32
  ) async throws {
    let isQuick = try await Pace.holds(.seconds(3)) {
      let run = try await NatterRun.chatting()
      try await run.adds("unsent", toHave: "unsent")
      run.terminal.haltReading()
      #expect(
        try await polls(upTo: .seconds(60)) {
          run.terminal.press(.control("l"))
          return run.terminal.isFull
        })
      let taken = await Pace.time {
        run.terminal.signal(signal)
        #expect(await run.terminal.child.waitsForEnd(upTo: .seconds(30)) == .exited(128 + signal))
      }
      run.terminal.haltReading(false)
      await run.terminal.waitsForEnd()
      #expect(run.terminal.isGivenBack())
      let again = try run.startsAgain(rows: 24, columns: 80)
      try await again.waitsOnline()
      again.terminal.press(.alt("1"))
      try await again.inputHolds("unsent")
      #expect(await again.quit() == .exited(0))
      return taken
    }
    #expect(isQuick)
  }

  /// Endings of a running program.
  enum Farewell: CaseIterable { case termination, closedTerminal }

  @Test(arguments: Farewell.allCases, [false, true])
  func `36: it ends within 3 s, also where the server no longer answers`(
    farewell: Farewell, isFrozen: Bool
  ) async throws {
    let isQuick = try await Pace.holds(.seconds(3)) {
      let run = try await NatterRun.chatting()
      let server = try #require(run.home.localServer?.pid)
      if isFrozen { kill(server, SIGSTOP) }
      defer { if isFrozen { kill(server, SIGCONT) } }
      let taken = await Pace.time {
        switch farewell {
        case .termination: run.terminal.signal(SIGTERM)
        case .closedTerminal: run.terminal.hangUp()
        }
        #expect(await run.terminal.child.waitsForEnd(upTo: .seconds(60)) != nil)
      }
      if farewell == .termination {
        await run.terminal.waitsForEnd()
        #expect(run.terminal.isGivenBack())
      }
      if isFrozen { kill(server, SIGCONT) }
      #expect(await waitsUntilGone(server))
      return taken
    }
    #expect(isQuick)
  }

  @Test func `36: closing the terminal ends line mode, too, and leaves no orphan`() async throws {
    let run = try NatterRun(["--local", "--plain"], home: Home())
    try await run.shows("Online.")
    let server = try #require(run.home.localServer?.pid)
    run.terminal.hangUp()
    #expect(await run.terminal.child.waitsForEnd(upTo: .seconds(60)) != nil)
    #expect(await waitsUntilGone(server))
  }

  @Test(arguments: [SIGSEGV, SIGABRT, SIGILL, SIGBUS])
  func `a crash gives the terminal back`(signal: Int32) async throws {
    // Where Swift's own crash report is installed, it would ask what to do next.
    let home = try Home()
    let run = try await titled(home, ["SWIFT_BACKTRACE": "enable=no"])
    run.signal(signal)
    let status = await run.waitsForEnd(upTo: .seconds(60))
    #expect(status == .signalled(signal))
    #expect(run.isGivenBack(title: "before"))
    try expectReport(of: signal, in: home)
    // It is printed after the sequences that restore the terminal, so it is where the shell
    // continues.
    expectCrashNotice(String(decoding: run.rawOutput, as: UTF8.self), home)
  }

  /// One file that only its owner can read, with numbers in it.
  private func expectReport(of signal: Int32, in home: Home) throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: home.state.path)
    let reports = names.filter { $0.hasPrefix("crash-") }
    let name = try #require(reports.first)
    #expect(reports.count == 1)
    #expect(name.wholeMatch(of: /crash-\d{10,}\.txt/) != nil)
    let file = home.state.appending(path: name).path
    let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    // A program that was linked with a build id has a line for it.
    let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
      .filter { $0.wholeMatch(of: /build [0-9a-f]+/) == nil }
    #expect(lines.first?.hasPrefix("natter ") == true && lines.count > 2)
    #expect(lines.dropFirst().first == "signal \(signal)")
    for line in lines.dropFirst(2) {
      #expect(line.wholeMatch(of: /(natter\+|library )0x[0-9a-f]+/) != nil, "\(line)")
    }
  }

  private func expectCrashNotice(_ output: String, _ home: Home) {
    let words =
      "natter: Natter has crashed. This is a bug in Natter.\r\n  A report, without anything"
    let position = "is in \(home.state.path)/crash-"
    let reported = output.split(separator: "\u{1B}").last.map(String.init) ?? ""
    #expect(reported.contains(words) && reported.contains(position), "\(reported.suffix(400))")
    #expect(reported.hasSuffix(".txt\r\n"))
  }

  @Test func `a crash of line mode leaves a report, too`() async throws {
    let home = try Home()
    let run = try NatterRun(
      ["--local", "--plain"], home: home, environment: ["SWIFT_BACKTRACE": "enable=no"])
    try await run.shows("Online.", "answer me if you like")
    // All of the greeting is there: what comes at the same moment would be printed behind the
    // report.
    run.terminal.signal(SIGSEGV)
    #expect(await run.terminal.waitsForEnd(upTo: .seconds(60)) == .signalled(SIGSEGV))
    try expectReport(of: SIGSEGV, in: home)
    expectCrashNotice(String(decoding: run.terminal.rawOutput, as: UTF8.self), home)
  }

  @Test(arguments: [
    (["--theme", "no-such-theme"], "xterm-256color"), (["--config", "/no/such/file"], "xterm"),
    (["--local"], "unknown"),
  ])
  func `on an error before the screen the terminal was never touched`(
    arguments: [String], type: String
  ) async throws {
    let home = try Home()
    let run = try PTYProcess(
      Programs.natter, arguments, environment: home.environment(terminal: type))
    let status = try #require(await run.waitsForEnd(upTo: .seconds(60)))
    #expect([.exited(1), .exited(2), .exited(78)].contains(status))
    #expect(run.screen.text(row: 0).hasPrefix("natter: "))
    #expect(!PrintedOutput(run.rawOutput).hasEscape)
    #expect(run.isGivenBack())
  }

  @Test func `on an error in the screen the terminal is given back`() async throws {
    let home = try Home()
    try home.folder.write(
      String(repeating: "no database ", count: 1000), to: "data/natter/accounts/me@localhost.db")
    let run = try NatterRun.local(home: home)
    try await run.shows("damaged", ">Quit<")
    run.terminal.press(.escape)
    #expect(await run.terminal.waitsForEnd(upTo: .seconds(60)) == .exited(1))
    #expect(run.terminal.isGivenBack())
  }

  /// Goes through most of what there is to see.
  func lookAround(_ run: NatterRun) async throws {
    try await run.say("keys")
    try await run.shows("Enter sends, Ctrl+J")
    try await run.enter("/frobnicate")
    try await run.shows("Unknown command")
    run.terminal.press(.control("u"), .f1)
    try await run.shows("Help: ")
    run.terminal.press(.escape)
    try await run.hides("Help: ")
    try await run.enter("/logout")
    try await run.shows("Sign out of ")
    run.terminal.press(.escape)
    try await run.hides("Sign out of ")
  }

  @Test func `34: with NO_COLOR there is no colour in the output`() async throws {
    let run = try await NatterRun.chatting(environment: ["NO_COLOR": "1", "COLORTERM": "truecolor"])
    try await lookAround(run)
    #expect(await run.quit() == .exited(0))
    #expect(PrintedOutput(run.terminal.rawOutput).colourSequences == [])
  }

  @Test func `34: without NO_COLOR there is colour, so the test above can fail`() async throws {
    let run = try await NatterRun.chatting()
    #expect(await run.quit() == .exited(0))
    #expect(PrintedOutput(run.terminal.rawOutput).colourSequences != [])
  }

  @Test(arguments: ["vt100", "xterm-mono"])
  func `35: a terminal without colour works and gets none`(type: String) async throws {
    let run = try NatterRun.local(home: Home(), rows: 24, columns: 80, terminal: type)
    try await run.openGuide()
    try await run.say("keys")
    try await run.shows("Enter sends, Ctrl+J")
    run.terminal.press(.f1)
    try await run.shows("Help: ")
    run.terminal.press(.control("g"))
    try await run.hides("Help: ")
    #expect(run.screen.unknown == [])
    #expect(await run.quit() == .exited(0))
    #expect(PrintedOutput(run.terminal.rawOutput).colourSequences == [])
    #expect(run.terminal.isGivenBack())
    // What vt100 does not know, it is not sent.
    if type == "vt100" { #expect(run.screen.modesEverSet.isSubset(of: [1, 3, 4, 5, 6, 7, 8])) }
  }

  @Test func `35: plain xterm works`() async throws {
    let run = try NatterRun.local(home: Home(), rows: 24, columns: 80, terminal: "xterm")
    try await run.openGuide()
    try await run.say("keys")
    try await run.shows("Enter sends, Ctrl+J")
    #expect(await run.quit() == .exited(0))
    #expect(run.terminal.isGivenBack())
  }

  @Test(arguments: [
    ["LANG": "C"], ["LANG": ""], ["LC_ALL": "POSIX"], ["LANG": "de_DE.ISO-8859-1"],
    ["LC_ALL": "xx_XX.no-such-locale"],
  ])
  func `39: without a UTF-8 locale, UTF-8 text is still shown and typed`(locale: [String: String])
    async throws
  {
    let run = try await NatterRun.chatting(environment: locale)
    try await run.adds("é 日本 Ж 👍!", toHave: "é 日本 Ж 👍!")
    run.terminal.press(.backspace, .backspace, .enter)
    try await run.shows("you    é 日本 Ж", tick: "✓✓")
    #expect(run.screen.malformedBytes == 0)
    #expect(await run.quit() == .exited(0))
  }

  @Test func `40: a typed letter costs at most 20 bytes`() async throws {
    let run = try await NatterRun.chatting()
    let mark = run.terminal.outputCount
    let text = "the quick brown fox jumps over"
    // One at a time: what is typed at once may be drawn at once.
    try await run.type(text)
    let printed = run.terminal.outputCount - mark
    // The placeholder goes at the first, and the clock may strike in between.
    #expect(printed <= 20 * text.count + 60)
    #expect(await run.quit() == .exited(0))
  }

  @Test(arguments: TerminalDescription.testable)
  func `40: while nothing happens nothing is printed and no process wakes up`(
    terminal: TerminalDescription
  ) async throws {
    let run = try await NatterRun.chatting(terminal: terminal.name)
    // Another process shows how long that is: a program that polls wakes up between the beats.
    let heart = try PTYProcess(
      "sh", ["-c", "while :; do sleep 0.1; printf .; done"],
      environment: ["PATH": Programs.searchPath])
    let process = run.terminal.child.identifier
    var fewest = Int.max
    for _ in 0..<60 {
      let (beats, printed, wakes) = (
        heart.outputCount, run.terminal.outputCount, wakes(of: process)
      )
      #expect(await heart.waits(upTo: .seconds(60)) { _ in heart.outputCount >= beats + 15 })
      guard run.terminal.outputCount == printed else { continue }
      fewest = min(fewest, self.wakes(of: process) - wakes)
      if fewest <= 1 { break }
    }
    #expect(fewest <= 1)
    #expect(run.terminal.status == nil)
    #expect(await run.quit() == .exited(0))
  }

  /// Returns the number of times that the threads of a process have gone to sleep.
  func wakes(of process: pid_t) -> Int {
    let folder = "/proc/\(process)/task"
    let threads = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return threads.reduce(0) { sum, thread in
      let status =
        (try? String(contentsOfFile: "\(folder)/\(thread)/status", encoding: .utf8)) ?? ""
      let line = status.split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt_switches:") }
      return sum + (line.flatMap { Int($0.split(separator: "\t").last ?? "") } ?? 0)
    }
  }
}
