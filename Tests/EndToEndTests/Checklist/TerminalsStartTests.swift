import Foundation
import TestSupport
import Testing

/// The checklist (interface.md, "Checklist") on each of the terminals that people have: the start,
/// and what it leaves behind.
@Suite(.limitedConcurrency) struct TerminalsStartTests {
  @Test(arguments: TerminalDescription.testable)
  func `1, 2, 3: outside of a terminal it ends at once, whatever TERM says`(
    terminal: TerminalDescription
  ) async throws {
    let home = try Home()
    for (arguments, code) in [(["--version"], Int32(0)), (["--frobnicate"], 2), (["--local"], 1)] {
      let run = try await CommandRun(
        Programs.natter, arguments, environment: home.environment(terminal: terminal.name),
        upTo: .seconds(120))
      #expect(run.status == .exited(code))
      #expect(!PrintedOutput(run.output + run.errors).hasEscape)
      #expect(run.output.isEmpty == (code != 0) && run.errors.isEmpty == (code == 0))
    }
    #expect(home.folder.files == [])
  }

  @Test(arguments: TerminalDescription.testable)
  func `4, 5, 7, 10, 20, 40: from nothing to a message, and nothing sent by mistake`(
    terminal: TerminalDescription
  ) async throws {
    let home = try Home()
    let run = try NatterRun(
      [], home: home, rows: 24, columns: 80, terminal: terminal.name,
      environment: [
        "XDG_CONFIG_HOME": "", "XDG_DATA_HOME": "", "XDG_STATE_HOME": "", "XDG_CACHE_HOME": "",
        "XDG_RUNTIME_DIR": "",
      ])
    // 4: the next step, on the first screen, all of it.
    try await run.shows("Welcome to Natter", "Enter next", "Esc skip", "F1", "^Q")
    #expect(run.screen.find("Welcome to Natter")?.row ?? 99 < 3)
    #expect(!run.screen.contains("PgDn more"))
    // 5: with the keys that it names to a message.
    for page in 2...4 {
      run.terminal.press(.right)
      try await run.shows(
        "Welcome to Natter   \(page)/4", page == 4 ? "[>Sign in<]" : "[>Next<]")
    }
    for choice in ["New account", "Try it here"] {
      run.terminal.press(.tab)
      try await run.shows("[>\(choice)<]")
    }
    run.terminal.press(.enter)
    try await run.openGuide()
    try await run.say("keys")
    try await run.shows("you    keys", tick: terminal.readTick)
    try await run.shows("Enter sends, Ctrl+J")

    // 40: what a letter costs.
    let mark = run.terminal.outputCount
    let text = "the quick brown fox jumps over"
    try await run.type(text)
    #expect(run.terminal.outputCount - mark <= 20 * text.count + 60)
    run.terminal.press(.control("u"))
    try await run.inputHolds("")

    // 20: a paste is no message. Without brackets, it is all that one read brings.
    run.terminal.paste("alpha\nbeta\ngamma\n")
    try await run.shows("alpha", "beta", "gamma")
    run.terminal.press(.control("u"), .control("c"))
    try await run.inputHolds("")
    try await run.say("help")
    try await run.shows("you    help", tick: terminal.readTick)
    #expect(!run.screen.lines.contains { $0.contains("you    alpha") })

    // 10: how much of a small screen the messages have.
    run.terminal.resize(rows: 15, columns: 40)
    try await run.expects("the conversation as a page") { $0.text(row: 1).hasPrefix("< Natter") }
    try await run.say(String(repeating: "m", count: 120))
    try await run.expects("rows of one message up to the right edge") { screen in
      screen.lines.filter { $0.hasPrefix("      mm") && $0.hasSuffix("m") && $0.count >= 36 }.count
        >= 2
    }
    #expect(run.screen.unknown == [] && run.screen.malformedBytes == 0)
    // 7: what is there now is in its folders, and for nobody else.
    try home.expectOwnFoldersOnly()
    #expect(await run.quit() == .exited(0))
    #expect(run.terminal.isGivenBack())
  }

  @Test(
    arguments: TerminalDescription.testable,
    [
      ("fr_FR", "Bienvenue dans Natter", "Échap passer"),
      ("zh_CN", "欢迎使用 Natter", "Esc 跳过"),
    ])
  func `39: the interface is in the language that LANG names`(
    terminal: TerminalDescription, language: (tag: String, title: String, hint: String)
  ) async throws {
    let run = try NatterRun(
      [], home: Home(), rows: 24, columns: 80, terminal: terminal.name, language: language.tag)
    try await run.shows(language.title, language.hint)
    #expect(run.screen.malformedBytes == 0 && run.screen.unknown == [])
    #expect(await run.quit() == .exited(0))
    #expect(run.terminal.isGivenBack())
  }

