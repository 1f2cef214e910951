import ChatsFixtures
import Foundation
import NatterCore
import Terminal
import TestSupport
import Testing
import Text
import ViewModels

@testable import Panes

/// Themes in memory, with a record of what was asked.
final class FakeThemes {
  var states = [
    ThemeState(id: "day", name: "Natter Day", isForDay: true),
    ThemeState(id: "mine", name: "Mine", isForDay: false, isOwn: true),
    ThemeState(id: "night", name: "Natter Night", isForDay: false),
    ThemeState(id: "high-contrast", name: "High Contrast", isForDay: false),
    ThemeState(id: "colour-blind", name: "Colour-Blind Safe", isForDay: false),
  ]
  var kept = "auto"
  var shown = "night"
  var hours = (day: "day", night: "night")
  var isFull = false
  var followsHours = false
  var done: [String] = []
  /// Reads the files: what they say then.
  var reading: Task<[ThemeState], Never>?

  var actions: ThemeActions {
    ThemeActions(
      read: { self.states },
      refresh: {
        if let reading = self.reading { self.states = await reading.value }
      }, kept: { self.kept }, shown: { self.shown }, fitting: { "night" },
      followsHours: { self.followsHours },
      preview: { name in
        self.done.append("preview \(name ?? "-")")
        self.show(name ?? self.kept)
      },
      keep: {
        if self.isFull { throw NatterError(.storage, "error.themeUnwritable", ["path": "/x"]) }
        self.done.append("keep \($0)")
        self.kept = $0
        self.show($0)
      },
      contrast: { self.shown == "mine" ? nil : ("7.1:1", true) },
      colors: { ("256", "TERM=xterm-256color") },
      copy: { base, name in
        if name == "day" { throw NatterError(.invalidInput, "error.themeExists", ["name": name]) }
        self.done.append("copy \(base) \(name)")
        self.states.append(ThemeState(id: name, name: name, isForDay: true, isOwn: true))
      },
      edit: { self.done.append("edit \($0)") },
      ofTheHours: { self.hours },
      keepForHours: { name, isForDay in
        if self.isFull { throw NatterError(.storage, "error.themeUnwritable", ["path": "/x"]) }
        self.done.append("\(isForDay ? "day" : "night") \(name)")
        if isForDay { self.hours.day = name } else { self.hours.night = name }
        self.show(self.kept)
      })
  }

  private func show(_ name: String) { shown = name == "auto" ? "night" : name }
}

/// The page of themes, opened.
func themesHarness(
  _ size: Size, _ themes: FakeThemes, in language: String = "en", glyphs: Glyphs = .ascii
) async -> ShellHarness {
  let harness = await ShellHarness(
    size, glyphs: glyphs,
    factories: [
      ContactsFactory(), FilesFactory(),
      MeFactory(pages: [
        .themes(themes.actions), .about { AboutViewModel(shell: $0, sources: .forTests) },
      ]),
    ], language: language)
  harness.press(Key(.function(6)), .enter)
  await harness.settle()
  return harness
}

@Suite struct ThemePaneTests {
  let themes = FakeThemes()

  private func harness(_ rows: Int = 24, _ columns: Int = 80) async -> ShellHarness {
    await themesHarness(Size(rows: rows, columns: columns), themes)
  }

