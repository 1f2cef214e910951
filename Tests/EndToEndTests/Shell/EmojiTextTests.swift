import Foundation
import TestSupport
import Testing

/// Emoji by name (`ui.emoji`), on the program as it runs.
@Suite(.limitedConcurrency) struct EmojiTextTests {
  let home: Home
  init() throws {
    home = try Home()
    try home.folder.write("[ui]\nemoji = \"names\"\n", to: "config/natter/config.toml")
  }

  @Test func `the names are those of the language, also when that changes while Natter runs`()
    async throws
  {
    let run = try NatterRun.local(home: home, rows: 24, columns: 80)
    try await run.openGuide()
    try await run.adds("well 👍🏽", toHave: "well :thumbs_up:")
    run.terminal.press(.enter)
    try await run.shows("well :thumbs_up:", "Write a message")
    try await run.enter("/lang fr")
    try await run.shows("well :pouce_vers_le_haut:", "Écrivez un message")
    try await run.adds(":coeur_r", toHave: ":coeur_r")
    run.terminal.type("\t")
    try await run.inputHolds(":cœur_rouge:")
    run.terminal.press(.enter)
    try await run.enter("/lang zh-Hans")
    try await run.shows("well :拇指向上:", ":红心:")
    #expect(await run.quit() == .exited(0))
    #expect(!String(decoding: run.terminal.rawOutput, as: UTF8.self).contains("👍"))
  }

  @Test func `line mode has the names as well`() async throws {
    let run = try NatterRun(
      ["--local", "--plain", "--lang", "fr"], home: home, rows: 50, columns: 200)
    try await run.shows("En ligne.")
    run.terminal.type("bravo 🎉\n")
    try await run.shows("bravo :cotillons:")
    run.terminal.type("/quit\n")
    #expect(await run.terminal.waitsForEnd(upTo: .seconds(60)) == .exited(0))
  }
}
