import ChatsFixtures
import Keys
import NatterCore
import Terminal
import TestSupport
import Testing
import Text
import ViewModels

@testable import Panes

/// The page of keys, opened.
func keysHarness(
  _ size: Size, in language: String = "en", glyphs: Glyphs = .ascii, others: [HelpPage] = [],
  openFile: @escaping () -> Void = {}
) async -> ShellHarness {
  let harness = await ShellHarness(
    size, glyphs: glyphs,
    factories: [
      ContactsFactory(), FilesFactory(),
      MeFactory(pages: [
        .keys(others: { others }, openFile: openFile), .presence,
        .about { AboutViewModel(shell: $0, sources: .forTests) },
      ]),
    ], language: language)
  harness.press(Key(.function(6)), .enter)
  await harness.settle()
  return harness
}

@Suite struct KeyListPaneTests {
  @Test func `every action of the table is there with all its keys`() {
    let english = english()
    let spelling = KeySpelling(localizer: english)
    for table in [KeyBindingTable.natter, .emacs, .slack, .natter.enteringLines] {
      let items = HelpPages.keys(table, localizer: english)
      #expect(items.count == table.bindings.count)
      for binding in table.bindings {
        let item = items.first { $0.id == "\(binding.context.rawValue) \(binding.action.rawValue)" }
        #expect(item?.keys == binding.sequences.map { spelling($0) }.joined(separator: ", "))
        #expect(item?.text == english(binding.descriptionKey))
      }
    }
  }

  @Test(arguments: ["natter", "emacs", "slack"])
  func `the editor takes every key that help says changes text`(name: String) throws {
    let table: KeyBindingTable = name == "natter" ? .natter : name == "emacs" ? .emacs : .slack
    let english = english()
    let spelling = KeySpelling(localizer: english)
    let entries = HelpPages.editing(table, localizer: english).sections[0].entries
    // The action that slack has on ^K is not listed as that of the text.
    #expect(entries.count == (name == "slack" ? 17 : 18))
    for word in entries.flatMap({ $0.term.split(separator: ",") }) {
      let keys = try #require(spelling.keys(word.trimmingPrefix(" ").description), "\(word)")
      guard let key = keys.first, keys.count == 1 else {
        // Behind `^X`: the input line's alone.
        guard case .action(let action) = table.match(keys, in: .input) else {
          Issue.record("\(word)")
          continue
        }
        #expect(action.contexts.contains(.editing), "\(word)")
        continue
      }
      var editor = LineEditor()
      editor.setText("some words")
      let isTaken = editor.take(key, by: table)
      #expect(isTaken, "\(word)")
    }
    let cut = entries.first { $0.text == english("key.cutToLineEnd") }
    #expect(cut?.term == (name == "slack" ? nil : "^K"))
  }

  @Test func `it is narrowed by typing, and Esc brings all back`() async {
    let harness = await keysHarness(Size(rows: 24, columns: 80))
    harness.press(.character("/"))
    harness.type("sidebar")
    #expect(harness.picture.contains("Filter: sidebar"))
    #expect(harness.picture.contains("Alt+S, ^X s"))
    #expect(harness.picture.contains("In keys.toml: toggleSidebar under [everywhere]."))
    #expect(!harness.picture.contains("Alt+Z"))
    harness.press(.escape)
    #expect(harness.picture.contains("/ filters"))
    // The match is still selected, and Esc goes back to the pages.
    #expect(harness.picture.contains("In keys.toml: toggleSidebar under [everywhere]."))
    harness.press(.escape)
    #expect(harness.rows[2].hasPrefix(" > Keys") && harness.rows[1].contains("| Keys"))
  }

  @Test func `other keys are shown as soon as they hold, those of an editor with them`() async {
    let vi = HelpPages.vi(localizer: english())
    let harness = await keysHarness(Size(rows: 40, columns: 120), others: [vi])
    harness.press(.character("/"))
    harness.type("palette")
    #expect(harness.picture.contains("^O, Alt+X, ^X x"))
    harness.coordinator.use(.slack)
    #expect(harness.picture.contains("^K, ^O, Alt+X, ^X x"))
    harness.press(.escape, .character("G"))
    #expect(harness.picture.contains("These edit text and cannot"))
  }

  @Test func `e opens the file, and a click selects`() async {
    var opened = 0
    let harness = await keysHarness(Size(rows: 24, columns: 80)) { opened += 1 }
    harness.press(.character("e"))
    #expect(opened == 1)
    let row = harness.rows.firstIndex {
      $0.contains("F2 ") && $0.contains("Chats") && $0.contains("tab")
    }
    if let row {
      harness.coordinator.handle(
        .mouse(MouseEvent(.press, button: 1, at: Point(row: row, column: 40))))
      #expect(harness.picture.contains("In keys.toml: tab1"))
    } else {
      Issue.record("the first tab's key is not there")
    }
  }

  @Test func `a screen reader reads each key before what it does`() async {
    let harness = await keysHarness(Size(rows: 24, columns: 80), glyphs: .linear)
    #expect(harness.picture.contains("^O, Alt+X, ^X x:, "))
  }
}
