import Foundation
import TestSupport
import Testing

/// Abilities of newer terminals: opening links, reporting a change of their colours.
@Suite(.limitedConcurrency) struct TerminalKindTests {
  private func run(ui: String, environment: [String: String] = [:]) async throws -> NatterRun {
    let home = try Home()
    try home.folder.write("[ui]\n\(ui)\n", to: "config/natter/config.toml")
    let run = try NatterRun.local(home: home, rows: 24, columns: 80, environment: environment)
    try await run.openGuide()
    return run
  }

  /// The addresses that the cells of the screen open, each once, and the text of those cells.
  private static func links(_ screen: VirtualTerminal) -> [String: String] {
    var found: [String: String] = [:]
    for row in 0..<screen.rows {
      for column in 0..<screen.columns {
        guard let link = screen[row, column].link else { continue }
        let address = String(link.drop { $0 != ";" }.dropFirst())
        found[address, default: ""] += screen[row, column].text
      }
    }
    return found
  }

  @Test func `links are marked for a terminal that opens them, and are gone with their text`()
    async throws
  {
    let run = try await run(ui: "mouse = true", environment: ["TERM_PROGRAM": "WezTerm"])
    let long = "https://example.org/a-path/that-does-not-fit/in-one-row/of-this/screen?at=all"
    try await run.say("see \(long) or https://example.org/é")
    try await run.expects("the links") { screen in
      Self.links(screen) == [
        long: long, "https://example.org/%C3%A9": "https://example.org/é",
      ]
    }
    // Another page above them has none of them.
    run.terminal.press(.f6)
    try await run.expects("no links in the settings") {
      $0.text(row: 0).contains("[F6 Me]") && Self.links($0).isEmpty
    }
    run.terminal.press(.f2)
    try await run.expects("the links again") { Self.links($0).count == 2 }
    #expect(run.screen.unknown == [])
    #expect(await run.quit() == .exited(0))
    #expect(run.terminal.isGivenBack())
  }

  @Test(arguments: [("links = \"auto\"", ""), ("links = \"off\"", "WezTerm")])
  func `where a terminal is not known to open links, or should not, none is marked`(
    ui: String, program: String
  ) async throws {
    let run = try await run(ui: ui, environment: ["TERM_PROGRAM": program])
    try await run.say("see https://example.org/a")
    try await run.shows("you    see https://example.org/a", tick: "✓✓")
    #expect(await run.quit() == .exited(0))
    #expect(!run.terminal.rawOutput.contains(sequence: Array("\u{1B}]8;".utf8)))
  }

  @Test func `a terminal that reports when its colours change is followed`() async throws {
    let run = try await run(ui: "theme = \"auto\"")
    let text = "Hello me, and welcome"
    let night = try #require(run.screen.style(of: text))
    #expect(!run.screen.modesEverSet.contains(2031))
    // What a terminal answers that knows the mode.
    run.terminal.type("\u{1B}[?2031;2$y")
    try await run.expects("the mode") { $0.modes.contains(2031) }
    let question = /\u{1b}\[\?996n/
    #expect(
      String(decoding: run.terminal.rawOutput, as: UTF8.self).matches(of: question).count == 1)
    run.terminal.type("\u{1B}[?997;2n")
    try await run.expects("the theme of the day") { screen in
      screen.style(of: text).map { $0 != night } ?? false
    }
    run.terminal.type("\u{1B}[?997;1n")
    try await run.expects("the theme of the night") { $0.style(of: text) == night }
    #expect(await run.quit() == .exited(0))
    #expect(!run.screen.modes.contains(2031) && run.terminal.isGivenBack())
  }
}
