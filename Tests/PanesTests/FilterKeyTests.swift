import ChatsFixtures
import Foundation
import Keys
import Terminal
import TestSupport
import Testing
import ViewModels

@testable import Panes

/// The filter of a list takes the keys that `[editing]` has for the text before the cursor.
@Suite struct FilterKeyTests {
  /// Each list that is narrowed by typing, with what is typed into it.
  private func filters() async -> [(harness: ShellHarness, typed: () -> String?)] {
    let size = Size(rows: 24, columns: 100)
    let chats = await ShellHarness(size)
    #expect(chats.coordinator.perform(named: "filter"))
    let contacts = await ShellHarness(size, factories: [ContactsFactory()])
    contacts.press(Key(.function(3)), .character("/"))
    let files = await ShellHarness(
      size, factories: [FilesFactory()], files: FilesSnapshotTests.files())
    files.press(Key(.function(5)))
    await files.settle()
    files.press(.character("/"))
    let keys = await keysHarness(size)
    keys.press(.character("/"))
    func shown(_ harness: ShellHarness) -> () -> String? {
      {
        guard let row = harness.rows.first(where: { $0.contains("Filter: ") }) else { return nil }
        let line = row.split(separator: "Filter: ").last ?? ""
        return line.prefix { $0 != "\u{A0}" && !$0.isNumber && $0 != "|" }
          .trimmingCharacters(in: .whitespaces)
      }
    }
    return [
      (chats, { chats.shell.sidebar.filter?.trimmingCharacters(in: .whitespaces) }),
      (contacts, shown(contacts)), (files, shown(files)), (keys, shown(keys)),
    ]
  }

  @Test func `it is shortened by a letter, by a word, and to nothing`() async {
    for (position, (harness, typed)) in await filters().enumerated() {
      harness.type("one two")
      #expect(typed() == "one two", "\(position)")
      harness.press(Key(.backspace))
      #expect(typed() == "one tw", "\(position)")
      harness.press(.control("h"))
      #expect(typed() == "one t", "\(position)")
      harness.press(.control("w"))
      #expect(typed() == "one", "\(position)")
      harness.type("two")
      harness.press(Key(.backspace, .alt))
      #expect(typed() == "one", "\(position)")
      harness.press(.control("u"))
      #expect(typed() == "", "\(position)")
      // What is empty has nothing to cut, and a letter fewer ends it.
      harness.press(.control("u"), .control("w"))
      #expect(typed() == "", "\(position)")
      harness.press(Key(.backspace))
      #expect(typed() == nil, "\(position)")
    }
  }

  @Test func `the keys that a person has bound hold in it, and others do not any more`() async {
    let table = KeyBindingTable.natter.applying(
      """
      [editing]
      "^W" = ""
      "^K" = "deleteBackward"
      "Alt+D" = "cutToLineStart"
      """, file: "keys.toml"
    ).table
    for (position, (harness, typed)) in await filters().enumerated() {
      harness.coordinator.use(table)
      harness.type("one two")
      harness.press(.control("w"))
      #expect(typed() == "one two", "\(position)")
      harness.press(.control("k"))
      #expect(typed() == "one tw", "\(position)")
      harness.press(.alt("d"))
      #expect(typed() == "", "\(position)")
    }
  }
}
