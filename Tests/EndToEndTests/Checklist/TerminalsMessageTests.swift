import Foundation
import TestSupport
import Testing

/// The checklist (interface.md, "Checklist") on each of the terminals that people have: messages of
/// somebody else's client.
@Suite(.requires(.slixmpp), .limitedConcurrency) struct TerminalsMessageTests {
  private static let emoji = "👨‍👩‍👧 ❤\u{fe0f} 🇫🇷 👍🏽 end"

  /// Kept by a server and delivered late (XEP-0203).
  private static func late(_ text: String, day: Int) -> String {
    """
    <message to='me@localhost' type='chat' id='d-\(text)'><body>\(text)</body>\
    <delay xmlns='urn:xmpp:delay' from='localhost' stamp='2026-01-0\(day)T12:00:00Z'/></message>
    """
  }

  @Test(arguments: TerminalDescription.testable)
  func `13, 15, 29, 30, 31, 32, 33, 40: what is unread is found, marked, and drawn as it should be`(
    terminal: TerminalDescription
  ) async throws {
    let run = try await NatterRun.chatting(terminal: terminal.name)
    let bob = try await run.peer("bob")
    // 31: two days, each with its line.
    for (day, text) in [(5, "first"), (5, "second"), (6, "third")] {
      try await bob.send(xml: Self.late(text, day: day))
    }
    try await run.open(chat: "bob@localhost")
    try await run.expects("a line above each day") { screen in
      let rows = ["5 January", "first", "second", "6 January", "third"].map {
        screen.find($0)?.row ?? -1
      }
      return !rows.contains(-1) && rows == rows.sorted()
        && screen.lines.filter { $0.contains("January") }.count == 2
    }
    try await run.lists("bob", unread: 0)

    // 13 and 40: counted as text in a conversation that is not open, and announced by the bell
    // once.
    let guide = run.screen.lines.contains {
      $0.dropFirst().hasPrefix("1 ") && $0.contains("Natter")
    }
    run.terminal.press(.alt(guide ? "1" : "2"))
    try await run.shows(NatterRun.greetingEnd)
    try await run.bellIsDue()
    let bells = run.screen.bells
    try await bob.send(
      "news *strong* _slanted_ ~gone~ `code`\n\(Self.emoji)\nx" + String(repeating: "日", count: 70),
      to: "me@localhost")
    try await run.lists("bob", unread: 1)
    try await run.expects("the bell") { $0.bells > bells }

    // 15 and 32: the key goes there, and a line is above the new messages.
    run.terminal.press(.alt("a"))
    try await run.expects("the line above what is new") { screen in
      guard let line = screen.find("1 new")?.row, let old = screen.find("third")?.row,
        let new = screen.find("news")?.row
      else { return false }
      return old < line && line < new && screen.text(row: line).contains(terminal.rule)
        && screen.text(row: 1, columns: 22..<80).contains("bob")
    }
    try await run.lists("bob", unread: 0)
    #expect(run.screen.bells == bells + 1)

    // 33: drawn as it is meant, with its markers.
    let screen = run.screen
    for text in ["*strong*", "_slanted_", "~gone~", "`code`"] { #expect(screen.contains(text)) }
    let (plain, strong) = (screen.style(of: "news"), screen.style(of: "strong"))
    #expect(
      strong?.attributes.contains(.bold) == true && plain?.attributes.contains(.bold) == false)

    // 29 and 30: no character has moved the text beside it, and none is left behind at the edge.
    try await run.expects("whole rows") { screen in
      guard let start = screen.find("x日") else { return false }
      let borders = (2..<screen.rows - 1).allSatisfy { ["│", "|"].contains(screen[$0, 21].text) }
      var wide = screen.lines.indices.filter { screen.lines[$0].contains("日") }
      wide.removeFirst()
      return borders && screen.lines.contains { $0.hasSuffix(" end") }
        && screen.lines.joined().filter { $0 == "日" }.count == 70 && wide.count >= 2
        && wide.allSatisfy { row in
          let line = screen.text(row: row, columns: start.column..<80)
          return line.hasPrefix("日") && line.allSatisfy { $0 == "日" || $0 == " " }
            && screen.text(row: row, columns: 22..<start.column).allSatisfy { $0 == " " }
        }
    }
    let before = Picture(await run.terminal.settles())
    run.terminal.press(.control("l"))
    try await run.adds("after", toHave: "after")
    run.terminal.press(.control("u"))
    try await run.looks(like: before)
    #expect(run.screen.unknown == [] && run.screen.malformedBytes == 0)
    #expect(await run.quit() == .exited(0))
    await bob.signOut()
  }

  @Test(arguments: TerminalDescription.testable)
  func `17, 27, 28, 36: news are counted, move nothing, steer nothing; a closed terminal is an end`(
    terminal: TerminalDescription
  ) async throws {
    let run = try await NatterRun.chatting(terminal: terminal.name)
    let server = try #require(run.home.localServer?.pid)
    let bob = try await run.peer("bob")
    try await bob.send(
      (1...40).map { "line \($0)." }.joined(separator: "\n"), to: "me@localhost")
    try await run.open(chat: "bob@localhost")
    try await run.shows("line 40.")
    run.terminal.press(.pageUp)
    try await run.hides("line 40.")
    let before = NatterRun.messageRows(await run.terminal.settles()).dropLast()
    let mark = run.terminal.outputCount
    try await bob.send(
      xml:
        "<message to='me@localhost' type='chat' id='h1'><body>\(MessageChecklistTests.hostile)</body></message>"
    )
    try await run.shows("1 new below")
    let after = NatterRun.messageRows(await run.terminal.settles()).dropLast()
    #expect(after == before)
    run.terminal.press(.end)
    try await run.shows("before", "turned", "behind")
    #expect(PrintedOutput(run.terminal.output(since: mark)).steeringScalars == [])
    #expect(run.screen.unknown == [] && run.screen.malformedBytes == 0)
    await bob.signOut()
    run.terminal.hangUp()
    #expect(await run.terminal.child.waitsForEnd(upTo: .seconds(60)) != nil)
    #expect(await waitsUntilGone(server))
  }
}

extension TerminalDescription {
  /// The characters of the line above new messages.
  var rule: String { can(.wideGlyphs) ? "═══" : "===" }
}
