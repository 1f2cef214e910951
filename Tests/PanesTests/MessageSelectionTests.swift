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

/// Choosing a message, and what is done with it.
@Suite struct MessageSelectionTests {
  private static let link = "https://example.org/a/b?c=1"

  private func ports() -> FakePorts {
    FakePorts(
      messages: [
        message(1, "One"),
        message(2, "See \(Self.link) and xmpp:room@example.net?join.", at: 1),
        message(3, "Three lines\nof text\nhere", from: .alice, at: 2, delivery: .read),
        message(4, "Look: <\(Self.link)>", at: 9),
        file(5, "keys.pdf", type: "application/pdf", size: 2000, at: 10)?.message,
        message(6, "Nothing to open", at: 20),
      ].compactMap { $0 },
      conversations: [Conversation(jid: .bob, lastActivity: .minutes(20))],
      contacts: [Contact(jid: .bob, name: "Bob Martin", subscription: .both)])
  }

  private func harness(
    _ rows: Int = 24, _ columns: Int = 80, files: FakeFiles? = nil, glyphs: Glyphs = .ascii
  ) async -> ShellHarness {
    await ShellHarness(
      Size(rows: rows, columns: columns), ports: ports(), glyphs: glyphs, files: files)
  }

  /// The rows that are drawn as chosen.
  private func chosen(_ harness: ShellHarness) -> [String] {
    harness.rows.indices.filter { harness.screen.shown.roles(row: $0).contains(.selection) }
      .map { harness.rows[$0] }
  }

  @Test
  func `who comes to the messages has the newest chosen; up and down go from one to the next`()
    async
  {
    let harness = await harness()
    harness.press(Key(.tab, .shift))
    #expect(harness.shell.timeline.selectedMessage?.id == .init(6))
    #expect(chosen(harness).count == 1 && chosen(harness)[0].contains("Nothing to open"))
    for _ in 0..<3 { harness.press(Key(.up)) }
    #expect(chosen(harness).count == 3)
    #expect(harness.shell.timeline.selectedMessage?.id == .init(3))
    harness.press(.character("j"))
    #expect(harness.shell.timeline.selectedMessage?.id == .init(4))
    harness.press(.character("g"))
    #expect(harness.shell.timeline.selectedMessage?.id == .init(1))
    harness.press(.character("k"))
    #expect(harness.shell.timeline.selectedMessage?.id == .init(1))
    harness.press(.character("G"))
    #expect(harness.shell.timeline.selectedMessage?.id == .init(6))
    harness.press(.escape)
    #expect(harness.shell.input.isFocused && chosen(harness).isEmpty)
    #expect(harness.shell.timeline.selectedMessage == nil)
  }

  @Test(arguments: [40, 80, 120])
  func `the chosen message looks different, and the cursor is on it`(columns: Int) async {
    let harness = await harness(24, columns)
    // On a narrow screen the list of chats is a page of its own.
    harness.shell.open(.bob)
    harness.press(.escape, Key(.tab, .shift))
    if !harness.shell.timeline.isFocused { harness.press(Key(.tab, .shift)) }
    harness.press(Key(.up), Key(.up))
    let rows = harness.rows.indices.filter {
      harness.screen.shown.roles(row: $0).contains(.selection)
    }
    #expect(harness.rows[rows.first ?? 0].contains(columns == 40 ? "14:09>Bob" : ">14:09"))
    #expect(harness.picture.split(separator: "\n").count { $0.contains(">14:") } <= 1)
    #expect(harness.screen.cursor?.row == rows.first)
  }

  @Test func `a screen reader has the cursor on the chosen message`() async {
    let harness = await harness(glyphs: .linear)
    // The list of chats is a page of its own.
    harness.press(Key(.tab, .shift), Key(.tab, .shift), Key(.up), Key(.up))
    let row = harness.screen.cursor?.row ?? 0
    #expect(harness.rows[row].contains("Look: <"))
  }

  private func reacted() -> FakePorts {
    FakePorts(
      messages: [
        message(1, "One"),
        Message(
          id: .init(2), conversation: .bob, sender: .bob, direction: .incoming, body: "Two",
          sentAt: .minutes(1), originID: "o2",
          reactions: [
            .init(sender: .bob, isOwn: false, emoji: ["👍"]),
            .init(sender: .alice, isOwn: true, emoji: ["👍"]),
            .init(sender: .chloe, isOwn: false, emoji: ["🎉"]),
          ]),
      ],
      conversations: [Conversation(jid: .bob, lastActivity: .minutes(20))],
      contacts: [Contact(jid: .bob, name: "Bob Martin", subscription: .both)])
  }

