import Foundation
import NatterCore
import Storage
import TestSupport
import Testing
import Text
import XMPP

@testable import natter

/// `natter unread` over several accounts.
@Suite struct UnreadCommandTests {
  private static let me = JID(local: "me", domain: "example.org")
  private static let you = JID(local: "you", domain: "example.org")
  private static let (bob, eve, tea) = (
    JID(local: "bob", domain: "example.org"), JID(local: "eve", domain: "example.org"),
    JID(local: "tea", domain: "example.org")
  )

  /// An account with unread messages: the sender and the second of each.
  private func account(_ jid: JID, _ messages: [(JID, Double)]) async throws -> StoredAccount {
    let database = try await AccountDatabase.inMemory()
    _ = try await database.messages.insert(
      messages.map { sender, second in
        IncomingMessage(
          conversation: sender, sender: sender, direction: .incoming, body: "hello",
          sentAt: Date(timeIntervalSince1970: 1_795_860_000 + second), originID: "o\(second)")
      }, countsUnread: { _ in true })
    return StoredAccount(jid: jid, database: database)
  }

  private func printed(_ options: [String], muted: [JID] = []) async throws -> String {
    let accounts = [
      try await account(Self.me, [(Self.bob, 1), (Self.tea, 4)]),
      StoredAccount(jid: JID(local: "new", domain: "example.org"), database: nil),
      try await account(Self.you, [(Self.eve, 2), (Self.eve, 3), (Self.bob, 5)]),
    ]
    guard case .read(let request) = try CommandLineOptions.parse(["unread"] + options).1 else {
      Issue.record("no command that reads")
      return ""
    }
    var text = ""
    let output = ReadingOutput(Localizer(tag: "en", texts: [:])) {
      text += $0
      return true
    }
    let command = UnreadCommand(
      request: request, output: output,
      muting: { account in { account == Self.you && muted.contains($0) } })
    #expect(try await command.run(accounts) == .done)
    try output.finish()
    return text
  }

  @Test func `the newest conversation of all accounts comes first`() async throws {
    let expected = "1 bob@example.org\n1 tea@example.org\n2 eve@example.org\n1 bob@example.org\n"
    #expect(try await printed([]) == expected)
    // Muted ones are listed, too.
    #expect(try await printed([], muted: [Self.eve]) == expected)
    let lines = try await printed(["--json"], muted: [Self.eve]).split(separator: "\n")
    #expect(lines.map { $0.hasSuffix(#","muted":true}"#) } == [false, false, true, false])
  }

  @Test func `muted conversations do not count in the total`() async throws {
    #expect(try await printed(["--total"]) == "5\n")
    // Bob is muted in one of two accounts.
    #expect(try await printed(["--total"], muted: [Self.eve, Self.bob]) == "2\n")
    let json = try await printed(["--total", "--json"], muted: [Self.eve])
    #expect(json == "{\"unread\":3,\"mentions\":0}\n")
  }
}