  @Test(arguments: TerminalDescription.testable)
  func `25, 35, 39: ^Z and fg bring everything back, also without a UTF-8 locale`(
    terminal: TerminalDescription
  ) async throws {
    let home = try Home()
    try home.folder.write("set enable-bracketed-paste off\n", to: "inputrc")
    let shell = try PTYProcess(
      "bash", ["--norc", "--noprofile", "-i"],
      environment: home.environment(
        terminal: terminal.name, language: "C",
        [
          "PS1": "prompt> ", "HISTFILE": "/dev/null", "INPUTRC": home.folder.path("inputrc"),
          "NATTER": Programs.natter,
        ]))
    try await shell.shows("prompt> ", upTo: .seconds(60))
    shell.type("printf '\\033]2;before\\007'; stty -a >\"$HOME/../stty\"; echo go$((1 + 1))\n")
    try await shell.shows("go2", upTo: .seconds(60))
    shell.type("\"$NATTER\" --local\n")
    try await shell.opensGuide()
    shell.type("é 日本 Ж 👍")
    try await shell.expects("what was typed", upTo: .seconds(60)) {
      NatterRun.inputText($0) == "é 日本 Ж 👍"
    }
    let inside = await shell.settles()
    #expect(inside.title.contains("Natter") == terminal.can(.xtermModes))
    #expect(inside.hasColour == terminal.can(.colour))

    for number in 1...2 {
      shell.press(.control("z"))
      try await shell.expects("the shell", upTo: .seconds(60)) { screen in
        let stops = screen.lines.filter { $0.contains("Stopped") }.count
        // Where there is one screen only, Natter has written over what the shell had before.
        return !screen.isAlternate && stops == (terminal.can(.alternateScreen) ? number : 1)
      }
      #expect(shell.screen.modes.subtracting([7, 12, 25, 1]) == [])
      #expect(shell.screen.isCursorVisible && shell.screen.title == "before")
      shell.type("stty -a | diff - \"$HOME/../stty\" && echo same$((\(number) + 4))\n")
      try await shell.shows("same\(number + 4)", upTo: .seconds(60))
      shell.type("fg\n")
      try await shell.looks(like: Picture(inside))
      #expect(shell.screen.modes == inside.modes)
      #expect(shell.screen.isAlternate == terminal.can(.alternateScreen))
    }
    shell.type("!")
    try await shell.expects("what was typed, and more", upTo: .seconds(60)) {
      NatterRun.inputText($0) == "é 日本 Ж 👍!"
    }
    #expect(PrintedOutput(shell.rawOutput).colourSequences.isEmpty != terminal.can(.colour))
    #expect(shell.screen.malformedBytes == 0)
    shell.press(.control("q"))
    try await shell.expects("the shell", upTo: .seconds(60)) {
      !$0.isAlternate && $0.contains("prompt> ")
    }
    shell.type("echo code $?\n")
    try await shell.shows("code 0", upTo: .seconds(60))
    #expect(shell.screen.title == "before" && !shell.screen.isAlternate)
    shell.type("exit\n")
    #expect(await shell.waitsForEnd(upTo: .seconds(60)) == .exited(0))
  }
}

extension TerminalDescription {
  /// The mark behind a message that the other side has read or received.
  var readTick: String { can(.wideGlyphs) ? "✓✓" : "vv" }
}

extension Home {
  /// Checks that HOME has nothing but XDG's folders, and that only the user can read their content.
  func expectOwnFoldersOnly(sourceLocation: SourceLocation = #_sourceLocation) throws {
    let manager = FileManager.default
    let top = try manager.contentsOfDirectory(atPath: home.path)
    #expect(
      Set(top).isSubset(of: [".config", ".local", ".cache"]), sourceLocation: sourceLocation)
    for name in try manager.contentsOfDirectory(atPath: home.appending(path: ".local").path) {
      #expect(["share", "state"].contains(name), sourceLocation: sourceLocation)
    }
    var secrets = 0
    for name in try manager.subpathsOfDirectory(atPath: home.path) where name.contains("natter") {
      var status = stat()
      // The database's companions come and go.
      guard lstat(home.appending(path: name).path, &status) == 0 else { continue }
      let isFolder = status.st_mode & S_IFMT == S_IFDIR
      #expect(
        status.st_mode & 0o077 == 0, "\(name): \(String(status.st_mode & 0o777, radix: 8))",
        sourceLocation: sourceLocation)
      if !isFolder, name.hasSuffix("natter/credentials") {
        secrets += 1
        #expect(status.st_mode & 0o777 == 0o600, sourceLocation: sourceLocation)
      }
    }
    #expect(secrets == 1, sourceLocation: sourceLocation)
  }
}
