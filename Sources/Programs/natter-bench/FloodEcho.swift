import TestSupport

/// The time from a key to the screen, without and with a script that floods Natter.
struct FloodEcho {
  let natter: String
  let keys: Int

  /// As many keys as fit on an input line.
  private static let turn = 20
  private static let name = "flood"

  /// Returns the milliseconds of each key.
  func times() async throws -> (flooded: [Double], quiet: [Double]) {
    let profile = try ScriptProfile(natter)
    try profile.add(
      .init(
        name: Self.name, run: ["python3", "-B", "main.py"],
        file: ("main.py", ScriptPrograms.flood),
        manifest: """
          start = "login"
          [permission."conversations.read"]
          why = "to flood"
          in = ["direct"]

          """, grants: [["conversations.read", "--in", "direct"]]))
    let bob = try await profile.other("bob")
    let screen = try await NatterScreen(
      local: natter, in: profile.home, talkingTo: "bob@localhost")
    let storage = profile.storage(of: Self.name)
    _ = try await storage.report()
    var entrant = try await EchoEntrant("natter", screen.terminal, keeping: screen) { _ in "" }
    var random = SeededGenerator(seed: 1)
    var times = (flooded: [Double](), quiet: [Double]())
    for _ in 0..<max(1, keys / Self.turn) {
      let pauses = (0..<Self.turn).map { _ in
        Duration.milliseconds(.random(in: 40...100, using: &random))
      }
      try await entrant.type(pauses, isBusy: false)
      times.quiet += entrant.idle.suffix(pauses.count)
      try storage.order("flood")
      _ = try await storage.report()
      try await entrant.type(pauses, isBusy: false)
      times.flooded += entrant.idle.suffix(pauses.count)
      // It has flooded all the time if it is still there to say so.
      try storage.order("hush")
      _ = try await storage.report()
    }
    await screen.terminal.stop()
    _ = await bob.quit()
    return times
  }
}
