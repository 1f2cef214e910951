import ChatsFixtures
import Keys
import NatterCore
import Terminal
import TestSupport
import Testing
import Text
import ViewModels
import XMPP

@testable import Panes

/// The mouse on the keys that are shown: it does what the keys do.
@Suite struct HintClickTests {
  private func click(_ harness: ShellHarness, on text: String, offset: Int = 0) throws {
    let row = try #require(
      harness.rows.lastIndex { $0.contains(text) }, "\(text) in\n\(harness.picture)")
    let line = harness.rows[row]
    let range = try #require(line.firstRange(of: text))
    click(harness, row: row, column: line[..<range.lowerBound].columns + offset)
  }

  private func click(_ harness: ShellHarness, row: Int, column: Int) {
    for action in [MouseEvent.Action.press, .release] {
      harness.coordinator.handle(
        .mouse(MouseEvent(action, button: 1, at: Point(row: row, column: column))))
    }
  }

  @Test(arguments: ["en", "fr", "zh-Hans"])
  func `every key is read as it is spelled`(language: String) {
    let spelling = KeySpelling(localizer: localizer(language))
    for table in [KeyBindingTable.natter, .emacs, .slack] {
      for keys in table.bindings.flatMap(\.sequences) where keys != [.character(" ")] {
        // The character of a key with Alt has no case.
        let lower = keys.map { key in
          guard case .character(let character) = key.code, key.modifiers.contains(.alt) else {
            return key
          }
          return Key(.character(Character(character.lowercased())), key.modifiers)
        }
        #expect(spelling.keys(spelling(keys)) == lower, "\(spelling(keys))")
      }
    }
    #expect(spelling.keys("no keys") == nil)
  }

  @Test(arguments: ["en", "fr", "zh-Hans"])
  func `what the key lines say begins with the same keys in every language`(language: String) {
    let (localizer, spelling) = (localizer(language), KeySpelling(localizer: localizer(language)))
    let keys: [String: Key] = [
      "dialog.keysPress": .enter, "dialog.keysMove": Key(.tab), "dialog.keysClose": .escape,
      "dialog.keysMore": Key(.pageDown), "help.keysSearch": .character("/"),
      "help.keysGuide": .character("g"), "help.keysManual": .character("m"),
      "help.keysSearchLeave": .escape, "signin.keysHelp": Key(.function(1)),
      "signin.keysQuit": .control("q"), "picker.keysMark": .character(" "),
      "picker.keysUp": Key(.backspace), "picker.keysHidden": .alt("."),
      "picture.keysSave": .character("s"), "picture.keysCopy": .character("y"),
      "find.keysNewer": .control("n"), "find.keysAll": Key(.tab), "find.keysHere": Key(.tab),
      "find.keysOpen": .enter, "form.keysSubmit": .enter,
    ]
    for (key, pressed) in keys {
      let text = localizer(key)
      #expect(spelling.firstKey(in: text) == pressed, "\(key) = \(text)")
    }
    #expect(spelling.firstKey(in: localizer("palette.keysNarrow")) == nil)
  }

  @Test func `the hint bar's keys are pressed by a click on them or on what they do`() async throws
  {
    let harness = await ShellHarness(Size(rows: 24, columns: 80))
    try click(harness, on: "F1 ")
    #expect(harness.done == ["help"])
    try click(harness, on: "F1 Help", offset: 4)
    #expect(harness.done == ["help", "help"])
    try click(harness, on: "^O ")
    #expect(harness.coordinator.openOverlays.first is PalettePane)
    harness.press(.escape)
    // Between two hints there is nothing.
    let line = try #require(harness.rows.last)
    let gap = try #require(line.firstRange(of: "  "))
    click(harness, row: 23, column: line[..<gap.lowerBound].columns)
    #expect(harness.coordinator.openOverlays.isEmpty && harness.done.count == 2)
  }

  @Test func `of two keys that share a hint each is pressed`() async throws {
    let harness = await ShellHarness(Size(rows: 24, columns: 120))
    let first = harness.shell.activeConversation
    try click(harness, on: "^N/^P ")
    let second = harness.shell.activeConversation
    #expect(first != second)
    try click(harness, on: "^N/^P ", offset: 3)
    #expect(harness.shell.activeConversation == first)
  }

  @Test func `the palette is closed by its key, and by a click beside it, and is scrolled`()
    async throws
  {
    let harness = await ShellHarness(Size(rows: 24, columns: 80))
    harness.press(.control("o"))
    try click(harness, on: "Esc close")
    #expect(harness.coordinator.openOverlays.isEmpty)
    harness.press(.control("o"))
    let before = harness.picture
    harness.coordinator.handle(
      .mouse(MouseEvent(.wheelDown, button: 0, at: Point(row: 10, column: 40))))
    #expect(harness.picture != before)
    click(harness, row: 22, column: 1)
    #expect(harness.coordinator.openOverlays.isEmpty)
    // What lies below was not clicked.
    #expect(harness.shell.timeline.selectedMessage == nil)
  }

  @Test func `the help's keys switch pages, search and close`() async throws {
    let harness = await ShellHarness(Size(rows: 24, columns: 80))
    let pane = helpPane()
    harness.coordinator.present(pane)
    let before = harness.picture
    try click(harness, on: "PgDn more")
    #expect(harness.picture != before)
    harness.coordinator.handle(
      .mouse(MouseEvent(.wheelUp, button: 0, at: Point(row: 10, column: 40))))
    try click(harness, on: "/ search")
    harness.type("quit")
    #expect(harness.picture.contains("quit"))
    try click(harness, on: "Esc leave the search")
    #expect(!pane.isDismissed)
    try click(harness, on: "Esc close")
    #expect(harness.coordinator.openOverlays.isEmpty)
    harness.coordinator.present(helpPane())
    click(harness, row: 0, column: 0)
    #expect(harness.coordinator.openOverlays.isEmpty)
  }

  @Test func `a question is not closed by a click beside it, a notice is`() async throws {
    let harness = await ShellHarness(Size(rows: 24, columns: 80))
    func present(_ buttons: [Dialog.Button]) -> DialogPane {
      let pane = DialogPane(
        viewModel: DialogViewModel(
          Dialog(
            title: "Well", level: .info, lines: [.text("why"), .text("and how")],
            buttons: buttons),
          onPress: { harness.done.append("press \($0)") },
          onCancel: { harness.done.append("cancel") }),
        glyphs: .ascii, localizer: english())
      harness.coordinator.present(pane)
      return pane
    }
    let question = present([.init("yes", "Yes"), .init("no", "No")])
    click(harness, row: 0, column: 0)
    #expect(!question.isDismissed)
    try click(harness, on: "Tab next")
    try click(harness, on: "Enter choose", offset: 8)
    #expect(harness.done == ["press no"])
    _ = present([.init("hide", "Hide")])
    click(harness, row: 0, column: 0)
    #expect(harness.done == ["press no", "cancel"] && harness.coordinator.openOverlays.isEmpty)
  }

  @Test func `a form keeps what was typed, whatever is clicked beside it`() async throws {
    let harness = await ShellHarness(Size(rows: 24, columns: 80))
    let form = FormViewModel(
      title: "Name", fields: [FormField(.text, "name", label: "Name")],
      keyHints: [english().hint("form.keysSubmit"), english().wayOut("dialog.keysClose")],
      invalidation: Invalidation())
    var cancelled = 0
    form.onCancel = { cancelled += 1 }
    harness.coordinator.present(
      FormPane(glyphs: .ascii, localizer: english()) { form })
    harness.type("Bob")
    click(harness, row: 0, column: 0)
    #expect(form.text(of: "name") == "Bob" && cancelled == 0)
    try click(harness, on: "Esc close")
    #expect(cancelled == 1)
  }

  @Test(arguments: ["en", "fr", "zh-Hans"])
  func `what is asked above the input is answered by a click on its key`(language: String)
    async throws
  {
    let harness = await ShellHarness(Size(rows: 24, columns: 100), language: language)
    let text = (1...60).map { "line \($0)" }.joined(separator: "\n")
    harness.coordinator.handle(.paste(text))
    #expect(harness.shell.input.pendingPaste != nil)
    let drop = ["fr": "Échap abandonne", "zh-Hans": "Esc 放弃"][language] ?? "Esc discards"
    try click(harness, on: drop)
    #expect(harness.shell.input.pendingPaste == nil && harness.shell.input.text.isEmpty)
    harness.coordinator.handle(.paste(text))
    let insert = ["fr": "Entrée insère", "zh-Hans": "回车插入"][language] ?? "Enter inserts"
    try click(harness, on: insert)
    #expect(harness.shell.input.text == text)
  }

  @Test func `a key that another user wrote is only text`() async throws {
    let ports = FakePorts(
      messages: [message(1, "go on: Enter now", at: 0)],
      conversations: [Conversation(jid: .bob, lastActivity: .minutes(0))],
      contacts: [Contact(jid: .bob, name: "Bob", subscription: .both)], now: .minutes(3))
    let harness = await ShellHarness(Size(rows: 24, columns: 100), ports: ports)
    harness.press(.alt("r"))
    harness.type("draft")
    let row = try #require(harness.rows.lastIndex { $0.contains("(Esc cancels)") })
    let position = try #require(harness.rows[row].firstRange(of: "Enter"))
    click(harness, row: row, column: harness.rows[row][..<position.lowerBound].columns)
    #expect(harness.shell.input.text == "draft")
    try click(harness, on: "Esc cancels")
    #expect(harness.shell.input.aim == nil)
  }
}
