import Foundation
import Terminal
import Testing

@testable import TerminalNcurses

extension ScreenTests {
  @Suite struct ClipboardTests {
    private func screen(
      on terminal: PseudoTerminal, _ environment: [String: String]
    ) throws -> NcursesScreen {
      try NcursesScreen(
        .init(
          theme: Theme(ThemeFile.parse("name = \"test\"", roles: [:]).file),
          input: terminal.slave, output: terminal.slave, environment: environment))
    }

    @Test func `a text goes to the terminal as Base64, whatever is in it`() {
      #expect(ClipboardSequence.bytes(for: "hello") == "\u{1B}]52;c;aGVsbG8=\u{7}")
      #expect(ClipboardSequence.bytes(for: "") == "\u{1B}]52;c;\u{7}")
      let hostile = "\u{7}\u{1B}\\\u{9C}é"
      let bytes = ClipboardSequence.bytes(for: hostile) ?? ""
      #expect(bytes.dropFirst().dropLast().allSatisfy { $0.isASCII && $0 >= " " })
      #expect(
        Data(base64Encoded: String(bytes.dropFirst(7).dropLast())) == Data(hostile.utf8))
    }

    @Test func `more than terminals take is not sent`() async throws {
      #expect(ClipboardSequence.bytes(for: String(repeating: "x", count: 75_000)) != nil)
      #expect(ClipboardSequence.bytes(for: String(repeating: "x", count: 75_001)) == nil)
      let terminal = try PseudoTerminal()
      let screen = try screen(on: terminal, ["TERM": "xterm-256color"])
      #expect(screen.copyToClipboard(String(repeating: "x", count: 80_000)) == .tooLong)
      #expect(screen.copyToClipboard("hello") == .sent)
      let output = try await terminal.output()
      #expect(output.contains("\u{1B}]52;c;aGVsbG8=\u{7}") && !output.contains("eHh4eHh4"))
      screen.stop()
    }

    @Test(arguments: [
      ["TERM": "linux"], ["TERM": "vt100"], ["TERM": "screen-256color"],
    ])
    func `a terminal that takes none gets none`(environment: [String: String]) async throws {
      let terminal = try PseudoTerminal()
      let screen = try screen(on: terminal, environment)
      #expect(screen.copyToClipboard("hello") == .unavailable)
      screen.stop()
      #expect(!(try await terminal.output()).contains("]52;"))
    }

    @Test func `tmux is given it under either of its names`() async throws {
      for name in ["screen-256color", "tmux-256color"] {
        let terminal = try PseudoTerminal()
        let screen = try screen(on: terminal, ["TERM": name, "TMUX": "/tmp/tmux,1,0"])
        #expect(screen.copyToClipboard("hello") == .sent)
        screen.stop()
      }
    }
  }
}
