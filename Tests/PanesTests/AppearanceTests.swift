import ChatsFixtures
import NatterCore
import Terminal
import TestSupport
import Testing
import Text
import ViewModels
import XMPP

@testable import Panes

/// The screen for a screen reader, right-to-left text, spelled emoji, sliding tabs.
@Suite struct AppearanceTests {
  @Test(arguments: [
    Size(rows: 15, columns: 40), Size(rows: 24, columns: 80), Size(rows: 40, columns: 120),
  ])
  func `for a screen reader nothing is drawn but text, one thing below the other`(size: Size) async
  {
    let harness = await ShellHarness(size, glyphs: .linear)
    for _ in 0..<2 {
      #expect(!harness.picture.contains { "|─│┌┐└┘═".contains($0) }, "\(harness.picture)")
      #expect(!harness.picture.contains("--") && !harness.picture.contains("=="))
      harness.press(Key(.tab))
    }
    #expect(!harness.rows.contains { $0.contains("DIRECT") && $0.contains("Bob Martin *") })
  }

  @Test func `the screen reader's conversation at 80x24: who, what, at last when`() async {
    let harness = await ShellHarness(
      Size(rows: 24, columns: 80), glyphs: .linear, showsClock: false)
    harness.press(.enter)
    await harness.settle()
    #expect(
      harness.picture == """
        [Chats 3] alice@example.org  online
        < Bob Martin, online, bob@example.net, "Back at 3"












        Friday 20 November
        Bob: Morning! Did you get the draft of the keymap?  13:58
        Bob: It is in the shared folder, second page.
        you: Yes, reading it *now*. Looks good so far. (read)  14:01
        1 new
        Bob: Great :) here is the photo from the summit, with the whole team standing in
        front of the old observatory.  14:02

         > Write a message
        F1 Help  ^O Go to  Alt+A Next unread  ^N/^P Chat  Tab Panes  ^J New line ^Q Quit
        """)
  }

  private func cursorRow(_ harness: ShellHarness) -> String {
    harness.screen.cursor.map { harness.rows[$0.row] } ?? ""
  }

  @Test func `the cursor is on what is selected, in lists and in the palette`() async {
    let harness = await ShellHarness(Size(rows: 24, columns: 80), glyphs: .linear)
    #expect(cursorRow(harness).contains("Bob Martin"))
    harness.press(Key(.down))
    #expect(cursorRow(harness).contains("Chloe Dupont"))
    harness.press(.control("o"))
    harness.type("theme")
    #expect(cursorRow(harness).contains("> theme"))
    harness.press(Key(.down))
    let row = cursorRow(harness)
    #expect(row.contains(">") && !row.contains("> theme"))
    harness.type("x")
    #expect(cursorRow(harness).contains("> themex"))
  }

  @Test func `a new message is announced in one line, and the next replaces it`() async {
    let harness = await ShellHarness(Size(rows: 24, columns: 80), glyphs: .linear)
    (harness.shell.announces, harness.shell.isCalm) = (true, true)
    harness.handle(.messagesStored([message(50, "first\nof two lines", at: 3)]))
    #expect(harness.shell.status.message.text == "Bob: first of two lines")
    harness.handle(
      .messagesStored([message(51, "and I", from: .chloe, in: .chloe, at: 3)]))
    #expect(harness.shell.status.message.text == "Chloe: and I")
    // Who is typing would be read out again and again.
    harness.handle(.typingChanged(conversation: .bob, isTyping: true))
    harness.shell.status.clear()
    #expect(harness.shell.status.message.text == "")
    // An error stays.
    harness.shell.show(StatusNotice(.error, "error.noConversation"))
    harness.handle(.messagesStored([message(52, "more", at: 4)]))
    #expect(harness.shell.status.message.level == .error)
  }

  @Test func `each line of a message is heard as its sender's`() async {
    let harness = await ShellHarness(Size(rows: 24, columns: 80), glyphs: .linear)
    harness.press(.enter)
    await harness.settle()
    harness.handle(.messagesStored([message(50, "first\nyou: of two lines", at: 3)]))
    await harness.settle()
    #expect(harness.picture.contains("\nBob: first\nBob: you: of two lines"), "\(harness.picture)")
  }

  @Test func `two conversations beside each other are nothing for a screen reader`() async {
    let harness = await ShellHarness(Size(rows: 24, columns: 130), glyphs: .linear)
    harness.press(.enter, .control("x"), .character("|"))
    #expect(harness.shell.split == nil)
    #expect(harness.picture.contains("one conversation at a time"))
  }

  /// Shalom, and a longer sentence in Hebrew.
  static let shalom = "\u{5E9}\u{5DC}\u{5D5}\u{5DD}"

  func ordered(_ size: Size, orders: Bool = true) async -> ShellHarness {
    let ports = FakePorts(
      messages: [
        message(1, "\(Self.shalom) 12, ok?", at: 0),
        message(2, "hello (\(Self.shalom)) there", at: 8),
      ],
      conversations: [Conversation(jid: .bob, lastActivity: .minutes(8))],
      contacts: [Contact(jid: .bob, name: "\(Self.shalom) Bob", subscription: .both)],
      now: .minutes(9))
    var glyphs = Glyphs.ascii
    glyphs.ordersText = orders
    return await ShellHarness(size, ports: ports, glyphs: glyphs)
  }

  @Test func `text from right to left is put in order, and ends at the right edge`() async {
    let turned = String(Self.shalom.reversed())
    let harness = await ordered(Size(rows: 20, columns: 60))
    #expect(harness.picture.contains("?ok ,12 \(turned)"))
    #expect(harness.picture.contains("hello (\(turned)) there"))
    #expect(harness.rows[2].contains("Bob \(turned)"))
    let row = harness.rows.first { $0.contains("?ok ,12") } ?? ""
    #expect(row.count == 60)
    let left = await ordered(Size(rows: 20, columns: 60), orders: false)
    #expect(left.picture.contains("\(Self.shalom) 12, ok?"))
  }

  @Test func `at 40 and 120 columns no row is longer than the screen`() async {
    for columns in [40, 120] {
      let harness = await ordered(Size(rows: 20, columns: columns))
      harness.press(.enter)
      await harness.settle()
      #expect(harness.rows.allSatisfy { $0.columns <= columns })
    }
  }

  @Test func `another tab slides in over the one before, and keys do not wait for it`() async {
    let harness = await ShellHarness(
      Size(rows: 24, columns: 80), factories: [ContactsFactory()])
    let chats = harness.picture
    harness.press(Key(.function(3)))
    let whole = harness.picture
    #expect(whole.contains("CONTACTS (") || whole.contains("Bob Martin"))
    harness.press(Key(.function(2)))
    #expect(harness.picture == chats)
    harness.coordinator.desktop?.slides = true
    harness.press(Key(.function(3)))
    let first = harness.picture
    #expect(first != whole && first != chats)
    #expect(first.split(separator: "\n")[0] == whole.split(separator: "\n")[0])
    for _ in 0..<DisplaySlide.steps { harness.timers.fire() }
    #expect(harness.picture == whole)
    // A key in the middle of it goes where it belongs.
    harness.press(Key(.function(2)), Key(.function(3)), Key(.function(2)))
    harness.type("x")
    for _ in 0..<DisplaySlide.steps { harness.timers.fire() }
    #expect(harness.shell.input.text == "x" && harness.picture.contains("> x"))
  }
}
