import ChatsFixtures
import Keys
import NatterCore
import Terminal
import TestSupport
import Testing
import Text
import ViewModels

@testable import Panes

/// A pane of a script on the screen.
@Suite struct ScriptTextPaneTests {
  private let scripts = FakeScripts([.greeter()])

  private func harness(
    _ pane: ScriptPane?, _ size: Size = Size(rows: 24, columns: 80), language: String = "en",
    glyphs: Glyphs = .ascii
  ) async -> ShellHarness {
    if let pane { scripts.setPanes([pane]) }
    await scripts.setResult(.success(.pane("list")))
    let harness = await ShellHarness(size, glyphs: glyphs, language: language, scripts: scripts)
    harness.shell.open(.bob)
    await harness.settle()
    harness.type("/greet bob")
    harness.press(.enter)
    await harness.settle()
    return harness
  }

  private func pane(
    _ lines: [ScriptPane.Line], keys: [ScriptPane.Key] = []
  ) -> ScriptPane {
    ScriptPane(script: "greeter", id: "list", title: "Tickets", lines: lines, keys: keys)
  }

  private func shows(_ row: String, _ harness: ShellHarness) {
    #expect(harness.rows.contains { $0.contains(row) }, "\(harness.picture)")
  }

  @Test(arguments: [Size(rows: 40, columns: 120), Size(rows: 24, columns: 80)])
  func `a pane has its lines in their roles, and Esc closes it`(size: Size) async throws {
    let harness = await harness(
      pane([
        .init("first", .good), .init("see #12 now", spans: [.init(4..<7, .bad)]),
      ]), size)
    shows("Greeter: Tickets", harness)
    shows("Esc close", harness)
    let row = try #require(harness.rows.firstIndex { $0.contains("see #12 now") })
    let line = harness.rows[row]
    let start = try #require(line.firstRange(of: "see")).lowerBound
    let column = line[..<start].columns
    let surface = harness.screen.shown
    #expect(surface[row, column].role == .overlay)
    #expect(surface[row, column + 4].role == .statusError)
    #expect(surface[row - 1, column].role == .statusOK)
    harness.press(.escape)
    #expect(!harness.picture.contains("Tickets"))
  }

  @Test func `a long line is broken, and its parts keep their roles`() async throws {
    let harness = await harness(
      pane([.init("one two three four five six seven eight nine", spans: [.init(40..<44, .bad)])]),
      Size(rows: 24, columns: 40))
    #expect(harness.rows.allSatisfy { $0.columns <= 40 })
    let row = try #require(harness.rows.firstIndex { $0.contains("eight nine") })
    #expect(!harness.rows[row].contains("one"))
    let start = try #require(harness.rows[row].firstRange(of: "nine")).lowerBound
    let column = harness.rows[row][..<start].columns
    #expect(harness.screen.shown[row, column].role == .statusError)
    #expect(harness.screen.shown[row, column - 6].role == .overlay)
  }

  @Test func `a pane scrolls`() async {
    let harness = await harness(pane((1...100).map { .init("line \($0) of it") }))
    shows("line 1 of it", harness)
    harness.press(Key(.down))
    #expect(!harness.picture.contains("line 1 of it"))
    shows("line 2 of it", harness)
    harness.press(Key(.end))
    shows("line 100 of it", harness)
    harness.press(Key(.home))
    shows("line 1 of it", harness)
    harness.press(Key(.pageDown))
    #expect(!harness.picture.contains("line 1 of it"))
  }

  @Test(arguments: [(3, false), (100, true)])
  func `only a pane with more than is shown offers more`(lines: Int, offers: Bool) async {
    let harness = await harness(pane((1...lines).map { .init("line \($0) of it") }))
    shows("Esc close", harness)
    #expect(harness.picture.contains("PgDn more") == offers, "\(harness.picture)")
  }

  @Test func `with keys a line is selected, and a key asks the script about it`() async throws {
    let harness = await harness(
      pane((1...50).map { .init("line \($0) of it") }, keys: [.init("o", "open")]))
    shows("o open", harness)
    let first = try #require(harness.rows.firstIndex { $0.contains("line 1 of it") })
    let column = try #require(harness.rows[first].firstRange(of: "line 1"))
    let at = harness.rows[first][..<column.lowerBound].columns
    #expect(harness.screen.shown[first, at].role == .selection)
    for _ in 0..<30 { harness.press(Key(.down)) }
    shows("line 31 of it", harness)
    await scripts.setResult(.success(.nothing))
    harness.press(.character("o"))
    await harness.settle()
    #expect(
      await scripts.screenCalls.map(\.request) == [.key("o", line: 30, pane: "list")])
    // No key of the chat below.
    harness.press(.character("x"))
    shows("Greeter: Tickets", harness)
  }

  @Test(arguments: [
    ("en", "The script has not filled this pane yet."),
    ("fr", "Le script n'a pas encore rempli ce panneau."), ("zh-Hans", "脚本还没有填写此面板。"),
  ])
  func `a pane without content says so in the user's language`(
    language: String, text: String
  ) async {
    shows(text, await harness(nil, language: language))
  }

  @Test func `a screen reader gets the lines without a frame`() async {
    let harness = await harness(
      pane([.init("first"), .init("second")]), glyphs: .linear)
    shows("Greeter: Tickets", harness)
    #expect(harness.rows.contains { $0.trimmingPrefix(while: \.isWhitespace) == "second" })
  }
}
