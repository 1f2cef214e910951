import Foundation
import NatterCore
import TestSupport
import Testing

@testable import ScriptService

@Suite struct ScriptCatalogueTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder("catalogue") }

  private static let manifest = "title = \"Greeter\"\napi = 1\nrun = [\"node\", \"greeter.mjs\"]\n"

  private var folders: ScriptFolders {
    ScriptFolders(
      user: folder.path("user"), shipped: folder.path("shipped"), data: folder.path("data"),
      state: folder.path("state"))
  }

  private var catalogue: ScriptCatalogue {
    ScriptCatalogue(folders, languages: ["en"], hash: { String($0.count) })
  }

  /// Makes a script whose files only the user can change.
  private func add(_ name: String, _ text: String = manifest, in root: String = "user") throws {
    try folder.makeFolder(root)
    try folder.makeFolder("\(root)/\(name)")
    try folder.write(text, to: "\(root)/\(name)/manifest.toml")
    try folder.write("// hello", to: "\(root)/\(name)/greeter.mjs")
  }

  private func setMode(_ mode: mode_t, _ name: String) {
    #expect(chmod(folder.path(name), mode) == 0)
  }

  private func unsafePath(_ script: FoundScript?) -> String? {
    guard case .unsafe(let path) = script?.reading else { return nil }
    return path
  }

  private func badKey(_ script: FoundScript?) -> String? {
    guard case .bad(_, let notice) = script?.reading else { return nil }
    return notice.key
  }

  @Test func `scripts are found by name, and the user's own one comes first`() throws {
    #expect(catalogue.read().isEmpty && catalogue.problem() == nil)
    try add("weather", in: "shipped")
    try add("greeter", in: "shipped")
    try add("greeter", Self.manifest.replacing("Greeter", with: "Mine"))
    try folder.write("a file", to: "user/notes")
    try folder.makeFolder("user/.hidden")
    let found = catalogue.read()
    #expect(found.map(\.name) == ["greeter", "weather"])
    #expect(found.map(\.isShipped) == [false, true])
    #expect(found.map { $0.manifest?.title } == ["Mine", "Greeter"])
    #expect(found.allSatisfy { $0.digest.flatMap { Int($0) } ?? 0 > 0 })
    #expect(catalogue.read("weather")?.folder == folder.path("shipped/weather"))
    #expect(catalogue.read("other") == nil && catalogue.read("../user") == nil)
    #expect(catalogue.read(at: folder.path("shipped/weather"))?.manifest != nil)
    #expect(catalogue.read(at: folder.path("nothing")) == nil)
  }

  @Test func `the paths of a script are its own`() {
    #expect(folders.storage(of: "x") == folder.path("data/x/storage"))
    #expect(folders.log(of: "x") == folder.path("state/x.log"))
    #expect(folders.grants == folder.path("data/grants.toml"))
  }

  @Test(
    arguments: [
      ("user/x", 0o770), ("user/x/manifest.toml", 0o602), ("user/x/greeter.mjs", 0o660),
      ("user/x/lib", 0o777), ("user/x/lib/a.mjs", 0o666),
    ] as [(String, mode_t)])
  func `what others can change is unsafe`(name: String, mode: mode_t) throws {
    try add("x")
    try folder.makeFolder("user/x/lib")
    try folder.write("", to: "user/x/lib/a.mjs")
    #expect(catalogue.read("x")?.manifest != nil)
    setMode(mode, name)
    #expect(unsafePath(catalogue.read("x")) == folder.path(name))
    #expect(unsafePath(catalogue.read().first) == folder.path(name))
  }

  @Test func `what the group of the user alone can change is safe, as with umask 002`() throws {
    try add("x")
    for name in ["user", "user/x"] { setMode(0o775, name) }
    for name in ["user/x/manifest.toml", "user/x/greeter.mjs"] { setMode(0o664, name) }
    #expect(unsafePath(catalogue.read("x")) == folder.path("user"))
    var facts = stat()
    #expect(stat(folder.path("user"), &facts) == 0)
    let group = facts.st_gid
    var catalogue = catalogue
    catalogue.isPrivate = { $1 == group }
    #expect(catalogue.read("x")?.manifest != nil)
    setMode(0o666, "user/x/greeter.mjs")
    #expect(unsafePath(catalogue.read("x")) == folder.path("user/x/greeter.mjs"))
    setMode(0o664, "user/x/greeter.mjs")
    catalogue.isPrivate = { $1 != group }
    #expect(unsafePath(catalogue.read("x")) == folder.path("user"))
  }

  @Test func `a group is private by its name, and without further members`() {
    #expect(PrivateGroup.isPrivate(("me", []), to: "me"))
    #expect(PrivateGroup.isPrivate(("me", ["me"]), to: "me"))
    #expect(!PrivateGroup.isPrivate(("me", ["me", "bob"]), to: "me"))
    #expect(!PrivateGroup.isPrivate(("users", []), to: "me"))
  }

  @Test func `a folder of scripts that others can change makes all of them unsafe`() throws {
    try add("x")
    setMode(0o777, "user")
    #expect(unsafePath(catalogue.read("x")) == folder.path("user"))
  }

  @Test func `a link that leads out of the folder is unsafe, and one within it is not`() throws {
    try add("x")
    let manager = FileManager.default
    func link(_ name: String, to target: String) throws {
      try manager.createSymbolicLink(
        atPath: folder.path("user/x/\(name)"), withDestinationPath: target)
    }
    try link("index.mjs", to: "greeter.mjs")
    try link(".#lock", to: "me@host.1234")
    #expect(catalogue.read("x")?.manifest != nil)
    try link("out.mjs", to: "/etc/hosts")
    #expect(unsafePath(catalogue.read("x")) == folder.path("user/x/out.mjs"))
    try manager.removeItem(atPath: folder.path("user/x/out.mjs"))
    try link("later.mjs", to: "../later.mjs")
    #expect(unsafePath(catalogue.read("x")) == folder.path("user/x/later.mjs"))
    try manager.removeItem(atPath: folder.path("user/x/later.mjs"))
    // A folder whose name only begins with that of the script is another one.
    try folder.makeFolder("user/x-other")
    try link("beside", to: "../x-other")
    #expect(unsafePath(catalogue.read("x")) == folder.path("user/x/beside"))
  }

  @Test func `a script that is a link is unsafe`() throws {
    try add("x", in: "elsewhere")
    try folder.makeFolder("user")
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("user/x"), withDestinationPath: folder.path("elsewhere/x"))
    #expect(unsafePath(catalogue.read("x")) == folder.path("user/x"))
  }

  @Test func `a script with a mistake is there, and nothing of it is used`() throws {
    try add("x", Self.manifest + "new = 1\n")
    guard case .bad(let line, let notice) = try #require(catalogue.read("x")).reading else {
      Issue.record("it is not bad")
      return
    }
    #expect(line == 4 && notice.key == "error.script.manifest.unknownKey")
    try add("My Script")
    let named = catalogue.read().first { $0.name == "My Script" }
    #expect(badKey(named) == "error.script.manifest.folderName")
    try folder.makeFolder("user/empty")
    #expect(badKey(catalogue.read("empty")) == "error.script.manifest.missing")
    try add("large", String(repeating: "#", count: (64 << 10) + 1))
    #expect(badKey(catalogue.read("large")) == "error.script.manifest.tooLarge")
  }

  @Test func `without a digest nothing is good`() throws {
    try add("x")
    let catalogue = ScriptCatalogue(folders, languages: [], hash: { _ in nil })
    #expect(badKey(catalogue.read("x")) == "error.script.manifest.noDigest")
  }

  @Test func `a folder that cannot be read is not an empty one`() async throws {
    try add("x")
    let catalogue = catalogue
    setMode(0o000, "user/x/manifest.toml")
    let script = try await BoundThread.run { catalogue.read("x") }
    #expect(badKey(script) == "error.script.manifest.unreadable")
    setMode(0o100, "user")
    #expect(try await BoundThread.run { catalogue.read() }.isEmpty)
    let problem = try await BoundThread.run { catalogue.problem() }
    #expect(problem?.key == "error.script.manifest.unreadable")
    setMode(0o700, "user")
  }
}
