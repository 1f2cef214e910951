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
    let scene = try await ScriptScene(
      natter,
      .init(
        name: Self.name, run: ["python3", "-B", "main.py"],
        file: ("main.py", ScriptPrograms.flood),
        manifest: """
          start = "login"
          [permission."conversations.read"]
          why = "to flood"
          in = ["direct"]

          """, grants: [["conversations.read", "--in", "direct"]]))
    var entrant = try await EchoEntrant("natter", scene.screen.terminal, keeping: scene.screen) {
      _ in ""
    }
    var random = SeededGenerator(seed: 1)
    var times = (flooded: [Double](), quiet: [Double]())
    for _ in 0..<max(1, keys / Self.turn) {
      let pauses = (0..<Self.turn).map { _ in
        Duration.milliseconds(.random(in: 40...100, using: &random))
      }
      try await entrant.type(pauses, isBusy: false)
      times.quiet += entrant.idle.suffix(pauses.count)
      try scene.storage.order("flood")
      _ = try await scene.storage.report()
      try await entrant.type(pauses, isBusy: false)
      times.flooded += entrant.idle.suffix(pauses.count)
      // It has flooded all the time if it is still there to say so.
      try scene.storage.order("hush")
      _ = try await scene.storage.report()
    }
    await scene.end()
    return times
  }
}
