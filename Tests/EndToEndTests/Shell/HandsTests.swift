import Foundation
import TestSupport
import Testing

/// Keys and the mouse, as the settings and `keys.toml` define them.
@Suite(.limitedConcurrency) struct HandsTests {
  private func home(_ settings: String = "", keys: String? = nil) throws -> Home {
    let home = try Home()
    try home.folder.write(settings + "\n", to: "config/natter/config.toml")
    if let keys { try home.folder.write(keys + "\n", to: "config/natter/keys.toml") }
    return home
  }

  @Test func `a click opens tabs and conversations, the wheel scrolls what it is over`()
    async throws
  {
    let run = try await NatterRun.chatting()
    #expect(run.screen.modes.isSuperset(of: [1000, 1002, 1006]))
    // All that moves on it would be too much.
    #expect(!run.screen.modesEverSet.contains(1003))
    try await run.open(chat: "ann@localhost")
    func click(_ text: String) throws {
      let position = try #require(run.screen.find(text))
      run.terminal.click(row: position.row, column: position.column)
    }
    try click("F6 Me")
    try await run.shows("Appearance", "Profile")
    try click("F2 Chats")
    try await run.shows("Write a message")
    let guide = try #require(
      (2..<22).first { run.screen.text(row: $0, columns: 0..<21).contains("Natter") })
    run.terminal.click(row: guide, column: 8)
    try await run.shows(NatterRun.greetingEnd)
    try await run.shrinksToScroll()
    for _ in 0..<5 { run.terminal.click(row: 6, column: 50, button: 64) }
    try await run.hides(NatterRun.greetingEnd)
    for _ in 0..<9 { run.terminal.click(row: 6, column: 50, button: 65) }
    try await run.shows(NatterRun.greetingEnd)
    #expect(await run.quit() == .exited(0))
    #expect(run.terminal.isGivenBack())
  }

  @Test func `with the mouse off the terminal is not asked for it`() async throws {
    let run = try await NatterRun.chatting(home: home("[ui]\nmouse = false"))
    #expect(run.screen.modesEverSet.isDisjoint(with: [1000, 1002, 1003, 1006]))
    #expect(await run.quit() == .exited(0))
    #expect(run.terminal.isGivenBack())
  }

  @Test(.requires(.slixmpp))
  func `the title shows how much is unread, and which conversation is open`()
    async throws
  {
    let run = try await NatterRun.chatting()
    try await run.expects("the title") { $0.title == "Natter Natter" }
    let bob = try await run.peer("bob")
    try await bob.send("hello", to: "me@localhost")
    try await run.expects("the count in the title") { $0.title == "Natter (1) Natter" }
    run.terminal.press(.alt("a"))
    try await run.expects("no count any more") {
      $0.title.hasPrefix("Natter bob") && $0.contains("hello")
    }
    #expect(await run.quit() == .exited(0))
    #expect(run.screen.title == "")
    await bob.signOut()
  }

  @Test
  func `keys.toml binds, binds chords, unbinds, and its mistakes are reported with line and key`()
    async throws
  {
    let run = try await NatterRun.chatting(
      home: home(
        keys: """
          [everywhere]
          "^K" = "palette"
          "^X v v" = "tab5"
          "F3" = ""
          "^V" = "palete"
          """))
    try await run.shows("keys.toml:5: \"^V\": there is no action \"palete\"", "\"palette\"?")
    run.terminal.press(.control("k"))
    try await run.shows("Go to or run")
    run.terminal.press(.control("g"))
    try await run.hides("Go to or run")
    run.terminal.press(.f(3))
    try await run.adds("x", toHave: "x")
    #expect(run.screen.text(row: 0).hasPrefix("[F2 Chats"))
    run.terminal.press(.control("x"), .text("v"), .text("v"))
    try await run.shows("Appearance")
    #expect(await run.quit() == .exited(0))
  }

  @Test func `keys.toml is read again when it changes, a broken one keeps the keys there were`()
    async throws
  {
    let home = try home(keys: "[everywhere]\n\"^K\" = \"palette\"\n")
    let file = "config/natter/keys.toml"
    let run = try await NatterRun.chatting(home: home)
    // After an editor, the terminal has the focus again.
    func comesBack() {
      run.terminal.type("\u{1b}[O")
      run.terminal.type("\u{1b}[I")
    }
    func opens(_ key: TerminalKey, _ text: String) async throws {
      run.terminal.press(key)
      try await run.shows(text)
      run.terminal.press(.control("g"))
      try await run.hides(text)
    }
    try await opens(.control("k"), "Go to or run")
    try home.folder.write("[everywhere]\n\"^Y\" = \"palette\"\n\"^T\" = \"palette\"\n", to: file)
    comesBack()
    try await run.shows("Keys are loaded again.")
    try await opens(.control("y"), "Go to or run")
    // ^K cuts again: it is no key of the palette any more.
    try await run.type("gone")
    run.terminal.press(.control("a"), .control("k"))
    try await run.inputHolds("")
    try home.folder.write("[everywhere]\n\"^K\" = \"palette\"\n\"F9\" = \"palete\"\n", to: file)
    comesBack()
    try await run.shows("The keys are unchanged: keys.toml:3: \"F9\"", "palete")
    try await opens(.control("y"), "Go to or run")
    try home.folder.write("[everywhere]\n\"F9\" = \"palete\"\n\"^K\" = \"what\"\n", to: file)
    comesBack()
    try await run.shows("2 mistakes in keys.toml", "natter doctor")
    try await opens(.control("y"), "Go to or run")
    // Asked for, it is read at once; what is not there any more is the program's own again.
    try FileManager.default.removeItem(at: home.folder.url(file))
    try await run.say("/reload")
    try await run.shows("Keys are loaded again.")
    try await run.say("/reload")
    try await run.shows("The settings, keys and theme files")
    #expect(await run.quit() == .exited(0))
  }

  @Test func `with emacs's keys the input has all of readline's, as soon as the settings say so`()
    async throws
  {
    let home = try home()
    let run = try await NatterRun.chatting(home: home)
    try await run.shows("^O Go to")
    try home.folder.write("[ui]\nkeys = \"emacs\"\n", to: "config/natter/config.toml")
    try await run.say("/reload")
    try await run.shows("Alt+X Go to")
    try await run.type("one two")
    run.terminal.press(.alt("t"))
    try await run.inputHolds("two one")
    run.terminal.press(.control("a"), .control("f"))
    run.terminal.type("-")
    try await run.inputHolds("t-wo one")
    run.terminal.press(.alt("r"))
    try await run.inputHolds("")
    #expect(await run.quit() == .exited(0))
  }

  @Test func `vi's keys move and change what is typed`() async throws {
    let run = try await NatterRun.chatting(home: home("[ui]\nkeys = \"vi\""))
    try await run.adds("alpha beta gamma", toHave: "alpha beta gamma")
    run.terminal.press(.escape)
    // What follows Esc at once would be Alt and a letter: the cursor's step back says that it was
    // heard.
    let end = run.screen.cursor.column
    try await run.expects("the cursor on the last letter") { $0.cursor.column <= end - 1 }
    run.terminal.press(.text("0"), .text("d"), .text("w"))
    // The glyph before the text is another one there.
    try await run.shows(": beta gamma")
    run.terminal.press(.text("A"), .text("!"))
    try await run.inputHolds("beta gamma!")
    #expect(await run.quit() == .exited(0))
  }

  @Test func `a large paste is asked about, and is one message`() async throws {
    let run = try await NatterRun.chatting()
    let lines = (1...120).map { "line \($0)." }
    run.terminal.paste(lines.joined(separator: "\n"))
    try await run.shows("Pasted 120 lines")
    #expect(!run.screen.contains("you    line"))
    run.terminal.press(.escape)
    try await run.hides("Pasted 120 lines")
    try await run.inputHolds("")
    // Text that begins like an answer is text, and is not lost.
    run.terminal.paste(lines.joined(separator: "\n"))
    try await run.shows("Pasted 120 lines")
    run.terminal.type("see above")
    try await run.inputHolds("see above")
    run.terminal.press(.enter)
    try await run.hides("Pasted 120 lines")
    try await run.shows("line 120.see above", "120/120 lines")
    #expect(!run.screen.contains("you    line"))
    run.terminal.press(.control("c"))
    try await run.inputHolds("")
    run.terminal.paste(lines.joined(separator: "\n"))
    try await run.shows("Pasted 120 lines")
    run.terminal.type("s")
    try await run.shows("Enter sends 120 lines as one message")
    #expect(!run.screen.contains("you    line"))
    run.terminal.press(.enter)
    // What comes back shows that it has arrived, whole.
    try await run.shows("line 120.", "That is beyond me")
    #expect(await run.quit() == .exited(0))
  }

  @Test func `a dialog outlives another language, which comes once it is answered`() async throws {
    let home = try home("[ui]\nlanguage = \"en\"")
    let run = try NatterRun(["--local"], home: home, rows: 24, columns: 80)
    try await run.shows("Write a message")
    run.terminal.press(.f(3))
    try await run.shows("CONTACTS")
    run.terminal.type("a")
    try await run.shows("Add a contact")
    run.terminal.type("eve@loc")
    try await run.shows("eve@loc")
    try home.folder.write("[ui]\nlanguage = \"fr\"\n", to: "config/natter/config.toml")
    run.terminal.type("\u{1b}[O")
    run.terminal.type("\u{1b}[I")
    // It goes on where it was, and does what it was opened for.
    run.terminal.type("alhost")
    try await run.shows("eve@localhost", "Add a contact")
    run.terminal.press(.enter)
    // The tab that was open is open still, in the other language.
    try await run.shows("Discussions", "eve@localhost")
    try await run.expects("the contacts") { $0.text(row: 0).contains("[F3 ") }
    #expect(await run.quit() == .exited(0))
  }

  @Test func `--lang and the settings choose the language, each sub-app keeps its position`()
    async throws
  {
    let french = try NatterRun(
      ["--local", "--lang", "fr"], home: home("[ui]\nlanguage = \"zh-Hans\""), rows: 24,
      columns: 80)
    try await french.shows("Discussions", "Écrivez un message")
    #expect(await french.quit() == .exited(0))
    let chinese = try NatterRun(["--local"], home: french.home, rows: 24, columns: 80)
    try await chinese.shows("写消息")
    chinese.terminal.press(.f(6))
    try await chinese.shows("外观")
    try await chinese.marks(page: "外观")
    chinese.terminal.press(.f(2))
    try await chinese.shows("写消息")
    chinese.terminal.press(.f(6))
    try await chinese.expects("the page that was left") {
      $0.lines.contains { $0.hasPrefix(" > 外观") }
    }
    #expect(await chinese.quit() == .exited(0))
  }
}
