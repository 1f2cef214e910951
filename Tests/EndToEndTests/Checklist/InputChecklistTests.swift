import Foundation
import TestSupport
import Testing

/// Statements 14, 16 and 18 to 26 without 25: the keys.
@Suite(.limitedConcurrency) struct InputChecklistTests {
  /// With a second and a third conversation, the guide's open.
  func threeConversations() async throws -> NatterRun {
    let run = try await NatterRun.chatting()
    for name in ["ann", "bob"] { try await run.open(chat: "\(name)@localhost") }
    return run
  }

  /// The conversation's name in the sidebar's row of `number`.
  func listed(_ number: Int, _ screen: VirtualTerminal) -> String? {
    for line in screen.lines {
      let words = line.dropFirst().prefix { $0 != "│" }.split(separator: " ")
      if words.first == "\(number)", words.count > 2 {
        return String(words[2].prefix { $0 != "@" })
      }
    }
    return nil
  }

  @Test func `14: Alt and a digit goes to that conversation, and a way without Alt does`()
    async throws
  {
    let run = try await threeConversations()
    var names: Set<String> = []
    for keys in [{ TerminalKey.alt($0) }, { TerminalKey.text("\u{18}\($0)") }]
      as [(Character) -> TerminalKey]
    {
      for number in [1, 3, 2] {
        let name = try #require(listed(number, run.screen))
        names.insert(name)
        run.terminal.press(keys(Character("\(number)")))
        try await run.expects("\(name), number \(number)") { screen in
          screen.lines.contains { $0.hasPrefix(">\(number) ") }
            && screen.text(row: 1, columns: 22..<80).contains(name)
        }
      }
    }
    #expect(names == ["Natter", "ann", "bob"])
    // One that is not there changes nothing.
    run.terminal.press(.alt("9"))
    try await run.adds("x", toHave: "x")
    try await run.marks(conversation: 2)
    #expect(await run.quit() == .exited(0))
  }

  @Test func `16: paging scrolls the messages while the input keeps its text and focus`()
    async throws
  {
    let run = try await NatterRun.chatting()
    try await run.shrinksToScroll()
    try await run.adds("half a sent", toHave: "half a sent")
    run.terminal.press(.pageUp)
    try await run.hides(NatterRun.greetingEnd)
    run.terminal.press(.pageUp)
    try await run.shows("Hello me, and welcome", "half a sent")
    try await run.adds("ence", toHave: "half a sentence")
    #expect(run.screen.contains("Hello me, and welcome"))
    for _ in 0..<2 { run.terminal.press(.pageDown) }
    try await run.shows(NatterRun.greetingEnd)
    try await run.inputHolds("half a sentence")
    #expect(await run.quit() == .exited(0))
  }

  @Test func `18: the keys of readline edit as in readline`() async throws {
    let run = try await NatterRun.chatting()
    try await run.adds("alpha beta gamma", toHave: "alpha beta gamma")
    run.terminal.press(.control("a"), .text("X"))
    try await run.inputHolds("Xalpha beta gamma")
    run.terminal.press(.control("e"), .text("Y"))
    try await run.inputHolds("Xalpha beta gammaY")
    run.terminal.press(.control("w"), .text("-"))
    try await run.inputHolds("Xalpha beta -")
    run.terminal.press(.backspace, .altBackspace, .text("+"))
    try await run.inputHolds("Xalpha +")
    run.terminal.press(.control("a"), .right, .control("k"))
    try await run.inputHolds("X")
    run.terminal.press(.control("y"))
    try await run.inputHolds("Xalpha +")
    run.terminal.press(.left, .control("u"))
    try await run.inputHolds("+")
    run.terminal.press(.control("e"), .control("u"))
    try await run.inputHolds("")
    #expect(await run.quit() == .exited(0))
  }

  @Test func `19: each conversation keeps its own draft, also over a restart`() async throws {
    let run = try await threeConversations()
    for number in 1...3 {
      run.terminal.press(.alt(Character("\(number)")))
      try await run.marks(conversation: number)
      try await run.inputHolds("")
      try await run.adds("draft \(number)", toHave: "draft \(number)")
    }
    for number in [2, 1, 3] {
      run.terminal.press(.alt(Character("\(number)")))
      try await run.marks(conversation: number)
      try await run.inputHolds("draft \(number)")
    }
    let names = (1...3).map { listed($0, run.screen) }
    #expect(await run.quit() == .exited(0))

    let again = try run.startsAgain(rows: 24, columns: 80)
    try await again.waitsOnline()
    try await again.expects("the same list") { screen in
      (1...3).allSatisfy { number in
        screen.lines.contains { $0.dropFirst().hasPrefix("\(number) ") }
      }
    }
    for number in 1...3 {
      let name = try #require(listed(number, again.screen))
      let before = try #require(names.firstIndex(of: name)) + 1
      again.terminal.press(.alt(Character("\(number)")))
      try await again.inputHolds("draft \(before)")
    }
    #expect(await again.quit() == .exited(0))
  }

