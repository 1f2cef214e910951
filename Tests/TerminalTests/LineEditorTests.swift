import Testing

@testable import Terminal

@Suite struct LineEditorTests {
  /// An editor with the cursor at `|`.
  private func editor(_ marked: String) -> LineEditor {
    let parts = marked.split(separator: "|", maxSplits: 1, omittingEmptySubsequences: false)
    var editor = LineEditor(parts.joined())
    editor.moveCursor(to: parts[0].utf8.count)
    return editor
  }

  private func marked(_ editor: LineEditor) -> String {
    editor.textBeforeCursor + "|" + editor.text[editor.cursorIndex...]
  }

  @Test(arguments: [
    ("e\u{301}|", "|"),
    ("a👨‍👩‍👧|b", "a|b"),
    ("🇫🇷🇩🇪|", "🇫🇷|"),
    ("a\r\n|b", "a|b"),
    ("漢字|", "漢|"),
    ("|x", "|x"),
  ]) func `one Backspace removes one cluster`(before: String, after: String) {
    var editor = editor(before)
    let removed = editor.deleteBackward()
    #expect(marked(editor) == after)
    #expect(removed == (before != after))
  }

  @Test func `Del removes the cluster behind the cursor`() {
    var editor = editor("a|e\u{301}b")
    #expect(editor.deleteForward() == true)
    #expect(marked(editor) == "a|b")
    editor.moveToEnd()
    #expect(editor.deleteForward() == false)
  }

  @Test func `typing a mark joins the letter before it`() {
    var editor = LineEditor()
    editor.insert("e")
    editor.insert("\u{301}")
    #expect(editor.text.count == 1)
    editor.deleteBackward()
    #expect(editor.isEmpty)
  }

  @Test func `the cursor is never inside a cluster`() {
    var editor = LineEditor("\u{301}x")
    editor.moveToStart()
    editor.insert("e")
    #expect(editor.cursor == "e\u{301}".utf8.count)
    var other = LineEditor("👨‍👩‍👧")
    other.moveCursor(to: 5)
    #expect(other.cursor == "👨‍👩‍👧".utf8.count)
  }

  @Test(arguments: [
    ("one two-three|", "one |"), ("one two  |", "one |"), ("one\ntwo|", "one\n|"), ("|", "|"),
  ]) func `cutting back to a blank`(before: String, after: String) {
    var editor = editor(before)
    editor.killToBlank()
    #expect(marked(editor) == after)
  }

  @Test func `text is cut word by word to both sides`() {
    var editor = editor("one two-thr|ee four")
    editor.killWordBackward()
    #expect(marked(editor) == "one two-|ee four")
    editor.killWordForward()
    #expect(marked(editor) == "one two-| four")
    editor.yank()
    #expect(marked(editor) == "one two-three| four")
  }

  @Test func `cuts one after the other are yanked as one, others not`() {
    var editor = editor("one two| three")
    editor.killToLineStart()
    editor.killToLineEnd()
    #expect(editor.isEmpty)
    editor.yank()
    #expect(marked(editor) == "one two three|")
    editor.moveLeft()
    editor.killToLineEnd()
    editor.yank()
    #expect(marked(editor) == "one two three|")
  }

  @Test func `cutting the end of a line takes the line end when nothing else is left`() {
    var editor = editor("ab|c\nd")
    editor.killToLineEnd()
    #expect(marked(editor) == "ab|\nd")
    editor.killToLineEnd()
    #expect(marked(editor) == "ab|d")
  }

  @Test(arguments: [
    ("ab|cd", "acb|d"), ("abc|", "acb|"), ("|ab", "|ab"), ("a|", "a|"), ("x\na|", "x\na|"),
  ])
  func `transposing`(before: String, after: String) {
    var editor = editor(before)
    editor.transpose()
    #expect(marked(editor) == after)
  }

  @Test func `capitalising works on the rest of a word`() {
    var editor = editor("| hELLO world")
    editor.capitalize()
    #expect(marked(editor) == " Hello| world")
    editor.capitalize()
    #expect(marked(editor) == " Hello World|")
    editor.capitalize()
    #expect(editor.text == " Hello World")
  }

  @Test func `a word is made lower and upper case`() {
    var editor = editor("ÉT|É Café")
    editor.lowercaseWord()
    #expect(marked(editor) == "ÉTé| Café")
    editor.uppercaseWord()
    #expect(marked(editor) == "ÉTé CAFÉ|")
    editor.uppercaseWord()
    #expect(marked(editor) == "ÉTé CAFÉ|")
  }

  @Test(arguments: [
    ("one| two", "two one|"), ("one t|wo", "two one|"), ("one, two|", "two, one|"),
    ("one two|  ", "two one|  "), ("one two three|", "one three two|"), ("on|e", "on|e"),
    ("|one", "|one"), ("|", "|"), ("one|", "one|"), ("- one| -", "- one| -"),
  ])
  func `a word is swapped with the next as readline does it`(before: String, after: String) {
    var editor = editor(before)
    editor.transposeWords()
    #expect(marked(editor) == after)
  }

  @Test func `every change is taken back at once`() {
    var editor = LineEditor()
    for letter in "one two" { editor.insert(String(letter)) }
    editor.transposeWords()
    editor.killToLineStart()
    editor.revert()
    #expect(editor.isEmpty)
    editor.revert()
    #expect(editor.isEmpty)
  }

