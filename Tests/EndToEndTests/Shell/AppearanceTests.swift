import Foundation
import TestSupport
import Testing

/// Themes, clock, motion and frames, on the program as it runs.
@Suite(.limitedConcurrency) struct AppearanceTests {
  private func run(
    ui: String, home: Home? = nil, rows: Int = 24, columns: Int = 80,
    environment: [String: String] = [:]
  ) async throws -> NatterRun {
    let home = try home ?? Home()
    try home.folder.write("[ui]\n\(ui)\n", to: "config/natter/config.toml")
    let run = try NatterRun.local(
      home: home, rows: rows, columns: columns, environment: environment)
    try await run.openGuide()
    return run
  }

  private static let text = "Hello me, and welcome"

  // MARK: Themes

  @Test
  func `a theme's file is read again when it changes; a broken one says where, and the old stays`()
    async throws
  {
    func theme(_ color: String) -> String {
      "name = \"Mine\"\ninherits = \"night\"\n[roles]\n\"text\" = \"\(color)\"\n"
    }
    let home = try Home()
    let file = "config/natter/themes/mine.toml"
    try home.folder.write(theme("#ff0000"), to: file)
    let run = try await run(
      ui: "theme = \"mine\"", home: home, environment: ["COLORTERM": "truecolor"])
    let red = try #require(run.screen.style(of: Self.text))
    #expect(red.foreground == .rgb(255, 0, 0))
    // After an editor, the terminal has the focus again.
    func comesBack() {
      run.terminal.type("\u{1b}[O")
      run.terminal.type("\u{1b}[I")
    }
    try home.folder.write(theme("#00ff00"), to: file)
    comesBack()
    try await run.expects("another colour") {
      $0.style(of: Self.text).map { $0.foreground != red.foreground } ?? false
    }
    let green = try #require(run.screen.style(of: Self.text))
    try home.folder.write(theme("no colour at all"), to: file)
    comesBack()
    try await run.shows("The theme mine has a mistake: themes/mine.toml:4:")
    #expect(run.screen.style(of: Self.text) == green)
    // Mended, it is taken.
    try home.folder.write(theme("#ff0000"), to: file)
    comesBack()
    try await run.expects("the first colour") { $0.style(of: Self.text) == red }
    #expect(await run.quit() == .exited(0))
  }

  @Test func `a theme that has come is found the first time that the user looks for it`()
    async throws
  {
    let home = try Home()
    let run = try await run(ui: "theme = \"night\"", home: home)
    // The list of those that there were has been made.
    run.terminal.type("\u{0F}theme dracula")
    try await run.shows("/theme dracula")
    run.terminal.type("\u{07}")
    try home.folder.write(
      "name = \"Quite New\"\ninherits = \"night\"\n", to: "config/natter/themes/quitenew.toml")
    run.terminal.type("\u{0F}theme quitenew")
    try await run.shows("/theme quitenew")
    run.terminal.type("\u{07}")
    #expect(await run.quit() == .exited(0))
  }

  @Test
  func `a theme and a language that are asked for by name are kept, beside --theme they are not`()
    async throws
  {
    let home = try Home()
    func settings() throws -> String {
      try String(contentsOfFile: home.folder.path("config/natter/config.toml"), encoding: .utf8)
    }
    let run = try await run(ui: "# mine\ntheme = \"auto\" # so far", home: home, columns: 120)
    try await run.enter("/theme dracula")
    try await run.shows("Saved.")
    #expect(try settings() == "[ui]\n# mine\ntheme = \"dracula\" # so far\n")
    run.terminal.press(.f(6))
    try await run.shows("Appearance")
    try await run.marks(page: "Theme")
    run.terminal.press(.enter)
    try await run.shows("[ ] follow the terminal")
    try await run.expects("the mark at what is kept") { screen in
      (0..<24).map { screen.text(row: $0) }.contains { $0.contains("*") && $0.contains("Dracula") }
    }
    run.terminal.press(.f(2))
    try await run.enter("/theme")
    try await run.shows("Saved.")
    #expect(try settings().contains("theme = \"auto\" # so far"))
    try await run.enter("/lang fr")
    try await run.shows("Écrivez un message", "Enregistré.")
    #expect(try settings().contains("language = \"fr\""))
    #expect(await run.quit() == .exited(0))
    let before = try settings()
    let given = try NatterRun(["--local", "--theme", "day", "--lang", "en"], home: home)
    try await given.shows(Self.text)
    for (line, option) in [("/theme dracula", "--theme"), ("/lang zh", "--lang")] {
      try await given.enter(line)
      try await given.shows(option)
    }
    #expect(try settings() == before)
    #expect(await given.quit() == .exited(0))
  }

