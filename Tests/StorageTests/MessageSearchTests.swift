import Foundation
import NatterCore
import SQLite
import Testing
import XMPP

@testable import Storage

/// Looking for words in a conversation.
@Suite struct MessageSearchTests {
  private static let silent: @Sendable (IncomingMessage) -> Bool = { _ in false }

  private func filled() async throws -> AccountDatabase {
    let account = try await AccountDatabase.inMemory()
    _ = try await account.messages.insert(
      [
        Sample.message("Crème brûlée tonight", at: 0), Sample.message("brulee again", at: 5),
        Sample.message("nothing", at: 6), Sample.message("今天晚上吃什么", at: 7),
        Sample.message("100% sure_thing \"quoted\" OR not", at: 8),
        Sample.message(
          "brulee elsewhere", at: 9, from: JID(local: "nurse", domain: "example.org"),
          in: JID(local: "nurse", domain: "example.org")),
      ], countsUnread: Self.silent)
    return account
  }

  private func found(_ query: String, in account: AccountDatabase, limit: Int = 99) async throws
    -> [String]
  {
    var bodies: [String] = []
    for id in try await account.messages.messages(
      having: query, in: Sample.juliet, limit: limit)
    { bodies.append(try await account.messages.storedMessage(id)?.body ?? "-") }
    return bodies
  }

  @Test func `whole words and their beginnings, without accents, the newest first`() async throws {
    let account = try await filled()
    #expect(try await found("brulee", in: account) == ["brulee again", "Crème brûlée tonight"])
    #expect(try await found("BRÛ cre", in: account) == ["Crème brûlée tonight"])
    #expect(try await found("brulee", in: account, limit: 1) == ["brulee again"])
    #expect(try await found("rulee", in: account) == [])
  }

  @Test func `a part of a line without blanks, and signs`() async throws {
    let account = try await filled()
    #expect(try await found("晚上", in: account) == ["今天晚上吃什么"])
    #expect(try await found("100% sure_", in: account).count == 1)
    #expect(try await found("%", in: account).count == 1)
    #expect(try await found("_", in: account).count == 1)
  }

  @Test(arguments: [
    "\"", "OR", "NOT x", "*", "body:x", "(", "a\"b", "\\", "  ", "", "NEAR(a b)", "-",
  ])
  func `what is typed is never an instruction`(query: String) async throws {
    let account = try await filled()
    _ = try await found(query, in: account)
  }

  @Test func `what was corrected is found by what it says now`() async throws {
    let account = try await filled()
    var first = Sample.message("teh answer", at: 20, origin: "o1")
    _ = try await account.messages.insert([first], countsUnread: Self.silent)
    first = Sample.message("the reply", at: 21, origin: "o2")
    first.replaces = "o1"
    _ = try await account.messages.insert([first], countsUnread: Self.silent)
    #expect(try await found("answer", in: account) == [])
    #expect(try await found("reply", in: account) == ["the reply"])
  }

  @Test func `a conversation that is not there has nothing`() async throws {
    let account = try await filled()
    #expect(try await account.messages.messages(having: "x", in: Sample.room, limit: 9) == [])
  }
}
