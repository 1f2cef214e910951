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

  @Test(arguments: [
    ("", "", 0), ("a", "", 1), ("help", "hepl", 1), ("jion", "join", 1), ("abc", "xyz", 3),
    ("kitten", "sitting", 3),
  ])
  func `edits are counted`(_ a: String, _ b: String, _ edits: Int) {
    #expect(editDistance(a, b) == edits)
  }
}
