import Foundation
import NatterCore
import SQLite
import Testing
import XMPP

@testable import Storage

/// The search in a conversation.
@Suite struct MessageSearchTests {
  private static let silent: @Sendable (IncomingMessage) -> Bool = { _ in false }

  /// Indicates whether the index contains exactly the text of the messages.
  private func isSound(_ account: AccountDatabase) async -> Bool {
    do {
      try await account.database.write { db in
        try SearchIndex.takeUp(in: db)
        try db.run("INSERT INTO message_text (message_text, rank) VALUES ('integrity-check', 1)")
      }
      return true
    } catch { return false }
  }

  @Test func `messages are taken up many at once, and those that wait are found as well`()
    async throws
  {
    let account = try await AccountDatabase.inMemory()
    let waiting: @Sendable () async throws -> Int64 = {
      try await account.database.read { try SearchIndex.waiting(in: $0) }
    }
    let many = Int(SearchIndex.limit)
    _ = try await account.messages.insert(
      (1..<many).map { Sample.message("word\($0)", at: Double($0)) }, countsUnread: Self.silent)
    #expect(try await waiting() == SearchIndex.limit - 1)
    _ = try await account.messages.insert(
      [Sample.message("word", at: Double(many))], countsUnread: Self.silent)
    #expect(try await waiting() == 0)
    _ = try await account.messages.insert(
      [Sample.message("late", at: Double(many) + 1)], countsUnread: Self.silent)
    // Searching changes nothing: what waits is found all the same.
    #expect(try await waiting() == 1)
    #expect(try await found("late", in: account) == ["late"])
    #expect(try await waiting() == 1)
    #expect(await isSound(account))
    #expect(try await waiting() == 0)
    #expect(try await found("late", in: account) == ["late"])
  }

