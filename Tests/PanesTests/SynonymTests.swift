import Foundation
import Keys
import Terminal
import TestSupport
import Testing
import Text
import ViewModels

@testable import Panes

/// The palette and the search of the help find actions and commands by names of other programs.
@Suite struct SynonymTests {
  /// The texts of a language as the program has them: English ones for what it lacks.
  private func program(in language: String) throws -> Localizer {
    let english = try englishTexts()
    guard language != "en" else { return Localizer(tag: language, texts: english) }
    return Localizer(tag: language, texts: try texts(of: language), fallback: english)
  }

  @Test(arguments: SynonymPairs.all)
  func `the palette finds it among the first five`(pair: SynonymPair) async throws {
    let harness = await ShellHarness(Size(rows: 24, columns: 80), language: pair.language)
    let desktop = try #require(harness.coordinator.desktop)
    let palette = desktop.makePalette(bindings: .natter) { _ in }
    palette.edit(pair.synonym, cursor: pair.synonym.count)
    let first = palette.items.prefix(5).map(\.id)
    #expect(first.contains(pair.id), "\(first)")
  }

  @Test(arguments: SynonymPairs.all)
  func `the help finds it among the first twelve`(pair: SynonymPair) throws {
    let localizer = try program(in: pair.language)
    let commands = CommandTable().speaking(localizer).helpEntries(localizer)
    let pages = HelpPages.pages(
      bindings: .natter, tabs: builtInTabs, context: .input, commands: commands,
      localizer: localizer, other: [HelpPages.editing(.natter, localizer: localizer)])
    let help = HelpViewModel(pages: pages, localizer: localizer)
    help.beginSearch()
    help.edit(pair.synonym, cursor: pair.synonym.count)
    let first = help.sections.flatMap(\.entries).prefix(12)
    let parts = pair.id.split(separator: " ").map(String.init)
    try #require(parts.count == 2)
    let isFound = first.contains { entry in
      parts[0] == "command"
        ? entry.term == localizer("command.\(parts[1]).usage")
        : entry.text == localizer("key.\(parts[1])")
    }
    #expect(isFound, "\(first.map(\.term))")
  }

  @Test func `there are at least eighty English ones`() {
    let english = SynonymPairs.all.filter { $0.language == "en" }
    #expect(Set(english.map(\.synonym)).count >= 80)
  }

  @Test(arguments: ["en", "fr", "zh-Hans"])
  func `each belongs to an action or a command, which is not found without it`(
    language: String
  ) throws {
    let localizer = try program(in: language)
    let table = CommandTable().speaking(localizer)
    let names = table.otherNames
    let prefix = "synonyms."
    for (key, text) in try texts(of: language) where key.hasPrefix(prefix) {
      let owner = String(key.dropFirst(prefix.count))
      var own: String
      if let action = KeyAction.allCases.first(where: { $0.descriptionKey == owner }) {
        own = localizer(action.descriptionKey)
      } else if let command = table.commands.first(where: { "command.\($0.name)" == owner }) {
        own = "\(localizer(command.usageKey)) \(localizer(command.summaryKey)) "
        own += (names[command.name] ?? []).joined(separator: " ")
      } else {
        Issue.record("\(key): there is no such action or command")
        continue
      }
      let synonyms = text.components(separatedBy: ", ")
      #expect(Set(synonyms).count == synonyms.count, "\(key): \(text)")
      let index = FuzzyIndex([own])
      for synonym in synonyms {
        #expect(index.containing(synonym).isEmpty, "\(key): \(synonym) is part of: \(own)")
      }
    }
  }
}
