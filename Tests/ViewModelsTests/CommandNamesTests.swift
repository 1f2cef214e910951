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
    // These names are the same in French.
    let same: Set<String> = language == "fr" ? ["contacts", "script"] : []
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

  @Test(arguments: ["fr", "zh-Hans"])
  func `a later command takes no beginning from a name in the user's language`(language: String)
    throws
  {
    let table = try table(language)
    let texts = try texts(of: language)
    let before = CommandTable(
      table.commands.filter { !CommandTable.later.contains($0.name) }
    ).speaking(Localizer(tag: language, texts: texts))
    for name in before.translated.map(\.name) {
      for beginning in (1...name.count).map({ String(name.prefix($0)) }) {
        guard let meant = try? before.command(named: beginning).name else { continue }
        // A beginning that two names share now asks which one is meant.
        let now = try? table.command(named: beginning).name
        #expect(now == nil || now == meant, "/\(beginning)")
      }
    }
  }

  @Test func `the error names what a beginning means in the user's language`() throws {
    let error = #expect(throws: NatterError.self) { try self.table("fr").command(named: "exp") }
    #expect(error?.arguments["names"] == "/expulser, /exporter")
    #expect(try table("fr").command(named: "expo").name == "export")
  }
}