  @Test(arguments: [40, 80, 120])
  func `the users who reacted are shown for the chosen message`(columns: Int) async {
    let harness = await ShellHarness(Size(rows: 24, columns: columns), ports: reacted())
    harness.shell.open(.bob)
    // On a narrow screen the list of chats is a page of its own.
    harness.press(.escape, Key(.tab, .shift))
    if !harness.shell.timeline.isFocused { harness.press(Key(.tab, .shift)) }
    #expect(harness.rows.contains { $0.contains("👍 Bob, you  🎉 chloe") })
    harness.press(Key(.up))
    #expect(harness.rows.contains { $0.contains("[👍 2]  🎉") })
  }

  @Test func `a screen reader hears who reacted`() async {
    let harness = await ShellHarness(
      Size(rows: 24, columns: 80), ports: reacted(), glyphs: .linear)
    harness.press(Key(.tab, .shift))
    #expect(harness.rows.contains { $0.contains("Reactions: 👍 Bob, you; 🎉 chloe") })
  }

  @Test func `keys react to the chosen message and delete it, after a question`() async {
    let harness = await harness()
    harness.press(Key(.tab, .shift), Key(.up), .character("+"))
    harness.type("party popper")
    harness.press(.enter)
    await harness.settle()
    #expect(await harness.ports.calls.contains("react 5 🎉"))
    harness.press(.escape, Key(.tab, .shift), Key(.up), Key(.up), Key(.up), .character("d"))
    #expect(harness.done == ["ask confirm.delete Three lines of text here"])
    await harness.settle()
    #expect(await !harness.ports.calls.contains("retract 3"))
  }

  @Test func `copying gives the terminal the text as it was written, and the input its cut text`()
    async
  {
    let harness = await harness()
    harness.press(Key(.tab, .shift), Key(.up), Key(.up), Key(.up), .character("y"))
    #expect(harness.done == ["copy Three lines\nof text\nhere"])
    harness.press(.escape, .control("y"))
    #expect(harness.shell.input.text == "Three lines\nof text\nhere")
  }

  @Test func `a command copies the newest message`() async {
    let harness = await harness()
    harness.type("/copy")
    harness.press(.enter)
    #expect(harness.done == ["copy Nothing to open"])
  }

