import Foundation
import Terminal
import TestSupport
import Testing

@testable import TerminalNcurses

@Suite struct WideGlyphOutputTests {
  @Test func `a row that had a glyph and changes is written anew, and has what it is to have`() {
    var output = WideGlyphOutput()
    #expect(output.change(to: [1, 2]) { $0 == 2 } == .init(stale: [], fresh: [2]))
    #expect(output.change(to: [1]) { _ in true } == .init(stale: [], fresh: [1]))
    #expect(output.change(to: [1, 2]) { $0 == 2 } == .init(stale: [1, 2], fresh: [2]))
    #expect(output.change(to: [2]) { _ in false } == .init(stale: [2], fresh: []))
    #expect(output.isEmpty)
  }
}

extension ScreenTests {
  @Suite(.serialized) struct ScreenGlyphTests {
    private func show(_ glyph: String, _ rest: String, on screen: NcursesScreen) {
      var surface = Surface(size: screen.size)
      surface.write("ab", row: 2, column: 0)
      surface[2, 2] = Cell(Character(glyph))
      surface[2, 3] = Cell(" ", isContinuation: true)
      surface.write(rest, row: 2, column: 4)
      screen.copy(surface, row: 0, column: 0)
      screen.flush(cursor: Point(row: 9, column: 0))
    }

    @Test(arguments: ["❤️", "👍🏽", "👨‍👩‍👧", "1️⃣"])
    func `a glyph of several characters is written whole above two cells`(glyph: String)
      async throws
    {
      let terminal = try PseudoTerminal()
      let screen = try NcursesScreen(
        .init(
          theme: .plain, input: terminal.slave, output: terminal.slave,
          environment: ["TERM": "xterm-256color"]))
      defer { screen.stop() }
      screen.drawsWholeGlyphs = true
      show(glyph, "|", on: screen)
      let whole = "\u{1B}[3;3H\(glyph)\u{1B}8"
      #expect(try await terminal.output().replacing("\u{1B}[m", with: "").contains(whole))
      // The same again is nothing; another text in the row brings it again, at the same position.
      show(glyph, "|", on: screen)
      #expect(try await terminal.output() == "")
      show(glyph, "!", on: screen)
      #expect(try await terminal.output().replacing("\u{1B}[m", with: "").contains(whole))
      // The text there instead is written into both of its cells.
      var surface = Surface(size: screen.size)
      surface.write("ab", row: 2, column: 0)
      surface.write("!", row: 2, column: 4)
      screen.copy(surface, row: 0, column: 0)
      screen.flush(cursor: nil)
      let bytes = try await terminal.output()
      #expect(!bytes.contains(glyph) && bytes.contains("ab  !"), "\(bytes.debugDescription)")
    }

    /// `text` from the left, with two columns for each character that is no ASCII.
    private func widened(_ text: String, size: Size) -> Surface {
      var surface = Surface(size: size)
      var column = 0
      for character in text {
        surface[2, column] = Cell(character)
        column += 1
        guard !character.isASCII else { continue }
        surface[2, column] = Cell(" ", isContinuation: true)
        column += 1
      }
      return surface
    }

    @Test
    func
      `what stands behind characters of ambiguous width keeps its place where they take two columns`()
      async throws
    {
      let terminal = try PseudoTerminal()
      let screen = try NcursesScreen(
        .init(
          theme: .plain, input: terminal.slave, output: terminal.slave,
          environment: ["TERM": "xterm-256color"]))
      defer { screen.stop() }
      screen.drawsAmbiguousWide = true
      var glass = VirtualTerminal(rows: screen.size.rows, columns: screen.size.columns)
      glass.widened = Set("привет“”αωЁ".unicodeScalars)
      for text in ["“привет” αω|", "“привет” Ёω|!", "plain text |", "“α” and|"] {
        screen.copy(widened(text, size: screen.size), row: 0, column: 0)
        screen.flush(cursor: Point(row: 9, column: 0))
        glass.feed(Array(try await terminal.output().utf8))
        #expect(glass.text(row: 2) == text)
        #expect(glass.cursor == TerminalPoint(row: 9, column: 0))
      }
    }
  }
}
