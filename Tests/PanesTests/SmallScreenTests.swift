import ChatsFixtures
import NatterCore
import Terminal
import TestSupport
import Testing
import Text
import ViewModels
import XMPP

@testable import Panes

/// The screen when there is little space, or none for a while.
@Suite struct SmallScreenTests {
  private func resize(_ harness: ShellHarness, _ rows: Int, _ columns: Int) {
    harness.screen.resize(to: Size(rows: rows, columns: columns))
    harness.coordinator.screenDidResize()
  }

  @Test func `a full disk says what to do first, however long the path is`() async {
    let path = "/home/somebody/" + String(repeating: "deep/", count: 20) + "natter/accounts/me.db"
    for (language, words) in [
      ("en", "Free some space"), ("fr", "Faites de la place"), ("zh-Hans", "请腾出空间"),
    ] {
      let harness = await ShellHarness(Size(rows: 24, columns: 80), language: language)
      harness.handle(.notice(StatusNotice(.error, "error.storage.full", ["path": path])))
      #expect(harness.picture.contains(words), "\(harness.picture)")
    }
  }

  @Test func `a refusal is shown with the way on in 40 columns`() async {
    let arguments = [
      "path": "/home/alice/.local/share/profanity/chatlog.db", "owners": "alice@example.org",
      "account": "alice@work.example",
    ]
    for (language, words) in [
      ("en", "natter import"), ("fr", "natter import"), ("zh-Hans", "natter import"),
    ] {
      let harness = await ShellHarness(Size(rows: 15, columns: 40), language: language)
      harness.handle(.notice(StatusNotice(.error, "error.historyFile.owner", arguments)))
      let text = harness.rows.map { $0.trimmed }.joined(separator: " ")
      #expect(text.contains(words), "\(harness.picture)")
    }
  }

  @Test func `what is cut after so many rows says so, also where the last one is full`() async {
    let harness = await ShellHarness(Size(rows: 15, columns: 40))
    harness.handle(
      .notice(
        StatusNotice(
          .error, "error.unknownTheme",
          ["name": "x", "names": String(repeating: "a", count: 300)])))
    let last = harness.rows.last { $0.contains("aaaa") }
    #expect(last?.hasSuffix("a~") == true, "\(harness.picture)")
  }

  @Test(arguments: [(8, 40), (9, 30), (9, 80)])
  func `without tabs the corner shows the state of the account and what is unread`(
    rows: Int, columns: Int
  ) async {
    let harness = await ShellHarness(Size(rows: 24, columns: 80))
    harness.press(.enter)
    await harness.settle()
    resize(harness, rows, columns)
    func corner() -> String {
      String(harness.picture.split(separator: "\n", omittingEmptySubsequences: false)[0])
    }
    #expect(corner().hasSuffix(" 3 *"), "\(harness.picture)")
    harness.handle(.connectionChanged(.offline))
    harness.handle(.conversationsChanged([Conversation(jid: .zhang, unread: 2)]))
    #expect(corner().hasSuffix(" 5 ."), "\(harness.picture)")
    resize(harness, 10, columns)
    #expect(corner().contains("Chats"))
  }

  @Test(arguments: [(1, 1), (2, 5), (1, 5), (2, 1)])
  func `where not even the notice can be read nothing is drawn`(rows: Int, columns: Int) async {
    let harness = await ShellHarness(Size(rows: 24, columns: 80))
    resize(harness, rows, columns)
    #expect(harness.rows.allSatisfy { $0.isEmpty }, "\(harness.picture)")
    resize(harness, 5, 20)
    #expect(harness.picture.contains("Natter needs 30x8"))
    resize(harness, 24, 80)
    #expect(harness.picture.contains("Bob Martin"))
  }

  @Test(arguments: [("en", "^J New line"), ("fr", "^J Ligne"), ("zh-Hans", "^J 换行")])
  func `at 80 columns the hint bar has the line end and the way out`(
    language: String, newLine: String
  ) async {
    let harness = await ShellHarness(Size(rows: 24, columns: 80), language: language)
    #expect(harness.rows[23].contains(newLine) && harness.rows[23].contains(" ^Q "))
  }

  @Test func `after a screen that was too small, what was written is in sight`() async {
    let harness = await ShellHarness(Size(rows: 24, columns: 80))
    harness.press(.enter)
    await harness.settle()
    harness.type("half a sentence")
    resize(harness, 5, 20)
    #expect(!harness.picture.contains("half a sentence"))
    resize(harness, 15, 40)
    #expect(harness.picture.contains("> half a sentence"), "\(harness.picture)")
    resize(harness, 24, 80)
    #expect(harness.picture.contains("> half a sentence"))
  }

