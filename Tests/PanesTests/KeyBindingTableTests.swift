import ChatsFixtures
import Terminal
import Testing
import ViewModels

@testable import Panes

@Suite struct KeyBindingTableTests {
  let table = KeyBindingTable.natter

  @Test func `the default keymap has no key twice and none that terminals cannot send`() {
    #expect(table.problems.filter { !$0.contains("not every terminal") } == [])
  }

  @Test func `every alt chord has its twin after ctrl-x`() {
    for binding in table.bindings {
      for sequence in binding.sequences where sequence.count == 1 {
        guard sequence[0].modifiers == .alt, case .character(let letter) = sequence[0].code else {
          continue
        }
        #expect(
          table.match([.control("x"), .character(letter)], in: .everywhere)
            == .action(binding.action))
      }
    }
  }

  @Test func `every action is bound, described, and can be done without alt`() {
    let english = english()
    let bound = Set(table.bindings.map(\.action))
    for action in KeyAction.allCases { #expect(bound.contains(action), "\(action)") }
    for binding in table.bindings {
      #expect(english(binding.descriptionKey) != binding.descriptionKey)
      if binding.isHinted { #expect(english(binding.hintKey) != binding.hintKey) }
      #expect(binding.sequences.contains { $0.allSatisfy { !$0.modifiers.contains(.alt) } })
    }
  }

  @Test func `reserved chords are bound to nothing`() {
    for key in [
      Key.control("s"), .control("v"), .control("\\"), .control("]"), .control(" "), .alt("["),
      .alt("o"), Key(.function(10)), Key(.function(11)), Key(.function(12)),
    ] {
      for context in KeyBinding.Context.allCases {
        #expect(table.match([key], in: context) == .none)
      }
    }
  }

  @Test func `a context's own binding comes before the one for everywhere`() {
    #expect(table.match([Key(.tab)], in: .input) == .action(.complete))
    #expect(table.match([Key(.tab)], in: .list) == .action(.nextPane))
    #expect(table.match([.control("x")], in: .input) == .prefix)
    #expect(table.match([.character("j")], in: .input) == .none)
    #expect(table.match([.alt("A")], in: .input) == .action(.nextUnread))
  }

  @Test(arguments: [
    ([Key.control("o")], "^O"), ([.alt("a")], "Alt+A"), ([Key(.pageUp)], "PgUp"),
    ([.control("x"), .character("?")], "^X ?"), ([Key(.tab, .shift)], "Shift+Tab"),
    ([Key(.function(1))], "F1"), ([Key(.down, .alt)], "Alt+Down"), ([.character(" ")], "Space"),
  ])
  func `keys are spelled as help shows them`(_ keys: [Key], _ spelling: String) {
    #expect(KeySpelling(localizer: english())(keys) == spelling)
  }
}
