import Foundation
import NatterCore
import SQLite
import Testing
import XMPP

@testable import Storage

/// Messages that many people react to: some are named, all are counted.
@Suite struct ReactionTotalTests {
  private static let count = ReactionRecord.limit + 10

  private static func occupant(_ number: Int) -> JID {
    JID(local: "balcony", domain: "rooms.example.org", resource: "o\(number)")
  }

  private static func react(
    _ number: Int, _ emoji: String, at seconds: Double, in account: AccountDatabase
  ) async throws {
    try await EffectTests.insert(
      EffectTests.effect(
        .reaction, "s1", emoji, at: seconds, from: occupant(number), in: Sample.room,
        origin: "r\(number) \(seconds)"), into: account)
  }

  /// A room where so many have said what they feel about one message: every third with a heart.
  private static func room() async throws -> AccountDatabase {
    let account = try await AccountDatabase.inMemory()
    _ = try await account.conversations.open(Sample.room, kind: .room)
    try await EffectTests.insert(
      Sample.message("x", from: EffectTests.nurse, in: Sample.room, origin: "o1", stanza: "s1"),
      into: account)
    for number in 0..<count {
      try await react(number, number % 3 == 0 ? "❤" : "👍", at: Double(number), in: account)
    }
    return account
  }

  private static func message(_ account: AccountDatabase) async throws -> Message? {
    try await account.timeline.latest(1, in: Sample.room).first
  }

  private static func totals(_ account: AccountDatabase) async throws -> [String: Int] {
    let totals = try await message(account)?.reactionTotals ?? []
    return Dictionary(uniqueKeysWithValues: totals.map { ($0.emoji, $0.people) })
  }

  @Test func `the first are named, the user too, and all are counted`() async throws {
    let account = try await Self.room()
    var message = try #require(try await Self.message(account))
    #expect(message.reactions.map(\.sender) == (0..<ReactionRecord.limit).map(Self.occupant))
    #expect(try await Self.totals(account) == ["❤": 20, "👍": 40])
    try await EffectTests.insert(
      EffectTests.effect(
        .reaction, "s1", "🎉", at: 100, from: Sample.romeo, in: Sample.room, origin: "own",
        direction: .outgoing), into: account)
    message = try #require(try await Self.message(account))
    #expect(message.reactions.count == ReactionRecord.limit + 1)
    #expect(message.reactions.last?.isOwn == true)
    #expect(try await Self.totals(account) == ["❤": 20, "👍": 40, "🎉": 1])
  }

  @Test func `a change counts where it was counted before, also of those who are not named`()
    async throws
  {
    let account = try await Self.room()
    try await Self.react(Self.count - 1, "❤\u{FE0F} 🎉", at: 100, in: account)
    #expect(try await Self.totals(account) == ["❤": 21, "👍": 39, "🎉": 1])
    try await Self.react(Self.count - 1, "", at: 101, in: account)
    #expect(try await Self.totals(account) == ["❤": 20, "👍": 39])
    // What was said before the last is not news.
    try await Self.react(Self.count - 1, "👎", at: 99, in: account)
    #expect(try await Self.totals(account) == ["❤": 20, "👍": 39])
  }

  @Test func `with few people left all of them are named again`() async throws {
    let account = try await Self.room()
    for number in 0..<20 { try await Self.react(number, "", at: 200, in: account) }
    let message = try #require(try await Self.message(account))
    #expect(message.reactions.count == Self.count - 20 && message.reactionTotals.isEmpty)
    #expect(message.reactions.first?.sender == Self.occupant(20))
  }

  @Test func `reactions of an earlier version are taken up with the next one`() async throws {
    let account = try await Self.room()
    try await account.database.write { db in
      try db.run("DELETE FROM reaction")
      try db.run("DELETE FROM reaction_total")
    }
    try await Self.react(3, "🎉", at: 300, in: account)
    #expect(try await Self.totals(account) == ["❤": 19, "👍": 40, "🎉": 1])
  }

  @Test func `with a message its reactions go`() async throws {
    let account = try await Self.room()
    try await EffectTests.insert(
      EffectTests.effect(
        .moderation, "s1", at: 300, from: Sample.room, in: Sample.room, origin: "gone"),
      into: account)
    let left = try await account.database.read { db in
      try db.firstRow(
        "SELECT (SELECT COUNT(*) FROM reaction) + (SELECT COUNT(*) FROM reaction_total)"
      ) {
        $0.int(0)
      }
    }
    #expect(left == 0)
    #expect(try await Self.message(account)?.reactions == [])
  }
}
