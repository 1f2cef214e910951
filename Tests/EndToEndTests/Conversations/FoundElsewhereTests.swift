import Foundation
import NatterCore
import Storage
import TestSupport
import Testing
import XMPP

extension Conversations {
  /// The search over all accounts of a program.
  @Suite struct FoundElsewhereTests {
    private let home: Home
    init() throws { home = try Home() }

    /// Stores messages that follow each other, as a page of an archive with more on both sides.
    private func store(
      _ bodies: [String], from peer: JID, daysAgo: Double, of account: JID, in file: String
    ) async throws {
      let start = Date(timeIntervalSinceNow: -86_400 * daysAgo)
      let messages = bodies.enumerated().map { index, body in
        IncomingMessage(
          conversation: peer, sender: peer, direction: .incoming, body: body,
          sentAt: start.addingTimeInterval(Double(index)), originID: "o\(daysAgo)-\(index)")
      }
      let database = try await AccountDatabase.open(at: file)
      let end = start.addingTimeInterval(Double(bodies.count - 1))
      _ = try await database.archiveRanges.insert(
        messages,
        making: ArchiveRange(
          archive: account, start: ArchivePosition(id: "first\(daysAgo)", at: start),
          end: ArchivePosition(id: "last\(daysAgo)", at: end), reachesBeginning: false),
        absorbing: [], beginningWithFirst: false, adjoining: .unknown
      ) { _ in false }
      await database.close()
    }

    /// Indicates whether the match is between two lines for what is missing.
    private static func isInPlace(_ screen: VirtualTerminal) -> Bool {
      let texts = ["two years ago", "missing", "a rhubarb cake", "missing", "of yesterday"]
      var rest = screen.lines[...]
      return texts.allSatisfy { text in
        guard let row = rest.firstIndex(where: { $0.contains(text) }) else { return false }
        rest = rest[(row + 1)...]
        return true
      }
    }

    @Test
    func
      `a word said a year ago is found and shown in its place, with what is missing above and below`()
      async throws
    {
      let server = try await ServerKind.builtIn.start(users: [:])
      let alice = try await TestAccount("alice", on: server)
      let bob = try await TestAccount("bob", on: server)
      try await home.login(bob)
      try await home.login(alice)
      // Where nothing answers, all that is shown is what is stored.
      await server.stop()
      let account = try #require(JID(userInput: alice.jid))
      let carol = try #require(JID(userInput: "carol@localhost"))
      let file = home.data.appending(path: "accounts/\(AccountDatabase.fileName(of: account))").path
      for (bodies, days) in [
        (["two years ago"], 730.0), (["before it", "a rhubarb cake", "after it"], 365),
        (["of yesterday"], 1),
      ] {
        try await store(bodies, from: carol, daysAgo: days, of: account, in: file)
      }

      let natter = try NatterRun([], home: home, rows: 30, columns: 110)
      try await natter.shows("Try now")
      natter.terminal.press(.escape)
      try await natter.hides("Try now")
      // A search begins in a conversation.
      try await natter.enter("/chat dora@localhost")
      try await natter.expects("the conversation") { $0.text(row: 1).contains("dora") }
      natter.terminal.press(.control("f"))
      try await natter.shows("Search this conversation", "Tab this account")
      natter.terminal.type("rhubarb")
      try await natter.shows("not found")
      natter.terminal.press(.tab)
      try await natter.shows("Search this account", "not found")
      natter.terminal.press(.tab)
      try await natter.shows("Search all accounts", "a rhubarb cake", "1/1")
      #expect(natter.screen.text(row: 0).contains(bob.jid))
      natter.terminal.press(.enter)
      try await natter.expects("the other account") { $0.text(row: 0).contains(alice.jid) }
      // Its own alert may come before, as it has not been online.
      for _ in 0..<3 {
        let isThere = await natter.terminal.waits(upTo: .seconds(60)) {
          Self.isInPlace($0) || $0.contains("Try now")
        }
        guard isThere, natter.screen.contains("Try now") else { break }
        natter.terminal.press(.escape)
        try await natter.hides("Try now")
      }
      try await natter.expects("the match between what is missing") { Self.isInPlace($0) }
      #expect(await natter.quit() == .exited(0))
    }
  }
}