  @Test func `one link is opened at once, of several one is chosen`() async {
    let harness = await harness()
    harness.press(Key(.tab, .shift), Key(.up), Key(.up), .enter)
    #expect(harness.done == ["link \(Self.link)"])
    harness.press(Key(.up), Key(.up), .character("o"))
    #expect(
      harness.done.last == "choose 1  \(Self.link), 2  xmpp:room@example.net?join")
    harness.press(.character("G"), .character("o"))
    #expect(harness.rows.contains { $0.contains("This message has nothing to open.") })
  }

  @Test func `links and files of the conversation are one list, each address once`() async {
    let harness = await harness(files: FakeFiles())
    harness.press(.control("x"), .character("o"))
    #expect(
      harness.done == [
        "choose 1  keys.pdf, 2  \(Self.link), 3  xmpp:room@example.net?join"
      ])
    harness.type("/link 3")
    harness.press(.enter)
    #expect(harness.done.last == "address xmpp:room@example.net?join")
    harness.press(.control("u"))
    harness.type("/link 9")
    harness.press(.enter)
    #expect(harness.rows.contains { $0.contains("There is no link 9") })
  }

  @Test
  func `while links can be chosen each in sight begins with what opens it, and nothing moves`()
    async throws
  {
    let harness = await harness(files: FakeFiles())
    let before = harness.rows
    harness.press(.control("x"), .character("o"))
    // Over the first column of the file and of each link, wherever the same one is.
    #expect(harness.rows.contains { $0.contains("1 keys.pdf") })
    #expect(harness.rows.contains { $0.contains("See 2ttps://example.org/a/b?c=1") })
    #expect(harness.rows.contains { $0.contains("Look: <2ttps://example.org/a/b?c=1>") })
    #expect(harness.rows.contains { $0.contains("3mpp:room@") })
    let row = try #require(harness.rows.firstIndex { $0.contains("Look: <2ttps") })
    #expect(harness.screen.shown.roles(row: row).filter { $0 == .selection }.count == 1)
    try #require(harness.choices.last).onEnd(nil)
    await harness.settle()
    #expect(harness.rows == before)
  }

  @Test func `the list begins with the links in sight, the newest of them first`() async throws {
    let ports = FakePorts(
      messages: (1...120).map {
        message(Int64($0), "See https://example.org/\($0)", at: Double($0))
      }, conversations: [Conversation(jid: .bob, lastActivity: .minutes(120))])
    let harness = await ShellHarness(Size(rows: 12, columns: 80), ports: ports)
    harness.press(.control("x"), .character("o"))
    #expect(try #require(harness.choices.last).labels.first == "1  https://example.org/120")
    try #require(harness.choices.last).onEnd(nil)
    harness.press(Key(.pageUp), Key(.pageUp), .control("x"), .character("o"))
    let labels = try #require(harness.choices.last).labels
    let shown = harness.rows.compactMap { row in
      row.firstMatch(of: /See (.)ttps:\/\/example.org\/([0-9]+)/).map {
        (String($0.1), String($0.2))
      }
    }
    #expect(shown.count >= 5 && !shown.contains { $0.1 == "120" })
    for (index, link) in shown.reversed().enumerated() {
      #expect(labels[index] == "\(link.0)  https://example.org/\(link.1)")
    }
    // What is out of sight comes behind them.
    #expect(labels[shown.count].hasSuffix("/120"))
    harness.choices.last?.onEnd(nil)
    harness.type("/link 1")
    harness.press(.enter)
    #expect(harness.done.last == "link https://example.org/\(shown.last?.1 ?? "")")
  }

  @Test func `a file is opened and kept`() async throws {
    let offered = try #require(
      file(5, "keys.pdf", type: "application/pdf", size: 2000, at: 10, path: "/down/keys.pdf"))
    let files = FakeFiles([offered])
    let harness = await harness(files: files)
    harness.press(Key(.tab, .shift), Key(.up), .character("s"))
    await harness.settle()
    #expect(await files.calls == ["fetch 5 -"])
    harness.press(.character("o"))
    await harness.settle()
    #expect(harness.done == ["open /down/keys.pdf"])
    harness.press(Key(.down), .character("s"))
    #expect(harness.rows.contains { $0.contains("This message has no file.") })
  }

  private func click(_ harness: ShellHarness, on text: String) throws {
    let row = try #require(harness.rows.firstIndex { $0.contains(text) })
    let position = try #require(harness.rows[row].range(of: text))
    let column = harness.rows[row].distance(
      from: harness.rows[row].startIndex, to: position.lowerBound)
    for action in [MouseEvent.Action.press, .release] {
      harness.coordinator.handle(
        .mouse(MouseEvent(action, button: 1, at: Point(row: row, column: column))))
    }
  }

  @Test func `a click opens the link below it, on any of its rows, and chooses what is no link`()
    async throws
  {
    let harness = await harness(24, 60)
    try click(harness, on: "xmpp:room@")
    #expect(harness.done == ["address xmpp:room@example.net?join"])
    // The rest of the same address, on the row below.
    try click(harness, on: "net?join")
    #expect(harness.done.count == 2 && harness.done[1] == harness.done[0])
    try click(harness, on: "Nothing to open")
    #expect(harness.done.count == 2)
    #expect(harness.shell.timeline.selectedMessage?.id == .init(6))
    // Also where the message is chosen.
    try click(harness, on: "Look")
    try click(harness, on: "example.org/a/b")
    #expect(harness.done.last == "link \(Self.link)" || harness.done.last == harness.done[0])
  }

  @Test func `going up reads what is further up, and a long message is read before it is left`()
    async
  {
    let long = (1...40).map { "line \($0)" }.joined(separator: "\n")
    let ports = FakePorts(
      messages: (1...100).map {
        message(Int64($0), $0 == 98 ? long : "message \($0)", at: Double($0))
      }, conversations: [Conversation(jid: .bob, lastActivity: .minutes(100))])
    let harness = await ShellHarness(Size(rows: 24, columns: 80), ports: ports)
    harness.press(Key(.tab, .shift), Key(.up), Key(.up))
    #expect(harness.shell.timeline.selectedMessage?.id == .init(98))
    #expect(harness.rows.contains { $0.contains("line 40") })
    var presses = 0
    while harness.shell.timeline.selectedMessage?.id == .init(98), presses < 60 {
      harness.press(Key(.up))
      presses += 1
    }
    #expect(presses > 15 && harness.shell.timeline.selectedMessage?.id == .init(97))
    for _ in 0..<96 {
      harness.press(Key(.up))
      await harness.settle()
    }
    #expect(harness.shell.timeline.selectedMessage?.id == .init(1))
    #expect(harness.rows.contains { $0.contains("message 1 ") || $0.hasSuffix("message 1") })
    for _ in 0..<99 + 40 { harness.press(Key(.down)) }
    #expect(harness.shell.timeline.selectedMessage?.id == .init(100))
    #expect(harness.shell.timeline.anchor == nil)
  }

  @Test func `what is taken out of the outbox is taken off the screen`() async {
    let harness = await harness()
    harness.handle(.messagesRemoved(conversation: .bob, [.init(6)]))
    #expect(!harness.picture.contains("Nothing to open"))
    harness.handle(.messagesRemoved(conversation: .chloe, [.init(4)]))
    #expect(harness.picture.contains("Look: <"))
  }
}
