import TestSupport
import Testing

/// Settings of the configuration file that are to be seen.
@Suite(.limitedConcurrency) struct SettingsTests {
  @Test func `without sidebar and clock the conversation has all columns, until Alt+S`()
    async throws
  {
    let home = try Home()
    try home.folder.write(
      "[ui]\nsidebar = false\nclock = false\n", to: "config/natter/config.toml")
    let run = try NatterRun.local(home: home, rows: 24, columns: 80)
    try await run.shows(NatterRun.greetingEnd)
    try await run.waitsOnline()
    try await run.expects("no sidebar and no clock") { screen in
      !screen.lines.contains { $0.contains("│") } && screen.text(row: 0).hasSuffix("online")
    }
    run.terminal.press(.alt("s"))
    try await run.shows("DIRECT", "│")
    run.terminal.press(.alt("s"))
    try await run.hides("DIRECT")
    #expect(await run.quit() == .exited(0))
  }

  @Test func `changes to the file take effect while the program runs, and mistakes are reported`()
    async throws
  {
    let home = try Home()
    let file = "config/natter/config.toml"
    let run = try NatterRun.local(home: home, rows: 24, columns: 80)
    try await run.shows(NatterRun.greetingEnd, "DIRECT")
    try await run.waitsOnline()
    // After an editor, the terminal has the focus again.
    func comesBack() {
      run.terminal.type("\u{1b}[O")
      run.terminal.type("\u{1b}[I")
    }
    try home.folder.write("# mine\n[ui]\nsidebar = false\nclock = false\n", to: file)
    comesBack()
    try await run.expects("no sidebar and no clock") { screen in
      !screen.lines.contains { $0.contains("│") } && screen.text(row: 0).hasSuffix("online")
    }
    try home.folder.write("[ui]\nlanguage = \"fr\"\n", to: file)
    comesBack()
    try await run.shows("Discussions")
    try home.folder.write("[ui]\nlanguage = \"fr\"\nclok = true\n", to: file)
    comesBack()
    try await run.shows("config.toml:3: la clé clok est inconnue dans [ui]")
    // A change of the program's own is none of somebody else's.
    run.terminal.press(.alt("t"))
    comesBack()
    #expect(await run.quit() == .exited(0))
  }

  @Test func `where Enter begins a line, Alt+Enter and ^X Enter send, and commands are run`()
    async throws
  {
    let home = try Home()
    try home.folder.write(
      "[ui]\nenter = \"newline\"\n", to: "config/natter/config.toml")
    let run = try NatterRun.local(home: home, rows: 24, columns: 120)
    try await run.shows(NatterRun.greetingEnd, "Alt+Enter Send")
    try await run.waitsOnline()
    run.terminal.type("first line")
    run.terminal.press(.enter)
    run.terminal.type("second line")
    try await run.shows("> first line", "  second line")
    run.terminal.type("\u{1b}\r")
    try await run.shows("you    first line", "> Write a message")
    run.terminal.type("third")
    run.terminal.press(.control("x"), .enter)
    try await run.shows("third", "> Write a message")
    run.terminal.type("/status away")
    run.terminal.press(.enter)
    try await run.shows("You are away")
    #expect(await run.quit() == .exited(0))
  }
}