  @Test func `each message is in the index once, whatever became of it in the same batch`()
    async throws
  {
    let account = try await filled()
    #expect(await isSound(account))
    // Corrected, reacted to and taken back in the batch that brings it; and one that was there
    // before.
    var correction = Sample.message("brulee mended", at: 21, origin: "o21")
    correction.replaces = "o20"
    _ = try await account.messages.insert(
      [
        Sample.message("brulee wrong", at: 20, origin: "o20"), correction,
        Sample.message("brulee gone", at: 22, origin: "o22"),
        EffectTests.effect(.retraction, "o22", at: 23, origin: "o23"),
        EffectTests.effect(.reaction, "o20", "👍", at: 24, origin: "o24"),
      ], countsUnread: Self.silent)
    #expect(await isSound(account))
    #expect(try await found("brulee", in: account).first == "brulee mended")
    #expect(try await found("wrong", in: account).isEmpty)
    #expect(try await found("gone", in: account).isEmpty)
    // A local message, corrected, and taken out of the outbox.
    let typed = try await account.outbox.enqueue(
      body: "brulee typed", to: Sample.juliet, from: Sample.romeo, originID: "t1",
      at: Sample.date(30)
    ).message
    #expect(try await found("typed", in: account) == ["brulee typed"])
    _ = try await account.outbox.relations.enqueueCorrection(
      of: typed.id, body: "brulee retyped", from: Sample.romeo, originID: "t2", at: Sample.date(31))
    #expect(try await found("typed", in: account).isEmpty)
    #expect(try await found("retyped", in: account) == ["brulee retyped"])
    #expect(await isSound(account))
    _ = try await account.outbox.remove(typed.id)
    #expect(await isSound(account))
    _ = try await account.messages.insert(
      [Sample.message("brulee last", at: 40)], countsUnread: Self.silent)
    #expect(try await found("last", in: account) == ["brulee last"])
    #expect(await isSound(account))
  }

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
    for id in try await account.search.messages(
      having: SearchQuery(query), in: Sample.juliet, limit: limit)
    { bodies.append(try await account.timeline.storedMessage(id)?.body ?? "-") }
    return bodies
  }

  @Test func `whole terms and their beginnings, without accents, the newest first`() async throws {
    let account = try await filled()
    #expect(try await found("brulee", in: account) == ["brulee again", "Crème brûlée tonight"])
    #expect(try await found("BRÛ cre", in: account) == ["Crème brûlée tonight"])
    #expect(try await found("brulee", in: account, limit: 1) == ["brulee again"])
    #expect(try await found("rulee", in: account) == [])
  }

  @Test(arguments: [true, false])
  func `phrases, and what must not be there`(isIndexed: Bool) async throws {
    let account = try await filled()
    if isIndexed { #expect(await isSound(account)) }
    #expect(try await found("\"brulee tonight\"", in: account) == ["Crème brûlée tonight"])
    #expect(try await found("\"tonight brulee\"", in: account) == [])
    // The last word of a phrase is complete.
    #expect(try await found("\"brulee tonig\"", in: account) == [])
    #expect(try await found("brulee -again", in: account) == ["Crème brûlée tonight"])
    #expect(try await found("brulee -\"brûlée tonight\"", in: account) == ["brulee again"])
    #expect(try await found("% -quoted", in: account) == [])
    #expect(try await found("-nothing", in: account).count == 4)
  }

  @Test func `filters narrow the search, and list the newest by themselves`() async throws {
    let account = try await filled()
    var own = Sample.message("brulee from me", at: 10, from: Sample.romeo, direction: .outgoing)
    own.file = SharedFile(address: "https://example.org/a.png", name: "Balcony scene.png")
    _ = try await account.messages.insert(
      [
        own, Sample.message("see https://example.org", at: 11),
        Sample.message("geo:1.5,-2\nHarbour", at: 12), Sample.message("geo: a prefix", at: 13),
      ], countsUnread: Self.silent)
    #expect(try await found("has:location", in: account) == ["geo:1.5,-2\nHarbour"])
    #expect(try await found("harbour", in: account) == ["geo:1.5,-2\nHarbour"])
    #expect(try await found("brulee from:me", in: account) == ["brulee from me"])
    #expect(
      try await found("brulee from:juliet", in: account) == [
        "brulee again", "Crème brûlée tonight",
      ])
    #expect(try await found("has:link", in: account) == ["see https://example.org"])
    #expect(try await found("has:file", in: account) == ["brulee from me"])
    #expect(try await found("has:image", in: account) == ["brulee from me"])
    #expect(try await found("has:reaction", in: account) == [])
    #expect(try await found("balcony", in: account) == ["brulee from me"])
    #expect(try await found("from:nobody", in: account) == [])
    #expect(try await found("in:juliet from:me", in: account) == ["brulee from me"])
    #expect(try await found("in:nurse from:me", in: account) == [])
  }

  @Test func `a correction takes a text and the name of a file out of the index`() async throws {
    let account = try await AccountDatabase.inMemory()
    var offer = Sample.message("look at this", at: 1, origin: "f1")
    offer.file = SharedFile(address: "https://example.org/a.png", name: "Balcony scene.png")
    _ = try await account.messages.insert([offer], countsUnread: Self.silent)
    #expect(await isSound(account))
    #expect(try await found("balcony", in: account) == ["look at this"])
    var correction = Sample.message("never mind", at: 2, origin: "f2")
    correction.replaces = "f1"
    _ = try await account.messages.insert([correction], countsUnread: Self.silent)
    #expect(await isSound(account))
    #expect(try await found("balcony", in: account) == [])
    #expect(try await found("look", in: account) == [])
    #expect(try await found("mind", in: account) == ["never mind"])
  }

  @Test(arguments: [true, false])
  func `a part of a line without blanks, and punctuation`(isIndexed: Bool) async throws {
    let account = try await filled()
    if isIndexed { #expect(await isSound(account)) }
    for word in ["今", "上吃", "吃什么", "今天晚上吃什么"] {
      #expect(try await found(word, in: account) == ["今天晚上吃什么"], "\(word)")
    }
    for word in ["天今", "吃上", "吃饭"] { #expect(try await found(word, in: account) == []) }
    #expect(try await found("晚上", in: account) == ["今天晚上吃什么"])
    #expect(try await found("100% sure_", in: account).count == 1)
    #expect(try await found("%", in: account).count == 1)
    #expect(try await found("_", in: account).count == 1)
  }

  @Test(arguments: [
    "\"", "OR", "NOT x", "*", "body:x", "(", "a\"b", "\\", "  ", "", "NEAR(a b)", "-",
    "a\"\u{301}b", "a\u{D4E}\"", "^a", "{a b}: c", "- body : x", "a + b", "a AND", "\"*", "-\"",
    "from:", "a\u{0}b", "is:unread", "-a -b", "in:% from:_",
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
    let query = SearchQuery("x")
    #expect(try await account.search.messages(having: query, in: Sample.room, limit: 9) == [])
  }
}
