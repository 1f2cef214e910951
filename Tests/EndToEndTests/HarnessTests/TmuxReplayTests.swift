import Foundation
import TestSupport
import Testing

/// Real programs' output, shown by `VirtualTerminal` and by tmux: both have to show the same text.
@Suite(.requires(.tmux)) struct TmuxReplayTests {
  static let rows = 24
  static let columns = 80

  struct Recording: Sendable, CustomStringConvertible {
    let program: String
    var arguments: [String] = []
    /// On the screen once it has drawn itself.
    let first: String
    /// Typed then, piece by piece; each waits for the text beside it.
    var typed: [(text: String, then: String)] = []
    var description: String { program }
  }

  static let recordings = [
    Recording(
      program: "profanity", first: "Profanity",
      typed: [
        ("/help\r", "Basic commands"), ("/theme load bios\r", "Loaded theme"),
        ("日本語 é 👍 text", "text"), ("\u{1b}[D\u{1b}[D\u{7f}", "txt"), ("\u{1b}[5~", "txt"),
      ]),
    Recording(
      program: "vim", arguments: ["-u", "NONE", "-N", "/etc/services"], first: "services",
      typed: [
        ("10G", "10"), ("ddOinserted 日本\u{1b}", "inserted 日本"), (":set nu\r", "  1 "),
        ("\u{6}", "  2"), (":vsplit\r", "│"), (":set ruler\r", ","),
      ]),
    Recording(
      program: "less", arguments: ["/etc/services"], first: "services",
      typed: [("/tcp\r", "tcp"), ("dd", "tcp"), ("u", "tcp"), ("G", "END")]),
  ]

  @Test(arguments: recordings, ["xterm-256color", "screen-256color", "vt100"])
  func `a real program looks the same as in tmux`(recording: Recording, terminal: String)
    async throws
  {
    guard Programs.exists(recording.program) else { return }
    let home = try Home()
    let program = try PTYProcess(
      recording.program, recording.arguments, environment: home.environment(terminal: terminal),
      rows: Self.rows, columns: Self.columns)
    try await program.shows(recording.first)
    for step in recording.typed {
      let mark = program.outputCount
      program.type(step.text)
      _ = await program.waits(upTo: .seconds(2)) { screen in
        program.outputCount > mark && screen.contains(step.then)
      }
    }
    program.signal(SIGSTOP)
    // What it had printed is on its way: it is all in when the reader finds nothing for a while.
    var last = -1
    while last != program.outputCount {
      last = program.outputCount
      try await Task.sleep(for: .milliseconds(100))
    }
    let ours = program.screen
    let output = program.rawOutput
    program.signal(SIGKILL)
    #expect(ours.unknown == [])
    #expect(output.count > 100)

    let shown = try await replay(output)
    #expect(ours.lines == shown.lines)
    // Blanks are left out: whether an erased cell keeps a style that cannot be seen is anybody's
    // choice.
    if terminal == "xterm-256color" {
      for (row, cells) in shown.cells.enumerated() {
        for (column, cell) in cells.enumerated() where cell.text != " " && !cell.text.isEmpty {
          #expect(ours[row, column].style == cell.style, "row \(row) column \(column)")
        }
      }
    }
    #expect("\(ours.cursor.column),\(ours.cursor.row)" == shown.cursor)
  }

  @Test func `hand-made output looks the same as in tmux`() async throws {
    var output = ""
    var generator = SeededGenerator(seed: 7)
    let pieces = [
      "word ", "日本", "e\u{301}", "\r\n", "\t", "\u{8}", "\u{1b}[5;10H", "\u{1b}[2K", "\u{1b}[K",
      "\u{1b}[1K", "\u{1b}[3P", "\u{1b}[2@", "\u{1b}[4X", "\u{1b}[L", "\u{1b}[2M", "\u{1b}M",
      "\u{1b}D", "\u{1b}[3S", "\u{1b}[T", "\u{1b}[5;15r", "\u{1b}[r", "\u{1b}[2A", "\u{1b}[3B",
      "\u{1b}[9C", "\u{1b}[4D", "\u{1b}[20G", "\u{1b}[7d", "\u{1b}7", "\u{1b}8",
      "\u{1b}(0qx\u{1b}(B",
      "a\u{1b}[20b", "\u{1b}[Z", "\u{1b}[J", "\u{1b}[1J", "\u{1b}[7m",
      String(repeating: "long ", count: 20), "\u{1b}[24;70H", "\u{1b}[1;78H", "日",
    ]
    for _ in 0..<3000 { output += pieces.randomElement(using: &generator) ?? "" }
    var screen = VirtualTerminal(rows: Self.rows, columns: Self.columns)
    screen.feed(output.utf8)
    let shown = try await replay(Array(output.utf8))
    #expect(screen.lines == shown.lines)
    #expect("\(screen.cursor.column),\(screen.cursor.row)" == shown.cursor)
  }

  /// Has tmux show `output`; its title afterwards shows when it has.
  private func replay(_ output: [UInt8]) async throws -> (
    lines: [String], cells: [[TerminalCell]], cursor: String
  ) {
    let folder = try TemporaryFolder("replay")
    try Data(output + Array("\u{1b}]2;all shown\u{1b}\\".utf8)).write(to: folder.url("output"))
    let session = try await TmuxSession(
      "sh", ["-c", "stty raw -echo; cat \(folder.path("output")); exec sleep 1000"],
      environment: ["PATH": Programs.searchPath, "LANG": "C.UTF-8"], rows: Self.rows,
      columns: Self.columns)
    try await session.expects("#{pane_title}", toBe: "all shown")
    let lines = try await session.lines()
    let cells = try await session.capture()
    let cursor = try await session.value("#{cursor_x},#{cursor_y}")
    await session.stop()
    return (lines, cells, cursor)
  }
}
