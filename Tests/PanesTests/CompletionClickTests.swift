import ChatsFixtures
import Terminal
import TestSupport
import Testing
import ViewModels

@testable import Panes

/// The mouse in the list of candidates.
@Suite struct CompletionClickTests {
  private func click(_ harness: ShellHarness, on text: String, _ action: MouseEvent.Action = .press)
    throws
  {
    let row = try #require(harness.rows.firstIndex { $0.contains(text) })
    let line = harness.rows[row]
    let range = try #require(line.firstRange(of: text))
    let column = line.distance(from: line.startIndex, to: range.lowerBound)
    harness.coordinator.handle(
      .mouse(
        MouseEvent(
          action, button: action == .press ? 1 : 0, at: Point(row: row, column: column))))
  }

  @Test func `a click takes the candidate it is on, and goes no further`() async throws {
    let harness = await ShellHarness(Size(rows: 24, columns: 80))
    harness.type("/re")
    harness.press(Key(.tab))
    let candidates = try #require(harness.shell.input.completion).items.map(\.text)
    #expect(candidates.count > 2)
    try click(harness, on: " \(candidates[2]) ")
    #expect(harness.shell.input.text == candidates[2] + " ")
    #expect(harness.shell.input.completion == nil)
    // What lies below was not clicked.
    #expect(harness.shell.timeline.selectedMessage == nil && harness.shell.input.isFocused)
  }

  @Test func `the wheel goes through the candidates, a click on the frame leaves them`()
    async throws
  {
    let harness = await ShellHarness(Size(rows: 24, columns: 80))
    harness.type("/re")
    harness.press(Key(.tab))
    let candidates = try #require(harness.shell.input.completion).items.map(\.text)
    try click(harness, on: " \(candidates[1]) ", .wheelDown)
    #expect(harness.shell.input.completion?.index == 1)
    try click(harness, on: " \(candidates[1]) ", .wheelUp)
    #expect(harness.shell.input.completion?.index == 0)
    #expect(harness.shell.input.text.hasPrefix(candidates[0]))
  }

  @Test func `where there are more than fit the frame says which of how many is chosen`()
    async throws
  {
    let harness = await ShellHarness(Size(rows: 24, columns: 80))
    harness.type("/")
    harness.press(Key(.tab))
    let count = try #require(harness.shell.input.completion).items.count
    #expect(count > 8 && harness.rows.contains { $0.contains("- 1/\(count) -") })
    harness.press(Key(.tab))
    #expect(harness.rows.contains { $0.contains("- 2/\(count) -") })
    let few = await ShellHarness(Size(rows: 24, columns: 80))
    few.type("/re")
    few.press(Key(.tab))
    let all = try #require(few.shell.input.completion).items.count
    #expect(all <= 8 && !few.rows.contains { $0.contains("1/\(all) ") })
  }

  @Test func `a command's name in the user's language is completed and runs it`() async {
    let harness = await ShellHarness(Size(rows: 24, columns: 80), language: "fr")
    harness.type("/aid")
    harness.press(Key(.tab))
    #expect(harness.shell.input.text == "/aide ")
    harness.press(.enter)
    #expect(harness.done == ["help"])
    let english = await ShellHarness(Size(rows: 24, columns: 80))
    english.type("/aide")
    english.press(.enter)
    #expect(english.done.isEmpty && english.picture.contains("/aide"))
  }
}
