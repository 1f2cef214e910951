import ChatsFixtures
import Foundation
import NatterCore
import TestSupport
import Testing
import Text
import XMPP

@testable import ViewModels

@Suite struct CommandTableTests {
  @Test func `every command has a help line and says how it is written`() {
    let english = english()
    for command in CommandTable.all {
      #expect(english(command.summaryKey) != command.summaryKey, "\(command.name)")
      #expect(english(command.usageKey).hasPrefix("/\(command.name)"), "\(command.name)")
    }
  }

  @Test func `no two commands share a name`() throws {
    let names = CommandTable.all.flatMap { [$0.name] + $0.aliases }
    #expect(Set(names).count == names.count)
    // It was the beginning of this one alone, before there was /history.
    #expect(try CommandTable().command(named: "H").name == "help")
  }

  /// The names of the first commands, and of those that came later: a command that comes now must
  /// not take a beginning away from them (`CommandTable.abbreviations`).
  private static let names = [
    """
    account add affiliation away back ban block cancel chat chats clear close command config connect
    contacts copy delete destroy disconnect discover do edit files forward goto help invite join
    kick lang leave link login logout me members msg nick notify number open password pause pin quit
    react redraw reload remove reply retry role save search settings split status sync theme topic
    unban unblock undo unregister upload where whois
    """,
    "dnd location mute ping pins read say unmute unpin unread version voice window",
    "history thread",
    "export import",
    "script",
  ].map { $0.split(whereSeparator: \.isWhitespace).map(String.init) }

  @Test(arguments: 1...5)
  func `the beginning of a name means the same command as before others came`(generation: Int)
    throws
  {
    let table = CommandTable()
    let known = Self.names.prefix(generation).joined()
    #expect(Set(known).isSubset(of: table.commands.map(\.name)))
    for name in known {
      let command = try table.command(named: name)
      // A beginning that two share now asks which one is meant, if one of them ends something.
      guard !command.isFinal else { continue }
      for beginning in (1...name.count).map({ String(name.prefix($0)) })
      where known.filter({ $0.hasPrefix(beginning) }).count == 1 {
        let found = try? table.command(named: beginning)
        // An alias is the whole name of its command.
        guard found?.aliases.contains(beginning) != true else { continue }
        #expect(found?.name == name, "/\(beginning)")
      }
    }
  }

  @Test func `an abbreviation is the beginning of its command, which ends nothing`() throws {
    let table = CommandTable()
    for (beginning, name) in CommandTable.abbreviations {
      let command = try table.command(named: beginning.uppercased())
      #expect(command.name == name && name.hasPrefix(beginning) && !command.isFinal)
    }
    // Of a table without the command, such as that of line mode, it means no other one.
    let others = CommandTable(table.commands.filter { $0.name != "theme" })
    #expect(try others.command(named: "th").name == "thread")
    #expect(throws: NatterError.self) { try table.command(named: "unr") }
  }

  @Test(arguments: [
    ("", "", 0), ("a", "", 1), ("help", "hepl", 1), ("jion", "join", 1), ("abc", "xyz", 3),
    ("kitten", "sitting", 3),
  ])
  func `edits are counted`(_ a: String, _ b: String, _ edits: Int) {
    #expect(editDistance(a, b) == edits)
  }
}