  @Test func `what is typed and pasted while there is no room is not lost, and is not sent`() async
  {
    let harness = await ShellHarness(Size(rows: 24, columns: 80))
    harness.press(.enter)
    await harness.settle()
    harness.type("half")
    resize(harness, 5, 20)
    harness.type(" a sentencex")
    harness.press(Key(.backspace), .enter)
    harness.coordinator.handle(.paste("pasted"))
    #expect(!harness.picture.contains("sentence"))
    resize(harness, 24, 80)
    #expect(harness.shell.input.text == "half a sentence\npasted")
    #expect(harness.picture.contains("> half a sentence"), "\(harness.picture)")
  }

  @Test func `a question about a paste is not answered where it is not to be seen`() async {
    let harness = await ShellHarness(Size(rows: 24, columns: 80))
    harness.press(.enter)
    await harness.settle()
    let text = (1...20).map(String.init).joined(separator: "\n")
    harness.coordinator.handle(.paste(text))
    resize(harness, 5, 20)
    harness.type("s")
    #expect(harness.shell.input.pendingPaste?.isToBeSent == false)
    resize(harness, 24, 80)
    #expect(harness.shell.input.pendingPaste != nil && harness.shell.input.text == "s")
  }

  @Test func `what comes while there is no room is counted there`() async {
    let harness = await ShellHarness(Size(rows: 24, columns: 80))
    resize(harness, 6, 26)
    let before = harness.shell.sidebar.totalUnread
    harness.handle(
      .conversationsChanged([
        Conversation(jid: .chloe, unread: 5, lastActivity: .minutes(3))
      ]))
    #expect(harness.shell.sidebar.totalUnread > before)
    #expect(
      harness.rows.joined(separator: " ").contains("\(harness.shell.sidebar.totalUnread) unread"),
      "\(harness.picture)")
  }

  @Test func `after a screen that was too small, the list is still the list`() async {
    let harness = await ShellHarness(Size(rows: 15, columns: 40))
    let list = harness.picture
    resize(harness, 5, 20)
    resize(harness, 15, 40)
    #expect(harness.picture == list)
    harness.press(.enter)
    await harness.settle()
    let conversation = harness.picture
    #expect(conversation != list)
    resize(harness, 5, 20)
    resize(harness, 15, 40)
    #expect(harness.picture == conversation)
  }

  @Test(arguments: [true, false])
  func `where a dialog or a form has no room, only that is shown, and nothing is answered`(
    hidesOthers: Bool
  ) async throws {
    let harness = await ShellHarness(Size(rows: 24, columns: 80))
    harness.type("half a sentence")
    var answers: [String] = []
    let form = FormViewModel(title: "Sign in", fields: [FormField(.text, "name", label: "Name")])
    let pane = FormPane(
      comfortable: { Size(rows: 12, columns: 60) }, hidesOthers: hidesOthers, glyphs: .ascii,
      localizer: english()
    ) { form }
    harness.coordinator.present(pane)
    harness.type("alice")
    let open = harness.picture
    resize(harness, 5, 20)
    #expect(harness.rows.joined(separator: " ").contains("needs 30x8"), "\(harness.picture)")
    #expect(harness.picture.contains("20x5") && !harness.picture.contains("alice"))
    harness.type("x")
    harness.press(.enter, .escape)
    harness.coordinator.handle(.paste("paste"))
    harness.press(.control("q"))
    #expect(harness.done == ["quit"])
    resize(harness, 24, 80)
    #expect(harness.picture == open)
    harness.coordinator.remove(pane)
    let question = DialogPane(
      viewModel: .confirmation(
        title: "T", text: ["Text"], yes: "Yes", no: "No", onYes: { answers.append("yes") },
        onNo: { answers.append("no") }), glyphs: .ascii, localizer: english(),
      hidesOthers: hidesOthers)
    harness.coordinator.present(question)
    // A line of text leaves room for the keys.
    #expect(harness.picture.contains("Enter"))
    resize(harness, 7, 80)
    harness.press(.enter)
    #expect(answers.isEmpty && harness.picture.contains("80x7"))
    resize(harness, 8, 30)
    #expect(harness.picture.contains("[>No<]"))
    harness.press(.enter)
    #expect(answers == ["no"])
    resize(harness, 24, 80)
    #expect(harness.shell.input.text == "half a sentence")
  }
}
