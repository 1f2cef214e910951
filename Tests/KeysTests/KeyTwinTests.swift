import Terminal
import Testing

@testable import Keys

/// Alt chords and `^X` with the same key, where a key file has one of them.
@Suite struct KeyTwinTests {
  private func apply(_ text: String) -> (table: KeyBindingTable, isWhole: Bool) {
    let (table, problems, isWhole) = KeyBindingTable.natter.applying(text, file: "keys.toml")
    return (table, isWhole && problems.isEmpty)
  }

  @Test func `an Alt chord that is taken away takes its twin with it, but none of the file`() {
    let twin = [Key.control("x"), .character("d")]
    let cut = KeyBindingTable.Match.action(.cutWordForward)
    #expect(KeyBindingTable.natter.match(twin, in: .input) == cut)
    let away = "\"Alt+D\" = \"\"\n"
    let own = "\"^X d\" = \"cutWordForward\"\n"
    #expect(apply("[editing]\n" + away).table.match(twin, in: .input) == .none)
    #expect(apply("[input]\n" + away).table.match(twin, in: .input) == .none)
    #expect(apply("[editing]\n" + own + away).table.match(twin, in: .input) == cut)
    #expect(apply("[editing]\n" + away + own).table.match(twin, in: .input) == cut)
  }

  @Test(arguments: ["Alt+D", "Alt+d", "M-d", "Meta+D"])
  func `an Alt chord that is bound to something else takes its twin with it`(_ chord: String) {
    let twin = [Key.control("x"), .character("d")]
    for context in ["editing", "input"] {
      let (table, isWhole) = apply("[\(context)]\n\"\(chord)\" = \"undo\"\n")
      #expect(isWhole)
      for keys in [[.alt("d")], [.alt("D")], twin] {
        #expect(table.match(keys, in: .input) == .action(.undo), "\(context) \(keys)")
      }
    }
  }

  @Test func `a twin that the file has, or that did something else, stays`() {
    let twin = [Key.control("x"), .character("d")]
    let chord = "\"Alt+D\" = \"undo\"\n"
    for own in [KeyAction.cutWordForward, .yank] {
      let line = "\"^X d\" = \"\(own.rawValue)\"\n"
      for text in [line + chord, chord + line] {
        let (table, isWhole) = apply("[editing]\n" + text)
        #expect(isWhole && table.match([.alt("d")], in: .input) == .action(.undo))
        #expect(table.match(twin, in: .input) == .action(own))
      }
    }
    // `^X f` finds, whatever Alt+F does.
    let other = apply("[editing]\n\"Alt+F\" = \"undo\"\n").table
    #expect(other.match([.alt("f")], in: .input) == .action(.undo))
    #expect(other.match([.control("x"), .character("f")], in: .input) == .action(.find))
  }

  @Test func `two chords are swapped together with their twins`() {
    let (table, isWhole) = apply(
      """
      [editing]
      "Alt+D" = "capitalizeWord"
      "Alt+C" = "cutWordForward"
      """)
    #expect(isWhole)
    let twins = "dc".map { [Key.control("x"), .character($0)] }
    #expect(table.match(twins[0], in: .input) == .action(.capitalizeWord))
    #expect(table.match(twins[1], in: .input) == .action(.cutWordForward))
  }

  @Test func `Alt and Backspace have a twin, too`() {
    let twin = [Key.control("x"), Key(.backspace)]
    #expect(KeyBindingTable.natter.match(twin, in: .input) == .action(.cutWordBackward))
    for (action, match) in [("undo", KeyBindingTable.Match.action(.undo)), ("", .none)] {
      let table = apply("[editing]\n\"Alt+Backspace\" = \"\(action)\"\n").table
      #expect(table.match([Key(.backspace, .alt)], in: .input) == match)
      #expect(table.match(twin, in: .input) == match)
    }
  }
}
