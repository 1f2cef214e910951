import TestSupport
import Testing

@Suite struct VirtualTerminalTests {
  func screen(_ output: String, rows: Int = 4, columns: Int = 10) -> VirtualTerminal {
    var screen = VirtualTerminal(rows: rows, columns: columns)
    screen.feed(output.utf8)
    #expect(screen.unknown == [])
    return screen
  }

  @Test func `text goes where the cursor is, and the cursor follows it`() {
    let screen = screen("one\r\ntwo\u{1b}[4;9Hend")
    #expect(screen.lines == ["two", "", "        en", "d"])
    #expect(screen.cursor == TerminalPoint(row: 3, column: 1))
  }

  @Test func `a full row wraps only when the next character comes`() {
    #expect(screen("1234567890").cursor == TerminalPoint(row: 0, column: 9))
    #expect(screen("1234567890a").lines == ["1234567890", "a", "", ""])
    #expect(screen("1234567890\r\nb").lines == ["1234567890", "b", "", ""])
    #expect(screen("1234567890\u{8}X").lines[0] == "12345678X0")
    #expect(screen("\u{1b}[?7l1234567890ab").lines == ["123456789b", "", "", ""])
  }

  @Test func `the last row scrolls up, but only inside the margins`() {
    #expect(screen("a\r\nb\r\nc\r\nd\r\ne").lines == ["b", "c", "d", "e"])
    #expect(
      screen("a\r\nb\r\nc\r\nd\u{1b}[2;3r\u{1b}[3;1H\ne").lines == ["a", "c", "e", "d"])
    #expect(screen("a\r\nb\r\nc\u{1b}[H\u{1b}Mz").lines == ["z", "a", "b", "c"])
    #expect(screen("a\r\nb\r\nc\r\nd\u{1b}[2S").lines == ["c", "d", "", ""])
    #expect(screen("a\r\nb\r\nc\r\nd\u{1b}[T").lines == ["", "a", "b", "c"])
    #expect(screen("a\r\nb\r\nc\r\nd\u{1b}[2;1H\u{1b}[L").lines == ["a", "", "b", "c"])
    #expect(screen("a\r\nb\r\nc\r\nd\u{1b}[2;1H\u{1b}[2M").lines == ["a", "d", "", ""])
  }

  @Test(arguments: [
    ("abcdef\u{1b}[1;3H\u{1b}[K", "ab"), ("abcdef\u{1b}[1;3H\u{1b}[1K", "   def"),
    ("abcdef\u{1b}[1;3H\u{1b}[2X", "ab  ef"), ("abcdef\u{1b}[1;3H\u{1b}[2P", "abef"),
    ("abcdef\u{1b}[1;3H\u{1b}[2@", "ab  cdef"),
    ("abcdef\u{1b}[1;3H\u{1b}[4hXY\u{1b}[4l", "abXYcdef"),
    ("ab\u{1b}[3b", "abbbb"), ("a\tb", "a       b"), ("a\tb\u{1b}[ZX", "a       X"),
    ("abc\u{1b}[5Gd\u{1b}[2Ce", "abc d  e"), ("abc\u{1b}[2DX", "aXc"), ("a\u{7f}\u{0}b", "ab"),
    ("abcdefghij\u{1b}[1;9H\u{1b}[99P", "abcdefgh"),
  ])
  func `a row is edited where it is`(output: String, expected: String) {
    #expect(screen(output).lines[0] == expected)
  }

  @Test func `the display is erased before, after and as a whole`() {
    let full = "aaa\r\nbbb\r\nccc\r\nddd\u{1b}[2;2H"
    #expect(screen(full + "\u{1b}[J").lines == ["aaa", "b", "", ""])
    #expect(screen(full + "\u{1b}[1J").lines == ["", "  b", "ccc", "ddd"])
    #expect(screen(full + "\u{1b}[2J").lines == ["", "", "", ""])
  }

  @Test func `wide characters take two cells and never leave a half behind`() {
    let screen = screen("日本語!")
    #expect(screen.lines[0] == "日本語!")
    #expect(screen.cursor.column == 7)
    #expect(screen[0, 1].text == "")
    #expect(screen.find("!") == TerminalPoint(row: 0, column: 6))
    #expect(self.screen("日本\u{1b}[1;2HX").lines[0] == " X本")
    #expect(self.screen("日本\u{1b}[1;3HX").lines[0] == "日X")
    #expect(self.screen("123456789日").lines == ["123456789", "日", "", ""])
  }

  @Test func `marks join the character before them`() {
    #expect(screen("e\u{301}x").lines[0] == "e\u{301}x")
    #expect(screen("e\u{301}x").cursor.column == 2)
    #expect(screen("123456789e\u{301}").lines[0] == "123456789e\u{301}")
    #expect(screen("日\u{fe0f}").lines[0] == "日\u{fe0f}")
  }

  @Test func `styles stay with the cells`() {
    let screen = screen(
      "\u{1b}[1;31mred\u{1b}[0;4;38;5;200;48;2;1;2;3mx\u{1b}[39;24my\u{1b}[m\u{1b}[97mz")
    #expect(screen.style(of: "red")?.attributes == .bold)
    #expect(screen.style(of: "red")?.foreground == .indexed(1))
    #expect(screen.style(of: "x")?.foreground == .indexed(200))
    #expect(screen.style(of: "x")?.background == .rgb(1, 2, 3))
    #expect(screen.style(of: "y")?.attributes == [])
    #expect(screen.style(of: "z")?.foreground == .indexed(15))
    #expect(screen.hasColour)
    #expect(!self.screen("\u{1b}[1;4;7mplain").hasColour)
  }

  @Test func `line drawing is drawn with lines`() {
    #expect(screen("\u{1b}(0lqk\u{1b}(Blqk").lines[0] == "┌─┐lqk")
    #expect(screen("\u{1b})0\u{e}x\u{f}x").lines[0] == "│x")
  }

  @Test func `the alternate screen gives the first one back, with its cursor`() {
    let shown = screen("one\u{1b}[?1049h\u{1b}[Htwo")
    #expect(shown.lines[0] == "two")
    #expect(shown.isAlternate)
    let back = screen("one\u{1b}[?1049h\u{1b}[Htwo\u{1b}[?1049l!")
    #expect(back.lines[0] == "one!")
    #expect(!back.isAlternate)
  }

  @Test func `modes, titles and bells are kept`() {
    let screen = screen(
      "\u{1b}[?2004h\u{1b}[?1002;1006h\u{1b}[?25l\u{1b}=\u{1b}]2;first\u{7}\u{1b}[22;0t"
        + "\u{1b}]0;second\u{1b}\\\u{7}\u{7}\u{1b}[?1006l")
    #expect(screen.modes == [7, 2004, 1002])
    #expect(screen.modesEverSet.contains(1006))
    #expect(!screen.isCursorVisible)
    #expect(screen.hasApplicationKeypad)
    #expect(screen.title == "second")
    #expect(screen.bells == 2)
    #expect(self.screen("\u{1b}]2;a\u{7}\u{1b}[22t\u{1b}]2;b\u{7}\u{1b}[23t").title == "a")
  }

  @Test func `output may be cut anywhere`() {
    let output = Array("é日\u{1b}[1;31m本\u{1b}]2;t\u{1b}\\\u{1b}(0q\u{1b}(B🎉\u{1b}[?1049hx".utf8)
    var whole = VirtualTerminal(rows: 3, columns: 12)
    whole.feed(output)
    for cut in output.indices {
      var parts = VirtualTerminal(rows: 3, columns: 12)
      parts.feed(output[..<cut])
      parts.feed(output[cut...])
      #expect(parts.cells == whole.cells)
      #expect(parts.title == "t")
    }
  }

  @Test func `malformed bytes are counted and shown as such`() {
    var screen = VirtualTerminal(rows: 1, columns: 10)
    screen.feed([0x61, 0x9b, 0x62, 0xe2, 0x82, 0x63, 0xc0, 0xaf, 0xed, 0xa0, 0x80, 0x64])
    #expect(screen.malformedBytes > 3)
    #expect(screen.lines[0].hasPrefix("a\u{fffd}b\u{fffd}c"))
    #expect(screen.lines[0].hasSuffix("d"))
  }

  @Test func `what it does not know it says`() {
    var screen = VirtualTerminal(rows: 1, columns: 10)
    screen.feed("\u{1b}[5y\u{1b}Fok".utf8)
    #expect(screen.unknown == ["\\e[5y", "\\eF"])
    #expect(screen.lines == ["ok"])
  }

  @Test func `questions are answered`() {
    var screen = VirtualTerminal(rows: 3, columns: 10)
    screen.feed("ab\u{1b}[6n\u{1b}[c".utf8)
    #expect(String(decoding: screen.answers, as: UTF8.self) == "\u{1b}[1;3R\u{1b}[?1;2c")
  }

  @Test func `another size keeps what fits`() {
    var screen = screen("one\r\ntwo\r\nthree")
    screen.resize(rows: 2, columns: 4)
    #expect(screen.lines == ["two", "thre"])
    #expect(screen.cursor == TerminalPoint(row: 1, column: 3))
    screen.resize(rows: 3, columns: 8)
    #expect(screen.lines == ["two", "thre", ""])
  }

  @Test func `margins and numbers out of range do no harm`() {
    let output =
      "\u{1b}[99;99Hx\u{1b}[0;0r\u{1b}[5;2r\u{1b}[99A\u{1b}[99D\u{1b}[99L\u{1b}[99M\u{1b}[99@"
      + "\u{1b}[99P\u{1b}[99X\u{1b}[99S\u{1b}[99T\u{1b}[99999999999999999999C\u{1b}[99Z\u{1b}[99I"
    var screen = VirtualTerminal(rows: 3, columns: 5)
    for byte in output.utf8 { screen.feed([byte]) }
    #expect(screen.lines == ["", "", ""])
    var tiny = VirtualTerminal(rows: 1, columns: 1)
    tiny.feed("日a\u{1b}[2Kbc\n\u{1b}[L\u{1b}Mé".utf8)
    #expect(tiny.lines.count == 1)
  }
}
