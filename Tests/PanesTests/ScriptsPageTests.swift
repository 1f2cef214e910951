import ChatsFixtures
import Keys
import NatterCore
import Terminal
import TestSupport
import Testing
import Text
import ViewModels

@testable import Panes

/// The page of scripts on the screen.
@Suite struct ScriptsPageTests {
  private let scripts = FakeScripts()

  private func harness(
    _ size: Size, _ list: [ScriptSummary], language: String = "en", glyphs: Glyphs = .ascii
  ) async -> ShellHarness {
    await scripts.set(list)
    let harness = await ShellHarness(
      size, glyphs: glyphs,
      factories: [
        MeFactory(pages: [.scripts, .about { AboutViewModel(shell: $0, sources: .forTests) }])
      ], language: language, scripts: scripts)
    harness.press(Key(.function(6)), .enter)
    await harness.settle()
    return harness
  }

  private var running: ScriptSummary {
    var script = ScriptSummary.greeter()
    script.memory = 1_600_000
    script.processor = 2
    script.grants = [
      ScriptGrantUse(
        ScriptGrant(.bridge(.readMessages), scope: BridgeScope(hasRooms: true)),
        given: .minutes(0))
    ]
    return script
  }

  private func shows(_ row: String, _ harness: ShellHarness) {
    #expect(harness.rows.contains { $0.contains(row) }, "\(harness.picture)")
  }

  @Test(arguments: [
    (Size(rows: 40, columns: 120), "> greeter  runs, 1.6 MB, 2 % CPU, closed"),
    (Size(rows: 24, columns: 80), "> greeter  runs, 1.6 MB, 2 % CPU, closed"),
    (Size(rows: 30, columns: 40), "> greeter  runs, 1.6 MB, 2 % CPU"),
  ])
  func `a script is a row, with its meaning below`(size: Size, row: String) async {
    let harness = await harness(size, [running])
    shows(row, harness)
    shows("Greeter 1.0", harness)
    shows("It is running.", harness)
    #expect(harness.rows.allSatisfy { $0.columns <= size.columns })
  }

  @Test(arguments: [
    ("fr", "> greeter  tourne, ", "Il tourne."), ("zh-Hans", "> greeter  运行中、", "它正在运行。"),
  ])
  func `the page is in the user's language`(language: String, row: String, help: String) async {
    let harness = await harness(
      Size(rows: 24, columns: 80), [running], language: language)
    shows(row, harness)
    shows(help, harness)
  }

  @Test func `Enter opens the details, Del takes a right back, and Esc goes back`() async {
    let harness = await harness(Size(rows: 40, columns: 120), [running])
    harness.press(.enter)
    shows("Scripts: greeter", harness)
    harness.press(Key(.down))
    shows("> read your messages", harness)
    shows("Del takes it back at once.", harness)
    harness.press(Key(.delete))
    await harness.settle()
    #expect(await scripts.calls == ["revoke messages.read greeter"])
    shows("greeter no longer holds this right: read your messages", harness)
    harness.press(.escape)
    #expect(!harness.picture.contains("Scripts: greeter"))
    shows("> greeter", harness)
  }

  @Test func `the keys of the page enable, restart and show the log`() async {
    await scripts.setLog(["hello"])
    let harness = await harness(Size(rows: 40, columns: 120), [.greeter(.off)])
    harness.press(.character(" "))
    #expect(harness.dialogs.count == 1)
    shows("Enable Greeter?", harness)
    harness.press(.escape, .character("u"))
    await harness.settle()
    #expect(await scripts.calls == ["restart greeter"])
    harness.press(.character("v"))
    await harness.settle()
    #expect(harness.choices.last?.labels == ["hello"])
    #expect(harness.choices.last?.title == "Log of greeter (Enter copies it)")
  }

  @Test func `a key of the user's own runs a command of a script`() async {
    let harness = await harness(Size(rows: 24, columns: 80), [running])
    let (table, problems, _) = KeyBindingTable.natter.applying(
      "[everywhere]\n\"^X j\" = \"script:greeter/greet\"\n\"^X v\" = \"script:greeter/none\"\n",
      file: "keys.toml")
    #expect(problems == [])
    harness.coordinator.use(table)
    harness.press(.control("x"), .character("j"))
    await harness.settle()
    #expect(await scripts.commands.map(\.command) == ["greet"])
    harness.press(.control("x"), .character("v"))
    shows("The script greeter is not enabled, or has no command none.", harness)
    #expect(harness.coordinator.perform(named: "script:greeter/greet"))
    await harness.settle()
    #expect(await scripts.commands.count == 2)
  }

  @Test func `without scripts the page says what they are`() async {
    let harness = await harness(Size(rows: 30, columns: 40), [])
    shows("There are no scripts.", harness)
    #expect(harness.picture.contains("natter-script(7)"))
  }

  @Test func `a screen reader gets a line for each script`() async {
    let harness = await harness(Size(rows: 24, columns: 80), [running], glyphs: .linear)
    shows("greeter: runs, 1.6 MB, 2 % CPU, closed", harness)
  }

  @Test func `where no scripts run there is no page`() async {
    let harness = await ShellHarness(
      Size(rows: 40, columns: 120),
      factories: [
        MeFactory(pages: [.scripts, .about { AboutViewModel(shell: $0, sources: .forTests) }])
      ])
    harness.press(Key(.function(6)))
    await harness.settle()
    #expect(harness.picture.contains("About") && !harness.picture.contains("Scripts"))
  }
}
