import Foundation
import NatterCore
import SQLite
import Testing
import XMPP

@testable import Storage

/// Searches in all conversations of an account.
@Suite struct AccountSearchTests {
  private static let silent: @Sendable (IncomingMessage) -> Bool = { _ in false }
  private static let nurse = JID(local: "nurse", domain: "example.org")

  private static func nursed(_ body: String, at seconds: Double) -> IncomingMessage {
    Sample.message(body, at: seconds, from: nurse, in: nurse)
  }

  private func account(_ messages: [IncomingMessage]) async throws -> AccountDatabase {
    let account = try await AccountDatabase.inMemory()
    _ = try await account.messages.insert(messages, countsUnread: Self.silent)
    return account
  }

  private func index(_ account: AccountDatabase) async throws {
    try await account.database.write { try SearchIndex.takeUp(in: $0) }
  }

  private func found(_ query: String, in account: AccountDatabase, limit: Int = 50) async throws
    -> [String]
  {
    var bodies: [String] = []
    for match in try await account.search.matches(of: SearchQuery(query), limit: limit).matches {
      bodies.append(try await account.timeline.storedMessage(match.id)?.body ?? "-")
    }
    return bodies
  }

  @Test(arguments: [true, false])
  func `matches of all conversations are in the order of their times`(isIndexed: Bool) async throws
  {
    let account = try await account([
      Sample.message("a rose", at: 3), Self.nursed("roses", at: 2), Sample.message("玫瑰", at: 1),
      Self.nursed("rose 玫瑰", at: 4), Sample.message("nothing", at: 5),
    ])
    if isIndexed { try await index(account) }
    let result = try await account.search.matches(of: SearchQuery("rose"), limit: 2)
    #expect(result.count == 3 && result.missingUpTo == nil)
    #expect(result.matches.map(\.conversation) == [Self.nurse, Sample.juliet])
    #expect(result.matches.map(\.sentAt) == [Sample.date(4), Sample.date(3)])
    #expect(try await found("rose", in: account) == ["rose 玫瑰", "a rose", "roses"])
    #expect(try await found("瑰", in: account) == ["rose 玫瑰", "玫瑰"])
    #expect(try await found("rose in:nurse", in: account) == ["rose 玫瑰", "roses"])
    #expect(try await found("rose from:juliet", in: account) == ["a rose"])
    // Only the last word may be the beginning of one, and a letter is none.
    #expect(try await found("ros 玫瑰", in: account) == [])
    #expect(try await found("玫瑰 ros", in: account) == ["rose 玫瑰"])
    #expect(try await found("r", in: account) == [])
    #expect(try await found("a", in: account) == [])
    // Without a word or a filter nothing is listed.
    #expect(try await found("%", in: account) == [])
    #expect(try await found("from:nurse", in: account).count == 2)
  }

  @Test func `what was retracted, or corrects something, is not found`() async throws {
    var correction = Sample.message("a violet", at: 3, origin: "o3")
    correction.replaces = "o1"
    let account = try await account([
      Sample.message("a rose", at: 1, origin: "o1"), Sample.message("roses", at: 2, origin: "o2"),
      correction, EffectTests.effect(.retraction, "o2", at: 4, origin: "o4"),
    ])
    try await index(account)
    #expect(try await found("rose", in: account) == [])
    #expect(try await found("violet", in: account) == ["a violet"])
  }

  @Test func `matches of common terms are counted up to a limit, and the newest are found`()
    async throws
  {
    let count = SearchMatches.countLimit + 200
    let account = try await account(
      (0..<count).map { number in
        let body = number % 100 == 0 ? "rose rare" : "rose"
        return number % 2 == 0
          ? Sample.message(body, at: Double(number)) : Self.nursed(body, at: Double(number))
      })
    try await index(account)
    let common = try await account.search.matches(of: SearchQuery("rose"), limit: 5)
    #expect(common.count == SearchMatches.countLimit)
    #expect(common.matches.map(\.sentAt) == (1...5).map { Sample.date(Double(count - $0)) })
    let rare = try await account.search.matches(of: SearchQuery("rose rare"), limit: 5)
    #expect(rare.count == 13 && rare.matches.count == 5)
    #expect(rare.matches.first?.sentAt == Sample.date(1200))
    // The same in one conversation, in its order.
    let ids = try await account.search.messages(
      having: SearchQuery("rose"), in: Sample.juliet, limit: 3)
    var times: [Date] = []
    for id in ids { times += [try await account.timeline.storedMessage(id)?.sentAt ?? .now] }
    #expect(times == [1200, 1198, 1196].map { Sample.date($0) })
    let filtered = try await account.search.matches(of: SearchQuery("rose in:nurse"), limit: 5)
    #expect(filtered.count == count / 2)
  }

