import ChatsFixtures
import NatterCore
import Terminal
import TestSupport
import Testing
import Text
import ViewModels
import XMPP

@testable import Panes

/// The input history and emoji, chosen from a list; right-to-left text in the input.
@Suite struct InputPickerTests {
  private let size = Size(rows: 24, columns: 80)

  @Test func `ctrl-r finds a line that was typed, and down brings back what was being typed`() async
  {
    let harness = await ShellHarness(size)
    for line in ["the keymap is good", "see you at nine", "see you at ten", "see you at nine"] {
      harness.type(line)
      harness.press(.enter)
    }
    harness.type("half a")
    harness.press(.control("r"))
    #expect(harness.picture.contains("Input history"))
    #expect(harness.rows.filter { $0.contains("see you at nine") && $0.contains("|") }.count >= 1)
    harness.type("keymap")
    harness.press(.enter)
    #expect(harness.shell.input.text == "the keymap is good")
    #expect(!harness.picture.contains("Input history"))
    harness.press(Key(.down), Key(.down), Key(.down), Key(.down))
    #expect(harness.shell.input.text == "half a")
    // Esc leaves everything as it was.
    harness.press(.control("r"), .escape)
    #expect(harness.shell.input.text == "half a")
  }

  @Test func `each line is listed once, the last first, and a line of many rows is one`() async {
    let harness = await ShellHarness(size)
    for line in ["one", "two", "one"] {
      harness.type(line)
      harness.press(.enter)
    }
    harness.type("first")
    harness.press(.control("j"))
    harness.type("second")
    harness.press(.enter)
    await harness.settle()
    #expect(harness.shell.input.typedLines == ["first\nsecond", "one", "two"])
    harness.press(.control("r"), .enter)
    #expect(harness.shell.input.text == "first\nsecond")
  }

  @Test func `where nothing was typed yet, that is said`() async {
    let harness = await ShellHarness(size)
    harness.press(.control("r"))
    #expect(harness.shell.status.message.text.hasPrefix("No input history"))
  }

  @Test func `an emoji is found by a word and put where the cursor is`() async {
    let harness = await ShellHarness(size)
    harness.type("good job")
    harness.press(.alt("b"), .alt("i"))
    #expect(harness.picture.contains("- Emoji -"))
    harness.type("thumbs up")
    harness.press(.enter)
    #expect(harness.shell.input.text == "good \u{1F44D}job")
    harness.type("!")
    #expect(harness.shell.input.text == "good \u{1F44D}!job")
    await harness.settle()
    // The next time, also after a restart, it comes first.
    let again = await ShellHarness(size, ports: harness.ports)
    again.press(.control("x"), .character("i"), .enter)
    #expect(again.shell.input.text.hasSuffix("\u{1F44D}"))
  }

  @Test func `a heart is the red one`() async {
    let harness = await ShellHarness(size)
    harness.press(.alt("i"))
    harness.type("heart")
    harness.press(.enter)
    #expect(harness.shell.input.text.hasPrefix("\u{2764}"))
  }

  // MARK: From right to left

  private func ordering(_ text: String, size: Size) async -> ShellHarness {
    var glyphs = Glyphs.ascii
    glyphs.ordersText = true
    let harness = await ShellHarness(size, glyphs: glyphs, showsSidebar: false)
    harness.type(text)
    return harness
  }

  /// Where the cursor is, counted from the first column of the text.
  private func column(_ harness: ShellHarness) -> Int? {
    harness.screen.cursor.map { $0.column - 3 }
  }

  @Test func `text typed from right to left is shown so, and the cursor is on the next cluster`()
    async
  {
    let harness = await ordering("\u{5D0}\u{5D1} ab \u{5D2}", size: size)
    #expect(harness.rows.contains { $0.hasPrefix(" > \u{5D2} ab \u{5D1}\u{5D0}") })
    // Behind the last one: at its left.
    #expect(column(harness) == -1)
    harness.press(.control("a"))
    #expect(column(harness) == 6)
    harness.press(Key(.right), Key(.right), Key(.right))
    #expect(column(harness) == 2)
    harness.press(Key(.right))
    #expect(column(harness) == 3)
    harness.press(.control("e"), Key(.backspace))
    #expect(harness.shell.input.text == "\u{5D0}\u{5D1} ab ")
  }

  @Test func `a word from right to left in a line from left to right`() async {
    let harness = await ordering("ab \u{5D0}\u{5D1} c", size: size)
    #expect(harness.rows.contains { $0.hasPrefix(" > ab \u{5D1}\u{5D0} c") })
    #expect(column(harness) == 7)
    harness.press(Key(.left), Key(.left))
    #expect(column(harness) == 5)
    harness.press(Key(.left))
    #expect(column(harness) == 3)
    harness.press(Key(.left))
    #expect(column(harness) == 4)
    // A click puts it on what is drawn there.
    let row = harness.screen.cursor?.row ?? 0
    harness.coordinator.handle(
      .mouse(MouseEvent(.press, button: 1, at: Point(row: row, column: 6))))
    harness.type("x")
    #expect(harness.shell.input.text == "ab \u{5D0}x\u{5D1} c")
  }

  @Test func `where the terminal reorders text, the input leaves it as it is`() async {
    let harness = await ShellHarness(size, showsSidebar: false)
    harness.type("\u{5D0}\u{5D1} ab")
    #expect(harness.rows.contains { $0.hasPrefix(" > \u{5D0}\u{5D1} ab") })
    #expect(column(harness) == 5)
  }

  @Test(arguments: [
    "\u{5D0}\u{5D1}\u{5D2} 12 (ab) \u{5D3}", "ab 日本 \u{627}\u{628} x", "\u{5D0}",
    "e\u{301}\u{5D0} \u{1F44D}",
  ])
  func `each cluster has columns of its own in the row`(text: String) {
    for turns in [false, true] {
      let columns = BidiOrder.columns(text, isRightToLeft: turns)
      let taken = zip(text, columns).flatMap { Array($1..<($1 + max(1, $0.columns))) }
      #expect(taken.sorted() == Array(0..<text.reduce(0) { $0 + max(1, $1.columns) }))
    }
  }
}
