import Foundation
import TestSupport
import Testing

/// Statements 17 and 27 to 31: messages of others, on the screen.
@Suite(.requires(.slixmpp), .limitedConcurrency) struct MessageChecklistTests {
  @Test func `17: scrolled up, a new message does not move the view and is counted`() async throws {
    let run = try await NatterRun.chatting()
    let bob = try await run.peer("bob")
    let lines = (1...40).map { "line \($0)." }.joined(separator: "\n")
    try await bob.send(lines, to: "me@localhost")
    try await run.open(chat: "bob@localhost")
    try await run.shows("line 40.")
    run.terminal.press(.pageUp)
    try await run.hides("line 40.")
    let before = NatterRun.messageRows(run.screen).dropLast()
    for number in 1...2 {
      try await bob.send("news \(number)", to: "me@localhost")
      try await run.shows("\(number) new below")
    }
    // The count is in the row that is left free for notices.
    #expect(NatterRun.messageRows(run.screen).dropLast() == before)
    run.terminal.press(.end)
    try await run.shows("news 1", "news 2")
    try await run.hides("below")
    #expect(await run.quit() == .exited(0))
    await bob.signOut()
  }

  /// Text in which everything is that must not reach a terminal. XML has no other C0 than the
  /// tab and the line's ends; C1, DEL and bidi controls it has.
  static let hostile =
    "before&#x9b;31m red&#x7f;&#x85;&#x9d;0;title&#x9c;&#x90;q&#x9;tab &#x202e;turned&#x202c; &#x2066;apart&#x2069; behind"

  @Test func `27 and 28: no control byte and no bidi override of a message reaches the terminal`()
    async throws
  {
    let run = try await NatterRun.chatting()
    let bob = try await run.peer("bob")
    try await run.open(chat: "bob@localhost")
    let mark = run.terminal.outputCount
    let title = run.screen.title
    try await bob.send(
      xml: "<presence><show>away</show><status>\(Self.hostile)</status></presence>")
    try await bob.send(
      xml: "<message to='me@localhost' type='chat' id='h1'><body>\(Self.hostile)</body></message>")
    try await bob.send("the end", to: "me@localhost")
    try await run.shows("before", "turned", "behind", "the end")
    let output = PrintedOutput(run.terminal.output(since: mark))
    #expect(output.steeringScalars == [])
    #expect(run.screen.malformedBytes == 0)
    #expect(run.screen.unknown == [])
    // The question for the background is the program's own.
    #expect(run.screen.systemCommands.filter { $0 != "11;?" } == [])
    #expect(run.screen.title.contains("title") == false && !title.isEmpty)
    // Shown, and not as a colour.
    #expect(run.screen.contains("31m red"))
    #expect(await run.quit() == .exited(0))
    await bob.signOut()
  }

  @Test func `27: control bytes that were pasted are shown harmlessly, too`() async throws {
    let run = try await NatterRun.chatting()
    let bells = run.screen.bells
    let mark = run.terminal.outputCount
    run.terminal.type("\u{1b}[200~pasted\u{7}\u{1b}[31mred\u{8}\u{e}\u{9b}7m end\u{1b}[201~")
    try await run.shows("pasted", "end")
    run.terminal.press(.enter)
    try await run.inputHolds("")
    try await run.expects("the message") { screen in
      screen.lines.contains { $0.contains("you    pasted") }
    }
    let output = run.terminal.output(since: mark)
    #expect(PrintedOutput(output).steeringScalars == [])
    #expect(!output.contains(0x0e))
    #expect(run.screen.bells == bells)
    #expect(run.screen.contains("red"))
    #expect(run.screen.malformedBytes == 0 && run.screen.unknown == [])
    #expect(await run.quit() == .exited(0))
  }

  @Test func `30: wide characters at the right edge wrap without stray cells, indented`()
    async throws
  {
    let run = try await NatterRun.chatting()
    let bob = try await run.peer("bob")
    try await bob.send("x" + String(repeating: "日", count: 70), to: "me@localhost")
    try await bob.send("the end", to: "me@localhost")
    try await run.open(chat: "bob@localhost")
    for columns in [80, 79, 71, 70] {
      run.terminal.resize(rows: 24, columns: columns)
      run.terminal.press(.control("l"))
      try await run.expects("70 wide characters at \(columns)") { screen in
        guard let start = screen.find("x日") else { return false }
        let wide = screen.lines.joined().filter { $0 == "日" }.count
        var rows = screen.lines.indices.filter { screen.lines[$0].contains("日") }
        rows.removeFirst()
        return wide == 70 && rows.count >= 2
          && rows.allSatisfy { row in
            // Under the text and not under the name, up to the edge, nothing else in the row.
            let line = screen.text(row: row, columns: start.column..<columns)
            let indent = screen.text(row: row, columns: 0..<start.column)
            return line.hasPrefix("日") && indent.hasSuffix("      ")
              && line.allSatisfy { $0 == "日" || $0 == " " }
          }
      }
    }
    #expect(run.screen.malformedBytes == 0 && run.screen.unknown == [])
    #expect(await run.quit() == .exited(0))
    await bob.signOut()
  }

  @Test func `31: a day line appears between messages of two days`() async throws {
    let run = try await NatterRun.chatting()
    let bob = try await run.peer("bob")
    // Kept by a server and delivered late (XEP-0203).
    for (day, text) in [(5, "first"), (5, "second"), (6, "third")] {
      try await bob.send(
        xml: """
          <message to='me@localhost' type='chat' id='d-\(text)'><body>\(text)</body>\
          <delay xmlns='urn:xmpp:delay' from='localhost' stamp='2026-01-0\(day)T12:00:00Z'/></message>
          """)
    }
    try await run.open(chat: "bob@localhost")
    try await run.shows("first", "second", "third")
    let screen = run.screen
    let rows = ["5 January", "first", "second", "6 January", "third"].map {
      screen.find($0)?.row ?? -1
    }
    #expect(!rows.contains(-1) && rows == rows.sorted(), "\(screen)")
    #expect(screen.lines.filter { $0.contains("January") }.count == 2)
    #expect(await run.quit() == .exited(0))
    await bob.signOut()
  }

  /// Joiners, variation selectors, flags, skin tones, marks, wide and ambiguous characters.
  private static let characters = [
    "👨‍👩‍👧 family", "❤\u{fe0f} heart", "🇫🇷🇨🇳 flags", "👍🏽 thumb", "e\u{301}\u{302}\u{303}\u{304} marks",
    "日本語 한국어 wide", "\u{1f3f3}\u{fe0f}\u{200d}\u{1f308} rainbow", "1\u{fe0f}\u{20e3} keycap",
    "½ … ─ plain",
  ]

  @Test(.requires(.tmux))
  func `29: joined emoji, flags and skin tones leave borders and neighbours alone in tmux`()
    async throws
  {
    let home = try Home()
    let first = try await NatterRun.chatting(home: home)
    let bob = try await first.peer("bob")
    for character in Self.characters {
      try await bob.send("before \(character) after", to: "me@localhost")
    }
    try await first.open(chat: "bob@localhost")
    try await first.shows("before ½ … ─ plain after")
    #expect(await first.quit() == .exited(0))
    await bob.signOut()
    // tmux has widths of its own: where they differ from Natter's, text is in another column there.
    let tmux = try await TmuxSession(
      Programs.natter, ["--local"], environment: home.environment(), rows: 24, columns: 80)
    try await tmux.expects("the messages", upTo: .seconds(60)) { lines in
      lines.contains { $0.contains("plain after") } && lines[0].contains("online")
    }
    for _ in 0..<2 {
      let cells = try await tmux.capture()
      for row in 1..<23 { #expect(cells[row][21].text == "│", "row \(row)") }
      let lines = try await tmux.lines()
      let starts = lines.filter { $0.contains("before ") }
      #expect(starts.count == Self.characters.count)
      for line in starts { #expect(line.hasSuffix(" after"), "\(line)") }
      // Drawn anew, all of it is where it was.
      let before = lines.dropFirst()
      try await tmux.press("C-l")
      try await tmux.type("x")
      try await tmux.expects("the letter", upTo: .seconds(60)) { lines in
        lines.contains { $0.contains("> x") }
      }
      try await tmux.press("C-u")
      try await tmux.expects("the same screen", upTo: .seconds(60)) { $0.dropFirst() == before }
    }
    try await tmux.press("C-q")
    #expect(try await tmux.waitsForEnd(upTo: .seconds(60)) == 0)
    await tmux.stop()
  }
}
