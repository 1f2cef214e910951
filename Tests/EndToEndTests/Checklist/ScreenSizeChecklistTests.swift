import Foundation
import TestSupport
import Testing

/// Statements 4, 5 and 9 to 12: what is on the screen, at every size.
@Suite(.limitedConcurrency) struct ScreenSizeChecklistTests {
  @Test func `4: the first 80x24 screen on an empty HOME names the next step without scrolling`()
    async throws
  {
    let run = try NatterRun([], home: Home(), rows: 24, columns: 80)
    try await run.shows("Welcome to Natter", "Enter next", "Esc skip")
    let first = run.screen
    // All of it: title, keys and frame, nothing pushed off.
    #expect(first.find("Welcome to Natter")?.row ?? 99 < 3)
    #expect(first.contains("F1") && first.contains("^Q"))
    #expect(!first.contains("PgDn more"))
    run.terminal.press(.escape)
    try await run.shows("Sign in", "Address", "Password", "New account", "^Q quit")
    #expect(await run.quit() == .exited(0))
  }

  @Test func `the guide's first page changes the language and the theme at once, and keeps both`()
    async throws
  {
    let home = try Home()
    let run = try NatterRun([], home: home, rows: 24, columns: 80)
    try await run.shows("[>Next<]", "Language", "< automatic: English >", "Theme")
    // From the button up to the choices.
    for label in ["Screen", "Theme", "Language"] {
      run.terminal.press(.up)
      try await run.shows(">\(label)")
    }
    run.terminal.press(.right)
    try await run.shows("< English >")
    run.terminal.press(.right)
    try await run.shows("Bienvenue dans Natter   1/4", ">Langue", "< Français >")
    run.terminal.press(.down)
    try await run.shows(">Thème")
    let before = run.screen.style(of: "Bienvenue")
    // Some theme of those there are has other colours.
    run.terminal.press(.right)
    try await run.hides("< Automatique >")
    run.terminal.press(.right)
    try await run.expects("another theme") { $0.style(of: "Bienvenue") != before }
    let settings = try String(
      contentsOf: home.folder.url("config/natter/config.toml"), encoding: .utf8)
    #expect(settings.contains("language = \"fr\"") && settings.contains("theme = "))
    run.terminal.press(.escape)
    try await run.shows("Se connecter")
    #expect(await run.quit() == .exited(0))
  }

  @Test func `5: a first message can be sent without editing a file`() async throws {
    let run = try NatterRun([], home: Home(), rows: 24, columns: 80)
    try await run.shows("Welcome to Natter", "Enter next")
    // Each key waits for what the one before has led to: half a page is no page.
    for page in 2...4 {
      run.terminal.press(.right)
      try await run.shows("Welcome to Natter   \(page)/4", Self.buttonOfPage(page))
    }
    // The keys that a newcomer finds: through the choices to the last one.
    for choice in ["New account", "Try it here"] {
      run.terminal.press(.tab)
      try await run.shows("[>\(choice)<]")
    }
    run.terminal.press(.enter)
    try await run.openGuide()
    try await run.say("hello")
    try await run.shows("you    hello", tick: "✓✓")
    #expect(await run.quit() == .exited(0))
  }

  /// Returns the element with the focus on a page of the guide, which is drawn last.
  private static func buttonOfPage(_ page: Int) -> String { page == 4 ? "[>Sign in<]" : "[>Next<]" }

  @Test func `9: at 80x24 list, conversation and input are visible together`() async throws {
    let run = try await NatterRun.chatting()
    let screen = run.screen
    #expect(screen.text(row: 2, columns: 0..<21).contains("1 ● Natter"))
    #expect(screen.text(row: 1, columns: 22..<80).contains("Natter"))
    #expect(screen.lines.contains { $0.contains("│") && $0.contains("Hello me, and welcome") })
    #expect(NatterRun.inputText(screen) == "")
    #expect(screen.lines.contains { $0.contains("> Write a message") })
    #expect(screen.isCursorVisible)
    #expect(await run.quit() == .exited(0))
  }