  @Test func `by the hours it is day or night, and hours that are changed meanwhile hold at once`()
    async throws
  {
    func hours(from: Int, to: Int) -> String {
      // Far from now in both directions, wherever the test is.
      let hour = Calendar.current.component(.hour, from: Date())
      func text(_ offset: Int) -> String { String(format: "%02d:00", (hour + offset + 24) % 24) }
      return "theme = \"auto\"\nday_hours = \"\(text(from))-\(text(to))\""
    }
    let home = try Home()
    let run = try await run(ui: hours(from: -6, to: 6), home: home)
    let day = try #require(run.screen.style(of: Self.text))
    // What the terminal says of its background changes nothing then.
    run.terminal.type("\u{1b}]11;rgb:0000/0000/0000\u{1b}\\")
    try await run.adds("x", toHave: "x")
    #expect(run.screen.style(of: Self.text) == day)
    try home.folder.write(
      "[ui]\n\(hours(from: 6, to: 12))\n", to: "config/natter/config.toml")
    run.terminal.type("\u{1b}[O")
    run.terminal.type("\u{1b}[I")
    try await run.expects("the theme of the night") {
      $0.style(of: Self.text).map { $0 != day } ?? false
    }
    #expect(await run.quit() == .exited(0))
  }

  @Test func `a theme is tried on its page, made one's own, and kept`() async throws {
    let home = try Home()
    let run = try await run(ui: "theme = \"night\"", home: home)
    let night = try #require(run.screen.style(of: Self.text))
    run.terminal.press(.f(6))
    try await run.shows("Appearance")
    try await run.marks(page: "Theme")
    run.terminal.press(.enter)
    try await run.shows("> Theme   [ ] follow the terminal", "Natter Night", "Preview", "Colours: ")
    let before = try #require(run.screen.style(of: "Profile"))
    for key in [TerminalKey.text("g")] + Array(repeating: TerminalKey.down, count: 20)
    where !run.screen.contains("> ✓ Natter Day") {
      let position = run.screen.cursor
      run.terminal.press(key)
      try await run.expects("the mark at another theme") { $0.cursor != position }
    }
    try await run.expects("the theme of the day") { screen in
      screen.contains("> ✓ Natter Day") && screen.style(of: "Profile") != before
    }
    run.terminal.press(.escape)
    try await run.expects("the colours of before") { $0.style(of: "Profile") == before }
    run.terminal.type("a")
    try await run.shows("New theme", "A copy of")
    run.terminal.type("warm")
    run.terminal.press(.enter)
    try await run.shows("warm is created.")
    run.terminal.press(.enter)
    try await run.shows("Saved.")
    run.terminal.type("d")
    try await run.shows("At night, the automatic theme is warm.")
    let file = home.folder.path("config/natter/themes/warm.toml")
    let text = try String(contentsOfFile: file, encoding: .utf8)
    #expect(text.contains("name = \"warm\"") && text.contains("[roles]"))
    let settings = try String(
      contentsOfFile: home.folder.path("config/natter/config.toml"), encoding: .utf8)
    #expect(settings.contains("theme = \"warm\""))
    #expect(settings.contains("theme_night = \"warm\""))
    run.terminal.press(.f(2))
    try await run.expects("the colours of the night") { $0.style(of: Self.text) == night }
    #expect(await run.quit() == .exited(0))
  }