  @Test func `what is selected is on the screen at once, and Enter keeps it`() async {
    let harness = await harness()
    #expect(harness.rows[1].contains("> Theme   [x] follow the terminal (now: night)"))
    #expect(harness.picture.contains("> v Natter Night"))
    #expect(harness.picture.contains("contrast 7.1:1: good"))
    harness.press(Key(.up), Key(.up), Key(.down))
    #expect(
      themes.done == ["preview mine", "preview day", "preview mine"] && themes.kept == "auto")
    #expect(harness.picture.contains("colours of the terminal"))
    harness.press(.enter)
    #expect(themes.kept == "mine" && harness.picture.contains(">*  Mine"))
    #expect(harness.rows[1].contains("[ ] follow the terminal"))
    #expect(harness.picture.contains("Saved."))
    harness.press(.escape)
    // Nothing was being tried: Esc goes back to the list of pages.
    #expect(themes.done.last == "keep mine")
  }

  @Test func `its buttons and the box do what the keys do`() async throws {
    let harness = await harness()
    func click(_ text: String) throws {
      let row = try #require(harness.rows.firstIndex { $0.contains(text) })
      let line = harness.rows[row]
      let position = try #require(line.range(of: text))
      harness.coordinator.handle(
        .mouse(
          MouseEvent(
            .press, button: 1,
            at: Point(row: row, column: line[..<position.lowerBound].count + 1))))
    }
    harness.press(Key(.up))
    try click("[ Undo ]")
    #expect(themes.done == ["preview mine", "preview -"] && themes.shown == "night")
    // There is nothing more to take back, and the page stays open.
    try click("[ Undo ]")
    #expect(harness.rows[1].contains("> Theme"))
    harness.press(Key(.up))
    try click("[ Keep ]")
    #expect(themes.kept == "mine")
    try click("[ ] follow")
    #expect(themes.kept == "auto" && harness.rows[1].contains("[x] follow"))
    try click("[ New theme from this... ]")
    #expect(harness.forms.count == 1)
    themes.followsHours = true
    #expect(harness.shell.format.localizer("themes.followHours").contains("hours"))
    harness.press(Key(.up))
    #expect(harness.rows[1].contains("[x] follow the daytime hours (now: night)"))
  }

  @Test(arguments: ["esc", "tab", "page"])
  func `a theme that is not kept gives way to the one before`(way: String) async {
    let harness = await harness()
    harness.press(Key(.up), Key(.up))
    #expect(themes.shown == "day")
    switch way {
    case "esc": harness.press(.escape)
    case "tab": harness.press(Key(.function(2)))
    default: harness.press(Key(.tab))
    }
    #expect(themes.done.last == "preview -" && themes.shown == "night")
    harness.press(Key(.function(6)))
    #expect(harness.picture.contains("[x] follow"))
    #expect(
      harness.picture.contains(">   v Natter Night") || harness.picture.contains("> v Natter Night")
    )
  }

  @Test func `Space goes by the surroundings or stays with what is there`() async {
    let harness = await harness()
    harness.press(.character(" "))
    #expect(themes.kept == "night" && harness.picture.contains(">*v Natter Night"))
    harness.press(.character(" "))
    #expect(themes.kept == "auto" && harness.picture.contains("> v Natter Night"))
    // With another one on the screen it is the fitting one again.
    harness.press(Key(.down), .enter, .character(" "))
    #expect(themes.done.suffix(2) == ["keep high-contrast", "keep auto"])
    #expect(harness.picture.contains("> v Natter Night"))
  }

  @Test func `d makes it the theme of the day or of the night, and it stays on the screen`()
    async
  {
    let harness = await harness()
    #expect(harness.picture.contains("|   v Natter Day"))
    harness.press(Key(.up), .character("d"))
    #expect(themes.done.suffix(2) == ["night mine", "preview mine"] && themes.kept == "auto")
    #expect(themes.shown == "mine")
    #expect(harness.picture.contains("At night, the automatic theme is Mine."))
    #expect(harness.picture.contains("> v Mine"))
    harness.press(Key(.up), .character("d"))
    #expect(themes.hours.day == "day" && themes.hours.night == "mine")
    #expect(harness.picture.contains("By day, the automatic theme is Natter Day."))
    themes.isFull = true
    harness.press(Key(.down), Key(.down), .character("d"))
    #expect(themes.hours.day == "day" && themes.hours.night == "mine")
    #expect(harness.picture.contains("/x could not be written."))
  }

  @Test func `a theme that cannot be kept is reported, and is still only tried`() async {
    themes.isFull = true
    let harness = await harness()
    harness.press(Key(.up), .enter)
    #expect(harness.picture.contains("/x could not be written."))
    harness.press(.escape)
    #expect(themes.done == ["preview mine", "preview -"])
  }

  @Test func `a makes one of one's own, e changes its file, and only its own`() async {
    let harness = await harness()
    harness.press(Key(.up), Key(.up), .character("e"))
    #expect(harness.picture.contains("Natter Day is built in and cannot be edited."))
    harness.press(.character("a"))
    harness.forms.last?.edit("day", cursor: 3)
    harness.forms.last?.press("submit")
    #expect(harness.forms.last?["name"]?.error == "A theme day already exists.")
    harness.forms.last?.edit("warm", cursor: 4)
    harness.forms.last?.press("submit")
    await harness.settle()
    #expect(themes.done.suffix(3) == ["preview day", "copy day warm", "preview warm"])
    #expect(harness.picture.contains(">   warm"))
    harness.press(.character("e"))
    #expect(themes.done.last == "edit warm")
  }

  @Test func `a theme that was read meanwhile is on the page, also where the keys are elsewhere`()
    async
  {
    let all = themes.states
    themes.states.removeAll { $0.id == "mine" }
    let harness = await harness()
    #expect(!harness.picture.contains("Mine"))
    // Back in the row of pages.
    harness.press(Key(.tab), Key(.function(2)))
    themes.states = all
    harness.press(Key(.function(6)))
    #expect(harness.picture.contains("Mine"))
  }

  @Test func `the theme that is on the screen is marked, whatever fits the surroundings`() async {
    themes.shown = "day"
    let harness = await harness()
    #expect(
      harness.picture.contains(">   v Natter Day") || harness.picture.contains("> v Natter Day"))
    harness.press(Key(.down), .escape)
    #expect(themes.shown == "night" && harness.picture.contains("v Natter Night"))
  }

  @Test func `a theme is called as its file is until that was read`() async throws {
    let known = themes.states
    themes.states = known.map { ThemeState(id: $0.id, name: $0.id, isForDay: nil) }
    let (disk, answer) = AsyncStream<[ThemeState]>.makeStream()
    themes.reading = Task {
      for await found in disk { return found }
      return []
    }
    let harness = await harness()
    #expect(harness.picture.contains("mine ") && !harness.picture.contains("Mine"))
    harness.press(Key(.up), .character("d"))
    // What it is for is not known.
    #expect(themes.done == ["preview mine"])
    answer.yield(known)
    try await until("the names") {
      harness.coordinator.display.drawFrame()
      return harness.picture.contains("Mine")
    }
    // Who has gone somewhere meanwhile stays there.
    #expect(harness.picture.contains(">   Mine") && themes.done == ["preview mine"])
  }

  @Test
  func `shipped themes are called what the language calls them, one's own what its file says`()
    async
  {
    let harness = await themesHarness(Size(rows: 15, columns: 40), FakeThemes(), in: "fr")
    #expect(harness.picture.contains("Contraste fort") && harness.picture.contains("Mine"))
    #expect(!harness.picture.contains("High Contrast"))
    // A line of the preview that is cut off shows so.
    #expect(harness.rows.contains { $0.hasSuffix("~") && $0.contains("@alice") })
  }

  @Test func `at 80x24`() async {
    let harness = await harness()
    #expect(
      harness.picture == """
         F2 Chats 3  F3 Contacts  F5 Files [F6 Me]    alice@example.org  * online  14:02
                             | > Theme   [x] follow the terminal (now: night)
         > Theme             |
           About             |   v Natter Day        day   +- Preview ----------------+
                             |     Mine              night | -- Friday 20 November -- |
                             | > v Natter Night      night | 14:01 Bob  Hello *there* |
                             |     High Contrast     night | 14:02 you  Hi!   vv      |
                             |     Colour-Blind Safe night | === 2 new ===            |
                             |                             | 14:03 Chloe  @alice look |
                             |                             | a link, `code`, > quote  |
                             |                             | * o x .   2   @1         |
                             |                             | contrast 7.1:1: good     |
                             |                             +--------------------------+
                             |
                             |
                             |
                             |
                             |
                             |
                             |
                             | Colours: 256 (TERM=xterm-256color)
                             | [ Keep ]  [ Undo ]  [ New theme from this... ]

        F1 Help  Enter Open  Up/Down Select  a Add  e Edit  d Day/Night  ^O Go to
        """)
  }
}
