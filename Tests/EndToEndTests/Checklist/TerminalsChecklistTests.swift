import Foundation
import TestSupport
import Testing

/// The checklist (interface.md, "Checklist") on each of the terminals that people have: the
/// statements that depend on what a terminal is.
@Suite(.limitedConcurrency) struct TerminalsChecklistTests {
  @Test(arguments: TerminalDescription.testable)
  func `9, 11, 12: everything in sight, a notice where there is no room, and back`(
    terminal: TerminalDescription
  ) async throws {
    let run = try await NatterRun.chatting(
      home: NatterRun.homeOnQuickLine(), terminal: terminal.name)
    try await run.adds("half a sentence", toHave: "half a sentence")
    let before = Picture(await run.terminal.settles())
    #expect(run.screen.text(row: 1, columns: 22..<80).contains("Natter"))
    #expect(run.screen.text(row: 2, columns: 0..<21).contains("1 "))
    #expect(run.screen.contains("Hello me, and welcome") && run.screen.isCursorVisible)
    run.terminal.resize(rows: 5, columns: 20)
    try await run.shows("needs")
    for number in 0..<20 {
      run.terminal.resize(rows: 5 + number * 7 % 40, columns: 20 + number * 13 % 130)
    }
    run.terminal.resize(rows: 24, columns: 80)
    try await run.looks(like: before)
    #expect(run.screen.unknown == [] && run.screen.malformedBytes == 0)
    #expect(await run.quit() == .exited(0))
    #expect(run.terminal.isGivenBack())
  }

  @Test(arguments: TerminalDescription.testable)
  func `14, 16, 18, 19, 21: keys that every terminal sends`(
    terminal: TerminalDescription
  ) async throws {
    let run = try await NatterRun.chatting(terminal: terminal.name)
    try await run.open(chat: "ann@localhost")
    try await run.adds("alpha beta gamma", toHave: "alpha beta gamma")
    run.terminal.press(.control("a"), .text("X"), .control("e"), .control("w"), .text("-"))
    try await run.inputHolds("Xalpha beta -")
    run.terminal.press(.altBackspace, .control("u"))
    try await run.inputHolds("")
    run.terminal.press(.text("one"), .control("j"), .text("two"))
    try await run.inputHolds("one\ntwo")
    // The draft stays with its conversation; the number leads there without Alt, and with it.
    run.terminal.press(.text("\u{18}1"))
    try await run.marks(conversation: 1)
    try await run.inputHolds("")
    try await run.shrinksToScroll()
    run.terminal.press(.text("kept"), .pageUp)
    try await run.hides(NatterRun.greetingEnd)
    try await run.inputHolds("kept")
    run.terminal.press(.pageDown, .pageDown)
    try await run.shows(NatterRun.greetingEnd)
    run.terminal.press(.alt("2"))
    try await run.marks(conversation: 2)
    try await run.inputHolds("one\ntwo")
    #expect(await run.quit() == .exited(0))
  }

  @Test(arguments: TerminalDescription.testable)
  func `22, 23, 24: nothing is sent that was not meant, help is for the pane`(
    terminal: TerminalDescription
  ) async throws {
    let run = try await NatterRun.chatting(terminal: terminal.name)
    try await run.enter("/frobnicate now")
    try await run.shows("Unknown command")
    try await run.inputHolds("/frobnicate now")
    run.terminal.press(.control("u"))
    try await run.inputHolds("")
    try await run.adds("/he", toHave: "/he")
    run.terminal.press(.tab)
    try await run.expects("the command completed") {
      NatterRun.inputText($0)?.hasPrefix("/help") == true
    }
    run.terminal.press(.control("u"))
    try await run.inputHolds("")
    let before = Picture(await run.terminal.settles())
    run.terminal.press(.f1)
    try await run.shows("Help: Input line", "Esc close")
    run.terminal.press(.escape)
    try await run.looks(like: before)
    try await run.say("keys")
    try await run.shows("you    keys")
    #expect(run.screen.lines.filter { $0.contains(" you    ") }.count == 1)
    #expect(await run.quit() == .exited(0))
  }

  @Test(arguments: TerminalDescription.testable)
  func `26, 34, 36: one Backspace one character, no colour where none is wanted, given back`(
    terminal: TerminalDescription
  ) async throws {
    let run = try await NatterRun.chatting(
      terminal: terminal.name, environment: ["NO_COLOR": "1", "COLORTERM": "truecolor"])
    for character in ["e\u{301}", "👨‍👩‍👧", "日"] {
      run.terminal.press(.text("a"), .text(character), .text("z"))
      try await run.expects("a letter behind it") {
        NatterRun.inputText($0)?.hasSuffix("z") == true
      }
      run.terminal.press(.backspace, .backspace)
      try await run.inputHolds("a")
      run.terminal.press(.control("u"))
      try await run.inputHolds("")
    }
    run.terminal.signal(SIGTERM)
    #expect(await run.terminal.waitsForEnd(upTo: .seconds(60)) == .exited(128 + SIGTERM))
    #expect(run.terminal.isGivenBack())
    #expect(PrintedOutput(run.terminal.rawOutput).colourSequences == [])
    #expect(run.screen.unknown == [] && run.screen.malformedBytes == 0)
  }
}
