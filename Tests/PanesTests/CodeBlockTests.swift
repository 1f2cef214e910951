import ChatsFixtures
import NatterCore
import Terminal
import TestSupport
import Testing
import Text
import ViewModels

@testable import Panes

/// Lines of code in the messages (interface.md, "Messages").
@Suite struct CodeBlockTests {
  static let code = "see\n```\nlet alphabet = \"abcdefghijklmnopqrstuvwxyz\"\nend\n```\nthere"

  private func harness(
    _ size: Size = Size(rows: 24, columns: 60), glyphs: Glyphs = .ascii, body: String = code
  ) async -> ShellHarness {
    let harness = await ShellHarness(
      size,
      ports: FakePorts(
        messages: [message(1, body, at: 0)],
        conversations: [Conversation(jid: .bob, lastActivity: .minutes(0))],
        contacts: [Contact(jid: .bob, name: "Bob", subscription: .both)], now: .minutes(3)),
      glyphs: glyphs, showsSidebar: false)
    await harness.settle()
    return harness
  }

  private func code(_ harness: ShellHarness) -> [String] {
    harness.rows.filter { $0.contains("let alphabet") || $0.contains("<") || $0.contains("xyz") }
  }

  @Test func `what is too wide is cut with a mark, and nothing else is`() async throws {
    let wide = await harness(Size(rows: 24, columns: 100))
    #expect(wide.picture.contains("let alphabet = \"abcdefghijklmnopqrstuvwxyz\"\n"))
    let harness = await harness()
    let row = harness.rows.first { $0.contains("let alphabet") } ?? ""
    #expect(row.hasSuffix(">") && !row.contains("xyz"), "\(harness.picture)")
    let last = harness.rows.map { $0.split(separator: " ").last.map(String.init) ?? "" }
    let first = try #require(last.firstIndex(of: "see"))
    #expect(last[first + 1] == "```" && last[first + 3] == "end")
    #expect(last[first + 4] == "```" && last[first + 5] == "there")
  }

  @Test func `the chosen message's lines are scrolled sideways, as far as they go`() async {
    let harness = await harness()
    harness.press(Key(.tab, .shift))
    harness.press(Key(.right))
    #expect(!harness.picture.contains("let alphabet") && harness.picture.contains("<"))
    for _ in 0..<9 { harness.press(Key(.right)) }
    #expect(harness.picture.contains("wxyz\"\n") && !harness.picture.contains("> \n"))
    let end = harness.picture
    harness.press(Key(.right))
    #expect(harness.picture == end)
    for _ in 0..<9 { harness.press(Key(.left)) }
    #expect(harness.picture.contains("let alphabet"))
    harness.press(Key(.right))
    harness.press(.escape)
    harness.press(Key(.tab, .shift))
    #expect(code(harness).count == 1)
  }

  @Test func `a wide glyph is never halved by the cut`() async {
    let harness = await harness(body: "```\n" + String(repeating: "日本", count: 40) + "\n```")
    let row = harness.rows.first { $0.contains("日") } ?? ""
    #expect(row.hasSuffix(">") && row.columns <= 60)
    harness.press(Key(.tab, .shift), Key(.right))
    #expect(harness.rows.allSatisfy { $0.columns <= 60 })
  }

  @Test func `nothing is cut where text is copied or heard`() async {
    let linear = await harness(glyphs: .linear)
    linear.press(.enter)
    #expect(linear.picture.contains("xyz"))
    let plain = await harness(Size(rows: 24, columns: 40))
    plain.press(.alt("l"))
    #expect(plain.picture.contains("xyz"))
  }

  @Test func `the note that it was corrected is below the block`() async throws {
    let corrected = Message(
      id: .init(1), conversation: .bob, sender: .bob, direction: .incoming, body: "```\na\n```",
      sentAt: .minutes(0), originID: "o1", edit: .init(originID: "o2"))
    let harness = await ShellHarness(
      Size(rows: 24, columns: 60),
      ports: FakePorts(
        messages: [corrected],
        conversations: [Conversation(jid: .bob, lastActivity: .minutes(0))],
        contacts: [Contact(jid: .bob, name: "Bob", subscription: .both)], now: .minutes(3)),
      showsSidebar: false)
    let rows = harness.rows.map { $0.split(separator: " ").last.map(String.init) ?? "" }
    let last = try #require(rows.lastIndex(of: "```"))
    #expect(rows[last + 1] == "(edited)" && rows[last - 1] == "a")
  }
}
