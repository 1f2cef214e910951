import ChatsFixtures
import NatterCore
import Terminal
import TestSupport
import Testing
import ViewModels

@testable import Panes

@Suite struct SidebarEdgeTests {
  func mouse(_ action: MouseEvent.Action, _ column: Int, row: Int = 9) -> InputEvent {
    .mouse(MouseEvent(action, button: 1, at: Point(row: row, column: column)))
  }

  func edge(_ harness: ShellHarness) -> Int? {
    harness.rows[1].firstIndex(of: "|").map {
      harness.rows[1].distance(from: harness.rows[1].startIndex, to: $0)
    }
  }

  @Test func `the edge is dragged within limits, and the width is kept`() async {
    let harness = await ShellHarness(Size(rows: 24, columns: 80))
    #expect(edge(harness) == 21)
    harness.coordinator.handle(mouse(.press, 21))
    harness.coordinator.handle(mouse(.drag, 29))
    #expect(edge(harness) == 29)
    harness.coordinator.handle(mouse(.drag, 70))
    #expect(edge(harness) == 39)
    harness.coordinator.handle(mouse(.drag, 2))
    #expect(edge(harness) == 11)
    harness.coordinator.handle(mouse(.drag, 17))
    #expect(await harness.ports.preferences["sidebar.width"] == nil)
    harness.coordinator.handle(mouse(.release, 17))
    await harness.settle()
    #expect(await harness.ports.preferences["sidebar.width"] == "60:18")
    // Let go, the edge stays.
    harness.coordinator.handle(mouse(.drag, 25))
    #expect(edge(harness) == 17)
  }

  @Test func `a press beside the edge is for the list, and the keys do the same as the mouse`()
    async
  {
    let harness = await ShellHarness(Size(rows: 24, columns: 80))
    harness.coordinator.handle(mouse(.press, 20, row: 3))
    harness.coordinator.handle(mouse(.drag, 30, row: 3))
    #expect(edge(harness) == 21)
    harness.press(Key(.tab))
    harness.press(.character(">"), .character(">"), .character("<"))
    #expect(edge(harness) == 23)
    await harness.settle()
    #expect(await harness.ports.preferences["sidebar.width"] == "60:24")
  }

  @Test func `dragging over text shows once how to select it`() async {
    let harness = await ShellHarness(Size(rows: 24, columns: 120))
    harness.coordinator.handle(mouse(.press, 50))
    #expect(!harness.picture.contains("Hold Shift"))
    harness.coordinator.handle(mouse(.drag, 55))
    #expect(harness.picture.contains("Hold Shift (Option on macOS) to select text"))
    harness.press(.escape)
    harness.coordinator.handle(mouse(.drag, 56))
    #expect(!harness.picture.contains("Hold Shift"))
    await harness.settle()
    let kept = await harness.ports.preferences
    let ports = FakePorts.wireframe()
    await ports.setPreferences(kept)
    let again = await ShellHarness(Size(rows: 24, columns: 120), ports: ports)
    again.coordinator.handle(mouse(.drag, 55))
    #expect(!again.picture.contains("Hold Shift"))
  }

  @Test func `the width of the last time is there from the first frame`() async {
    let ports = FakePorts.wireframe()
    await ports.setPreferences([
      "sidebar.width": "116:40", "sidebar.order": "3 * chloe@example.net",
    ])
    let harness = await ShellHarness(Size(rows: 24, columns: 120), ports: ports)
    #expect(edge(harness) == 39)
    #expect(
      harness.rows[1...6].map { $0.prefix(24) } == [
        " PINNED                 ", " 3 o Chloe Dupont       ", " DIRECT                 ",
        ">1 * Bob Martin         ", "   * Mum                ", "   . Zhang Wei          ",
      ])
  }

  @Test func `a width that was chosen holds within the screens of its class, and there again`()
    async
  {
    let harness = await ShellHarness(Size(rows: 24, columns: 120))
    func resize(_ columns: Int) {
      harness.screen.resize(to: Size(rows: 24, columns: columns))
      harness.coordinator.screenDidResize()
    }
    harness.coordinator.handle(mouse(.press, 27))
    harness.coordinator.handle(mouse(.drag, 44))
    harness.coordinator.handle(mouse(.release, 44))
    resize(140)
    #expect(edge(harness) == 44)
    resize(110)
    #expect(edge(harness) == 27)
    resize(80)
    #expect(edge(harness) == 21)
    harness.coordinator.handle(mouse(.press, 21))
    harness.coordinator.handle(mouse(.drag, 31))
    harness.coordinator.handle(mouse(.release, 31))
    // On a smaller screen of the class the conversation keeps its share.
    resize(62)
    #expect(edge(harness) == 25)
    resize(120)
    #expect(edge(harness) == 44)
    await harness.settle()
    #expect(await harness.ports.preferences["sidebar.width"] == "60:32 116:45")
  }

  @Test(arguments: [nil, "", "40", "60:x 1:2 60:0", "60:18:3 999:4"])
  func `what is no width is none`(text: String?) {
    #expect(ListWidths(text) == ListWidths())
    #expect(ListWidths(text).text == nil)
  }

  @Test func `at 40 columns pinned rows come first on the list's page`() async {
    let ports = FakePorts.wireframe()
    await ports.setPreferences(["sidebar.order": "2 * chloe@example.net"])
    let harness = await ShellHarness(Size(rows: 15, columns: 40), ports: ports)
    #expect(
      harness.rows[1...5].map { $0 } == [
        " PINNED", " 2 o Chloe Dupont                     3", " DIRECT",
        ">1 * Bob Martin                       1", "   * Mum",
      ])
  }
}
