import Configuration
import Foundation
import TOML
import TestSupport
import Testing
import ViewModels

@testable import natter

/// The settings while the program runs, and a file that somebody else writes meanwhile.
@Suite struct SettingsStoreTests {
  private let folder: TemporaryFolder
  private var file: URL { folder.url("config.toml") }

  init() throws { folder = try TemporaryFolder("settings") }

  @Test func `what was written into the file meanwhile holds with what is changed`() throws {
    try Data("[ui]\nclock = true\n".utf8).write(to: file)
    let (settings, _) = ConfigurationFile().read(at: file.path)
    let store = SettingsStore(settings, file: file) { KnownNames() }
    var applied: [String] = []
    var reported: [[FileProblem]] = []
    // Those that were found in the file: they are reported as read, not as saved.
    var found: [String] = []
    store.apply = { [unowned store] id, _ in
      applied.append(id.key)
      if store.isReading { found.append(id.key) }
      return true
    }
    store.onReadAgain = { reported.append($0) }
    #expect(try store.change(SettingState.ID("ui", "sidebar"), to: "false"))
    #expect(applied == ["sidebar"] && reported.isEmpty)

    try Data("[ui]\nclock = false\nmouse = false\nodd = 1\n".utf8).write(to: file)
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: 1_790_000_000)], ofItemAtPath: file.path)
    applied = []
    #expect(try store.change(SettingState.ID("ui", "mouse"), to: "true"))
    #expect(Set(applied) == ["clock", "mouse", "sidebar"] && applied.last == "mouse")
    #expect(Set(found) == ["clock", "mouse", "sidebar"] && applied.count == 4)
    #expect(!store.current.ui.showsClock && store.current.ui.usesMouse)
    #expect(store.current.ui.showsSidebar)
    #expect(reported.count == 1 && reported[0].count == 1)
    #expect(store.readAgain() == nil)
  }

  @Test func `a file written in the very moment of a change is taken as a whole`() throws {
    let store = SettingsStore(Settings(), file: file) { KnownNames() }
    // The date is not read again between: the content of the file as it is written counts.
    try Data("[ui]\nclock = false\n".utf8).write(to: file)
    var applied: [String] = []
    store.apply = { id, _ in
      applied.append(id.key)
      return true
    }
    _ = try store.change(SettingState.ID("ui", "sidebar"), to: "false")
    #expect(applied == ["clock", "sidebar"])
  }

  @Test func `a theme that has come is offered and taken without a look at the disk`() throws {
    var readings = 0
    let store = SettingsStore(Settings(), file: file) {
      readings += 1
      return KnownNames(themes: ["night"], languages: ["en"])
    }
    func themes() -> SettingState.ControlKind? {
      store.states.first { $0.id == SettingState.ID("ui", "theme_night") }?.kind
    }
    #expect(themes() == .choice(["night"]))
    store.offer(themes: ["mine", "night"])
    #expect(themes() == .choice(["mine", "night"]) && readings == 1)
    _ = try store.change(SettingState.ID("ui", "theme_night"), to: "mine")
    #expect(store.current.ui.themeNight == "mine" && readings == 1)
  }
}
