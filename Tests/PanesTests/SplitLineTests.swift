import ChatsFixtures
import Terminal
import TestSupport
import Testing
import ViewModels

@testable import Panes

/// The line between two conversations.
@Suite struct SplitLineTests {
  private func harness(
    _ ports: FakePorts = .wireframe(), _ size: Size = Size(rows: 30, columns: 121),
    _ key: Character = "|"
  ) async -> ShellHarness {
    let harness = await ShellHarness(size, ports: ports)
    harness.press(.control("x"), .character(key))
    await harness.settle()
    return harness
  }

  private func mouse(_ action: MouseEvent.Action, _ row: Int, _ column: Int) -> InputEvent {
    .mouse(MouseEvent(action, button: 1, at: Point(row: row, column: column)))
  }

  /// Where the upright line is.
  private func column(_ harness: ShellHarness) -> Int? {
    let row = Array(harness.rows[10])
    return row.lastIndex(of: "|")
  }

  /// Where the line across is.
  private func row(_ harness: ShellHarness) -> Int? {
    harness.rows.lastIndex { $0.dropFirst(29).prefix(60).allSatisfy { $0 == "-" } && $0.count > 60 }
  }

  @Test func `the mouse drags it within limits, and where it was let go is kept`() async {
    let ports = FakePorts.wireframe()
    let harness = await harness(ports)
    let first = column(harness)
    #expect(first == 74)
    harness.coordinator.handle(mouse(.press, 10, 74))
    for wanted in [60, 61, 62, 85, 58] {
      harness.coordinator.handle(mouse(.drag, 12, wanted))
      #expect(column(harness) == wanted)
    }
    harness.coordinator.handle(mouse(.drag, 12, 5))
    #expect(column(harness) == 58)
    harness.coordinator.handle(mouse(.drag, 12, 120))
    #expect(column(harness) == 90)
    harness.coordinator.handle(mouse(.drag, 12, 66))
    harness.coordinator.handle(mouse(.release, 12, 66))
    await harness.settle()
    // Let go, it stays, and so it does at the next start.
    harness.coordinator.handle(mouse(.drag, 12, 80))
    #expect(column(harness) == 66)
    let again = await ShellHarness(Size(rows: 30, columns: 121), ports: ports)
    #expect(column(again) == 66)
  }

  @Test func `one above the other, too`() async {
    let harness = await harness(.wireframe(), Size(rows: 40, columns: 121), "-")
    guard let first = row(harness) else {
      Issue.record("no line:\n\(harness.picture)")
      return
    }
    harness.coordinator.handle(mouse(.press, first, 50))
    for wanted in [first + 3, first - 4, first + 1] {
      harness.coordinator.handle(mouse(.drag, wanted, 50))
      #expect(row(harness) == wanted)
    }
    harness.coordinator.handle(mouse(.drag, 0, 50))
    #expect(row(harness) == 6)
  }

  @Test func `keys do the same, for the conversation that has them`() async {
    let harness = await harness()
    harness.press(.control("x"), .character("}"))
    #expect(column(harness) == 78)
    harness.press(.control("x"), .character("{"), .control("x"), .character("{"))
    #expect(column(harness) == 70)
    harness.press(Key(.function(9)), .control("x"), .character("}"))
    #expect(column(harness) == 66)
    harness.shell.requestSplit(nil)
    harness.press(.control("x"), .character("}"))
    #expect(harness.picture.contains("There is one conversation on the screen."))
  }
}
