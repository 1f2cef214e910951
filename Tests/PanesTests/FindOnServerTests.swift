import ChatsFixtures
import Foundation
import NatterCore
import Terminal
import TestSupport
import Testing
import ViewModels
import XMPP

@testable import Panes

/// The search on the server, in the list of matches.
@Suite struct FindOnServerTests {
  /// A server that finds one message, and stores nothing.
  private struct OneMatch: ServerSearching {
    func searchOffer() -> ServerSearchOffer { .offered }
    func searchServer(for query: SearchQuery, limit: Int) -> ServerSearchOutcome {
      let found = Message(
        id: Message.ID(0), conversation: .chloe, sender: .chloe, direction: .incoming,
        body: "the oldest needle", sentAt: .minutes(-60 * 24 * 400), originID: nil, stanzaID: "s1")
      return .found([ServerMatch(id: "s1", stamp: found.sentAt, message: found)], isComplete: true)
    }
    func fetchSurroundings(of match: ServerMatch) -> HistoryOutcome { .offline }
  }

  @Test(arguments: [40, 80, 120])
  func `Alt+H asks, then lists what only the server has, with a mark`(columns: Int) async {
    let there = FakePorts(messages: [message(1, "hay", at: 0)])
    let ports = FakePorts(
      messages: [message(1, "hay", at: 0)],
      conversations: [Conversation(jid: .bob, lastActivity: .minutes(0))])
    let harness = await ShellHarness(Size(rows: 24, columns: columns), ports: ports)
    harness.shell.open(.bob)
    await harness.settle()
    var other = SearchedAccount(
      jid: JID(local: "carol", domain: "work.example"), index: 1, searching: there, archive: there,
      name: { $0.local ?? "" }, author: { $0.sender.local ?? "" })
    other.server = OneMatch()
    harness.otherAccounts = [other]
    harness.press(.control("f"))
    harness.type("oldest")
    await harness.settle()
    harness.press(Key(.character("h"), .alt))
    await harness.settle()
    // Not in one conversation, and nothing is typed.
    #expect(!harness.picture.contains("Alt+H again"), "\(harness.picture)")
    harness.press(Key(.tab), Key(.tab))
    await harness.settle()
    harness.press(Key(.character("h"), .alt))
    await harness.settle()
    let question = columns == 40 ? "Alt+H again: the server learns it" : "Alt+H again asks it."
    #expect(harness.picture.contains(question), "\(harness.picture)")
    #expect(!harness.picture.contains("[server]"))
    harness.press(Key(.character("h"), .alt))
    await harness.settle()
    #expect(harness.rows.contains { $0.contains("[server] the") }, "\(harness.picture)")
    // The search stays while the message cannot be fetched.
    harness.press(.enter)
    await harness.settle()
    #expect(harness.picture.contains("Search all accounts"), "\(harness.picture)")
    let answer = columns == 40 ? "no answer; Alt+H" : "no answer from the server"
    #expect(harness.picture.contains(answer))
    #expect(harness.shell.input.text.isEmpty)
  }
}
