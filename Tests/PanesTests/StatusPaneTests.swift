import ChatsFixtures
import NatterCore
import Terminal
import TestSupport
import Testing
import Text
import ViewModels

@testable import Panes

/// Items of scripts in the status line.
@Suite struct StatusPaneTests {
  private let scripts = FakeScripts()

  private func harness(
    _ items: [(text: String, role: ScriptTextRole)], rows: Int = 24, columns: Int = 80,
    isLinear: Bool = false
  ) async -> ShellHarness {
    let harness = await ShellHarness(
      Size(rows: rows, columns: columns), glyphs: isLinear ? .linear : .ascii, scripts: scripts)
    harness.shell.open(.bob)
    scripts.setStatus(
      items.enumerated().map {
        ScriptStatusItem(
          script: "bot", id: "\($0.offset)", text: $0.element.text, role: $0.element.role)
      })
    await harness.settle()
    return harness
  }

  /// The row with that text, and the column where the text begins.
  private func position(_ text: String, _ harness: ShellHarness) -> Point? {
    for row in 0..<harness.screen.size.rows {
      let line = harness.screen.shown.text(row: row)
      guard let range = line.firstRange(of: text) else { continue }
      return Point(row: row, column: line[..<range.lowerBound].columns)
    }
    return nil
  }

  @Test func `items are beside each other, each in its role`() async throws {
    let harness = await harness([
      ("3 unread", .plain), ("built", .good), ("slow", .warning), ("down", .bad),
    ])
    let start = try #require(position("3 unread  built  slow  down", harness))
    let roles = [0, 10, 17, 23].map { harness.screen.shown[start.row, start.column + $0].role }
    #expect(roles == [.statusInfo, .statusOK, .statusWarning, .statusError])
  }

  @Test func `an item is safe, on one line, and at most 20 cells wide`() async {
    let harness = await harness([
      ("\u{1B}[31mred\nline", .plain), ("中文中文中文中文中文中文", .plain), ("\t", .plain),
      ("end", .plain),
    ])
    #expect(position("[31mred line  中文中文中文中文中~  end", harness) != nil, "\(harness.picture)")
    #expect(!harness.picture.contains("\u{1B}"))
  }

  @Test func `a notice is whole, and items have what it leaves`() async throws {
    let harness = await harness([("3 unread", .plain), ("built", .good)])
    let free = try #require(position("3 unread  built", harness))
    harness.shell.show(StatusNotice(.info, "status.copied"))
    await harness.settle()
    let notice = try #require(position("Copied. ^Y pastes it here.", harness))
    #expect(notice == free)
    let items = try #require(position("3 unread  built", harness))
    #expect(items.row == notice.row && items.column == 80 - 1 - 15)
    // Only the second one fits.
    harness.shell.status.ask(String(repeating: "a", count: items.column - notice.column + 6))
    await harness.settle()
    #expect(position("3 unread", harness) == nil)
    #expect(position("built", harness)?.column == 80 - 1 - 5)
    // This one goes on.
    harness.shell.status.ask(String(repeating: "word ", count: 200))
    await harness.settle()
    #expect(position("built", harness) == nil)
  }

  @Test func `items take no row of their own`() async {
    let harness = await harness([("3 unread", .plain)], rows: 15)
    #expect(position("3 unread", harness) == nil)
    harness.shell.show(StatusNotice(.info, "status.copied"))
    await harness.settle()
    #expect(position("3 unread", harness) != nil)
  }

  @Test func `items that do not fit are left out`() async {
    let harness = await harness(
      [("the first item here", .plain), ("the second item here", .plain), ("third", .plain)],
      columns: 40)
    #expect(position("the first item here  third", harness) != nil, "\(harness.picture)")
    #expect(position("the second item", harness) == nil)
  }

  @Test func `for a screen reader the items come after the text`() async {
    let harness = await harness([("3 unread", .plain), ("built", .good)], isLinear: true)
    #expect(position("3 unread  built", harness) != nil, "\(harness.picture)")
    harness.shell.show(StatusNotice(.info, "status.copied"))
    await harness.settle()
    #expect(position("Copied. ^Y pastes it here.  3 unread  built", harness) != nil)
  }
}