  @Test func `20: pasting three lines never sends anything without a confirmation`() async throws {
    let run = try await NatterRun.chatting()
    #expect(run.screen.modes.contains(2004))
    run.terminal.paste("alpha\nbeta\ngamma\n")
    try await run.shows("alpha", "beta", "gamma")
    #expect(!run.screen.lines.contains { $0.contains(" you    ") })
    run.terminal.press(.control("u"), .control("c"))
    try await run.inputHolds("")
    // A terminal without bracketed paste: all of it in one read.
    run.terminal.type("one\rtwo\rthree")
    try await run.shows("three")
    run.terminal.press(.control("c"))
    try await run.inputHolds("")
    // With a return at the very end, too.
    run.terminal.type("four\rfive\r")
    try await run.shows("five")
    run.terminal.press(.control("c"))
    try await run.inputHolds("")
    // If one had been sent, it would be before this one.
    try await run.say("keys")
    try await run.shows("you    keys", tick: "✓✓")
    #expect(run.screen.lines.filter { $0.contains(" you    ") }.count == 1)
    // Confirmed by Enter it goes as one message.
    run.terminal.paste("alpha\nbeta\ngamma")
    try await run.shows("gamma")
    run.terminal.press(.enter)
    try await run.shows("you    alpha", tick: "✓✓")
    #expect(run.screen.lines.filter { $0.contains(" you    ") }.count == 2)
    #expect(await run.quit() == .exited(0))
  }

  @Test func `21: a key that every terminal can send inserts a new line`() async throws {
    let run = try await NatterRun.chatting()
    run.terminal.press(.text("one"), .control("j"))
    try await run.inputHolds("one\n")
    try await run.adds("two", toHave: "one\ntwo")
    run.terminal.press(.enter)
    try await run.shows("you    one", tick: "✓✓")
    try await run.expects("the second line below the first") { screen in
      guard let row = screen.find("you    one")?.row, row + 1 < screen.rows else { return false }
      return screen.text(row: row + 1).hasSuffix("       two")
    }
    #expect(await run.quit() == .exited(0))
  }

  @Test(arguments: ["/frobnicate now", "/quiit"])
  func `22: an unknown command is not sent and its error shows in the current view`(line: String)
    async throws
  {
    let run = try await NatterRun.chatting()
    try await run.enter(line)
    try await run.shows("Unknown command")
    try await run.inputHolds(line)
    #expect(run.screen.lines.contains { $0.hasPrefix(">1 ") })
    #expect(run.screen.contains(NatterRun.greetingEnd))
    run.terminal.press(.control("u"))
    try await run.say("keys")
    try await run.shows("you    keys", tick: "✓✓")
    #expect(run.screen.lines.filter { $0.contains(" you    ") }.count == 1)
    #expect(await run.quit() == .exited(0))
  }

  @Test func `23: Tab completes commands, addresses and names`() async throws {
    let run = try await NatterRun.chatting()
    for (typed, completed) in [
      ("/he", "/help"), ("/msg na", "/msg natter@localhost"), ("Na", "Natter"), ("@Nat", "@Natter"),
    ] {
      try await run.adds(typed, toHave: typed)
      run.terminal.press(.tab)
      try await run.expects("\(typed) completed") {
        NatterRun.inputText($0)?.hasPrefix(completed) == true
      }
      run.terminal.press(.control("u"))
      try await run.inputHolds("")
    }
    #expect(await run.quit() == .exited(0))
  }

  @Test func `24: F1 opens help for the focused pane and Esc closes it`() async throws {
    let run = try await NatterRun.chatting()
    try await run.adds("kept", toHave: "kept")
    let before = Picture(await run.terminal.settles())
    run.terminal.press(.f1)
    try await run.shows("Help: Input line", "Esc close")
    run.terminal.press(.escape)
    try await run.looks(like: before)
    // The same with keys that every terminal sends.
    run.terminal.press(.text("\u{18}?"))
    try await run.shows("Help: Input line")
    run.terminal.press(.control("g"))
    try await run.looks(like: before)
    run.terminal.press(.control("u"))
    try await run.inputHolds("")
    for pane in ["Messages", "Lists"] {
      run.terminal.press(.backTab, .f1)
      try await run.shows("Help: \(pane)")
      run.terminal.press(.escape)
      try await run.hides("Help: ")
    }
    #expect(await run.quit() == .exited(0))
  }

  @Test func `a hundred keys that come at once are a few frames, and all of them are done`()
    async throws
  {
    let run = try await NatterRun.chatting(home: NatterRun.homeOnQuickLine())
    let before = Picture(await run.terminal.settles())
    let mark = run.terminal.outputCount
    // F6, F5 and back to Chats, over and over.
    run.terminal.type(String(repeating: "\u{1b}[17~\u{1b}[15~\u{1b}OQ", count: 33) + "x")
    try await run.inputHolds("x")
    _ = await run.terminal.settles()
    // A frame for each would be fifty thousand at least.
    #expect(run.terminal.outputCount - mark < 10_000)
    run.terminal.press(.backspace)
    try await run.looks(like: before)
    #expect(await run.quit() == .exited(0))
  }

  @Test(arguments: [
    "e\u{301}", "👨‍👩‍👧", "🇩🇪", "👍🏽", "日", "\u{1112}\u{1161}\u{11ab}", "❤\u{fe0f}",
  ])
  func `26: one Backspace removes one user-perceived character`(character: String) async throws {
    let run = try await NatterRun.chatting()
    run.terminal.press(.text("a"))
    try await run.inputHolds("a")
    let before = run.screen.cursor
    run.terminal.press(.text(character))
    try await run.expects("\(character) in the input") { $0.cursor.column > before.column }
    // Joiners and colours may come a scalar at a time; a letter behind all of them says that they
    // did.
    run.terminal.press(.text("z"))
    try await run.expects("a letter behind it") { NatterRun.inputText($0)?.hasSuffix("z") == true }
    run.terminal.press(.backspace, .backspace)
    try await run.inputHolds("a")
    #expect(run.screen.cursor == before)
    run.terminal.press(.backspace)
    try await run.inputHolds("")
    #expect(run.screen.malformedBytes == 0)
    #expect(await run.quit() == .exited(0))
  }
}
