import Foundation
import Terminal
import Testing

@testable import TerminalNcurses

/// One at a time: ncurses has one set of windows for all screens of a process.
@Suite(.serialized) struct ScreenTests {}

extension ScreenTests {
  @Suite(.serialized) struct NcursesScreenTests {
    private static let red = StyleRole(rawValue: 1)
    private static let marked = StyleRole(rawValue: 2)

    private func theme(_ color: String = "#ff5f5f") -> Theme {
      Theme(
        ThemeFile.parse(
          """
          name = "test"
          [roles]
          "text" = "#d0d0d0 on #202020"
          "red" = "\(color) bold"
          "marked" = "black on cyan"
          """, roles: ["text": .plain, "red": Self.red, "marked": Self.marked]
        ).file)
    }

    func screen(
      on terminal: PseudoTerminal, term: String = "xterm-256color", mouse: Bool = true,
      more: [String: String] = [:]
    ) throws -> NcursesScreen {
      try NcursesScreen(
        .init(
          theme: theme(), mouse: mouse, input: terminal.slave, output: terminal.slave,
          environment: ["TERM": term].merging(more) { $1 }))
    }

    private func draw(_ text: String, on screen: NcursesScreen, role: StyleRole = .plain) {
      var surface = Surface(size: screen.size)
      surface.write(text, row: 2, column: 3, role: role)
      screen.copy(surface, row: 0, column: 0)
      screen.flush(cursor: Point(row: 2, column: 3))
    }

