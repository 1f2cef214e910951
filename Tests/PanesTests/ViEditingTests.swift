import ChatsFixtures
import Keys
import Terminal
import Testing
import ViewModels

@testable import Panes

@Suite struct ViEditingTests {
  /// Returns the result of typing `keys` into `text`; `^` is Esc.
  private func typed(_ keys: String, into text: String) -> (text: String, mode: ViEditing.Mode) {
    var vi = ViEditing()
    var editor = LineEditor()
    editor.setText(text)
    for letter in keys {
      let key = letter == "^" ? Key.escape : Key.character(letter)
      if vi.take(key, in: &editor) == .ignored {
        _ = editor.take(key, by: .natter)
        vi.keep(.typed(key))
      }
    }
    return (editor.text, vi.mode)
  }

  /// `$` is where the cursor is in the end.
  private func cursor(_ keys: String, in text: String) -> String {
    var vi = ViEditing()
    var editor = LineEditor()
    editor.setText(text)
    for letter in "^" + keys {
      _ = vi.take(letter == "^" ? .escape : .character(letter), in: &editor)
    }
    return editor.textBeforeCursor + "$" + editor.text.dropFirst(editor.textBeforeCursor.count)
  }

  @Test(arguments: [
    ("^0xp", "abc", "bac"), ("^0xxP", "abc", "bc"), ("^yyp", "one", "one\none"),
    ("^0x3p", "abc", "baaac"), ("^yyP", "b", "b\nb"), ("^kddp", "a\nb", "a\nb"),
    ("^ggddp", "a\nb", "b\na"), ("^2dd", "a\nb", "a"),
    ("^gg2dd", "a\nb\nc", "c"), ("^ggdj", "a\nb\nc", "c"), ("^dgg", "a\nb", ""),
    ("^ggdG", "a\nb", ""), ("^ggcckk", "a\nb", "kk\nb"), ("^Sx", "abc", "x"),
    ("^0rx", "abc", "xbc"), ("^03rx", "abc", "xxx"), ("^04rx", "abc", "abc"),
    ("^0fcx", "abcabc", "ababc"), ("^0fc;x", "abcabc", "abcab"), ("^Fax", "abcab", "abcb"),
    ("^0tcx", "abc", "ac"), ("^0tc;x", "abcac", "abcc"), ("^0fc;,x", "abcabc", "ababc"),
    ("^Tax", "abcab", "abca"), ("^0dfc", "abcd", "d"),
    ("^0dtc", "abcd", "cd"), ("^$dFa", "abcab", "abcb"), ("^02dw", "a b c", "c"),
    ("^0d2w", "a b c", "c"), ("^0c2wx^", "a b c", "x c"), ("^03x", "abcd", "d"),
    ("^0Yp", "a", "a\na"), ("^0Dix", "abc", "x"), ("^0lCx", "abc", "ax"), ("^0~~", "abC", "ABC"),
    ("^05~", "aBc", "AbC"), ("^Ox", "a\nb", "a\nx\nb"), ("^ggOx", "a", "x\na"),
    ("^Ix", "  a", "  xa"), ("^ggAx", "a\nb", "ax\nb"), ("^ggJ", "a\n  b", "a b"),
    ("^0wdiw", "one two three", "one  three"), ("^0wdaw", "one two three", "one three"),
    ("^0wciwx", "one two three", "one x three"), ("^ggdw", "one\ntwo", "\ntwo"),
    ("^0xu", "abc", "abc"), ("^0cwx y^u", "abc d", "abc d"), ("^0xxxuu", "abcd", "bcd"),
    ("^0x..", "abcd", "d"), ("^0cwx^w.", "a b", "x x"), ("^0x3.", "abcde", "e"),
    ("^0dwuu", "a b", ""), ("^0ct,xd^$.", "a,b c", "xd,b c"), ("^hhx", "a\nb", "a\n"),
    ("^ggx", "a\nb", "\nb"),
  ])
  func `it is a vi`(_ keys: String, _ text: String, _ result: String) {
    #expect(typed(keys, into: text).text == result)
  }

  @Test(arguments: [
    ("", "abc", "ab$c"), ("0^^", "a\nb", "a\n$b"), ("$", "abc", "ab$c"), ("02l", "abc", "ab$c"),
    ("0w", "a+b c", "a$+b c"), ("0W", "a+b c", "a+b $c"), ("0e", "one two", "on$e two"),
    ("0E", "a+b c", "a+$b c"), ("b", "one two", "one $two"), ("2b", "one two x", "$one two x"),
    ("gg", "a\n b", "$a\n b"), ("ggG", "a\n b", "a\n $b"), ("2G", "a\nb\nc", "a\n$b\nc"),
    ("gg$", "ab\nc", "a$b\nc"), ("0p", "abc", "$abc"), ("dd", "a\n b", "$a"),
    ("ggyj", "a\nb", "$a\nb"),
    ("0fx", "abc", "$abc"), ("^", "abc", "ab$c"),
  ])
  func `the cursor is on a letter`(_ keys: String, _ text: String, _ result: String) {
    #expect(cursor(keys, in: text) == result)
  }

