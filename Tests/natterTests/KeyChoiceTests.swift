import Configuration
import Foundation
import Keys
import Panes
import Terminal
import TOML
import TestSupport
import Testing

@testable import natter

/// The keys of a preset and of a file that changes while the program runs.
@Suite struct KeyChoiceTests {
  private let folder: TemporaryFolder
  private var file: URL { folder.url("keys.toml") }
  /// The time of the last write: each time a second later, whatever the resolution of the disk's
  /// clock.
  private final class Writing { var date = Date(timeIntervalSince1970: 1_790_000_000) }
  private let writing = Writing()

  init() throws { folder = try TemporaryFolder("keys") }

  private func write(_ text: String) throws {
    try Data(text.utf8).write(to: file)
    writing.date += 1
    try FileManager.default.setAttributes(
      [.modificationDate: writing.date], ofItemAtPath: file.path)
  }

  private func ui(
    _ keys: Settings.Interface.Keys, enter: Settings.Interface.Enter = .send
  ) -> Settings.Interface {
    var ui = Settings().ui
    (ui.keys, ui.enter) = (keys, enter)
    return ui
  }

  private func reported(_ problems: [FileProblem]) -> [String] {
    problems.map { $0.text { localeText($0, $1) } }
  }

  @Test func `without a file the preset's keys hold, and one that is written is taken`() throws {
    var keys = KeyChoice(ui(.natter), file: file)
    #expect(keys.table == .natter && keys.problems.isEmpty && keys.readAgain() == nil)
    try write("[everywhere]\n\"^K\" = \"palette\"\n")
    #expect(keys.readAgain() == .taken(warnings: []))
    #expect(keys.table.match([.control("k")], in: .input) == .action(.palette))
    #expect(keys.readAgain() == nil)
    try FileManager.default.removeItem(at: file)
    #expect(keys.readAgain() == .taken(warnings: []))
    #expect(keys.table == .natter)
  }

  @Test func `a file that leaves no key to quit with is reported, and taken`() throws {
    try write("[everywhere]\n\"^Q\" = \"\"\n\"^C\" = \"\"\n")
    var keys = KeyChoice(ui(.natter), file: file)
    #expect(reported(keys.problems).map { $0.hasPrefix("keys.toml: no key quits") } == [true])
    #expect(keys.table.match([.control("q")], in: .input) == .none)
    try write("[everywhere]\n\"^Q\" = \"\"\n")
    #expect(keys.readAgain() == .taken(warnings: []))
    try write("[everywhere]\n\"^Q\" = \"\"\n\"^C\" = \"\"\n\"Alt+Q\" = \"quit\"\n")
    #expect(keys.readAgain() == .taken(warnings: []))
  }

  @Test(arguments: [
    ("[everywhere]\n\"^K\" = \"palete\"\n\"^Y\" = \"quit\"\n", "keys.toml:2: \"^K\": there is no"),
    ("[everywhere]\n\"^Y\" = \"quit\"\n\"^S\" = \"quit\"\n", "keys.toml:3: ^S cannot be used"),
    ("[everywhere\n\"^Y\" = \"quit\"\n", "keys.toml:1: "),
  ])
  func `a broken file keeps all the keys there were, and is reported with its line`(
    broken: String, problem: String
  ) throws {
    try write("[everywhere]\n\"^K\" = \"palette\"\n")
    var keys = KeyChoice(ui(.natter), file: file)
    let before = keys.table
    try write(broken)
    guard case .kept(let problems)? = keys.readAgain() else {
      Issue.record("a broken file was taken")
      return
    }
    #expect(reported(problems).first?.hasPrefix(problem) == true, "\(reported(problems))")
    #expect(keys.table == before)
    #expect(keys.table.match([.control("y")], in: .everywhere) == .none)
    // Another preset meanwhile goes with the file as it last was whole.
    keys.use(ui(.emacs))
    #expect(keys.table.match([.control("k")], in: .input) == .action(.palette))
    #expect(keys.table.match([.control("f")], in: .input) == .action(.forwardCharacter))
    try write("[everywhere]\n\"^Y\" = \"quit\"\n")
    #expect(keys.readAgain() == .taken(warnings: []))
    #expect(keys.table.match([.control("y")], in: .everywhere) == .action(.quit))
    #expect(keys.table.match([.control("k")], in: .everywhere) == .none)
  }

