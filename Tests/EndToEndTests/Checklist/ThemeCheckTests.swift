import Foundation
import TestSupport
import Testing

/// `natter theme check FILE`.
@Suite(.limitedConcurrency) struct ThemeCheckTests {
  func check(_ theme: String, _ home: Home, options: [String] = []) async throws -> CommandRun {
    try home.folder.write(theme, to: "mine.toml")
    return try await CommandRun(
      Programs.natter, ["theme", "check", home.folder.path("mine.toml")] + options,
      environment: home.environment())
  }

  @Test func `a good theme is reported as good, and every shipped one is good`() async throws {
    let home = try Home()
    let good = try await check("name = \"Mine\"\ninherits = \"night\"\n", home)
    #expect(good.status == .exited(0))
    #expect(good.text == "Mine: good. Every role is defined and readable.\n")
    #expect(good.errorText == "")
  }

  @Test func `a mistake is reported with its line or its role, and the exit code says so`()
    async throws
  {
    let bad = try await check(
      """
      name = "Mine"
      inherits = "night"
      [palette]
      grey = "#3a3a3a"
      [roles]
      "text" = "grey on #303030"
      "txet" = "grey"
      """, Home())
    #expect(bad.status == .exited(65))
    #expect(bad.text.contains("mine.toml:7: "))
    #expect(bad.text.contains("text with 16777216 colours: contrast 1.1:1, and 4.5:1 is needed."))
    #expect(bad.text.contains("Mine: ") && bad.text.contains(" problems."))
    #expect(!PrintedOutput(bad.output).hasEscape)
  }

  @Test func `for a short theme that inherits nothing one line says what to write`()
    async throws
  {
    let home = try Home()
    let little = "[palette]\nink = \"#ffffff\"\n[roles]\n\"text\" = \"ink on #000000\"\n"
    let alone = try await check("name = \"Mine\"\n" + little, home)
    #expect(alone.status == .exited(65))
    #expect(alone.text.split(separator: "\n").count == 2, "\(alone.text)")
    #expect(alone.text.contains("inherits = \"night\" above the first section"))
    let mended = try await check("name = \"Mine\"\ninherits = \"night\"\n" + little, home)
    #expect(!mended.text.contains("not defined"), "\(mended.text)")
    let nameless = try await check("inherits = \"night\"\n", home)
    #expect(nameless.text.hasSuffix("\nmine: 1 problem.\n"), "\(nameless.text)")
  }

  @Test func `a base that is not there, a file that is not there, and wrong usage`() async throws {
    let home = try Home()
    let base = try await check("name = \"Mine\"\ninherits = \"nigth\"\n", home)
    #expect(base.status == .exited(65) && base.text.contains("nigth"))
    // One line for it, not one for each role that it would have had, and what there is.
    #expect(base.text.split(separator: "\n").count == 2, "\(base.text)")
    #expect(base.text.contains("mine.toml:2: ") && base.text.contains("colour-blind, "))
    for (arguments, code, text) in [
      (["theme", "check", "/no/such/file"], Int32(2), "cannot be read"),
      (["theme", "check"], 2, "FILE is missing"), (["theme"], 2, "check FILE is missing"),
      (["theme", "paint"], 2, "unknown command"),
    ] {
      let run = try await CommandRun(
        Programs.natter, arguments, environment: home.environment())
      #expect(run.status == .exited(code) && run.errorText.contains(text), "\(run.errorText)")
    }
  }

  @Test func `on a terminal a sample is shown in the theme's colours, without them with NO_COLOR`()
    async throws
  {
    let home = try Home()
    try home.folder.write("name = \"Mine\"\ninherits = \"night\"\n", to: "mine.toml")
    for (more, hasColour) in [([:], true), (["NO_COLOR": "1"], false)] {
      let run = try PTYProcess(
        Programs.natter, ["theme", "check", home.folder.path("mine.toml")],
        environment: home.environment(more))
      #expect(await run.waitsForEnd(upTo: .seconds(60)) == .exited(0))
      #expect(run.screen.contains("=== 2 new ==="))
      #expect(PrintedOutput(run.rawOutput).colourSequences.isEmpty != hasColour)
    }
  }
}
