import Foundation
import NatterCore
import ScriptService
import TestSupport
import Testing
import Text

@testable import natter

/// `natter scripts new`.
@Suite struct ScriptsNewCommandTests {
  private let home: TemporaryFolder

  init() throws { home = try TemporaryFolder("scripts") }

  private var folder: String { home.path("scripts") }

  /// - Returns: the exit code, and the lines that are printed.
  private func make(
    _ name: String, _ language: ScriptsNewCommand.Language, in folder: String? = nil
  ) throws -> (ExitCode, [String]) {
    var lines: [String] = []
    let command = ScriptsNewCommand(
      localizer: Localizer(tag: "en", texts: [:]), folder: folder ?? self.folder,
      resources: Programs.checkout.appending(path: "Resources"), print: { lines.append($0) })
    return (try command.run(name, in: language), lines)
  }

  private func permissions(_ name: String) -> Int? {
    try? FileManager.default.attributesOfItem(atPath: home.path("scripts/\(name)"))[
      .posixPermissions] as? Int
  }

  @Test(arguments: ScriptsNewCommand.Language.allCases)
  func `a new script has a valid manifest and is written by nobody else`(
    language: ScriptsNewCommand.Language
  ) throws {
    let (code, lines) = try make("lights-2", language)
    #expect(code == .done)
    #expect(lines.count == 3)
    let catalogue = ScriptCatalogue(
      ScriptFolders(
        user: folder, shipped: nil, data: home.path("data"), state: home.path("state")),
      languages: ["en"], hash: { _ in "digest" })
    let found = catalogue.read()
    #expect(found.map(\.name) == ["lights-2"])
    let manifest = try #require(found.first?.manifest)
    #expect(manifest.title == "lights-2")
    #expect(manifest.commands.map(\.name) == ["lights-2"])
    #expect(manifest.events == ["message.new"])
    #expect(permissions("lights-2/\(language.program)").map { $0 & 0o077 } == 0)
    let program = try #require(home.text("scripts/lights-2/\(language.program)"))
    #expect(!program.contains("@NAME@"))
    #expect(program.contains("lights-2"))
    let client = language.program.replacing("main.", with: "natter.")
    let isCopied = home.text("scripts/lights-2/\(client)") != nil
    #expect(isCopied == (language != .shell))
    if language == .shell { #expect(permissions("lights-2/main.sh") == 0o700) }
  }

  @Test func `a folder that is there stays as it is`() throws {
    try home.write("mine", to: "scripts/greeter/notes")
    let failure = #expect(throws: CommandFailure.self) { try make("greeter", .javaScript) }
    #expect(failure?.code == .failed)
    #expect(home.files == ["scripts/greeter/notes"])
  }

  @Test(arguments: ["", "Greeter", "../x", "a b", String(repeating: "a", count: 33)])
  func `a name that is none is wrong usage`(name: String) throws {
    let failure = #expect(throws: CommandFailure.self) { try make(name, .python) }
    #expect(failure?.code == .usage)
    #expect(home.files == [])
  }

  @Test func `a folder that cannot be made is reported, and nothing is left`() throws {
    try home.write("a file", to: "taken")
    let failure = #expect(throws: CommandFailure.self) {
      try make("lights", .shell, in: home.path("taken/scripts"))
    }
    #expect(failure?.code == .failed)
    #expect(home.files == ["taken"])
  }

  @Test(arguments: ScriptsNewCommand.Language.allCases)
  func `one option chooses the language`(language: ScriptsNewCommand.Language) throws {
    let command = try CommandLineOptions.parse(["scripts", "new", "lights", language.option]).1
    #expect(command == .scripts(.new("lights", language)))
  }

  @Test(arguments: [
    ["scripts", "new", "lights"], ["scripts", "new", "lights", "--js", "--sh"],
    ["scripts", "new", "--js"], ["scripts", "new", "Lights", "--js"],
    ["scripts", "check", "lights", "--js"], ["scripts", "--py"],
  ])
  func `everything else is wrong usage`(arguments: [String]) {
    #expect(throws: UsageError.self) { try CommandLineOptions.parse(arguments) }
  }
}
