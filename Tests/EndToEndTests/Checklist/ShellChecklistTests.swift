import Foundation
import TestSupport
import Testing

/// The shell as somebody uses it who has no manual, on each of the terminals that people have.
@Suite(.limitedConcurrency) struct ShellChecklistTests {
  @Test(arguments: TerminalDescription.testable)
  func `tabs, palette, settings and help are found, and everything is given back`(
    terminal: TerminalDescription
  ) async throws {
    let run = try await NatterRun.chatting(terminal: terminal.name)
    run.terminal.press(.f(6))
    try await run.shows("Appearance", "Notifications")
    run.terminal.press(.f(3))
    try await run.shows("CONTACTS (1/1)")
    run.terminal.press(.control("o"))
    try await run.shows("Go to or run")
    run.terminal.type("clock")
    try await run.shows("Setting: Clock")
    run.terminal.press(.enter)
    try await run.shows("Show the time of day.")
    // The change is in the file, and on the screen at once.
    run.terminal.press(.enter)
    try await run.shows("Saved.")
    let file = run.home.config.appending(path: "config.toml")
    #expect(try String(contentsOf: file, encoding: .utf8) == "[ui]\nclock = false\n")
    run.terminal.press(.control("x"), .text("?"))
    try await run.shows("EVERYWHERE")
    run.terminal.press(.control("g"))
    try await run.hides("EVERYWHERE")
    run.terminal.press(.f(2))
    try await run.shows("Write a message")
    #expect(await run.quit() == .exited(0))
    #expect(run.terminal.isGivenBack())
  }

  /// The walk of natter-tutorial(7).
  @Test func `a stranger finds a chat, a room, the help, a theme and the way out`() async throws {
    let run = try await NatterRun.chatting()
    /// Types into the palette that `^O` opens, and waits for what it finds.
    func looks(for text: String, finding wanted: String) async throws {
      run.terminal.press(.control("o"))
      try await run.shows("Go to or run")
      run.terminal.type(text)
      try await run.shows("> \(text)", wanted)
    }
    #expect(run.screen.text(row: 23).contains("^O Go to") && run.screen.contains("^Q Quit"))
    try await looks(for: "bob@localhost", finding: "> @ Write to bob@localhost")
    run.terminal.press(.enter)
    try await run.shows("No messages yet.")
    try await run.expects("the chat") {
      $0.text(row: 1, columns: 22..<80).contains("bob@localhost")
    }
    try await looks(for: "room", finding: ">   /join ROOM [NICK [PASSWORD]]")
    run.terminal.press(.control("g"))
    try await run.hides("Go to or run")
    try await run.say("/join tea")
    try await run.shows("The room is new", "# tea")
    run.terminal.press(.alt("1"))
    try await run.marks(conversation: 1)
    run.terminal.press(.f1)
    try await run.shows("Help: Input line", "/ search")
    run.terminal.type("/")
    try await run.shows("Search:")
    run.terminal.type("unread")
    try await run.shows("Search: unread", "next unread conversation")
    run.terminal.press(.control("g"), .control("g"))
    try await run.hides("Help: ")
    let before = run.screen.style(of: NatterRun.greetingEnd)
    try await looks(for: "theme: day", finding: ">   Theme: day")
    run.terminal.press(.enter)
    try await run.expects("other colours") { screen in
      !screen.contains("Go to or run") && screen.style(of: NatterRun.greetingEnd) != before
        && screen.contains(NatterRun.greetingEnd)
    }
    try await looks(for: "quit", finding: ">   Quit")
    run.terminal.press(.enter)
    #expect(await run.terminal.waitsForEnd(upTo: .seconds(60)) == .exited(0))
    #expect(run.terminal.isGivenBack())
  }

  @Test func `the language changes at once, and what was being typed stays`() async throws {
    let run = try await NatterRun.chatting()
    try await run.enter("/lang fr")
    try await run.shows("Discussions", "Aide", "Écrivez un message")
    try await run.type("à demi")
    run.terminal.press(.f(6))
    try await run.shows("Apparence")
    run.terminal.press(.control("x"), .text("x"))
    try await run.shows("Aller ou faire")
    run.terminal.press(.control("g"))
    run.terminal.press(.f(2))
    try await run.shows("> à demi")
    // A user who cannot read any of this finds the language by its own name.
    run.terminal.press(.control("o"))
    try await run.shows("Aller ou faire")
    run.terminal.type("english")
    try await run.shows("Langue : English")
    run.terminal.press(.enter)
    try await run.shows("F3 Contacts  F4 Discover", "> à demi")
    #expect(await run.quit() == .exited(0))
  }

  @Test func `at 40 columns a change of language keeps the open conversation`() async throws {
    let run = try await NatterRun.chatting()
    run.terminal.resize(rows: 15, columns: 40)
    try await run.expects("the conversation as a page") { $0.text(row: 1).hasPrefix("< Natter") }
    run.terminal.type("/lang fr")
    try await run.shows("> /lang fr")
    run.terminal.press(.enter)
    try await run.shows("Écrivez un message")
    try await run.expects("the same conversation") { $0.text(row: 1).hasPrefix("< Natter") }
    #expect(run.screen.contains("me if you like"))
    #expect(await run.quit() == .exited(0))
  }

  @Test func `an address on the command line opens a conversation and sends nothing`() async throws
  {
    let home = try Home()
    let first = try await NatterRun.chatting(home: home)
    #expect(await first.quit() == .exited(0))
    let terminal = try PTYProcess(
      Programs.natter, ["--local", "xmpp:somebody@localhost?message;body=hi%20there"],
      environment: home.environment())
    try await terminal.shows("somebody@localhost", upTo: .seconds(60))
    try await terminal.shows("> hi there", upTo: .seconds(60))
    try await terminal.shows("No messages yet.", upTo: .seconds(60))
    terminal.press(.control("q"))
    #expect(await terminal.waitsForEnd() == .exited(0))
    let wrong = try PTYProcess(
      Programs.natter, ["--local", "natter://kitchen/cook?what=tea"],
      environment: home.environment())
    try await wrong.shows("There is no page \"kitchen\".", upTo: .seconds(60))
    wrong.press(.control("q"))
    #expect(await wrong.waitsForEnd() == .exited(0))
  }
}