  @Test func `undo takes back word by word, redo brings back`() {
    var editor = LineEditor()
    for letter in "one two" { editor.insert(String(letter)) }
    editor.killToBlank()
    #expect(editor.text == "one ")
    editor.undo()
    #expect(marked(editor) == "one two|")
    editor.undo()
    #expect(editor.text == "one")
    editor.undo()
    #expect(editor.isEmpty)
    #expect(editor.undo() == false)
    editor.redo()
    editor.redo()
    #expect(marked(editor) == "one two|")
    editor.redo()
    #expect(editor.text == "one ")
    #expect(editor.redo() == false)
    editor.undo()
    editor.insert("!")
    #expect(editor.redo() == false)
  }

  @Test func `a paste is one step and its line ends are LF`() {
    var editor = editor("a|b")
    editor.paste("1\r\n2\r3\n4")
    #expect(marked(editor) == "a1\n2\n3\n4|b")
    editor.undo()
    #expect(marked(editor) == "a|b")
  }

  @Test func `replacing a part, as completion does`() {
    var editor = editor("hi @bo| there")
    editor.replaceText(3..<6, with: "@Bobby")
    #expect(marked(editor) == "hi @Bobby| there")
    editor.replaceText(90..<99, with: "!")
    #expect(editor.text == "hi @Bobby there!")
  }

  @Test func `motions by word and line`() {
    var editor = editor("one two\nthree|")
    editor.moveWordLeft()
    #expect(marked(editor) == "one two\n|three")
    editor.moveWordLeft()
    #expect(marked(editor) == "one |two\nthree")
    editor.moveToLineStart()
    #expect(marked(editor) == "|one two\nthree")
    #expect(editor.moveLeft() == false)
    editor.moveWordRight()
    #expect(marked(editor) == "one| two\nthree")
    editor.moveToLineEnd()
    #expect(marked(editor) == "one two|\nthree")
    #expect(editor.moveRight() == true)
    #expect(marked(editor) == "one two\n|three")
    editor.moveToEnd()
    #expect(editor.moveRight() == false)
  }

  @Test func `up and down keep the column and stop at the edges`() {
    var editor = editor("long line\nab\nanother")
    editor.moveToEnd()
    #expect(editor.moveUp(width: 40) == true)
    #expect(marked(editor) == "long line\nab|\nanother")
    #expect(editor.moveUp(width: 40) == true)
    #expect(marked(editor) == "long li|ne\nab\nanother")
    #expect(editor.moveUp(width: 40) == false)
    #expect(editor.moveDown(width: 40) == true)
    #expect(editor.moveDown(width: 40) == true)
    #expect(marked(editor) == "long line\nab\nanother|")
    #expect(editor.moveDown(width: 40) == false)
  }

  @Test func `up and down move through wrapped rows`() {
    var editor = editor("aaaa bbbb cccc|")
    #expect(editor.moveUp(width: 6) == true)
    #expect(marked(editor) == "aaaa bbbb| cccc")
    #expect(editor.moveUp(width: 6) == true)
    #expect(marked(editor) == "aaaa| bbbb cccc")
  }

  @Test func `the layout says where rows and cursor are`() {
    let layout = editor("ab 漢字\n\nx|y").layout(width: 6)
    #expect(layout.rows.map(\.text) == ["ab 漢", "字", "", "xy"])
    #expect(layout.cursor == Point(row: 3, column: 1))
    #expect(editor("abcd|").layout(width: 5).cursor == Point(row: 0, column: 4))
    #expect(editor("abcde|").layout(width: 5).cursor == Point(row: 1, column: 1))
    #expect(editor("ab       |").layout(width: 5).cursor == Point(row: 0, column: 4))
    #expect(editor("ab\n|").layout(width: 5).cursor == Point(row: 1, column: 0))
    #expect(editor("|").layout(width: 5).rows.count == 1)
    #expect(editor("|abc").layout(width: 0).rows.map(\.text) == ["a", "b", "c"])
    #expect(layout.offset(at: Point(row: 0, column: 4)) == 3)
    #expect(layout.offset(at: Point(row: 9, column: 9)) == "ab 漢字\n\nxy".utf8.count)
  }

  @Test func `nothing is left after a reset but what was cut`() {
    var editor = editor("secret|")
    editor.killToLineStart()
    editor.insert("x")
    editor.reset()
    #expect(editor.isEmpty)
    #expect(editor.undo() == false)
    editor.yank()
    #expect(editor.text == "secret")
  }

  @Test func `random editing never breaks the text or the cursor`() {
    var random = SystemRandomNumberGenerator()
    let pieces = ["a", " ", "\n", "e\u{301}", "\u{301}", "👨‍👩‍👧", "\u{200D}", "漢", "\r\n", "🇫", "🇷"]
    for _ in 0..<60 {
      var editor = LineEditor()
      for _ in 0..<80 {
        switch Int.random(in: 0..<18, using: &random) {
        case 0: editor.deleteBackward()
        case 1: editor.deleteForward()
        case 2: editor.killWordBackward()
        case 3: editor.killToLineEnd()
        case 4: editor.killToLineStart()
        case 5: editor.yank()
        case 6: editor.transpose()
        case 7: editor.undo()
        case 8: editor.redo()
        case 9: editor.moveLeft()
        case 10: _ = editor.moveUp(width: 7)
        case 11: _ = editor.moveDown(width: 7)
        case 12: editor.moveWordLeft()
        default: editor.insert(pieces.randomElement(using: &random) ?? "")
        }
        #expect(String.Index(editor.cursorIndex, within: editor.text) != nil)
        let layout = editor.layout(width: 7)
        #expect(layout.rows.indices.contains(layout.cursor.row))
        #expect((0..<7).contains(layout.cursor.column))
      }
      while editor.undo() {}
      #expect(editor.isEmpty)
    }
  }
}
