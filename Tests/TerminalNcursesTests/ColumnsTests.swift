import Terminal
import Testing

@testable import TerminalNcurses

@Suite struct ColumnsTests {
  /// The C library draws the line between columns for ncurses, so both must agree on every
  /// character that is drawn. glibc that is newer than the table only adds characters.
  @Test func `widths agree with the C library for every assigned character`() {
    #expect(CharacterSet.adopt())
    var differing: [String] = []
    for value in UInt32(0x20)...0x10FFFF {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let glyphs = SafeText.glyphs(of: Character(scalar))
      // Only what is drawn as it is; all else never reaches ncurses.
      guard glyphs.count == 1, glyphs[0].glyph.unicodeScalars.elementsEqual([scalar]) else {
        continue
      }
      if CharacterSet.columns(of: scalar) != glyphs[0].columns {
        differing.append(String(value, radix: 16))
      }
    }
    #expect(differing == [])
  }
}
