import TestSupport

/// Natter in a profile with one script that runs, and a second user of its server.
struct ScriptScene {
  let profile: ScriptProfile
  let bob: LineNatter
  let screen: NatterScreen
  let storage: ScriptStorageFolder

  /// Waits until the script has reported for the first time.
  /// - Throws: `TimedProcess.Failure` when it does not, or Natter does not start.
  init(_ natter: String, _ script: ScriptProfile.Script) async throws {
    profile = try ScriptProfile(natter)
    try profile.add(script)
    bob = try await profile.other("bob")
    screen = try await NatterScreen(local: natter, in: profile.home, talkingTo: "bob@localhost")
    storage = profile.storage(of: script.name)
    _ = try await storage.report()
  }

  func end() async {
    await screen.terminal.stop()
    _ = await bob.quit()
  }
}
