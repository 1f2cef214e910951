import Terminal
import Testing

@testable import Panes

@Suite struct ViEditingTests {
  /// What is left after typing `keys` into `text`; `^` is Esc.
  private func typed(_ keys: String, into text: String) -> (text: String, mode: ViEditing.Mode) {
    var vi = ViEditing()
    var editor = LineEditor()
    editor.setText(text)
    for letter in keys {
      let key = letter == "^" ? Key.escape : Key.character(letter)
      if !vi.take(key, in: &editor) { _ = editor.take(key) }
    }
    return (editor.text, vi.mode)
  }

  @Test(arguments: [
    ("abc", "", "abc"), ("^x", "abc", "ab"), ("^0x", "abc", "bc"), ("^0dw", "one two", "two"),
    ("^0wx", "one two", "one wo"),
    ("^0dw", "a+b c", "+b c"), ("^0wdw", "é  日 x", "é  x"), ("^0de", "one two", " two"),
    ("^dd", "one two", ""), ("^bD", "one two", "one "), ("^0cwtwo", "one", "two"),
    ("^0cwtwo", "one x", "two x"),
    ("^Iz", "abc", "zabc"), ("^0aX", "abc", "aXbc"), ("^hiX", "abc", "aXbc"), ("^ox", "a", "a\nx"),
    ("^0ywP", "one", "oneone"), ("^0xu", "abc", "abc"), ("^zq", "abc", "abc"),
    ("^d^x", "abc", "ab"),
    ("^0d0", "abc", "abc"), ("^0x", "e\u{301}a", "a"),
  ])
  func `letters move and change after esc`(_ keys: String, _ text: String, _ result: String) {
    #expect(typed(keys, into: text).text == result)
  }

  @Test func `text goes on after i, and a slash begins a command`() {
    #expect(typed("^i", into: "a").mode == .insert)
    #expect(typed("^/", into: "") == ("/", .insert))
    #expect(typed("^/", into: "a") == ("a", .normal))
  }
}
