import Testing

@testable import Terminal

@Suite struct SurfaceTests {
  private let red = StyleRole(rawValue: 7)

  private func surface(_ rows: Int, _ columns: Int) -> Surface {
    Surface(size: Size(rows: rows, columns: columns))
  }

  @Test func `text lands where it is written and the end is answered`() {
    var surface = surface(2, 10)
    #expect(surface.write("ab漢c", row: 1, column: 2) == 7)
    #expect(surface.description == "\n  ab漢c")
    #expect(surface[1, 5].isContinuation)
    #expect(!surface[1, 4].isContinuation)
  }

  @Test func `text is clipped at the right edge and at the limit, never half a wide glyph`() {
    var surface = surface(4, 5)
    #expect(surface.write("abcdefgh", row: 0, column: 2) == 5)
    #expect(surface.write("abcdefgh", row: 1, column: 0, limit: 3) == 3)
    #expect(surface.write("abcd漢", row: 2, column: 0) == 4)
    #expect(surface.write("a漢", row: 3, column: 0, limit: 2) == 1)
    #expect(surface.description == "  abc\nabc\nabcd\na")
  }

  @Test func `text that begins left of the edge loses only what is outside`() {
    var surface = surface(3, 5)
    #expect(surface.write("abcdef", row: 0, column: -2) == 4)
    #expect(surface.write("漢字x", row: 1, column: -1) == 4)
    #expect(surface.write("xyz", row: 2, column: -9) == -6)
    #expect(surface.description == "cdef\n 字x\n")
  }

  @Test(arguments: [-1, 2, 99]) func `a row outside changes nothing`(row: Int) {
    var surface = surface(2, 4)
    surface.write("xx", row: row, column: 0)
    surface.fill(Rect(row: row, column: 0, rows: 1, columns: 4), "#")
    #expect(surface.description == "\n")
  }

  @Test func `an empty surface takes anything`() {
    var surface = surface(0, 0)
    surface.write("xx", row: 0, column: 0)
    surface.fill(Rect(row: -1, column: -1, rows: 9, columns: 9), "x")
    #expect(surface.description == "")
    #expect(Surface(size: Size(rows: -3, columns: 4)).size == Size(rows: 0, columns: 4))
  }

  @Test func `overwriting one half of a wide glyph blanks the other`() {
    var surface = surface(2, 6)
    surface.write("漢字漢", row: 0, column: 0)
    surface.write("x", row: 0, column: 1)
    surface.write("y", row: 0, column: 4)
    #expect(surface.description == " x字y\n")
    #expect((0..<6).allSatisfy { surface[0, $0].isContinuation == ($0 == 3) })
    surface.write("漢漢漢", row: 1, column: 0)
    surface.write("字", row: 1, column: 1)
    #expect(surface.text(row: 1) == " 字 漢")
  }

  @Test func `filling is clipped, takes roles and wide glyphs`() {
    var surface = surface(3, 5)
    surface.fill(Rect(row: -1, column: -2, rows: 3, columns: 5), "#", role: red)
    surface.fill(Rect(row: 2, column: 0, rows: 1, columns: 5), "漢")
    #expect(surface.description == "###\n###\n漢漢")
    #expect(surface.roles(row: 1) == [red, red, red, .plain, .plain])
  }

  @Test func `filling with something undrawable fills with blanks`() {
    var surface = surface(1, 3)
    surface.write("abc", row: 0, column: 0)
    surface.fill(Rect(row: 0, column: 0, rows: 1, columns: 2), "\u{1B}")
    #expect(surface.description == "  c")
  }

  @Test func `styled text is drawn run after run within the limit`() {
    var surface = surface(1, 10)
    let text = StyledText("ab", red) + "cd" + StyledText("ef", red)
    #expect(surface.write(text, row: 0, column: 1, limit: 5) == 6)
    #expect(surface.description == " abcde")
    let roles: [StyleRole] = [.plain, red, red, .plain, .plain, red, .plain]
    #expect(Array(surface.roles(row: 0).prefix(7)) == roles)
  }

  @Test func `a surface copied into another is clipped without half glyphs`() {
    var small = surface(2, 4)
    small.write("漢字", row: 0, column: 0)
    small.write("abcd", row: 1, column: 0, role: red)
    var large = surface(3, 6)
    large.fill(Rect(row: 0, column: 0, rows: 3, columns: 6), ".")
    large.copy(small, row: 1, column: 3)
    #expect(large.description == "......\n...漢\n...abc")
    large.copy(small, row: -1, column: -1)
    #expect(large.text(row: 0) == "bcd...")
    large.copy(small, row: 0, column: -1)
    #expect(large.text(row: 0) == " 字...")
  }

  @Test func `what is copied over half of a wide glyph blanks the other half`() {
    var large = surface(1, 6)
    large.write("漢字語", row: 0, column: 0)
    var small = surface(1, 2)
    small.write("ab", row: 0, column: 0)
    large.copy(small, row: 0, column: 1)
    #expect(large.text(row: 0) == " ab 語")
    #expect(!(0..<4).contains { large[0, $0].isContinuation })
  }

  @Test func `the columns that have changed reach from the first to the last one`() {
    var old = surface(2, 6)
    old.write("abcdef", row: 0, column: 0)
    var new = old
    #expect(new.changedColumns(row: 0, since: old).isEmpty)
    new.write("B", row: 0, column: 1)
    new.write("d", row: 0, column: 3, role: red)
    #expect(new.changedColumns(row: 0, since: old) == 1..<4)
    #expect(new.changedColumns(row: 1, since: old).isEmpty)
  }

  @Test func `control characters never become cells`() {
    var surface = surface(1, 40)
    surface.write("a\u{1B}[31m\u{9B}\u{202E}b\nc\td", row: 0, column: 0)
    #expect(surface.description == "a^[[31m\u{FFFD}b⏎c    d")
  }

  @Test func `a restyled rectangle keeps its glyphs`() {
    var surface = surface(2, 3)
    surface.write("abc", row: 1, column: 0)
    surface.restyle(Rect(row: 1, column: 1, rows: 5, columns: 5), role: red)
    #expect(surface.description == "\nabc")
    #expect(surface.roles(row: 1) == [.plain, red, red])
  }
}
