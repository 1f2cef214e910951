import ChatsFixtures
import Foundation
import NatterCore
import Terminal
import TestSupport
import Testing
import Text
import ViewModels
import XMPP

@testable import Panes

/// Rows of the list of conversations.
@Suite struct SidebarPaneTests {
  private func sidebar(
    _ count: Int, glyphs: Glyphs = .ascii,
    notifications: ConversationNotifications = ConversationNotifications()
  ) -> SidebarViewModel {
    let sidebar = SidebarViewModel(
      format: testFormat(glyphs: glyphs), notifications: notifications)
    sidebar.load(
      conversations: (0..<count).map {
        Conversation(jid: JID(local: "c\($0)", domain: "example.net"), unread: 2)
      }, contacts: [], presence: [], requests: [])
    return sidebar
  }

  private func drawn(_ sidebar: SidebarViewModel, glyphs: Glyphs = .ascii, rows: Int) -> Surface {
    var surface = Surface(size: Size(rows: rows, columns: 24))
    SidebarPane(viewModel: sidebar, glyphs: glyphs).draw(into: &surface)
    return surface
  }

  @Test func `the last row shows that more are below`() {
    func marks(_ surface: Surface) -> [Int] {
      (0..<surface.size.rows).filter { surface.text(row: $0).contains(Glyphs.ascii.incoming + "|") }
    }
    // The heading is a row, too.
    #expect(marks(drawn(sidebar(9), rows: 10)) == [])
    let sidebar = sidebar(9)
    #expect(marks(drawn(sidebar, rows: 6)) == [5])
    sidebar.isFocused = true
    sidebar.moveSelection(.max)
    #expect(marks(drawn(sidebar, rows: 6)) == [])
    let linear = drawn(self.sidebar(9, glyphs: .linear), glyphs: .linear, rows: 6)
    #expect(!linear.text(row: 5).hasSuffix(Glyphs.linear.incoming))
  }

  @Test func `the row of a muted conversation is dim, and the count has a glyph`() throws {
    var store = NotificationStore()
    store.silenced = { [JID(local: "c0", domain: "example.net")] }
    let sidebar = sidebar(2, notifications: ConversationNotifications(store))
    let surface = drawn(sidebar, rows: 4)
    // Unread ones are above.
    #expect(surface.text(row: 1).contains("c1@example.net") && surface[1, 5].role == .strong)
    #expect(surface.text(row: 2).contains("z 2") && surface[2, 5].role == .dim)
    let badge = try #require((0..<24).first { surface[2, $0].glyph == "z" })
    #expect(surface[2, badge].role == .dim)
  }

  @Test func `the header says until when a conversation is muted`() {
    var store = NotificationStore()
    store.ends = { [.bob: .minutes(60)] }
    let header = HeaderViewModel(
      format: testFormat(),
      notifications: ConversationNotifications(store, now: { .afternoon }))
    header.conversation = .bob
    var surface = Surface(size: Size(rows: 2, columns: 80))
    HeaderPane(viewModel: header, glyphs: .ascii).draw(into: &surface)
    #expect(surface.text(row: 0).contains("muted until 15:00"))
    #expect(header.line.contains("muted until 15:00"))
  }
}
