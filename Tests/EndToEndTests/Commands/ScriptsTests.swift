import Foundation
import TestSupport
import Testing

/// `natter scripts`: no script is started by it.
@Suite(.limitedConcurrency) struct ScriptsTests {
  let stored: StoredHome
  init() throws { stored = try StoredHome() }

  private static let manifest = """
    title = "Greets newcomers"
    title.fr = "Salue les nouveaux"
    version = "1.0"
    api = 1
    run = ["node", "greeter.mjs"]
    [permission."messages.read"]
    why = "to see who is new"
    in = ["rooms"]

    """

  private func add(_ text: String = manifest) throws {
    let folder = stored.home.folder
    try folder.makeFolder("config/natter/scripts")
    try folder.makeFolder("config/natter/scripts/greeter")
    for name in ["scripts", "scripts/greeter"] {
      #expect(chmod(folder.path("config/natter/\(name)"), 0o700) == 0)
    }
    try folder.write(text, to: "config/natter/scripts/greeter/manifest.toml")
  }

  /// What the list has about the script; those that come with Natter are in it, too.
  private func listed() async throws -> [String: Any] {
    let run = try await stored.run("scripts", "--json")
    #expect(run.status == .exited(0), "\(run)")
    let objects = try run.text.split(separator: "\n").map {
      try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
    }
    return try #require(objects.first { $0?["name"] as? String == "greeter" } ?? nil)
  }

  @Test func `a script is enabled, given a right, listed, and its right is taken back`()
    async throws
  {
    try add()
    let asked = try await stored.run("scripts", "enable", "greeter")
    #expect(asked.status == .exited(2) && asked.text.contains("\"to see who is new\""), "\(asked)")
    let enabled = try await stored.run("scripts", "enable", "greeter", "--yes")
    #expect(enabled.status == .exited(0) && enabled.errorText == "", "\(enabled)")
    let given = try await stored.run(
      "scripts", "grant", "greeter", "messages.read", "--account", "me@natter.test")
    #expect(given.status == .exited(0), "\(given)")
    let script = try await listed()
    #expect(script["state"] as? String == "on")
    #expect(script["title"] as? String == "Greets newcomers")
    let right = try #require((script["rights"] as? [[String: Any]])?.first)
    #expect(right["right"] as? String == "messages.read")
    #expect(right["in"] as? [String] == ["rooms"])
    #expect(right["accounts"] as? [String] == ["me@natter.test"])
    let french = try await stored.run("scripts", "--lang", "fr")
    #expect(french.text.contains("greeter\tactivé\tSalue les nouveaux\n"), "\(french)")
    let revoked = try await stored.run("scripts", "revoke", "greeter", "messages.read")
    #expect(revoked.status == .exited(0), "\(revoked)")
    #expect(try await stored.run("scripts", "revoke", "greeter").status == .exited(1))
    let rest = try await listed()
    #expect((rest["rights"] as? [Any])?.isEmpty == true)
    // What is asked for now is not what was agreed to.
    try add(Self.manifest.replacing("\"rooms\"", with: "\"all\""))
    let changed = try await listed()
    #expect(changed["state"] as? String == "changed")
    #expect(try await stored.run("scripts", "disable", "greeter").status == .exited(0))
    let off = try await listed()
    #expect(off["state"] as? String == "off")
  }

  @Test func `a mistake and what others can change have different exit codes`() async throws {
    try add()
    let folder = stored.home.folder.path("config/natter/scripts/greeter")
    let good = try await stored.run("scripts", "check", folder)
    #expect(good.status == .exited(0) && good.text.contains("node greeter.mjs"), "\(good)")
    try add(Self.manifest + "colour = \"red\"\n")
    let bad = try await stored.run("scripts", "check", folder)
    #expect(bad.status == .exited(65) && bad.text == "", "\(bad)")
    #expect(bad.errorText.contains("manifest.toml:9: ") && bad.errorText.contains("colour"))
    #expect(chmod(folder + "/manifest.toml", 0o666) == 0)
    let writable = try await stored.run("scripts", "check", folder)
    #expect(writable.status == .exited(78) && writable.errorText.contains(folder), "\(writable)")
  }

  @Test func `the list writes nothing, and needs no scripts`() async throws {
    let before = try stored.state
    let list = try await stored.run("scripts")
    #expect(list.status == .exited(0) && list.errorText == "", "\(list)")
    #expect(try stored.state == before)
  }
}
