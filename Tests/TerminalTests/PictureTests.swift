import Testing

@testable import Terminal

@Suite struct PictureTests {
  private static let picture = Picture(id: 1, width: 100, height: 100, source: .bytes([]))

  private func surface(_ rows: Int, _ columns: Int) -> Surface {
    Surface(size: Size(rows: rows, columns: columns))
  }

  @Test func `paint goes with its cells and is gone when something is written over them`() {
    var inner = surface(2, 4)
    inner.write("ab世", row: 0, column: 0)
    inner.paint(Rect(row: 0, column: 1, rows: 9, columns: 9), .whiteOnBlack)
    var outer = surface(4, 8)
    outer.copy(inner, row: 1, column: 2)
    #expect(outer[1, 2].paint == nil && outer[1, 3].paint == .whiteOnBlack)
    #expect(outer[1, 4].paint == .whiteOnBlack && outer[2, 5].paint == .whiteOnBlack)
    // A selection leaves the colours alone.
    outer.restyle(Rect(row: 1, column: 0, rows: 1, columns: 8), role: StyleRole(rawValue: 9))
    #expect(outer[1, 3].paint == .whiteOnBlack)
    outer.write("x", row: 1, column: 3)
    #expect(outer[1, 3].paint == nil)
    outer.copy(surface(4, 8), row: 0, column: 0)
    #expect(outer[2, 5].paint == nil)
  }

  @Test func `rows outside are cut off a picture, and with a column outside it is none`() {
    var inner = surface(10, 10)
    inner.position(
      PositionedPicture(Self.picture, rect: Rect(row: -2, column: 1, rows: 5, columns: 4)))
    #expect(inner.pictures.first?.rect == Rect(row: 0, column: 1, rows: 3, columns: 4))
    #expect(inner.pictures.first?.hiddenRows == 2 && inner.pictures.first?.allRows == 5)
    #expect(inner.pictures.first?.pixelRows == 40..<100)
    #expect(inner.pictures.first?.isWhole == false)
    var outer = surface(4, 20)
    outer.copy(inner, row: 2, column: 3)
    #expect(outer.pictures.first?.rect == Rect(row: 2, column: 4, rows: 2, columns: 4))
    #expect(outer.pictures.first?.pixelRows == 40..<80)
    var narrow = surface(20, 6)
    narrow.copy(inner, row: 0, column: 2)
    #expect(narrow.pictures.isEmpty)
    narrow.copy(inner, row: 30, column: 0)
    narrow.copy(inner, row: 0, column: -2)
    #expect(narrow.pictures.isEmpty)
  }

  @Test func `what is copied over a picture takes it away, and what is beside it does not`() {
    var screen = surface(10, 10)
    screen.position(
      PositionedPicture(Self.picture, rect: Rect(row: 2, column: 2, rows: 3, columns: 3)))
    screen.copy(surface(2, 10), row: 0, column: 0)
    screen.copy(surface(10, 2), row: 0, column: 0)
    #expect(screen.pictures.count == 1)
    screen.copy(surface(1, 1), row: 4, column: 4)
    #expect(screen.pictures.isEmpty)
  }

  // MARK: Cells

  private func cells(_ text: String, rows: Int = 4, columns: Int = 8) -> PictureCells? {
    PictureCells(printed: Array(text.utf8), limit: Size(rows: rows, columns: columns))
  }

  private func drawn(_ text: String) -> Surface {
    var surface = surface(4, 8)
    if let picture = cells(text) { surface.draw(picture, rows: 0..<4, row: 0, column: 0) }
    return surface
  }

  @Test func `characters and the 256 colours are read`() {
    let surface = drawn(
      "\u{1B}[0m\u{1B}[38;5;196;48;5;16m▀\u{1B}[7m▄\u{1B}[27;39m█\u{1B}[0m.\n\u{1B}[31;104m⠿")
    #expect(surface.text(row: 0) == "▀▄█.")
    #expect(surface[0, 0].paint == Paint(foreground: 196, background: 16))
    #expect(surface[0, 1].paint == Paint(foreground: 16, background: 196))
    #expect(surface[0, 2].paint == Paint(background: 16))
    #expect(surface[0, 3].paint == nil)
    #expect(surface[1, 0].paint == Paint(foreground: 1, background: 12))
  }

  @Test(arguments: [
    "\u{1B}]0;title\u{7}ab", "\u{1B}[2J\u{1B}[?25lab", "\u{1B}Pq#0\u{1B}\\ab", "\u{1B}cab",
    "\u{1B}_Ga=d\u{1B}\\ab", "a\u{7}\u{8}b", "\u{1B}[38;2;1;2;3mab", "\u{1B}[38;5;999mab",
    "\u{1B}[48;5mab", "\u{1B}[;;;mab",
  ])
  func `nothing but characters and colours gets in`(text: String) {
    #expect(drawn(text).text(row: 0) == "ab")
    #expect(drawn(text)[0, 0].paint == nil)
  }

  @Test func `what is no character of a picture is blank, and what is too much is left out`() {
    #expect(drawn("x世\u{202E}é▓y").text(row: 0) == "x   ▓y")
    #expect(cells("abcdefghijk\nb\nc\nd\ne")?.size == Size(rows: 4, columns: 8))
    #expect(cells("") == nil)
    #expect(cells("\u{1B}[0m   \n  \n") == nil)
    #expect(PictureCells(printed: [0xFF, 0xC3, 0x1B], limit: Size(rows: 2, columns: 2)) == nil)
    #expect(cells("a\u{1B}[") != nil)
  }

  @Test func `some of the rows are drawn, inside the surface`() {
    var surface = surface(3, 3)
    guard let picture = cells("aaaa\nbbbb\ncccc\ndddd") else {
      Issue.record("no picture")
      return
    }
    surface.draw(picture, rows: 1..<9, row: 1, column: 1)
    #expect(surface.description == "\n bb\n cc")
    surface.draw(picture, rows: 0..<1, row: -1, column: -2)
    #expect(surface.description == "\n bb\n cc")
  }
}
