import Foundation
import TestSupport
import Testing

/// Settings for text and for those who hear the screen, with a client that others wrote at the
/// other end.
@Suite(.requires(.slixmpp), .limitedConcurrency) struct TextSettingsTests {
  func run(_ settings: String, rows: Int = 24, columns: Int = 80) async throws -> NatterRun {
    let home = try Home()
    try FileManager.default.createDirectory(at: home.config, withIntermediateDirectories: true)
    try Data(("[ui]\n" + settings + "\n").utf8).write(
      to: home.config.appending(path: "config.toml"))
    let run = try NatterRun.local(home: home, rows: rows, columns: columns)
    try await run.waitsOnline()
    return run
  }

  @Test func `emoji are names where the user wants that, and what is sent stays as it is`()
    async throws
  {
    let run = try await run("emoji = \"names\"")
    try await run.terminal.opensGuide()
    let bob = try await run.peer("bob")
    try await run.open(chat: "bob@localhost")
    try await bob.send("well done 👍🏽 🇫🇷", to: "me@localhost")
    try await run.shows("well done :thumbs_up: :flag_fr:")
    run.terminal.type("thanks 🎉")
    try await run.shows("> thanks :tada:")
    run.terminal.press(.enter)
    try await bob.message { $0.body == "thanks 🎉" }
    try await run.shows("you    thanks :tada:")
    #expect(await run.quit() == .exited(0))
    await bob.signOut()
  }

  @Test func `text from right to left is put in order where the terminal does not`() async throws {
    let run = try await run("bidi = \"natter\"")
    try await run.terminal.opensGuide()
    let bob = try await run.peer("bob")
    try await run.open(chat: "bob@localhost")
    let (shalom, turned) = ("\u{5E9}\u{5DC}\u{5D5}\u{5DD}", "\u{5DD}\u{5D5}\u{5DC}\u{5E9}")
    try await bob.send("\(shalom) 12 ok", to: "me@localhost")
    try await run.shows("ok 12 \(turned)")
    try await bob.send("left (\(shalom)) right", to: "me@localhost")
    try await run.shows("left (\(turned)) right")
    #expect(run.screen.malformedBytes == 0 && run.screen.unknown == [])
    #expect(await run.quit() == .exited(0))
    await bob.signOut()
  }

  @Test(arguments: [(24, 80), (15, 40), (40, 120)])
  func `for a screen reader there is text alone, new messages are announced in a line`(
    rows: Int, columns: Int
  ) async throws {
    let run = try await run("screen_reader = true", rows: rows, columns: columns)
    // The guide's conversation is open, and what it has said is there: bob's will be another one.
    try await run.expects("the guide's conversation") { screen in
      screen.contains("Natter") && screen.contains("Write a message")
        && (screen.contains("Hello me") || screen.contains("help\"."))
    }
    let bob = try await run.peer("bob")
    // It goes after a while: it is looked for before it can come.
    async let reported: Void = run.shows("bob: are you there?")
    try await bob.send("are you there?", to: "me@localhost")
    try await reported
    for _ in 0..<2 {
      run.terminal.press(.enter)
      try await run.shows("Write a message")
      #expect(!run.screen.description.contains { "│─┌┐└┘═".contains($0) })
    }
    // The cursor is where typing goes, and on the selected row of the list.
    run.terminal.type("typed")
    try await run.expects("the cursor where it was typed") {
      $0.text(row: $0.cursor.row).contains("> typed")
    }
    run.terminal.press(.control("u"), .escape)
    try await run.expects("the cursor on the selected row") {
      $0.text(row: $0.cursor.row).hasPrefix(">") && $0.cursor.column == 0 && $0.contains("DIRECT")
    }
    #expect(run.screen.isCursorVisible)
    #expect(await run.quit() == .exited(0))
    await bob.signOut()
  }

  @Test func `new messages are announced in the status line where the user wants that`()
    async throws
  {
    let run = try await run("announce = true")
    try await run.terminal.opensGuide()
    let bob = try await run.peer("bob")
    // It goes after a while: it is looked for before it can come.
    async let reported: Void = run.shows("bob: are you there?")
    try await bob.send("are you there?", to: "me@localhost")
    try await reported
    #expect(await run.quit() == .exited(0))
    await bob.signOut()
  }

  @Test func `on a slow line nothing is shown beside the conversation until the user asks`()
    async throws
  {
    let run = try await run("slow_link = \"on\"", rows: 40, columns: 120)
    try await run.shows("Write a message", "online")
    #expect(!run.screen.contains("DIRECT"))
    #expect(run.screen.text(row: 0).firstMatch(of: /\d\d:\d\d/) == nil)
    run.terminal.press(.alt("s"))
    try await run.shows("DIRECT")
    run.terminal.press(.alt("s"))
    try await run.hides("DIRECT")
    #expect(await run.quit() == .exited(0))
  }

  @Test(arguments: [("full", true), ("safe", false), ("auto", false)])
  func `emoji of several characters are drawn whole where that is wanted`(
    unicode: String, isWhole: Bool
  ) async throws {
    let run = try await run("unicode = \"\(unicode)\"")
    let bob = try await run.peer("bob")
    try await bob.send("from 👨‍👩‍👧 with ❤️.", to: "me@localhost")
    try await run.open(chat: "bob@localhost")
    // This terminal gives each part its columns: the text behind is covered where they are one
    // cluster.
    try await run.shows("bob    from")
    // The cells are written first, and the glyphs after them.
    if isWhole { try await run.terminal.prints("❤️\u{1B}8", upTo: .seconds(60)) }
    #expect(await run.quit() == .exited(0))
    let output = String(decoding: run.terminal.rawOutput, as: UTF8.self)
    #expect(output.contains("👨‍👩‍👧\u{1B}8") == isWhole)
    #expect(output.contains("❤️\u{1B}8") == isWhole)
    await bob.signOut()
  }

  @Test
  func `the terminal is asked for its widths once, and the page About shows what it says`()
    async throws
  {
    let run = try await run("")
    try await run.terminal.opensGuide()
    let asked = String(decoding: run.terminal.rawOutput, as: UTF8.self)
      .matches(of: /\u{1b}\[6n/).count
    #expect(asked == 5)
    // What was drawn for it is gone, and nothing of the answers was taken for keys.
    #expect(!run.screen.contains("❤"))
    try await run.inputHolds("")
    run.terminal.press(.f(6))
    try await run.shows("Appearance")
    run.terminal.type("G")
    try await run.shows("Character widths", "lines 1")
    #expect(run.screen.unknown == [])
    #expect(await run.quit() == .exited(0))
  }

  @Test
  func `letters that take two columns are counted so, and nothing behind them is shifted`()
    async throws
  {
    let run = try await run("ambiguous_width = \"wide\"")
    let bob = try await run.peer("bob")
    let text = "“Привет, αβγ” and"
    try await bob.send("\(text) so on.", to: "me@localhost")
    try await run.open(chat: "bob@localhost")
    run.terminal.type("жд+")
    // The letters go at once, above blanks for all of their columns.
    try await run.shows("αβγ”     and so on.", "жд  +")
    let shows: @Sendable (VirtualTerminal) -> Bool = { glass in
      glass.contains("\(text) so on.") && glass.contains("жд+")
        && !glass.description.contains { "│─═●".contains($0) }
    }
    // This terminal gives them one column; one that does not shows them in their columns.
    var glass = VirtualTerminal(rows: 24, columns: 80)
    glass.widened = Set("“”ПриветαβγждÉéèàêç…–—’".unicodeScalars)
    glass.feed(Array(run.terminal.rawOutput))
    #expect(shows(glass), "\(glass)")
    let column = try #require(glass.find("so on.")).column - (try #require(glass.find(text))).column
    #expect(column == text.unicodeScalars.count + 1 + 11)
    #expect(await run.quit() == .exited(0))
    await bob.signOut()
  }

  @Test func `where lines take two columns there are none, and the whole screen is drawn anew`()
    async throws
  {
    // One that is not asked: the answers come from here.
    let run = try NatterRun.local(home: Home(), rows: 24, columns: 80, terminal: "vt320")
    try await run.terminal.opensGuide()
    #expect(run.screen.contains("│"))
    run.terminal.type("\u{1b}[2;2R" + String(repeating: "\u{1b}[2;3R", count: 4))
    try await run.expects("no lines any more") { screen in
      !screen.description.contains { "│─═●".contains($0) } && screen.contains("Write a message")
        && screen.contains("|")
    }
    // Otherwise the text behind a line would stay a column too far to the right.
    let output = String(decoding: run.terminal.rawOutput, as: UTF8.self)
    let cleared = output.ranges(of: "\u{1b}[H\u{1b}[2J")
    #expect(cleared.count == 2)
    #expect(try !output[#require(cleared.last).upperBound...].contains("─"))
    #expect(await run.quit() == .exited(0))
  }

  @Test func `a setting of the screen holds at once, and the position stays`() async throws {
    let run = try await run("")
    try await run.terminal.opensGuide()
    try await run.adds("half", toHave: "half")
    run.terminal.press(.f(6))
    try await run.shows("Appearance")
    run.terminal.press(.enter)
    run.terminal.press(.control("o"))
    try await run.shows("Go to or run")
    run.terminal.type("Setting: Lines")
    try await run.shows("Lines and symbols")
    run.terminal.press(.enter)
    try await run.shows("automatic: what")
    // They go round: one press too many would be the first one again.
    for value in ["unicode", "ascii"] {
      run.terminal.press(.right)
      try await run.shows("In config.toml: \(value)")
    }
    try await run.expects("no lines any more") { screen in
      !screen.description.contains { "│─".contains($0) } && screen.contains("Lines and symbols")
    }
    run.terminal.press(.f(2))
    try await run.shows("> half", "|")
    #expect(await run.quit() == .exited(0))
  }
}