  @Test func `the guide asks for the kind of screen and for what others see, and keeps it`()
    async throws
  {
    let home = try Home()
    let run = try NatterRun([], home: home)
    try await run.shows("1/4", "Screen", "< full screen >", "│")
    run.terminal.press(.up)
    run.terminal.press(.right)
    // The same page in the other form at once, the cursor on what was chosen.
    try await run.expects("the page as text alone") { screen in
      screen.contains("Screen: < for a screen reader >")
        && !screen.description.contains { "│─┌┐└┘".contains($0) }
        && screen.text(row: screen.cursor.row).contains("for a screen reader")
    }
    run.terminal.press(.down)
    try await run.shows("> Next")
    run.terminal.press(.enter)
    try await run.shows("2/4")
    run.terminal.press(.enter)
    try await run.shows("3/4", "[x] Let contacts see when I am typing")
    run.terminal.press(.up)
    run.terminal.type(" ")
    try await run.shows("[ ] Let contacts see when I am typing", "[x] Let contacts see what I")
    let settings = try String(
      contentsOfFile: home.folder.path("config/natter/config.toml"), encoding: .utf8)
    #expect(settings.contains("screen_reader = true") && settings.contains("typing = false"))
    #expect(!settings.contains("read_markers"))
    #expect(await run.quit() == .exited(0))
  }

  @Test(arguments: [("ffff/ffff/ffff", "Day"), ("0000/0000/0000", "Night")])
  func `with auto the terminal is asked for its background, and the theme is for it`(
    color: String, theme: String
  ) async throws {
    let run = try await run(ui: "theme = \"auto\"")
    try await run.expects("the question") { $0.systemCommands.contains("11;?") }
    let before = run.screen.style(of: Self.text)
    run.terminal.type("\u{1b}]11;rgb:\(color)\u{1b}\\")
    if theme == "Day" {
      try await run.expects("other colours") { $0.style(of: Self.text) != before }
    }
    // None of it was taken for keys.
    try await run.adds("x", toHave: "x")
    run.terminal.press(.f(6))
    try await run.shows("Appearance")
    run.terminal.type("G")
    try await run.expects("the theme on the page About") {
      $0.lines.contains {
        let words = $0.split(separator: " ")
        return words.contains("Theme") && words.last == Substring(theme)
      }
    }
    #expect(await run.quit() == .exited(0))
  }

  @Test func `with a chosen theme the terminal is not asked`() async throws {
    let run = try await run(ui: "theme = \"night\"")
    #expect(!run.screen.systemCommands.contains { $0.hasPrefix("11") })
    #expect(await run.quit() == .exited(0))
  }

  // MARK: Clock and motion