    private func hasColors(_ output: String) -> Bool {
      output.contains(/\u{1B}\[([0-9]*;)*(3[0-9]|4[0-9]|9[0-7]|10[0-7])(;[0-9]+)*m/)
    }

    @Test func `starting and stopping leave the terminal as it was`() async throws {
      let terminal = try PseudoTerminal()
      let screen = try screen(on: terminal)
      #expect(screen.size == Size(rows: 24, columns: 80))
      #expect(screen.colorDepth == .indexed)
      #expect(!terminal.isCooked)
      draw("hello", on: screen)
      let start = try await terminal.output()
      for mode in [
        "\u{1B}[?1049h", "\u{1B}[?1036h", "\u{1B}[?2004h", "\u{1B}[?1000h", "\u{1B}[?1002h",
        "\u{1B}[?1006h", "\u{1B}[?1004h", "\u{1B}[22;2t", "hello",
      ] {
        #expect(start.contains(mode), "\(mode.debugDescription)")
      }
      #expect(!start.contains("\u{1B}[?1003h"))
      screen.stop()
      let end = try await terminal.output()
      for mode in [
        "\u{1B}[?1049l", "\u{1B}[?1036r", "\u{1B}[?2004l", "\u{1B}[?1000l", "\u{1B}[?1002l",
        "\u{1B}[?1006l", "\u{1B}[?1004l", "\u{1B}[23;2t",
      ] {
        #expect(end.contains(mode), "\(mode.debugDescription)")
      }
      #expect(terminal.isCooked)
      screen.stop()
      #expect(try await terminal.output() == "")
    }

    @Test func `a frame without changes sends nothing, a letter only a few bytes`() async throws {
      let terminal = try PseudoTerminal()
      let screen = try screen(on: terminal)
      defer { screen.stop() }
      draw("hello", on: screen)
      #expect(try await terminal.output().utf8.count < 8000)
      draw("hello", on: screen)
      screen.flush(cursor: Point(row: 2, column: 3))
      #expect(try await terminal.output() == "")
      var surface = Surface(size: Size(rows: 1, columns: 9))
      surface.write("hello!", row: 0, column: 0)
      screen.copy(surface, row: 2, column: 3)
      screen.flush(cursor: Point(row: 2, column: 9))
      let letter = try await terminal.output()
      #expect(letter.contains("!"))
      #expect(letter.utf8.count <= 20, "\(letter.debugDescription)")
    }

    @Test func `an announced row is written whole, also with the same text; others are not`()
      async throws
    {
      let terminal = try PseudoTerminal()
      let screen = try screen(on: terminal)
      defer { screen.stop() }
      func announce(_ text: String, _ number: Int?) async throws -> String {
        var surface = Surface(size: Size(rows: 1, columns: 30))
        surface.write(text, row: 0, column: 0)
        if let number { surface.announce(row: 0, number: number) }
        screen.copy(surface, row: 2, column: 3)
        screen.flush(cursor: Point(row: 5, column: 0))
        return try await terminal.output()
      }
      _ = try await announce("Bob: how are you?", 1)
      #expect(try await announce("Bob: how is she?", 2).contains("Bob: how is she?"))
      #expect(try await announce("Bob: how is she?", 3).contains("Bob: how is she?"))
      #expect(try await announce("Bob: how is she?", 3) == "")
      #expect(try await !announce("Bob: how is he?", nil).contains("Bob"))
    }

    @Test(arguments: [
      "vt100", "xterm-mono", "linux", "screen", "xterm", "xterm-256color", "tmux-256color",
    ])
    func `every terminal type works`(term: String) async throws {
      let terminal = try PseudoTerminal()
      let screen = try screen(on: terminal, term: term)
      draw("漢字 text ❤️ e\u{301} ─", on: screen, role: Self.red)
      screen.bell()
      screen.setTheme(theme("#00ff00"))
      draw("漢字 more", on: screen, role: Self.marked)
      screen.redraw()
      screen.flush(cursor: nil)
      screen.suspend()
      screen.resume()
      screen.stop()
      let output = try await terminal.output()
      #expect(output.contains("漢字 text"))
      #expect(output.contains("\u{7}"))
      let isMono = term == "vt100" || term == "xterm-mono"
      #expect(hasColors(output) == !isMono)
      // Only relatives of xterm get private modes that others might print.
      #expect(output.contains("?2004h") == (term != "vt100" && term != "linux"))
      #expect(terminal.isCooked)
    }

    @Test func `NO_COLOR leaves attributes and takes every colour`() async throws {
      let terminal = try PseudoTerminal()
      let screen = try screen(on: terminal, more: ["NO_COLOR": "1"])
      defer { screen.stop() }
      #expect(screen.colorDepth == .mono)
      draw("bold", on: screen, role: Self.red)
      var surface = Surface(size: Size(rows: 1, columns: 4))
      surface.write("mark", row: 0, column: 0, role: Self.marked)
      screen.copy(surface, row: 5, column: 0)
      screen.flush(cursor: nil)
      let output = try await terminal.output()
      #expect(!hasColors(output), "\(output.debugDescription)")
      #expect(output.contains("\u{1B}[1m") || output.contains(";1m"))
      #expect(output.contains("\u{1B}[7m") || output.contains(";7m"))
    }

    @Test func `one role is drawn with and without what is added to it`() async throws {
      let terminal = try PseudoTerminal()
      let screen = try screen(on: terminal, more: ["NO_COLOR": "1"])
      defer { screen.stop() }
      draw("as it is", on: screen, role: Self.red)
      _ = try await terminal.output()
      draw("with more", on: screen, role: Self.red.adding(.underline))
      let more = try await terminal.output()
      #expect(more.contains(";4") || more.contains("[4"), "\(more.debugDescription)")
      draw("and again", on: screen, role: Self.red)
      let again = try await terminal.output()
      #expect(!again.contains(";4") && !again.contains("[4m"), "\(again.debugDescription)")
    }

    @Test func `an empty NO_COLOR means nothing`() throws {
      let terminal = try PseudoTerminal()
      let screen = try screen(on: terminal, more: ["NO_COLOR": ""])
      #expect(screen.colorDepth == .indexed)
      screen.stop()
    }

    @Test func `themes change while it runs`() async throws {
      let terminal = try PseudoTerminal()
      let screen = try screen(on: terminal)
      defer { screen.stop() }
      draw("word", on: screen, role: Self.red)
      #expect(try await terminal.output().contains("38;5;203"))
      screen.setTheme(theme("#00ff00"))
      screen.flush(cursor: nil)
      let output = try await terminal.output()
      #expect(output.contains("38;5;46") && output.contains("word"), "\(output.debugDescription)")
    }

    @Test func `sixty-four pairs are enough for many themes`() async throws {
      let terminal = try PseudoTerminal()
      let screen = try screen(on: terminal, term: "xterm")
      defer { screen.stop() }
      for index in 0..<100 {
        screen.setTheme(theme("\(index % 8)"))
        draw("round \(index)", on: screen, role: Self.red)
      }
      #expect(try await terminal.output().contains("99"))
    }

    @Test func `no text reaches the terminal as a sequence`() async throws {
      let terminal = try PseudoTerminal()
      let screen = try screen(on: terminal)
      defer { screen.stop() }
      draw("a\u{1B}]0;x\u{7}\u{9B}31m\u{202E}b", on: screen)
      screen.setTitle("t\u{7}\u{1B}]2;evil\u{7}\n\u{9C}")
      let output = try await terminal.output()
      #expect(!output.contains("\u{1B}]0;"))
      #expect(
        !output.contains("\u{9B}") && !output.contains("\u{202E}") && !output.contains("\u{9C}"))
      #expect(output.contains("a^[]0;x^G\u{FFFD}31mb"))
      #expect(output.contains("\u{1B}]2;t^G^[]2;evil^G⏎\u{FFFD}\u{7}"))
      screen.setTitle("t\u{7}\u{1B}]2;evil\u{7}\n\u{9C}")
      #expect(try await terminal.output() == "")
    }

    @Test func `a new size is taken over and everything drawn anew`() async throws {
      let terminal = try PseudoTerminal()
      let screen = try screen(on: terminal)
      defer { screen.stop() }
      draw("before", on: screen)
      #expect(!screen.adoptTerminalSize())
      for size in 5..<45 {
        terminal.resize(rows: UInt16(size), columns: UInt16(size * 2))
        #expect(screen.adoptTerminalSize())
        draw("size \(size)", on: screen)
      }
      _ = try await terminal.output()
      terminal.resize(rows: 10, columns: 40)
      screen.adoptTerminalSize()
      #expect(screen.size == Size(rows: 10, columns: 40))
      draw("after", on: screen)
      #expect(try await terminal.output().contains("after"))
    }