  @Test func `redo does again what undo took back, and rows are left to who shows them`() {
    var vi = ViEditing()
    var editor = LineEditor()
    editor.setText("abc")
    for key in [Key.escape, .character("x"), .character("u")] { _ = vi.take(key, in: &editor) }
    #expect(editor.text == "abc")
    #expect(vi.take(.control("r"), in: &editor) == .taken && editor.text == "ab")
    #expect(vi.take(.character("k"), in: &editor) == .up(1))
    #expect(vi.take(.character("3"), in: &editor) == .taken)
    #expect(vi.take(.character("j"), in: &editor) == .down(3))
    // What was copied elsewhere is put in too.
    vi.remember("Z")
    _ = vi.take(.character("P"), in: &editor)
    #expect(editor.text == "aZb")
    #expect(vi.take(.enter, in: &editor) == .ignored)
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

  /// The text of the input line with vi's keys after these and `.`; `^` is Esc.
  private func repeated(_ keys: [Key], in text: String) async -> String {
    let harness = await ShellHarness(Size(rows: 24, columns: 80))
    harness.coordinator.desktop?.chats.usesVi = true
    harness.type(text)
    harness.press(.escape)
    for key in keys + [.escape, .character(".")] { harness.press(key) }
    return harness.shell.input.text
  }

  @Test func `a change is done again with the lines that were begun in it`() async {
    let typed = "Ax".map { Key.character($0) } + [.control("j"), .character("y")]
    #expect(await repeated(typed, in: "one") == "onex\nyx\ny")
    let other = typed.map { $0 == .control("j") ? Key(.enter, .alt) : $0 }
    #expect(await repeated(other, in: "one") == "onex\nyx\ny")
  }

  @Test func `a change is done again with what several keys did in it`() async {
    // A word back, and the word behind the cursor is cut.
    let twins = "bd".flatMap { [Key.control("x"), .character($0)] }
    #expect(await repeated([.character("A")] + twins, in: "one two three") == "one  ")
    #expect(
      await repeated(
        [.character("A"), .character("x"), .control("x"), Key(.backspace), .character("y")],
        in: "one two") == "one y")
  }

  @Test func `a change is done again with what was pasted into it, and without what sent it`() async
  {
    let harness = await ShellHarness(Size(rows: 24, columns: 80))
    harness.coordinator.desktop?.chats.usesVi = true
    harness.type("a")
    harness.press(.escape, .character("A"))
    harness.coordinator.handle(.paste("bc"))
    harness.press(.escape, .character("."))
    #expect(harness.shell.input.text == "abcbc")
    harness.coordinator.use(KeyBindingTable.natter.enteringLines)
    harness.type("ddA/redraw")
    harness.press(.enter)
    #expect(harness.done == ["redraw"] && harness.shell.input.text == "")
    harness.press(.escape, .character("."))
    #expect(harness.shell.input.text == "/redraw")
  }

  @Test func `text goes on after i, and a slash begins a command`() {
    #expect(typed("^i", into: "a").mode == .insert)
    #expect(typed("^/", into: "") == ("/", .insert))
    #expect(typed("^/", into: "a") == ("a", .normal))
  }

  @Test func `Esc and a quick letter, which arrive as one, leave the text and hide nothing`() async
  {
    let harness = await ShellHarness(Size(rows: 24, columns: 80))
    harness.coordinator.desktop?.chats.usesVi = true
    harness.type("one two")
    harness.press(.alt("b"), .character("x"), .alt("0"), .character("x"))
    #expect(harness.shell.input.text == "ne wo")
    harness.press(.alt("w"), .alt("y"))
    await harness.settle()
    #expect(harness.shell.activeConversation == .bob && harness.shell.input.text == "ne wo")
    // Also from the list of completions, which Esc closes.
    harness.press(.escape)
    harness.type("ddi/")
    harness.press(Key(.tab), .alt("w"))
    await harness.settle()
    #expect(harness.shell.activeConversation == .bob && harness.shell.input.text.hasSuffix("w"))
    // Where there is no text to leave, a chord is a chord.
    harness.press(.escape, .character("d"), .character("d"), .alt("w"))
    await harness.settle()
    #expect(harness.shell.activeConversation == .chloe)
  }

  @Test func `with vi's keys a chord of the user's own file does what it says`() async {
    let harness = await ShellHarness(Size(rows: 24, columns: 80))
    harness.coordinator.use(
      KeyBindingTable.vi.applying(
        "[everywhere]\n\"Alt+Q\" = \"hideConversation\"\n", file: "keys.toml"
      ).table)
    harness.coordinator.desktop?.chats.usesVi = true
    harness.type("one")
    harness.press(.alt("q"))
    await harness.settle()
    #expect(harness.shell.activeConversation == .chloe)
  }
}
