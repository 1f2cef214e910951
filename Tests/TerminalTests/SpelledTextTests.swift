import Testing

@testable import Terminal

/// Text being edited in which clusters are drawn by their names.
@Suite struct SpelledTextTests {
  static let spelling: @Sendable (String) -> String = { text in
    text.map { ["👍🏽": ":up:", "❤️": ":heart:", "🇫🇷": ":flag_of_a_country:"][$0] ?? String($0) }
      .joined()
  }

  private func editor(_ text: String) -> LineEditor {
    var editor = LineEditor()
    editor.insert(text)
    return editor
  }

  private func position(_ editor: LineEditor, width: Int = 40) -> Point {
    editor.layout(width: width, spelling: Self.spelling).cursor
  }

  @Test func `the cursor goes over a cluster in one step, behind its name, and deletes it whole`() {
    var editor = editor("é👍🏽❤️!")
    #expect(editor.layout(width: 40, spelling: Self.spelling).rows.map(\.text) == ["é:up::heart:!"])
    var columns: [Int] = [position(editor).column]
    while editor.moveLeft() { columns.append(position(editor).column) }
    #expect(columns == [13, 12, 5, 1, 0])
    editor.moveToEnd()
    editor.moveLeft()
    editor.deleteBackward()
    #expect(editor.text == "é👍🏽!" && position(editor).column == 5)
    editor.moveLeft()
    editor.deleteForward()
    #expect(editor.text == "é!" && position(editor).column == 1)
  }

  @Test func `a position on the name is that of its cluster`() {
    let text = "é👍🏽❤️!"
    let layout = editor(text).layout(width: 40, spelling: Self.spelling)
    let offsets = (0...14).map { layout.offset(at: Point(row: 0, column: $0)) }
    let (up, heart, mark) = (2, 2 + "👍🏽".utf8.count, 2 + "👍🏽❤️".utf8.count)
    #expect(
      offsets == [0] + Array(repeating: up, count: 4) + Array(repeating: heart, count: 7)
        + [mark, mark + 1, mark + 1])
  }

  @Test func `a name that takes two rows lets the cursor by, up and down`() {
    var editor = editor("abcdefgh❤️❤️\nxyz")
    let layout = editor.layout(width: 11, spelling: Self.spelling)
    #expect(layout.rows.map(\.text) == ["abcdefgh:h", "eart::hear", "t:", "xyz"])
    var rows: [Int] = []
    while editor.moveUp(width: 11, spelling: Self.spelling) {
      rows.append(position(editor, width: 11).row)
    }
    #expect(rows == [2, 0] && editor.cursor == 8)
    rows = []
    while editor.moveDown(width: 11, spelling: Self.spelling) {
      rows.append(position(editor, width: 11).row)
    }
    #expect(rows == [1, 2, 3])
  }

  @Test func `a name never takes more than a row`() {
    let layout = editor("🇫🇷").layout(width: 8, spelling: Self.spelling)
    #expect(layout.rows.map(\.text) == [":flag_:"])
    #expect(layout.cursor == Point(row: 0, column: 7))
  }

  @Test func `text without anything to spell is laid out as ever`() {
    let plain = editor("ab 漢字\n\nxy").layout(width: 6)
    let spelled = editor("ab 漢字\n\nxy").layout(width: 6, spelling: Self.spelling)
    #expect(plain == spelled && spelled.drawnText == "ab 漢字\n\nxy")
  }

  @Test func `a field has its cursor behind the name`() {
    var surface = Surface(
      size: Size(rows: 1, columns: 20), look: TextLook(spelling: Self.spelling))
    let cursor = surface.writeField(
      "a❤️b", cursor: 2, row: 0, column: 2, columns: 12, role: .plain)
    #expect(surface.text(row: 0) == "  a:heart:b" && cursor == 10)
  }
}
