import Foundation
import Terminal
import Testing

@testable import TerminalNcurses

extension ScreenTests {
  /// The terminal that Natter leaves to the shell.
  @Suite struct LeavingTests {
    private func screen(on terminal: PseudoTerminal, term: String) throws -> NcursesScreen {
      try NcursesScreen(
        .init(
          theme: .plain,
          input: terminal.slave, output: terminal.slave, environment: ["TERM": term]))
    }

    private func draw(on screen: NcursesScreen) {
      var surface = Surface(size: screen.size)
      surface.write("F1 Help", row: screen.size.rows - 1, column: 0, role: .plain)
      screen.copy(surface, row: 0, column: 0)
      screen.flush(cursor: nil)
    }

    @Test(arguments: ["vt100", "linux"])
    func `where nothing brings back what was there, the shell goes on in an empty row`(
      term: String
    ) async throws {
      let terminal = try PseudoTerminal()
      let screen = try screen(on: terminal, term: term)
      draw(on: screen)
      _ = try await terminal.output()
      screen.suspend()
      #expect(try await terminal.output().hasSuffix("\r\u{1B}[J"))
      screen.resume()
      _ = try await terminal.output()
      // After a crash, too.
      #expect(screen.resetSequence.hasSuffix("\r\u{1B}[J"))
      screen.stop()
      #expect(try await terminal.output().hasSuffix("\r\u{1B}[J"))
    }

    @Test(arguments: [("xterm-256color", "\u{1B}]104"), ("linux", "\u{1B}]R")])
    func `the palette is left alone, also when the terminal is taken again`(
      term: String, reset: String
    ) async throws {
      let terminal = try PseudoTerminal()
      let screen = try screen(on: terminal, term: term)
      draw(on: screen)
      screen.suspend()
      screen.resume()
      screen.stop()
      let output = try await terminal.output()
      #expect(output.contains("F1 Help") && !output.contains(reset))
    }

    @Test(arguments: [
      (["STY": "1.pts-0.host"], true), (["STY": "1.pts-0.host", "TMUX": "/tmp/tmux,1,0"], false),
      (["STY": ""], false),
    ])
    func `in GNU screen, which puts no title aside, none stays behind`(
      environment: [String: String], isNone: Bool
    ) async throws {
      let terminal = try PseudoTerminal()
      let screen = try NcursesScreen(
        .init(
          theme: .plain, input: terminal.slave, output: terminal.slave,
          environment: environment.merging(["TERM": "screen-256color"]) { $1 }))
      screen.setTitle("Natter")
      draw(on: screen)
      _ = try await terminal.output()
      let none = "\u{1B}]2;\u{7}"
      #expect(screen.resetSequence.contains(none) == isNone)
      screen.suspend()
      #expect(try await terminal.output().contains(none) == isNone)
      screen.resume()
      #expect(try await terminal.output().contains("\u{1B}]2;Natter\u{7}"))
      screen.stop()
      let output = try await terminal.output()
      #expect(output.contains(none) == isNone && output.contains("\u{1B}[23;2t") != isNone)
    }

    @Test func `where there is a screen of its own, nothing of the other one is cleared`()
      async throws
    {
      let terminal = try PseudoTerminal()
      let screen = try screen(on: terminal, term: "xterm-256color")
      draw(on: screen)
      _ = try await terminal.output()
      #expect(!screen.resetSequence.contains("\u{1B}[J"))
      screen.stop()
      #expect(try await !terminal.output().contains("\u{1B}[J"))
    }
  }
}
