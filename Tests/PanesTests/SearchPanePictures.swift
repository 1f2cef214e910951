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

/// The search in a conversation, and going to a day.
@Suite struct SearchPanePictures {
  private func harness(_ columns: Int = 80) async -> ShellHarness {
    let ports = FakePorts(
      messages: (1...300).map { number in
        message(
          Int64(number), number.isMultiple(of: 70) ? "needle \(number)" : "hay \(number)",
          at: Double(number - 300) * 60)
      }, conversations: [Conversation(jid: .bob, lastActivity: .minutes(0))])
    let harness = await ShellHarness(Size(rows: 24, columns: columns), ports: ports)
    harness.shell.open(.bob)
    await harness.settle()
    return harness
  }

  /// Opens the search, and types a query.
  private func find(_ query: String, _ harness: ShellHarness) async {
    harness.press(.control("f"))
    harness.type(query)
    await harness.settle()
  }

  @Test func `each letter looks, Enter goes to older ones, beyond what is loaded`() async {
    let harness = await harness()
    await find("needl", harness)
    #expect(harness.picture.contains("needle 280") && harness.picture.contains(" 1/4"))
    for number in [210, 140, 70] {
      harness.press(.enter)
      await harness.settle()
      #expect(harness.picture.contains("needle \(number)"), "\(number)")
    }
    // There is none before it.
    harness.press(.enter)
    await harness.settle()
    #expect(harness.picture.contains(" 4/4"))
    harness.press(.control("n"))
    await harness.settle()
    #expect(harness.picture.contains("needle 140") && harness.picture.contains(" 3/4"))
    harness.type("x")
    await harness.settle()
    #expect(harness.picture.contains("not found"))
    harness.press(.escape)
    #expect(!harness.picture.contains("Search this conversation"))
    #expect(harness.shell.input.text == "")
  }

  @Test(arguments: [80, 40]) func `what is found among the last messages does not lie under it`(
    columns: Int
  ) async {
    let harness = await harness(columns)
    for word in ["300", "299", "298"] {
      await find(word, harness)
      #expect(harness.rows.contains { $0.contains("hay \(word)") }, "\(harness.picture)")
      harness.press(.escape)
      // The room is theirs again.
      #expect(harness.picture.contains("hay 300"), "\(harness.picture)")
    }
  }

  @Test(arguments: [80, 40]) func `after a match on the last page new messages scroll in`(
    columns: Int
  ) async {
    let harness = await harness(columns)
    await find("hay 298", harness)
    #expect(harness.rows.contains { $0.contains("hay 298") }, "\(harness.picture)")
    harness.press(.enter, .escape)
    #expect(harness.shell.timeline.anchor == nil)
    for number in 301...340 {
      harness.handle(
        .messagesStored([message(Int64(number), "new \(number)", at: Double(number - 300))]))
    }
    #expect(harness.picture.contains("new 340"), "\(harness.picture)")
    #expect(harness.shell.timeline.newBelow == 0)
    // One further back stays where it is.
    await find("hay 250", harness)
    harness.press(.escape)
    harness.handle(.messagesStored([message(341, "new 341", at: 41)]))
    #expect(harness.picture.contains("hay 250"), "\(harness.picture)")
    #expect(harness.shell.timeline.newBelow == 1)
  }

