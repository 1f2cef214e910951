import ChatsFixtures
import NatterCore
import Terminal
import TestSupport
import Testing
import ViewModels
import XMPP

@testable import Panes

/// A contact request of somebody who also writes: it is answered where they are read.
@Suite struct RequestLineTests {
  private func harness(_ size: Size = Size(rows: 24, columns: 100)) async -> ShellHarness {
    let harness = await ShellHarness(size)
    harness.shell.open(.bob)
    await harness.settle()
    harness.handle(.subscriptionRequested(.bob))
    return harness
  }

  private func line(_ harness: ShellHarness) -> (row: Int, text: String)? {
    harness.rows.enumerated().first { $0.element.contains("[Accept]") }
      .map { (row: $0.offset, text: $0.element) }
  }

  @Test func `the line is above the input while its conversation is open`() async throws {
    let harness = await harness(Size(rows: 24, columns: 110))
    let text = try #require(line(harness)?.text)
    #expect(text.contains("Bob Martin wants to add you as a contact."))
    #expect(text.contains("[Decline] [Block]") && text.contains("Shift+Tab"))
    harness.shell.open(.chloe)
    await harness.settle()
    #expect(line(harness) == nil)
    harness.shell.open(.bob)
    await harness.settle()
    #expect(line(harness) != nil)
    harness.handle(.contactsChanged([Contact(jid: .bob, name: "Bob", subscription: .both)]))
    harness.shell.sidebar.removeRequest(.bob)
    #expect(line(harness) == nil)
  }

  @Test(arguments: [(0, "approve"), (1, "deny")])
  func `keys reach its answers, and letters are still typed`(steps: Int, call: String) async {
    let harness = await harness()
    harness.press(.character("h"), .character("i"))
    #expect(harness.shell.input.text == "hi")
    harness.press(Key(.tab, .shift))
    for _ in 0..<steps { harness.press(Key(.right)) }
    harness.press(.enter)
    await harness.settle()
    #expect(await harness.ports.calls.contains { $0.hasPrefix(call) })
    #expect(line(harness) == nil)
  }

  @Test func `Del declines, and blocking asks first`() async {
    let harness = await harness()
    harness.press(Key(.tab, .shift), Key(.right), Key(.right), .enter)
    #expect(harness.done.last?.hasPrefix("ask contact.blockAsk") == true, "\(harness.done)")
    #expect(line(harness) != nil)
    harness.press(Key(.delete))
    await harness.settle()
    #expect(await harness.ports.calls.contains { $0.hasPrefix("deny") })
  }

  @Test func `a click on an answer gives it`() async throws {
    let harness = await harness()
    let (row, text) = try #require(line(harness))
    let column = text.distance(
      from: text.startIndex, to: try #require(text.firstRange(of: "Decline")).lowerBound)
    harness.coordinator.handle(
      .mouse(MouseEvent(.press, button: 1, at: Point(row: row, column: column))))
    await harness.settle()
    #expect(await harness.ports.calls.contains { $0.hasPrefix("deny") })
  }

  @Test(arguments: [
    Size(rows: 8, columns: 30), Size(rows: 12, columns: 40), Size(rows: 24, columns: 80),
  ])
  func `the answers are whole on small screens`(size: Size) async throws {
    let harness = await harness(size)
    harness.shell.onOpen()
    let text = try #require(line(harness)?.text)
    #expect(text.contains("[Accept] [Decline] [Block]"))
  }

  @Test(arguments: [
    (59, "Bob Martin wants to add you. ["), (45, "Add Bob Martin? ["), (40, "Add Bob M~? ["),
    (33, "Add? ["),
  ])
  func `a narrow line is shortened to what is asked`(columns: Int, shown: String) async throws {
    let harness = await harness(Size(rows: 12, columns: columns))
    harness.shell.onOpen()
    let text = try #require(line(harness)?.text)
    #expect(text.contains(shown), "\(text)")
  }
}