  @Test func `10: at 40x15 the messages get at least 36 of 40 columns`() async throws {
    let run = try await NatterRun.chatting()
    run.terminal.resize(rows: 15, columns: 40)
    try await run.type(String(repeating: "w", count: 30))
    run.terminal.press(.control("u"))
    try await run.say(String(repeating: "word ", count: 30))
    try await run.shows("word", tick: "✓✓")
    run.terminal.press(.control("l"))
    try await run.expects("messages as wide as the screen") { screen in
      let rows = screen.lines.filter { $0.contains("word") }
      let widest = rows.map { $0.split(separator: " ").count }.max() ?? 0
      return rows.count > 3 && !screen.lines.contains { $0.contains("│") } && widest > 3
        // A rule or the ticks end at the right edge of the messages, text begins at the left.
        && (rows.map(\.count).max() ?? 0) >= 38 && screen.lines.contains { $0.hasPrefix(" ") }
    }
    // What has no blanks shows how many columns there are: the time's margin and the text have 36
    // at least.
    try await run.say(String(repeating: "m", count: 120))
    try await run.expects("rows of one message up to the right edge") { screen in
      screen.lines.filter { $0.hasPrefix("      mm") && $0.hasSuffix("m") && $0.count >= 36 }.count
        >= 2
    }
    #expect(await run.quit() == .exited(0))
  }

  @Test func `11: at 20x5 it does not crash and says that it needs more room`() async throws {
    let run = try await NatterRun.chatting(home: NatterRun.homeOnQuickLine())
    let before = Picture(await run.terminal.settles())
    run.terminal.resize(rows: 5, columns: 20)
    try await run.shows("needs")
    #expect(run.screen.description.contains("20x5"))
    // Smaller still, down to nothing to draw on.
    for (rows, columns) in [(2, 5), (1, 1), (1, 80), (30, 1), (5, 20)] {
      run.terminal.resize(rows: rows, columns: columns)
    }
    run.terminal.resize(rows: 24, columns: 80)
    try await run.looks(like: before)
    #expect(await run.quit() == .exited(0))
  }

  @Test(arguments: [["--local"], []])
  func `11: it starts at 20x5 and comes up when there is room`(arguments: [String]) async throws {
    let run = try NatterRun(arguments, home: Home(), rows: 5, columns: 20)
    let small = "20x5"
    try await run.shows("needs", small)
    run.terminal.resize(rows: 24, columns: 80)
    try await run.shows(arguments.isEmpty ? "Welcome to Natter" : "Natter")
    try await run.hides(small)
    run.terminal.resize(rows: 5, columns: 20)
    try await run.shows(small)
    if arguments.isEmpty {
      // The sign-in form keeps what was typed.
      run.terminal.resize(rows: 24, columns: 80)
      try await run.shows("Welcome to Natter", "Esc skip")
      run.terminal.press(.escape)
      try await run.shows("Sign in", "Address")
      run.terminal.type("alice@natter.test")
      // What it says of the address is on the screen whole, and the cursor is back in the field.
      try await run.shows("alice@natter.test", "will contact natter.test")
      let form = Picture(await run.terminal.settles())
      run.terminal.resize(rows: 7, columns: 29)
      try await run.shows("needs", "29x7")
      try await run.hides("alice@natter.test")
      run.terminal.resize(rows: 24, columns: 80)
      try await run.looks(like: form)
      run.terminal.resize(rows: 5, columns: 20)
      try await run.shows(small)
    }
    // Also there one gets out.
    #expect(await run.quit() == .exited(0))
    #expect(run.terminal.isGivenBack())
  }

  @Test func `12: 40 resizes in a second, then back: the screen is identical`() async throws {
    let run = try await NatterRun.chatting(home: NatterRun.homeOnQuickLine())
    try await run.adds("half a sentence", toHave: "half a sentence")
    let before = Picture(await run.terminal.settles())
    for number in 0..<40 {
      run.terminal.resize(rows: 5 + number * 7 % 40, columns: 20 + number * 13 % 130)
    }
    run.terminal.resize(rows: 24, columns: 80)
    try await run.looks(like: before)
    // Nothing that was on its way draws over it.
    try await run.adds(".", toHave: "half a sentence.")
    run.terminal.press(.backspace)
    try await run.looks(like: before)
    #expect(run.screen.unknown == [])
    #expect(await run.quit() == .exited(0))
  }
}
