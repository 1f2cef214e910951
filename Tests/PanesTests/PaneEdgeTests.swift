import ChatsFixtures
import NatterCore
import Terminal
import TestSupport
import Testing
import ViewModels

@testable import Panes

/// The edge of the list at the side, in the sub-apps beside Chats.
@Suite struct PaneEdgeTests {
  private func harness(_ ports: FakePorts = .wireframe(), columns: Int = 80) async -> ShellHarness {
    await ShellHarness(
      Size(rows: 24, columns: columns), ports: ports,
      factories: [
        ContactsFactory(), FilesFactory(),
        MeFactory(pages: [.about { AboutViewModel(shell: $0, sources: .forTests) }]),
      ])
  }

  private func mouse(_ action: MouseEvent.Action, _ column: Int) -> InputEvent {
    .mouse(MouseEvent(action, button: 1, at: Point(row: 9, column: column)))
  }

  private func edge(_ harness: ShellHarness) -> Int? {
    let row = harness.rows[9]
    return row.firstIndex(of: "|").map { row[..<$0].columns }
  }

  @Test(arguments: [(3, "contacts", 39), (5, "files", 21), (6, "me", 21)])
  func `the edge is dragged within limits, and the width is kept`(
    key: Int, name: String, first: Int
  ) async {
    let ports = FakePorts.wireframe()
    let harness = await harness(ports)
    harness.press(Key(.function(key)))
    await harness.settle()
    #expect(edge(harness) == first)
    harness.coordinator.handle(mouse(.press, first))
    harness.coordinator.handle(mouse(.drag, 30))
    #expect(edge(harness) == 30)
    harness.coordinator.handle(mouse(.drag, 79))
    #expect(edge(harness) == 55)
    harness.coordinator.handle(mouse(.drag, 2))
    #expect(edge(harness) == 11)
    harness.coordinator.handle(mouse(.drag, 27))
    #expect(await ports.preferences["\(name).width"] == nil)
    harness.coordinator.handle(mouse(.release, 27))
    await harness.settle()
    #expect(await ports.preferences["\(name).width"] == "60:28")
    // Let go, the edge stays.
    harness.coordinator.handle(mouse(.drag, 50))
    #expect(edge(harness) == 27)

    let again = await self.harness(ports)
    again.press(Key(.function(key)))
    await again.settle()
    #expect(edge(again) == 27)
    // What was chosen for this screen is not for a wide one.
    again.screen.resize(to: Size(rows: 24, columns: 120))
    again.coordinator.screenDidResize()
    let fresh = await self.harness(columns: 120)
    fresh.press(Key(.function(key)))
    await fresh.settle()
    #expect(edge(again) == edge(fresh))
    again.screen.resize(to: Size(rows: 24, columns: 90))
    again.coordinator.screenDidResize()
    #expect(edge(again) == 27)
  }

  @Test func `the keys do the same as the mouse`() async {
    let ports = FakePorts.wireframe()
    let harness = await harness(ports, columns: 120)
    harness.press(Key(.function(3)))
    await harness.settle()
    #expect(edge(harness) == 51)
    harness.press(.character("<"), .character("<"), .character(">"))
    #expect(edge(harness) == 49)
    await harness.settle()
    #expect(await ports.preferences["contacts.width"] == "116:50")
    // Where there is one page only, there is no edge.
    harness.screen.resize(to: Size(rows: 24, columns: 50))
    harness.coordinator.screenDidResize()
    harness.press(.character(">"))
    #expect(harness.picture.contains("The list is not shown at the moment."))
  }
}