  @Test(arguments: [
    (["LC_TIME": "en_US.UTF-8"], true), (["LC_TIME": "fr_FR.UTF-8"], false),
    (["LC_ALL": "en_US"], true),
    (["LC_TIME": "en_US", "LC_ALL": "de_DE"], false),
  ])
  func `LC_TIME decides between twelve hours and twenty-four`(
    locale: [String: String], isTwelve: Bool
  ) async throws {
    let run = try await run(ui: "language = \"en\"", environment: locale)
    let clock = try #require(run.screen.text(row: 0).split(separator: " ").last)
    let time = try #require(
      run.screen.lines.first { $0.contains(Self.text) }?
        .firstMatch(of: /\d{1,2}:\d\d[ap]?/)
    ).0
    for text in [clock, time] {
      #expect((text.wholeMatch(of: /(1[0-2]|[1-9]):[0-5]\d[ap]/) != nil) == isTwelve, "\(text)")
      #expect((text.wholeMatch(of: /([01]\d|2[0-3]):[0-5]\d/) != nil) == !isTwelve, "\(text)")
    }
    #expect(await run.quit() == .exited(0))
  }

  /// The columns of a word of the new page, frame by frame.
  private static func columns(of word: String, in output: [UInt8], on before: VirtualTerminal)
    -> Set<Int>
  {
    var screen = before
    var columns: Set<Int> = []
    for frame in Frames(output).whole {
      screen.feed(frame)
      if let position = screen.presented.find(word) { columns.insert(position.column) }
    }
    return columns
  }

  @Test(arguments: [
    ("transitions = true", [:], "", true), ("transitions = false", [:], "", false),
    ("transitions = true\nreduced_motion = true", [:], "", false),
    ("transitions = true\nscreen_reader = false", ["SSH_CONNECTION": "::1 1 ::1 22"], "", false),
    // A serial line's speed.
    ("transitions = true", [:], "stty 9600; ", false),
  ])
  func `another tab slides in where that is wanted and the line is quick`(
    settings: String, environment: [String: String], before: String, slides: Bool
  ) async throws {
    let home = try Home()
    try home.folder.write("[ui]\n\(settings)\n", to: "config/natter/config.toml")
    let terminal = try PTYProcess(
      "sh", ["-c", before + "exec \"$1\" --local", "sh", Programs.natter],
      environment: home.environment(environment))
    try await terminal.opensGuide()
    let (mark, screen) = (terminal.outputCount, terminal.screen)
    terminal.press(.f(6))
    try await terminal.expects("the other tab, in its place", upTo: .seconds(60)) {
      $0.find("Appearance")?.column == 3
    }
    let columns = Self.columns(
      of: "Appearance", in: terminal.output(since: mark), on: screen)
    #expect(columns.contains(3) && (columns.count > 1) == slides, "\(columns)")
    terminal.press(.control("q"))
    #expect(await terminal.waitsForEnd(upTo: .seconds(60)) == .exited(0))
  }

  @Test(.requires(.slixmpp))
  func `reduced motion: no clock, no notice that comes and goes while the user types`()
    async throws
  {
    for isCalm in [false, true] {
      let run = try await run(ui: "reduced_motion = \(isCalm)")
      #expect(run.screen.text(row: 0).hasSuffix("online") == isCalm)
      let bob = try await run.peer("bob")
      try await run.open(chat: "bob@localhost")
      let mark = run.terminal.outputCount
      try await bob.send(
        xml: """
          <message to='me@localhost' type='chat' id='t1'>\
          <composing xmlns='http://jabber.org/protocol/chatstates'/></message>
          """)
      if !isCalm { try await run.shows("is typing") }
      try await bob.send("done", to: "me@localhost")
      try await run.shows("done")
      let output = String(decoding: run.terminal.output(since: mark), as: UTF8.self)
      #expect(output.contains("typing") == !isCalm)
      #expect(await run.quit() == .exited(0))
      await bob.signOut()
    }
  }

  // MARK: Frames

  @Test(arguments: TerminalDescription.testable)
  func `a frame is shown at once where the terminal has synchronised output, and nowhere else`(
    terminal: TerminalDescription
  ) async throws {
    let run = try await NatterRun.chatting(terminal: terminal.name)
    run.terminal.press(.f(6))
    try await run.shows("Appearance", "Profile")
    #expect(await run.quit() == .exited(0))
    let output = String(decoding: run.terminal.rawOutput, as: UTF8.self)
    let (begun, ended) = (
      output.matches(of: /\u{1b}\[\?2026h/).count, output.matches(of: /\u{1b}\[\?2026l/).count
    )
    #expect(begun == ended && (begun > 0) == terminal.can(.xtermModes))
  }

  @Test(arguments: [(40, 120), (24, 80), (15, 40), (30, 100)])
  func `a resize is a whole new screen in one frame`(rows: Int, columns: Int) async throws {
    let run = try await run(ui: "clock = false", rows: 36, columns: 110)
    let before = run.screen
    let mark = run.terminal.outputCount
    run.terminal.resize(rows: rows, columns: columns)
    try await run.expects("the whole screen") { screen in
      screen.rows == rows && screen.contains("Write a message") && screen.contains("help\".")
        && (rows < 20 || screen.text(row: rows - 1).hasPrefix("F1"))
    }
    try await run.adds("x", toHave: "x")
    run.terminal.press(.backspace)
    try await run.inputHolds("")
    let after = run.screen
    // The first frame behind the signal, on what the terminal made of its old screen.
    var first = before
    first.resize(rows: rows, columns: columns)
    first.feed(try #require(Frames(run.terminal.output(since: mark)).whole.first))
    // The stored details are read once the conversation has been open for a moment.
    func reported(_ screen: VirtualTerminal) -> [String] {
      (0..<rows).map { NatterRun.conversationText(screen, row: $0) }
    }
    #expect(reported(first) == reported(after))
    #expect(await run.quit() == .exited(0))
  }
}

/// The output of a program, split behind each frame (synchronised output, mode 2026).
struct Frames {
  /// Each frame with what came before it; what came behind the last one is not in it.
  let whole: [[UInt8]]

  init(_ output: [UInt8]) {
    let end = Array("\u{1b}[?2026l".utf8)
    var (frames, frame): ([[UInt8]], [UInt8]) = ([], [])
    for byte in output {
      frame.append(byte)
      guard byte == end.last, frame.suffix(end.count).elementsEqual(end) else { continue }
      frames.append(frame)
      frame = []
    }
    whole = frames
  }
}
