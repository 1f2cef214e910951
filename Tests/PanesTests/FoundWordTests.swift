import ChatsFixtures
import NatterCore
import Terminal
import TestSupport
import Testing
import ViewModels
import XMPP

@testable import Panes

/// Messages whose shown text is not the original, and matches of a search in a message.
@Suite struct FoundWordTests {
  private func harness(_ messages: Message..., rows: Int = 14) async -> ShellHarness {
    let ports = FakePorts(
      messages: messages, conversations: [Conversation(jid: .bob, lastActivity: .minutes(0))])
    let harness = await ShellHarness(Size(rows: rows, columns: 80), ports: ports)
    harness.shell.open(.bob)
    await harness.settle()
    return harness
  }

  @Test func `only the matches are painted`() async {
    let harness = await harness(message(1, "hay and a needle in it"))
    harness.press(.control("f"))
    harness.type("needle")
    await harness.settle()
    let shown = harness.screen.shown
    let painted = (0..<shown.size.rows).map { row in
      zip(0..., shown.roles(row: row)).filter { $0.1 == .searchMatch }
        .map { String(shown[row, $0.0].glyph) }.joined()
    }.filter { !$0.isEmpty }
    #expect(painted == ["needle"])
  }

  /// The glyphs that are marked as matches.
  private func marked(_ harness: ShellHarness) -> String {
    let shown = harness.screen.shown
    return (0..<shown.size.rows).map { row in
      zip(0..., shown.roles(row: row)).filter { $0.1.marksMatch }
        .map { String(shown[row, $0.0].glyph) }.joined()
    }.joined()
  }

  @Test(arguments: [false, true])
  func `they are painted over every style, in links, code and a selected message, too`(
    isSelected: Bool
  ) async {
    let harness = await harness(
      message(
        1, "*a needle* _needle_ `needle`\nhttps://e.example/needle/x\n```\nlet needle = 1\n```"),
      rows: 24)
    if isSelected { harness.press(Key(.tab, .shift), .character("/")) }
    if !isSelected { harness.press(.control("f")) }
    harness.type("needle")
    await harness.settle()
    #expect(marked(harness) == String(repeating: "needle", count: 5), "\(harness.picture)")
    #expect((harness.shell.timeline.selectedMessage != nil) == isSelected)
    // A line of code stays one, and a link leads to its whole address.
    #expect(harness.picture.contains("let needle = 1"), "\(harness.picture)")
    let item = harness.shell.timeline.items.first { $0.kind == .message }
    #expect(item?.links == ["https://e.example/needle/x"])
  }

  @Test
  func `an unreadable message is shown, and below it a notice that the answer is in clear`()
    async
  {
    let omemo = Message(
      id: .init(2), conversation: .bob, sender: .bob, direction: .incoming, body: "",
      sentAt: .minutes(1), originID: "o2",
      content: .encrypted(XEP0380Encryption(method: "eu.siacs.conversations.axolotl")))
    let harness = await harness(message(1, "hello"), omemo)
    #expect(
      harness.picture.contains(
        """
        14:00 bob    hello
                             | 14:01        Encrypted message (OMEMO), which Natter
                             |              cannot read yet
                             |   What you write here is not encrypted: Natter cannot
                             |                       encrypt yet.
        """))
  }
}
