import Foundation
import NatterCore
import ScriptService
import TestSupport
import Testing

/// The files of the scripts that come with Natter.
@Suite struct ShippedScriptTests {
  private static let folder = Programs.checkout.appending(path: "Resources/scripts")
  private static let names = ["greeter", "tickets", "unread", "weather"]

  private func manifest(_ path: String, language: String = "en") throws -> ScriptManifest {
    let file = Programs.checkout.appending(path: "Resources/\(path)/manifest.toml")
    return try ManifestFile.read(Array(try Data(contentsOf: file)), languages: [language]).manifest
  }

  @Test func `every folder is a script`() throws {
    let folders = try FileManager.default.contentsOfDirectory(
      at: Self.folder, includingPropertiesForKeys: [.isDirectoryKey]
    ).filter { try $0.resourceValues(forKeys: [.isDirectoryKey]).isDirectory == true }
    #expect(folders.map(\.lastPathComponent).sorted() == Self.names)
  }

  @Test(arguments: names) func `a manifest is valid, and in three languages`(name: String) throws {
    let manifests = try ["en", "fr", "zh-Hans"].map {
      try manifest("scripts/\(name)", language: $0)
    }
    #expect(Set(manifests.map(\.title)).count == 3)
    for index in manifests[0].permissions.indices {
      #expect(Set(manifests.map { $0.permissions[index].why }).count == 3)
    }
    for index in manifests[0].commands.indices {
      #expect(Set(manifests.map { $0.commands[index].help }).count == 3)
    }
    for index in manifests[0].settings.indices {
      #expect(Set(manifests.map { $0.settings[index].help }).count == 3)
    }
  }

  @Test(arguments: names) func `the program is in the folder`(name: String) throws {
    let run = try manifest("scripts/\(name)").run
    let program = try #require(run.last)
    let path = Self.folder.appending(path: "\(name)/\(program)").path
    #expect(access(path, run.count == 1 ? X_OK : R_OK) == 0)
  }

  @Test func `each right that needs a part of the screen has one, and the other way round`() throws
  {
    for name in Self.names {
      let manifest = try manifest("scripts/\(name)")
      #expect((manifest.permission(.commands) != nil) == !manifest.commands.isEmpty, "\(name)")
      #expect((manifest.permission(.status) != nil) == !manifest.statusItems.isEmpty, "\(name)")
      #expect((manifest.permission(.panes) != nil) == !manifest.panes.isEmpty, "\(name)")
      #expect((manifest.permission(.addresses) != nil) == !manifest.prefixes.isEmpty, "\(name)")
      #expect((manifest.permission(.decorations) != nil) == (manifest.decorated != nil), "\(name)")
    }
  }

  @Test func `no example can pass on what it reads`() throws {
    for name in Self.names {
      let manifest = try manifest("scripts/\(name)")
      let reads = manifest.permission(.bridge(.readMessages)) != nil
      #expect(!reads || manifest.permission(.network) == nil, "\(name)")
    }
  }
}
