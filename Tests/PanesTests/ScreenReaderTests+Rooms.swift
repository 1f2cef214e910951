import ChatsFixtures
import NatterCore
import Terminal
import TestSupport
import Testing
import Text
import ViewModels
import XMPP

@testable import Panes

/// Announcements of rooms for a screen reader.
extension ScreenReaderTests {
  @Test func `in the open room all is announced, whether it names the user or not`() async {
    let room = JID(local: "den", domain: "rooms.example.org")
    let harness = await ShellHarness(
      Size(rows: 24, columns: 80),
      ports: FakePorts(conversations: [Conversation(jid: room, kind: .room)]), glyphs: .linear)
    harness.handle(.roomsChanged([Room(jid: room, nick: "alice", phase: .inside)]))
    harness.shell.announces = true
    harness.press(.enter)
    await harness.settle()
    func says(_ id: Int64, _ text: String) {
      let zoe = JID(local: "den", domain: "rooms.example.org", resource: "zoe")
      harness.handle(.messagesStored([message(id, text, from: zoe, in: room, at: 3)]))
    }
    says(50, "to everybody")
    #expect(harness.rows.count { $0.contains("to everybody") } == 1, "\(harness.picture)")
    // Where the conversation cannot show it, the last row announces it.
    harness.coordinator.present(helpPane(glyphs: .linear))
    says(51, "to nobody")
    #expect(harness.rows.last == " zoe: to nobody", "\(harness.picture)")
  }
}