    @Test func `the screen can be lent and taken back`() async throws {
      let terminal = try PseudoTerminal()
      let screen = try screen(on: terminal)
      defer { screen.stop() }
      screen.setTitle("Natter")
      draw("before", on: screen)
      _ = try await terminal.output()
      screen.suspend()
      let away = try await terminal.output()
      #expect(away.contains("\u{1B}[?2004l") && away.contains("\u{1B}[?1049l"))
      #expect(terminal.isCooked)
      draw("during", on: screen)
      screen.bell()
      screen.setTitle("Natter (1)")
      #expect(try await terminal.output() == "")
      screen.resume()
      let back = try await terminal.output()
      #expect(!terminal.isCooked)
      #expect(back.contains("\u{1B}[?2004h") && back.contains("\u{1B}[?1049h"))
      #expect(back.contains("during"))
      #expect(back.contains("\u{1B}]2;Natter (1)\u{7}"))
    }

    @Test func `the mouse can be switched`() async throws {
      let terminal = try PseudoTerminal()
      let screen = try screen(on: terminal, mouse: false)
      defer { screen.stop() }
      let start = try await terminal.output()
      #expect(!start.contains("?1000h") && start.contains("?1007l"))
      screen.setMouse(true)
      #expect(try await terminal.output().contains("?1000h"))
      screen.setMouse(true)
      #expect(try await terminal.output() == "")
    }

    @Test func `what is no terminal is refused`() throws {
      let pipe = Pipe()
      let descriptor = pipe.fileHandleForWriting.fileDescriptor
      #expect(throws: ScreenError.notATerminal) {
        try NcursesScreen(
          .init(
            theme: .plain, input: descriptor, output: descriptor, environment: ["TERM": "xterm"]))
      }
    }

    @Test(arguments: [
      ("unknown", ScreenError.unknownTerminal(name: "unknown")),
      ("", .unknownTerminal(name: "")),
      ("dumb", .noCursorAddressing(name: "dumb")),
    ]) func `terminals that cannot be used are refused and left alone`(
      term: String, error: ScreenError
    ) async throws {
      let terminal = try PseudoTerminal()
      #expect(throws: error) { try screen(on: terminal, term: term) }
      #expect(terminal.isCooked)
      #expect(try await terminal.output() == "")
    }

    @Test func `frames and keys are as of old until the terminal says that it knows better`()
      async throws
    {
      let terminal = try PseudoTerminal()
      let screen = try screen(on: terminal)
      defer { screen.stop() }
      let text = String(repeating: "many words ", count: 7)
      draw(text, on: screen, role: Self.red)
      screen.askForModes()
      let silent = try await terminal.output()
      #expect(silent.hasSuffix("\u{1B}[?2026$p\u{1B}[?2031$p\u{1B}[?u"))
      #expect(!silent.contains("?2026h") && !screen.resetSequence.contains("[<u"))

      screen.showFramesWhole()
      screen.distinguishKeys()
      screen.distinguishKeys()
      draw(text, on: screen, role: Self.marked)
      let known = try await terminal.output()
      #expect(known.hasPrefix("\u{1B}[>5u\u{1B}[?2026h") && known.hasSuffix("\u{1B}[?2026l"))
      #expect(screen.resetSequence.hasPrefix("\u{1B}[?2026l\u{1B}[<u"))

      screen.suspend()
      let left = try await terminal.output()
      let (off, main) = (left.ranges(of: "\u{1B}[<u"), left.ranges(of: "\u{1B}[?1049l"))
      #expect(off.count == 1 && main.count == 1 && off[0].upperBound <= main[0].lowerBound)
      screen.resume()
      let back = try await terminal.output()
      let (on, alternate) = (back.ranges(of: "\u{1B}[>5u"), back.ranges(of: "\u{1B}[?1049h"))
      #expect(on.count == 1 && alternate.count == 1 && alternate[0].upperBound <= on[0].lowerBound)
      screen.stop()
      #expect(try await terminal.output().contains("\u{1B}[<u"))
    }

    @Test func `a crash's bytes undo modes, cursor and alternate screen`() async throws {
      let terminal = try PseudoTerminal()
      TerminalRestoration.remember(descriptor: terminal.slave)
      let screen = try screen(on: terminal)
      defer { screen.stop() }
      let bytes = screen.resetSequence
      #expect(bytes.contains("\u{1B}[?2004l") && bytes.contains("\u{1B}[?1049l"))
      #expect(bytes.utf8.count < 512)
      _ = try await terminal.output()
      TerminalRestoration.arm(bytes: bytes)
      TerminalRestoration.restore()
      #expect(try await terminal.output() == bytes)
      #expect(terminal.isCooked)
      TerminalRestoration.restore()
      #expect(try await terminal.output() == "")
      TerminalRestoration.arm(bytes: bytes)
      TerminalRestoration.disarm()
      TerminalRestoration.restore()
      #expect(try await terminal.output() == "")
    }
  }
}