  @Test(arguments: ["rose", "rose from:juliet", "from:juliet"])
  func `more matches than are counted are found where they are wanted`(query: String) async throws {
    let count = SearchMatches.countLimit + 100
    let account = try await account(
      (0..<count).map { Sample.message("rose", at: Double($0)) })
    try await index(account)
    let found = try await account.search.matches(of: SearchQuery(query), limit: 5000)
    #expect(found.matches.count == count && found.count == SearchMatches.countLimit)
  }

  @Test(
    arguments: ["rose", "rose from:juliet", "from:juliet", "rose -violet", "玫瑰"], [true, false])
  func `pages together are all matches, once and in order`(query: String, isIndexed: Bool)
    async throws
  {
    // Several messages have the same time.
    let account = try await account(
      (0..<60).map { number in
        let body = number % 4 == 0 ? "rose violet" : "a rose 玫瑰"
        let time = Double(number / 3)
        return number % 5 == 0
          ? Self.nursed(body, at: time)
          : Sample.message(body, at: time, origin: "o\(number)")
      })
    if isIndexed { try await index(account) }
    let search = SearchQuery(query)
    for conversation in [nil, Sample.juliet] {
      let all =
        if let conversation {
          try await account.search.messages(having: search, in: conversation, limit: 1000)
        } else {
          try await account.search.matches(of: search, limit: 1000).matches.map(\.id)
        }
      var pages = account.search.pages(of: search, in: conversation, size: 7)
      var found: [Message.ID] = []
      while let page = try await pages.next() {
        #expect(page.count <= 7)
        found += page.map(\.id)
      }
      #expect(found == all && all.count >= 36 && pages.missingUpTo == nil)
    }
    var others = account.search.pages(of: search, in: Sample.room)
    #expect(try await others.next() == nil)
  }

  @Test func `pages of a common word are read on from the last match`() async throws {
    let count = SearchMatches.countLimit + 100
    let account = try await account((0..<count).map { Sample.message("rose", at: Double($0)) })
    try await index(account)
    var pages = account.search.pages(of: SearchQuery("rose"), in: nil, size: 500)
    var found: [Date] = []
    while let page = try await pages.next() { found += page.map(\.sentAt) }
    #expect(found == (0..<count).reversed().map { Sample.date(Double($0)) })
  }

  @Test func `unread messages are those after the last one that was read`() async throws {
    let account = try await AccountDatabase.inMemory()
    _ = try await account.messages.insert(
      [Sample.message("old rose", at: 1)], countsUnread: Self.silent)
    _ = try await account.messages.insert(
      [Sample.message("new rose", at: 2)], countsUnread: { _ in true })
    #expect(try await found("rose is:unread", in: account) == ["new rose"])
    #expect(try await found("is:unread", in: account) == ["new rose"])
  }

  /// The statements do the work that their indexes are there for.
  @Test func `no search reads all rows`() async throws {
    let account = try await AccountDatabase.inMemory()
    let plans = try await account.database.read { db in
      try [
        "FROM message INDEXED BY message_time WHERE corrects IS NULL AND retraction IS NULL",
        "FROM message INDEXED BY message_link WHERE corrects IS NULL AND retraction IS NULL "
          + "AND instr(message.body, '://') > 0",
      ].flatMap { sql in
        try db.rows(
          "EXPLAIN QUERY PLAN SELECT message.id \(sql) ORDER BY sent_at DESC, message.id DESC"
        ) { $0.string(3) }
      }
    }
    #expect(plans.count == 2 && plans.allSatisfy { !$0.contains("TEMP B-TREE") }, "\(plans)")
  }

  @Test func `nothing that is typed is an error`() async throws {
    #expect(try await AnySearch.failures(of: 6_000, seed: 1) == [])
    let account = try await account([Sample.message("a rose", at: 1)])
    let long = SearchQuery(String(repeating: "的\"", count: 5_000))
    #expect(try await account.search.matches(of: long, limit: 3).matches.isEmpty)
  }

  @Test(arguments: [true, false])
  func `the best matches come first where these are asked for`(isIndexed: Bool) async throws {
    let account = try await account([
      Sample.message("rose rose rose", at: 1), Sample.message("nothing", at: 2),
      Sample.message("one rose among many other terms of a sentence that is long", at: 3),
      Self.nursed("a rose here", at: 4),
    ])
    if isIndexed { try await index(account) }
    let result = try await account.search.bestMatches(of: SearchQuery("rose"), limit: 3)
    var bodies: [String] = []
    for match in result.matches {
      bodies.append(try await account.timeline.storedMessage(match.id)?.body ?? "-")
    }
    let newest = ["a rose here", "one rose among many other terms of a sentence that is long"]
    // Without an index there is no rank.
    #expect(
      bodies == (isIndexed ? ["rose rose rose"] + newest : newest + ["rose rose rose"]))
    #expect(result.count == 3)
    #expect(
      try await account.search.bestMatches(of: SearchQuery("from:nurse"), limit: 3).matches.count
        == 1)
  }
}