  @Test(arguments: [
    ("everywhere", "a", "quit"), ("everywhere", "Space", "help"), ("input", "é", "help"),
    ("editing", "7 x", "lineStart"), ("input", "Z", "send"),
  ])
  func `what is typed cannot be a command where it is typed`(
    context: String, chord: String, command: String
  ) throws {
    try write("[\(context)]\n\"\(chord)\" = \"\(command)\"\n\"^Y\" = \"help\"\n")
    let keys = KeyChoice(ui(.natter), file: file)
    #expect(reported(keys.problems).count == 1)
    #expect(
      reported(keys.problems)[0].hasPrefix("keys.toml:2: \"\(chord)\" begins with a character"))
    let first = try #require(KeySequence(chord)?.keys.first)
    #expect(keys.table.match([first], in: .input) == .none)
    try write("[list]\n\"\(chord)\" = \"help\"\n[messages]\n\"\(chord)\" = \"help\"\n")
    #expect(KeyChoice(ui(.vi), file: file).problems.isEmpty)
  }

  @Test func `a file that leaves no key to send with is reported, with the line, and taken`() throws
  {
    try write("[input]\n\"^Y\" = \"help\"\n\"Enter\" = \"\"\n")
    var keys = KeyChoice(ui(.natter), file: file)
    #expect(
      reported(keys.problems).map { $0.hasPrefix("keys.toml:3: without \"Enter\", no key sends") }
        == [true])
    #expect(keys.table.match([.enter], in: .input) == .none)
    try write("[input]\n\"Enter\" = \"newLine\"\n")
    guard case .taken(let warnings)? = keys.readAgain() else {
      Issue.record("it was not taken")
      return
    }
    #expect(warnings.map(\.line) == [2])
    try write("[input]\n\"Enter\" = \"\"\n\"^Y\" = \"send\"\n")
    #expect(keys.readAgain() == .taken(warnings: []))
    #expect(KeyChoice(ui(.natter, enter: .newLine), file: file).problems.isEmpty)
  }

  @Test func `at the start a wrong line is left out, and the rest holds`() throws {
    try write("[everywhere]\n\"^K\" = \"palete\"\n\"^Y\" = \"quit\"\n")
    let keys = KeyChoice(ui(.slack), file: file)
    #expect(keys.problems.count == 1)
    #expect(keys.table.match([.control("y")], in: .everywhere) == .action(.quit))
    #expect(keys.table.match([.control("k")], in: .everywhere) == .action(.palette))
  }

  @Test func `what is no text is reported, and changes nothing`() throws {
    var keys = KeyChoice(ui(.natter), file: file)
    try Data([0xFF, 0xFE, 0x00]).write(to: file)
    guard case .kept(let problems)? = keys.readAgain() else {
      Issue.record("it was taken")
      return
    }
    #expect(reported(problems) == ["keys.toml: it cannot be read as text."])
    #expect(keys.table == .natter && KeyChoice(ui(.natter), file: file).problems == problems)
  }

  @Test func `what may not work everywhere is taken, and reported`() throws {
    var keys = KeyChoice(ui(.natter), file: file)
    try write("[everywhere]\n\"^N\" = \"\"\n")
    #expect(keys.readAgain() == .taken(warnings: []))
    try write("[input]\n\"Ctrl+Up\" = \"upperWord\"\n")
    guard case .taken(let warnings)? = keys.readAgain() else {
      Issue.record("it was not taken")
      return
    }
    #expect(warnings.map(\.line) == [2])
    #expect(reported(warnings)[0].contains("not every terminal"))
  }

  @Test(arguments: Settings.Interface.Keys.allCases)
  func `Enter begins a line with whosever keys, and the file has the last word`(
    keys preset: Settings.Interface.Keys
  ) throws {
    var keys = KeyChoice(ui(preset, enter: .newLine), file: file)
    #expect(keys.table.match([.enter], in: .input) == .action(.newLineOrRun))
    #expect(keys.table.match([Key(.enter, .alt)], in: .input) == .action(.send))
    try write("[input]\n\"Enter\" = \"send\"\n")
    #expect(keys.readAgain() == .taken(warnings: []))
    #expect(keys.table.match([.enter], in: .input) == .action(.send))
    keys.use(ui(preset))
    #expect(keys.table.match([Key(.enter, .alt)], in: .input) == .action(.newLine))
  }
}
