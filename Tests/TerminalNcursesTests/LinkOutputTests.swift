import Foundation
import Terminal
import TestSupport
import Testing

@testable import TerminalNcurses

@Suite struct LinkOutputTests {
  @Test(
    arguments: [
      (["TERM": "xterm-kitty"], true), (["TERM": "foot-extra"], true),
      (["TERM": "xterm-256color", "VTE_VERSION": "6003"], true),
      (["TERM": "xterm-256color", "VTE_VERSION": "4803"], false),
      (["TERM": "xterm-256color", "TERM_PROGRAM": "iTerm.app"], true),
      (["TERM": "xterm-256color", "TERM_PROGRAM": "Apple_Terminal"], false),
      (["TERM": "xterm-256color", "WT_SESSION": "x"], true),
      (["TERM": "xterm-256color"], false), (["TERM": "linux"], false), ([:], false),
      (["TERM": "screen", "KITTY_WINDOW_ID": "1"], false),
      (["TERM": "xterm-256color", "STY": "1.x", "VTE_VERSION": "6003"], false),
      (
        [
          "TERM": "tmux-256color", "TMUX": "/tmp/x", "TERM_PROGRAM": "tmux",
          "TERM_PROGRAM_VERSION": "3.4",
        ], true
      ),
      (
        [
          "TERM": "tmux-256color", "TMUX": "/tmp/x", "TERM_PROGRAM": "tmux",
          "TERM_PROGRAM_VERSION": "3.3a", "VTE_VERSION": "6003",
        ], false
      ),
    ] as [([String: String], Bool)])
  func `the environment shows which terminals open links`(
    environment: [String: String], isKnown: Bool
  ) {
    #expect(LinkOutput.isKnown(environment: environment) == isKnown)
  }
}

extension ScreenTests {
  @Suite(.serialized) struct ScreenLinkTests {
    private let link = Hyperlink("https://example.org/a", id: 7)

    private func screen(
      on terminal: PseudoTerminal, term: String = "xterm-256color"
    ) throws -> NcursesScreen {
      try NcursesScreen(
        .init(
          theme: .plain, input: terminal.slave, output: terminal.slave,
          environment: ["TERM": term]))
    }

    /// Shows `text` in a row, with a link from a column on.
    private func show(_ text: String, from column: Int?, on screen: NcursesScreen) throws {
      var surface = Surface(size: screen.size)
      surface.write(text, row: 2, column: 0)
      surface.write("below", row: 5, column: 0)
      if let column {
        surface.position(try #require(link), row: 2, columns: column..<text.columns)
      }
      screen.copy(surface, row: 0, column: 0)
      screen.flush(cursor: Point(row: 9, column: 0))
    }

    @Test func `links lie above the cells, go with them, and cost nothing where there are none`()
      async throws
    {
      let terminal = try PseudoTerminal()
      let screen = try screen(on: terminal)
      defer { screen.stop() }
      var glass = VirtualTerminal(rows: 24, columns: 80)
      func shown() async throws -> String {
        let output = try await terminal.output()
        glass.feed(Array(output.utf8))
        return output
      }
      func linked() -> [Int] { (0..<80).filter { glass[2, $0].link != nil } }

      try show("see https://example.org/a", from: 4, on: screen)
      #expect(try await !shown().contains("]8;"))
      // Switched on, the terminal gets the sequences; the text is the same.
      screen.marksLinks = true
      try show("see https://example.org/a", from: 4, on: screen)
      _ = try await shown()
      #expect(linked() == Array(4..<25))
      #expect(glass[2, 4].link == "id=n7;https://example.org/a")
      #expect(glass.text(row: 2) == "see https://example.org/a")
      #expect(glass.cursor.row == 9 && glass.cursor.column == 0)
      // The same again: nothing.
      try show("see https://example.org/a", from: 4, on: screen)
      #expect(try await shown() == "")
      // Moved by a letter: nothing is left where it was.
      try show("look https://example.org/a", from: 5, on: screen)
      _ = try await shown()
      #expect(linked() == Array(5..<26))
      #expect(glass.text(row: 2) == "look https://example.org/a")
      // The same text, but no link.
      try show("look https://example.org/a", from: nil, on: screen)
      _ = try await shown()
      #expect(linked() == [])
      #expect(glass.text(row: 2) == "look https://example.org/a")
      // Where there was none and is none, nothing of it is sent.
      try show("none", from: nil, on: screen)
      #expect(try await !shown().contains("]8;"))
      // Drawn anew, they are there again; switched off, they are gone.
      try show("https://example.org/a", from: 0, on: screen)
      screen.redraw()
      screen.flush(cursor: nil)
      _ = try await shown()
      #expect(linked() == Array(0..<21))
      screen.marksLinks = false
      screen.flush(cursor: nil)
      _ = try await shown()
      #expect(linked() == [])
      #expect(glass.text(row: 2) == "https://example.org/a")
      #expect(glass.unknown == [])
    }

    @Test(arguments: ["linux", "vt100"])
    func `a terminal of another kind gets none`(term: String) async throws {
      let terminal = try PseudoTerminal()
      let screen = try screen(on: terminal, term: term)
      defer { screen.stop() }
      screen.marksLinks = true
      try show("https://example.org/a", from: 0, on: screen)
      #expect(try await !terminal.output().contains("]8;"))
    }
  }
}
