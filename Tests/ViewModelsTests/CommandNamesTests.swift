import ChatsFixtures
import NatterCore
import TestSupport
import Testing
import Text

@testable import ViewModels

/// The names of the typed commands in the user's language.
@Suite struct CommandNamesTests {
  private func table(_ language: String) throws -> CommandTable {
    CommandTable().speaking(Localizer(tag: language, texts: try texts(of: language)))
  }

  @Test(arguments: ["fr", "zh-Hans"])
  func `every command has a name of its own, and no other's`(language: String) throws {
    let table = try table(language)
    let own = table.commands.flatMap { [$0.name] + $0.aliases }
    let names = table.translated.map(\.name)
    #expect(Set(names).count == names.count && Set(names).isDisjoint(with: own))
    // This one is the same word in French.
    let same: Set<String> = language == "fr" ? ["contacts"] : []
    let named = Set(table.translated.map(\.command.name)).union(same)
    #expect(Set(table.commands.map(\.name)).subtracting(named) == [])
    for (name, command) in table.translated {
      #expect(try table.command(named: name.uppercased()).name == command.name)
    }
  }

  @Test func `the beginning of one is enough, and what is like one is asked for`() throws {
    let table = try table("fr")
    #expect(try table.command(named: "aid").name == "help")
    #expect(try table.command(named: "chats").name == "chats")
    // Names that every language has come first.
    #expect(try table.command(named: "he").name == "help")
    let error = #expect(throws: NatterError.self) { try table.command(named: "quiter") }
    #expect(error?.nearCommand == "quitter")
    #expect(try self.table("en").translated.isEmpty)
    #expect(throws: NatterError.self) { try self.table("en").command(named: "aide") }
  }
}