  @Test(arguments: ["en", "fr", "zh-Hans"])
  func `in 40 columns the key to all conversations is there, and the way back`(language: String)
    async
  {
    let messages = [message(1, "a needle", at: 0), message(2, "needles", in: .chloe, at: -900_000)]
    let ports = FakePorts(
      messages: messages, conversations: [Conversation(jid: .bob, lastActivity: .minutes(0))])
    let harness = await ShellHarness(
      Size(rows: 24, columns: 40), ports: ports, language: language)
    harness.shell.open(.bob)
    await harness.settle()
    await find("needle", harness)
    let wayOut = harness.shell.format.localizer("dialog.keysClose")
    for key in ["find.keysAllShort", "find.keysHereShort"] {
      let hint = harness.shell.format.localizer(key)
      #expect(
        harness.rows.contains { $0.contains(hint) && $0.contains(wayOut) },
        "\(hint) in \(harness.picture)")
      harness.press(Key(.tab))
      await harness.settle()
      // The time of the oldest match takes no more than it needs: there is room for its text.
      guard key == "find.keysAllShort" else { continue }
      #expect(
        harness.rows.contains { $0.contains("2025-03 chloe") && $0.contains("needles") },
        "\(harness.picture)")
      harness.press(Key(.tab))
      await harness.settle()
      harness.press(Key(.tab))
      await harness.settle()
    }
  }

  @Test func `after it was closed n and N go on`() async {
    let harness = await harness()
    harness.press(Key(.tab, .shift), .character("/"))
    harness.type("needle")
    await harness.settle()
    harness.press(.escape)
    for (key, number) in [("n", 210), ("n", 140), ("N", 210)] as [(Character, Int)] {
      harness.press(.character(key))
      await harness.settle()
      #expect(harness.picture.contains("needle \(number)"))
    }
    #expect(harness.shell.timeline.selectedMessage?.body == "needle 210")
  }

  @Test func `a command looks at once, and another goes to a day`() async {
    let harness = await harness()
    harness.type("/search needle 7")
    harness.press(.enter)
    await harness.settle()
    #expect(harness.picture.contains("needle 70") && harness.picture.contains(" 1/1"))
    harness.press(.escape)
    harness.type("/goto 2026-11-12")
    harness.press(.enter)
    await harness.settle()
    // The day's first hour.
    #expect(harness.picture.contains("00:00 bob") || harness.picture.contains("Thursday 12"))
    harness.type("/goto yesterday")
    harness.press(.enter)
    #expect(harness.picture.contains("is not a date"))
    harness.press(.control("u"))
    harness.type("/goto 2099-01-01")
    harness.press(.enter)
    await harness.settle()
    #expect(harness.picture.contains("No messages since 2099-01-01."))
  }

  @Test(arguments: [40, 80, 120])
  func `it is at the lower edge, and the messages stay in sight`(columns: Int) async {
    let harness = await harness(columns)
    await find("needle 14", harness)
    #expect(harness.rows[18].contains("Search this conversation"))
    #expect(harness.rows[19].contains("needle 14") && harness.rows[19].contains("1/1"))
    #expect(harness.rows[21].contains("Enter older"))
    #expect(harness.rows[..<18].contains { $0.contains("needle 140") })
    #expect(harness.screen.cursor?.row == 19)
  }

  @Test(arguments: [40, 80, 120])
  func `Tab lists the matches of all conversations, and Enter goes to one`(columns: Int) async {
    let chloe = JID.chloe
    let ports = FakePorts(
      messages: (1...100).map { number in
        message(
          Int64(number), number.isMultiple(of: 40) ? "needle \(number)" : "hay \(number)",
          in: number == 80 ? chloe : .bob, at: Double(number - 100) * 60)
      },
      conversations: [
        Conversation(jid: .bob, lastActivity: .minutes(0)), Conversation(jid: chloe),
      ])
    let harness = await ShellHarness(Size(rows: 24, columns: columns), ports: ports)
    harness.shell.open(.bob)
    await harness.settle()
    await find("needle", harness)
    harness.press(Key(.tab))
    await harness.settle()
    #expect(harness.picture.contains("Search all conversations"), "\(harness.picture)")
    #expect(harness.picture.contains("1/2"))
    let rows = harness.rows.filter { $0.contains("needle") && $0.contains("chloe") }
    #expect(!rows.isEmpty, "\(harness.picture)")
    // Nothing has changed before Enter.
    #expect(harness.shell.activeConversation == .bob)
    harness.press(.enter)
    await harness.settle()
    #expect(harness.shell.activeConversation == chloe)
    #expect(harness.picture.contains("needle 80"), "\(harness.picture)")
    #expect(!harness.picture.contains("Search all"))
  }

  @Test(arguments: [40, 80, 120])
  func `Tab goes on to all accounts, with the account of each match`(columns: Int) async {
    let there = FakePorts(messages: [
      message(1, "an old needle", in: .chloe, at: -60 * 24 * 400), message(2, "hay", at: 0),
    ])
    let harness = await harness(columns)
    let work = JID(local: "carol", domain: "work.example")
    harness.otherAccounts = [
      SearchedAccount(
        jid: work, index: 1, searching: there, archive: there, name: { $0.local ?? "" },
        author: { $0.sender.local ?? "" })
    ]
    await find("old needle", harness)
    harness.press(Key(.tab))
    await harness.settle()
    #expect(harness.picture.contains("Search this account"), "\(harness.picture)")
    #expect(harness.picture.contains("not found"))
    harness.press(Key(.tab))
    await harness.settle()
    #expect(harness.picture.contains("Search all accounts"), "\(harness.picture)")
    let row = harness.rows.firstIndex { $0.contains("chloe") && $0.contains("needle") }
    guard let row else {
      Issue.record("no row in \(harness.picture)")
      return
    }
    // The account by its name, or by its number where there is little room.
    #expect(harness.rows[row].contains(columns == 40 ? "2025-10 2 chloe" : "carol@wo"))
    let shown = harness.screen.shown
    let painted = zip(0..., shown.roles(row: row)).filter { $0.1 == .searchMatch }
    #expect(painted.map { String(shown[row, $0.0].glyph) }.joined() == "oldneedle")
    harness.press(.enter)
    await harness.settle()
    #expect(harness.done == ["found \(work) 1 chloe@example.net [\"old\", \"needle\"]"])
    #expect(!harness.picture.contains("Search all"))
  }

  @Test func `Alt+P in one conversation keeps the search open, and types nothing`() async {
    let harness = await harness()
    await find("needle", harness)
    harness.press(Key(.character("p"), .alt))
    await harness.settle()
    #expect(harness.picture.contains("Search "), "\(harness.picture)")
    #expect(harness.shell.input.text.isEmpty)
  }

  @Test func `Esc in a list goes back to where the search began`() async {
    let harness = await harness()
    let before = TimelineViewModel.Anchor(message: Message.ID(270), line: 0)
    harness.shell.timeline.scroll(to: before)
    await harness.settle()
    await find("needle 70", harness)
    #expect(harness.shell.timeline.anchor != before)
    harness.press(Key(.tab), .escape)
    await harness.settle()
    #expect(harness.shell.timeline.anchor == before)
    #expect(harness.shell.timeline.items.filter(\.isMarked).isEmpty)
    // The same from the end, which it follows again.
    harness.shell.timeline.jumpToNewest()
    await harness.settle()
    await find("needle 70", harness)
    harness.press(Key(.tab), .escape)
    await harness.settle()
    #expect(harness.shell.timeline.anchor == nil && harness.picture.contains("hay 300"))
    // So does a click beside the prompt.
    await find("needle 70", harness)
    #expect(harness.shell.timeline.anchor != nil)
    harness.press(Key(.tab))
    harness.coordinator.handle(
      .mouse(MouseEvent(.press, button: 1, at: Point(row: 1, column: 1))))
    await harness.settle()
    #expect(!harness.picture.contains("Search "))
    #expect(harness.shell.timeline.anchor == nil && harness.picture.contains("hay 300"))
  }

  /// An archive without anything older.
  private struct EmptyHistory: HistoryFetching {
    func fetchOlder(in conversation: JID) -> HistoryOutcome { .beginning }
    func holes(in conversation: JID) -> [HistoryHole] { [] }
    func counted(_ hole: HistoryHole, in conversation: JID) -> HistoryHole { hole }
    func fetchMissing(in hole: HistoryHole, of conversation: JID) -> HistoryOutcome { .beginning }
  }

  @Test(arguments: [40, 80, 120])
  func `where nothing is found it says below the query who can be asked`(columns: Int) async {
    let ports = FakePorts(
      messages: [message(1, "hay", at: 0), message(2, "hay", at: 1)],
      conversations: [Conversation(jid: .bob, lastActivity: .minutes(0))])
    let harness = await ShellHarness(
      Size(rows: 24, columns: columns), ports: ports, history: EmptyHistory())
    harness.shell.open(.bob)
    await harness.settle()
    await find("needle", harness)
    let text = "Enter asks the server for older ones"
    #expect(
      harness.rows[20].contains(columns == 40 ? text : "not in the 2 messages here; " + text),
      "\(harness.picture)")
    harness.press(.enter)
    await harness.settle()
    #expect(
      harness.rows[20].contains(
        columns == 40 ? "not in any message of this chat" : "not in all 2 messages of this chat"),
      "\(harness.picture)")
  }

  @Test func `for a screen reader the note has a whole row`() async {
    let ports = FakePorts(
      messages: [message(1, "hay", at: 0)],
      conversations: [Conversation(jid: .bob, lastActivity: .minutes(0))])
    let harness = await ShellHarness(
      Size(rows: 24, columns: 40), ports: ports, glyphs: .linear, history: EmptyHistory())
    harness.shell.open(.bob)
    await harness.settle()
    await find("needle", harness)
    #expect(harness.picture.contains("Enter asks the server for older ones"), "\(harness.picture)")
  }

  @Test(arguments: [40, 80, 120])
  func `the palette lists messages after a quotation mark, and Enter goes to one`(
    columns: Int
  ) async {
    let there = FakePorts(messages: [message(7, "needles there", in: .zhang, at: -1)])
    let harness = await harness(columns)
    harness.otherAccounts = [
      SearchedAccount(
        jid: JID(local: "carol", domain: "work.example"), index: 1, searching: there,
        archive: there, name: { $0.local ?? "" }, author: { $0.sender.local ?? "" })
    ]
    harness.press(.control("o"))
    harness.type("\"")
    await harness.settle()
    #expect(harness.picture.contains("Type what the messages"), "\(harness.picture)")
    harness.type("needle")
    await harness.settle()
    let found = harness.rows.filter { $0.contains("needle ") || $0.contains("needles ") }
      .compactMap { row in
        row.contains(" bob@example.net: ") ? "bob" : row.contains(" zhang: ") ? "zhang" : nil
      }
    // By time, of both accounts.
    #expect(found == ["zhang", "bob", "bob", "bob", "bob"], "\(harness.picture)")
    harness.type("x")
    await harness.settle()
    #expect(harness.picture.contains("No message matches."), "\(harness.picture)")
    harness.press(Key(.backspace), Key(.down))
    await harness.settle()
    harness.press(Key(.down), .enter)
    await harness.settle()
    #expect(harness.shell.activeConversation == .bob)
    #expect(harness.picture.contains("needle 280"), "\(harness.picture)")
    #expect(harness.shell.timeline.items.filter(\.isMarked).map(\.body) == ["needle 280"])
  }
}
