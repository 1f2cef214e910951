import Terminal
import TestSupport
import Testing

@testable import TerminalNcurses

/// The entry of terminfo that a terminal is driven by.
@Suite struct TerminalEntryTests {
  /// As on a Debian with ncurses-base alone.
  private static let few = [
    "xterm": 8, "xterm-256color": 256, "xterm-mono": -1, "vt100": -1, "linux": 8, "screen": 8,
    "screen-256color": 256, "tmux": 8, "tmux-256color": 256, "rxvt": 8,
    "rxvt-unicode-256color": 256, "sun": -1,
  ]

  private func entry(
    _ term: String, _ more: [String: String] = [:], known: [String: Int] = few
  ) -> TerminalEntry {
    TerminalEntry(environment: more.merging(["TERM": term]) { $1 }) { known[$0] }
  }

  @Test(arguments: [
    ("xterm-ghostty", "xterm-256color"), ("foot", "xterm-256color"),
    ("foot-extra", "xterm-256color"),
    ("alacritty", "xterm-256color"), ("alacritty-direct", "xterm-256color"),
    ("xterm-kitty", "xterm-256color"), ("wezterm", "xterm-256color"), ("contour", "xterm-256color"),
    ("st-256color", "xterm-256color"), ("no-such-terminal", "xterm-256color"),
    ("tmux-direct", "tmux-256color"), ("screen.foot", "screen-256color"),
    ("rxvt-unicode", "rxvt-unicode-256color"), ("linux-16color", "linux"),
  ])
  func `an entry that is missing is replaced by one that fits`(term: String, name: String) {
    let found = entry(term)
    #expect(found.name == name && found.isSubstitute && found.terminal == term)
  }

  @Test func `where the best is missing, too, the next one is taken, and none where there is none`()
  {
    #expect(entry("foot", known: ["xterm": 8, "vt100": -1]).name == "xterm")
    #expect(entry("foot", known: ["vt100": -1]).name == "vt100")
    #expect(entry("tmux-direct", known: ["screen": 8]).name == "screen")
    let none = entry("foot", known: [:])
    #expect(none.name == "foot" && !none.isSubstitute)
  }

  @Test(arguments: ["", "dumb", "unknown", "network", "xterm", "vt100", "sun", "xterm-256color"])
  func `what is known, or says that it is nothing, is left as it is`(term: String) {
    let found = entry(term)
    #expect(found.name == term && !found.isSubstitute)
  }

  @Test(
    arguments: [
      ("xterm", ["COLORTERM": "truecolor"], "xterm-256color"),
      ("xterm", ["COLORTERM": "24bit"], "xterm-256color"),
      ("xterm", ["COLORTERM": "gnome-terminal"], "xterm-256color"),
      ("tmux", ["COLORTERM": "truecolor", "TMUX": "/tmp/x"], "tmux-256color"),
      ("screen", ["COLORTERM": "truecolor", "TMUX": "/tmp/x"], "screen-256color"),
      ("xterm", [:], "xterm"), ("xterm", ["COLORTERM": ""], "xterm"),
      ("xterm", ["COLORTERM": "1"], "xterm"),
      // No entry with more colours has that name, or the variables describe the terminal around it.
      ("linux", ["COLORTERM": "truecolor"], "linux"),
      ("screen", ["COLORTERM": "truecolor", "STY": "1.x"], "screen"),
      ("screen", ["COLORTERM": "truecolor"], "screen"),
      ("vt100", ["COLORTERM": "truecolor"], "vt100"),
      ("xterm-mono", ["COLORTERM": "truecolor"], "xterm-mono"),
    ] as [(String, [String: String], String)])
  func `256 colours are used where the terminal says that it has them`(
    term: String, environment: [String: String], name: String
  ) {
    let found = entry(term, environment)
    #expect(found.name == name && !found.isSubstitute)
  }

  @Test func `terminfo itself is asked`() {
    let found = TerminalEntry(environment: ["TERM": "no-such-terminal"])
    #expect(found.name == "xterm-256color" && found.isSubstitute)
    #expect(TerminalEntry(environment: ["TERM": "vt100"]).name == "vt100")
    #expect(
      TerminalColors.depth(environment: ["TERM": "no-such-terminal", "COLORTERM": "truecolor"])
        == .truecolor)
    #expect(TerminalColors.depth(environment: ["TERM": "no-such-terminal"]) == .indexed)
    #expect(TerminalColors.depth(environment: ["TERM": "xterm"]) == .eight)
    #expect(
      TerminalColors.depth(environment: ["TERM": "xterm", "COLORTERM": "truecolor"]) == .truecolor)
  }
}

extension ScreenTests {
  @Suite(.serialized) struct ScreenEntryTests {
    @Test func `a terminal without an entry of its own is drawn on as one of xterm's kind`()
      async throws
    {
      let terminal = try PseudoTerminal()
      let screen = try NcursesScreen(
        .init(
          theme: .plain, input: terminal.slave, output: terminal.slave,
          environment: ["TERM": "no-such-terminal"]))
      defer { screen.stop() }
      #expect(screen.entry.isSubstitute && screen.entry.name == "xterm-256color")
      #expect(screen.entry.terminal == "no-such-terminal" && screen.colorDepth == .indexed)
      var surface = Surface(size: screen.size)
      surface.write("words", row: 2, column: 3)
      screen.copy(surface, row: 0, column: 0)
      screen.flush(cursor: nil)
      var seen = VirtualTerminal(rows: 24, columns: 80)
      seen.feed(Array(try await terminal.output().utf8))
      #expect(seen.text(row: 2).contains("words"))
    }
  }
}
