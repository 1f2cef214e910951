import TestSupport
import Testing

/// Settings of the configuration file that are to be seen.
@Suite(.takesTurns) struct SettingsTests {
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
}
