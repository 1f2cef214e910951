import Foundation
import Panes
import TOML
import Terminal
import TestSupport
import Testing

@testable import natter

/// Themes that inherit from one another, and how the one that is on is chosen.
@Suite struct ThemeLibraryTests {
  private let own: TemporaryFolder
  private let shipped: TemporaryFolder
  private let library: ThemeLibrary

  init() throws {
    own = try TemporaryFolder("own")
    shipped = try TemporaryFolder("shipped")
    library = ThemeLibrary(directories: [own.url("."), shipped.url(".")])
    try write(
      "night", "name = \"Night\"\n[roles]\ntext = \"#010101\"\nlink = \"#020202\"\n", shipped)
    try write("day", "name = \"Day\"\nkind = \"light\"\n[roles]\ntext = \"#0a0a0a\"\n", shipped)
  }

  private func write(_ name: String, _ text: String, _ folder: TemporaryFolder? = nil) throws {
    try Data(text.utf8).write(to: (folder ?? own).url(name + ".toml"))
  }

  private func reported(_ problems: [FileProblem]) -> [String] {
    problems.map { $0.text { localeText($0, $1) } }
  }

  @Test func `a file may begin with the mark of UTF-8, and one that is not UTF-8 is none`() throws {
    let night = "name = \"Mine\"\n"
    try write("night", "\u{FEFF}" + night)
    #expect(library.text(of: "night") == night)
    try Data([0x23, 0xFF, 0x0A]).write(to: own.url("night.toml"))
    #expect(library.text(of: "night")?.contains("Night") == true)
  }

  @Test func `one's own theme of a shipped name can inherit that one`() throws {
    try write("night", "name = \"Mine\"\ninherits = \"night\"\n[roles]\ntext = \"#030303\"\n")
    let found = try #require(library.theme("night"))
    #expect(found.problems == [])
    #expect(found.theme.name == "Mine")
    #expect(found.theme.look(of: .plain, at: .truecolor).foreground == .rgb(3, 3, 3))
    #expect(found.theme.look(of: .link, at: .truecolor).foreground == .rgb(2, 2, 2))
  }

  @Test func `a change in what a theme inherits from is seen, and a mistake there is reported`()
    throws
  {
    try write("base", "name = \"Base\"\ninherits = \"night\"\n[roles]\ntext = \"#0b0b0b\"\n")
    try write("mine", "name = \"Mine\"\ninherits = \"base\"\n")
    var choice = ThemeChoice(library: library, wanted: "mine", night: "night", day: "day")
    func hasChanged() -> Bool { choice.hasChanged }
    for _ in 0..<2 { #expect(!hasChanged()) }
    func ages(_ name: String) throws {
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSince1970: 5)],
        ofItemAtPath: own.path(name + ".toml"))
    }
    try ages("base")
    #expect(hasChanged())
    #expect(choice.choose("mine") == .taken)
    #expect(!hasChanged())
    try write("base", "name = \"Base\"\ninherits = \"night\"\n[roles]\ntext = \"#0000fg\"\n")
    #expect(hasChanged())
    guard case .broken(let problem) = choice.choose("mine") else {
      Issue.record("a colour that is none was taken")
      return
    }
    #expect(problem.file == "themes/base.toml")
  }

  @Test func `a parent that is not there, or is wrong, is reported with file and line`() throws {
    try write("a", "name = \"A\"\ninherits = \"nigth\"\n")
    #expect(
      reported(try #require(library.theme("a")).problems) == [
        "themes/a.toml:2: it inherits from \"nigth\", and there is no such theme. Available: day, night."
      ])
    try write("b", "name = \"B\"\ninherits = \"c\"\n")
    try write("c", "name = \"C\"\n[roles]\nodd = \"#000000\"\n")
    let wrong = reported(try #require(library.theme("b")).problems)
    #expect(wrong.count == 1 && wrong[0].hasPrefix("themes/c.toml:3: "))
    try write("d", "name = \"D\"\ninherits = \"e\"\n")
    try write("e", "name = \"E\"\ninherits = \"d\"\n")
    #expect(
      reported(try #require(library.theme("d")).problems) == [
        "themes/e.toml:2: it inherits from \"d\", which inherits from this one."
      ])
    try write("f", "name = \"F\"\ninherits = \"f\"\n")
    #expect(
      reported(try #require(library.theme("f")).problems) == [
        "themes/f.toml:2: it inherits from itself."
      ])
  }

  @Test func `a broken theme that the settings name is reported, and the one before stays`() throws
  {
    var choice = ThemeChoice(library: library, wanted: "night", night: "night", day: "day")
    #expect(choice.problems == [])
    try write("mine", "name = \"Mine\"\n[roles]\ntext = \"#12345\"\n")
    let (outcome, name) = choice.follow(wanted: "mine", night: "night", day: "day", kind: nil)
    guard case .broken(let problem) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(name == "mine" && reported([problem])[0].hasPrefix("themes/mine.toml:3: "))
    #expect(choice.current == "night" && choice.theme.name == "Night")
    #expect(
      choice.follow(wanted: "gone", night: "night", day: "day", kind: nil).outcome == .unknown)
    #expect(
      choice.follow(wanted: "auto", night: "night", day: "day", kind: .light) == (.taken, "day"))
    // At the start there is none that could stay: what can be read of it is used.
    var first = ThemeChoice(library: library, wanted: "mine", night: "night", day: "day")
    #expect(first.isFound && first.theme.name == "Mine")
    #expect(reported(first.problems)[0].hasPrefix("themes/mine.toml:3: "))
    #expect(first.choose("mine") == .broken(problem))
    var other = first
    #expect(other.choose("day") == .taken)
    // That it is right by now is reported once.
    try write("mine", "name = \"Mine\"\n[roles]\ntext = \"#123456\"\n")
    #expect(first.choose("mine") == .repaired)
    #expect(first.choose("mine") == .taken)
  }
}
