import Foundation
import Terminal
import Testing

@testable import TerminalNcurses

extension ScreenTests {
  /// Red, green and blue on terminals that say in COLORTERM that they take them
  /// (interface.md, "Colours and themes").
  @Suite(.serialized) struct DirectColourTests {
    private static let red = StyleRole(rawValue: 1)
    private static let marked = StyleRole(rawValue: 2)
    private static let black = StyleRole(rawValue: 3)

    private let theme = Theme(
      ThemeFile.parse(
        """
        name = "test"
        [roles]
        "text" = "#d0d0d0 on #202020"
        "red" = "#ff5f5e bold"
        "marked" = "bright-red on cyan"
        "black" = "#000000 on #123456"
        """, roles: ["text": .plain, "red": red, "marked": marked, "black": black]
      ).file)

    private func screen(
      on terminal: PseudoTerminal, _ environment: [String: String]
    ) throws -> NcursesScreen {
      try NcursesScreen(
        .init(
          theme: theme, input: terminal.slave, output: terminal.slave, environment: environment))
    }

    /// Returns the output of two frames that use most features of ncurses: colours, spaces to the
    /// end of rows, repetitions, inserted letters.
    private func drawn(_ environment: [String: String]) async throws -> String {
      let terminal = try PseudoTerminal()
      let screen = try screen(on: terminal, environment)
      for (offset, word) in ["first", "second and more"].enumerated() {
        var surface = Surface(size: screen.size)
        surface.write(word, row: 2 + offset, column: 3, role: Self.red)
        surface.write("漢字 \(word)", row: 5, column: offset, role: Self.marked)
        surface.write(String(repeating: "-", count: 60), row: 7, column: 0, role: .plain)
        surface.write("dark", row: 9, column: 9, role: Self.black)
        screen.copy(surface, row: 0, column: 0)
        screen.flush(cursor: Point(row: 2, column: 3))
      }
      screen.stop()
      return try await terminal.output()
    }

    @Test(arguments: ["truecolor", "24bit"])
    func `a terminal that says so gets red, green and blue, and its own sixteen as they are`(
      value: String
    ) async throws {
      let before = getenv("TERMINFO").map { String(cString: $0) }
      let terminal = try PseudoTerminal()
      let screen = try screen(on: terminal, ["TERM": "xterm-256color", "COLORTERM": value])
      #expect(screen.colorDepth == .truecolor)
      screen.stop()
      let output = try await drawn(["TERM": "xterm-256color", "COLORTERM": value])
      #expect(output.contains("38;2;208;208;208"), "\(output.debugDescription)")
      #expect(output.contains("48;2;32;32;32"))
      #expect(output.contains("38;2;255;95;94"))
      #expect(output.contains("48;2;18;52;86"))
      // Black has no colour in it.
      #expect(output.contains("38;2;1;1;1"))
      // Those of the palette, as the user has set it.
      #expect(output.contains(/\e\[([0-9;]*;)?91[;m]/) && output.contains(/\e\[([0-9;]*;)?46[;m]/))
      #expect(!output.contains("8;5;"))
      // Programs that are started get what there was.
      #expect(getenv("TERMINFO").map { String(cString: $0) } == before)
    }

    @Test(arguments: [
      ["TERM": "xterm-256color"], ["TERM": "tmux-256color", "TMUX": "/tmp/tmux,1,0"],
      ["TERM": "screen-256color", "TMUX": "/tmp/tmux,1,0"], ["TERM": "xterm-kitty"],
    ])
    func `but for the colours it gets what its own description says`(terminal: [String: String])
      async throws
    {
      let own = try await drawn(terminal)
      let direct = try await drawn(terminal.merging(["COLORTERM": "truecolor"]) { $1 })
      #expect(direct.contains("38;2;255;95;94") && !own.contains("38;2"))
      func uncoloured(_ output: String) -> String { output.replacing(/\e\[[0-9;:]*m/, with: "") }
      #expect(uncoloured(direct) == uncoloured(own))
    }

    @Test(arguments: [
      (["TERM": "xterm-256color"], ColorDepth.indexed),
      (["TERM": "xterm-256color", "COLORTERM": ""], .indexed),
      (["TERM": "xterm-256color", "COLORTERM": "yes"], .indexed),
      (["TERM": "xterm-256color", "COLORTERM": "truecolor", "STY": "1.tty"], .indexed),
      (["TERM": "screen-256color", "COLORTERM": "truecolor"], .indexed),
      (["TERM": "xterm"], .eight), (["TERM": "xterm", "COLORTERM": "truecolor"], .truecolor),
      (["TERM": "linux", "COLORTERM": "truecolor"], .eight),
      (["TERM": "vt100", "COLORTERM": "truecolor"], .mono),
      (["TERM": "xterm-256color", "COLORTERM": "truecolor"], .truecolor),
      (["TERM": "tmux-256color", "COLORTERM": "truecolor", "TMUX": "a", "STY": "b"], .truecolor),
    ])
    func `no other terminal gets them, and what is reported of a terminal is what it gets`(
      environment: [String: String], depth: ColorDepth
    ) throws {
      let terminal = try PseudoTerminal()
      let screen = try screen(on: terminal, environment)
      #expect(screen.colorDepth == depth)
      screen.stop()
      #expect(TerminalColors.depth(environment: environment) == depth)
    }

    @Test func `NO_COLOR holds there, too`() async throws {
      let environment = ["TERM": "xterm-256color", "COLORTERM": "truecolor", "NO_COLOR": "1"]
      let output = try await drawn(environment)
      #expect(!output.contains("38;") && !output.contains("48;"))
    }
  }
}
