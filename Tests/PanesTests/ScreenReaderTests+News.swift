import ChatsFixtures
import NatterCore
import Terminal
import TestSupport
import Testing
import Text
import ViewModels
import XMPP

@testable import Panes

/// Announcements of new messages for a screen reader.
extension ScreenReaderTests {
  @Test
  func `messages that come one after the other are announced with their number, none is left out`()
    async
  {
    let harness = await ShellHarness(Size(rows: 24, columns: 80), glyphs: .linear)
    harness.shell.announces = true
    // Nobody has seen the first when the second comes.
    harness.shell.handle(.messagesStored([message(50, "one", from: .chloe, in: .chloe, at: 3)]))
    harness.shell.handle(.messagesStored([message(51, "two", from: .chloe, in: .chloe, at: 3)]))
    harness.coordinator.display.drawFrame()
    #expect(harness.picture.contains("2 messages from Chloe, the last one: two"))
    harness.handle(
      .messagesStored([
        message(52, "three", from: .chloe, in: .chloe, at: 3), message(53, "four", at: 3),
      ]))
    #expect(harness.picture.contains("2 new messages, the last one from Bob: four"))
    harness.handle(.messagesStored([message(54, "five", at: 3)]))
    #expect(harness.picture.contains(" Bob: five"))
  }

  @Test(arguments: [false, true])
  func `what arrives while history is read is announced when that is done`(isQuiet: Bool) async {
    let harness = await ShellHarness(Size(rows: 24, columns: 80), glyphs: .linear)
    harness.shell.announces = true
    // Quiet hours silence the bell, and not what a screen reader says.
    harness.shell.isQuiet = { isQuiet }
    harness.shell.handle(.catchUpChanged(isRunning: true))
    harness.shell.handle(.messagesStored([message(50, "psst", from: .chloe, in: .chloe, at: 3)]))
    harness.handle(
      .conversationsChanged([Conversation(jid: .chloe, unread: 1, lastActivity: .minutes(3))]))
    #expect(!harness.picture.contains("Chloe: psst"))
    harness.handle(.catchUpChanged(isRunning: false))
    #expect(harness.picture.contains("Chloe: psst"), "\(harness.picture)")
  }

  @Test func `what the conversation shows is not announced a second time`() async {
    let harness = await ShellHarness(Size(rows: 24, columns: 80), glyphs: .linear)
    harness.shell.announces = true
    harness.press(.enter)
    await harness.settle()
    harness.handle(.messagesStored([message(50, "said once", at: 3)]))
    #expect(harness.rows.count { $0.contains("said once") } == 1)
    #expect(harness.rows.contains { $0.hasPrefix("Bob: said once") })
    // Where an overlay covers the screen, it is announced in its last row, and not again
    // afterwards.
    harness.coordinator.present(helpPane(glyphs: .linear))
    harness.handle(.messagesStored([message(51, "in between", at: 3)]))
    #expect(harness.rows.last == " Bob: in between")
    harness.press(.escape)
    #expect(harness.rows.count { $0.contains("in between") } == 1)
  }

  @Test func `on a low screen, too, news is announced as soon as it comes, with no key pressed`()
    async
  {
    let harness = await ShellHarness(Size(rows: 15, columns: 40), glyphs: .linear)
    harness.shell.announces = true
    harness.press(.enter)
    await harness.settle()
    // Twice: an announcement that has gone leaves nothing behind that the next has to wait for.
    for text in ["psst", "once more"] {
      harness.shell.status.clear()
      harness.coordinator.display.drawFrame()
      let news = message(text == "psst" ? 90 : 91, text, from: .chloe, in: .chloe, at: 2)
      await harness.ports.add([news])
      harness.shell.handle(.messagesStored([news]))
      harness.shell.handle(
        .conversationsChanged([
          Conversation(jid: .chloe, unread: 7, lastActivity: .minutes(2))
        ]))
      await harness.shell.finish()
      harness.timers.fire()
      #expect(harness.picture.contains(text), "\(harness.picture)")
    }
  }

  @Test func `numbers of what is unread change when the user looks, not by themselves`() async {
    let harness = await ShellHarness(Size(rows: 24, columns: 80), glyphs: .linear)
    harness.shell.announces = true
    harness.press(.enter)
    await harness.settle()
    let (bar, text) = (harness.rows[0], "psst")
    #expect(bar.contains("Chats 3"))
    let news = message(90, text, from: .chloe, in: .chloe, at: 2)
    await harness.ports.add([news])
    func arrives(unread: Int) async {
      harness.handle(.messagesStored([news]))
      harness.handle(
        .conversationsChanged([
          Conversation(jid: .chloe, unread: unread, lastActivity: .minutes(2))
        ]))
      await harness.settle()
    }
    await arrives(unread: 7)
    // It is announced as text; the first row is as before, also while the user types.
    #expect(harness.rows[0] == bar && harness.picture.contains(text))
    harness.type("hm")
    #expect(harness.rows[0] == bar)
    harness.press(.control("l"))
    #expect(harness.rows[0] != bar && harness.rows[0].contains("Chats 7"), "\(harness.rows[0])")
    // The same in the list.
    harness.press(.control("u"), .escape)
    let row = harness.rows.first { $0.contains("Chloe Dupont") }
    #expect(row?.hasSuffix(" 7") == true, "\(harness.picture)")
    await arrives(unread: 9)
    #expect(harness.rows.first { $0.contains("Chloe Dupont") } == row)
    harness.press(Key(.down))
    #expect(harness.rows.contains { $0.contains("Chloe Dupont") && $0.hasSuffix(" 9") })
  }

  @Test func `an announced row is another one each time, also with the same text`() async {
    let harness = await ShellHarness(Size(rows: 24, columns: 80), glyphs: .linear)
    harness.shell.announces = true
    harness.handle(.messagesStored([message(50, "ping", from: .chloe, in: .chloe, at: 3)]))
    let first = harness.screen.shown.announced
    #expect(first.count == 1)
    harness.handle(.messagesStored([message(51, "ping", from: .chloe, in: .chloe, at: 3)]))
    #expect(
      harness.screen.shown.announced.keys == first.keys && harness.screen.shown.announced != first)
    // A key that has nothing to do with it leaves it alone.
    let second = harness.screen.shown.announced
    harness.press(Key(.down))
    #expect(harness.screen.shown.announced == second)
  }
}
