import Foundation
import TestSupport
import Testing

/// The mouse as a terminal reports it (SGR, mode 1006), on the running program.
@Suite(.limitedConcurrency) struct MouseEndToEndTests {
  /// Presses and lets go of the left button on the first cell of `text` in the lowest row that has
  /// it.
  private func click(_ run: NatterRun, on text: String) async throws {
    try await run.shows(text)
    let lines = run.screen.lines
    let row = try #require(lines.lastIndex { $0.contains(text) })
    let position = try #require(lines[row].firstRange(of: text))
    // Everything before it is one column wide here.
    let column = lines[row].distance(from: lines[row].startIndex, to: position.lowerBound)
    let at = "\(column + 1);\(row + 1)"
    run.terminal.type("\u{1b}[<0;\(at)M\u{1b}[<0;\(at)m")
  }

  @Test func `help, palette and a file's list are opened, scrolled and closed by the mouse alone`()
    async throws
  {
    let run = try await NatterRun.chatting()
    try await click(run, on: "F1 Help")
    try await run.shows("Help: ")
    let first = run.screen.lines
    run.terminal.type("\u{1b}[<65;40;10M\u{1b}[<65;40;10M")
    try await run.expects("another part of the help") { $0.lines != first }
    try await click(run, on: "Esc close")
    try await run.hides("Help: ")
    try await click(run, on: "^O Go to")
    try await run.shows("@people #rooms")
    // Beside it.
    run.terminal.type("\u{1b}[<0;1;28M\u{1b}[<0;1;28m")
    try await run.hides("@people #rooms")
    try await click(run, on: "F3 Contacts")
    try await run.shows("[F3 Contacts")
    #expect(await run.quit() == .exited(0))
  }
}
