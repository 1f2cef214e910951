import ChatsFixtures
import NatterCore
import Terminal
import TestSupport
import Testing
import ViewModels
import XMPP

@testable import Panes

/// What the top row shows where there is little room.
@Suite struct TabBarPaneTests {
  private func row(
    _ columns: Int, active: SubAppID = .contacts, badges: [SubAppID: String] = [.chats: "12"]
  ) -> String {
    let viewModel = TabBarViewModel(format: testFormat(), now: { .afternoon })
    let ids: [SubAppID] = [.chats, .contacts, .discover, .files, .me]
    viewModel.show(
      ids.enumerated().map { SubAppTab($1, place: $0 + 1) }, active: active)
    for (id, badge) in badges { viewModel.show(badge: badge, on: id) }
    viewModel.handle(.connectionChanged(.online))
    var surface = Surface(size: Size(rows: 1, columns: columns))
    TabBarPane(viewModel: viewModel).draw(into: &surface)
    return surface.description
  }

  @Test(arguments: [40, 36, 32, 30])
  func `what is unread never goes`(columns: Int) {
    let row = row(columns)
    #expect(row.contains("F1 12") && row.contains("[Contacts]"))
  }

  @Test func `at 40 columns the open one has its name, the others their keys`() {
    let row = row(40)
    #expect(row.hasPrefix(" F1 12 [Contacts] F3  F4  F6 ") && row.hasSuffix("* 14:00"))
  }
}
