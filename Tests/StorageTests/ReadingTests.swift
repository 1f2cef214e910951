import Foundation
import NatterCore
import SQLite
import Testing
import XMPP

@testable import Storage

/// The database of an account that is only read, beside an instance that writes it.
@Suite struct ReadingTests {
  private static let silent: @Sendable (IncomingMessage) -> Bool = { _ in false }

  private func insert(_ messages: [IncomingMessage], into account: AccountDatabase) async throws {
    _ = try await account.messages.insert(messages, countsUnread: Self.silent)
  }

  private func texts(_ query: String, in conversation: JID?, of account: AccountDatabase)
    async throws -> [String]
  {
    var texts: [String] = []
    let search = SearchQuery(query)
    let found =
      if let conversation {
        try await account.search.messages(having: search, in: conversation, limit: 10)
      } else {
        try await account.search.matches(of: search, limit: 10).matches.map(\.id)
      }
    for id in found {
      texts.append(try #require(try await account.timeline.storedMessage(id)).body)
    }
    return texts
  }

  @Test func `the first message since a time is the one stored first`() async throws {
    let account = try await AccountDatabase.inMemory()
    // The second one was sent later, and the third one between them.
    for (text, time) in [("a", 10.0), ("b", 30), ("c", 20)] {
      try await insert([Sample.message(text, at: time)], into: account)
    }
    let messages = try await account.timeline.latest(10, in: Sample.juliet)
    let ids = Dictionary(uniqueKeysWithValues: messages.map { ($0.body, $0.id) })
    let times = Dictionary(uniqueKeysWithValues: messages.map { ($0.body, $0.sentAt) })
    for (since, first) in [("a", "a"), ("c", "b"), ("b", "b")] {
      let date = try #require(times[since])
      #expect(try await account.details.firstID(since: date) == ids[first], "\(since)")
    }
    let end = try #require(times["b"]).addingTimeInterval(1)
    #expect(try await account.details.firstID(since: end) == nil)
  }

  @Test func `a reader beside a writer has the newest messages, and takes no lock`() async throws {
    let scratch = try Scratch()
    let path = scratch.path("a.db")
    #expect(try await AccountDatabase.openReading(at: path) == nil)
    let writer = try await AccountDatabase.open(at: path)
    try await insert([Sample.message("one", at: 1)], into: writer)
    let reader = try #require(try await AccountDatabase.openReading(at: path))
    #expect(try await reader.timeline.latest(10, in: Sample.juliet).map(\.body) == ["one"])
    try await insert([Sample.message("two", at: 2)], into: writer)
    #expect(try await reader.timeline.latest(10, in: Sample.juliet).map(\.body) == ["one", "two"])
    await reader.close()
    await writer.close()
    #expect(try scratch.names == ["a.db", "a.db.lock"])
    let again = try await AccountDatabase.open(at: path)
    await again.close()
  }

  @Test func `messages that wait for the index are found by a reader, which stores nothing`()
    async throws
  {
    let scratch = try Scratch()
    let path = scratch.path("a.db")
    let writer = try await AccountDatabase.open(at: path)
    try await insert(
      [
        Sample.message("a café in Paris", at: 1),
        Sample.message("tea", at: 2, in: Sample.room),
      ], into: writer)
    while try await writer.search.maintain() {}
    try await insert(
      [
        Sample.message("the cafés of Rome", at: 3), Sample.message("喝茶的地方", at: 4),
        Sample.message("café in the room", at: 5, in: Sample.room),
      ], into: writer)
    let reader = try #require(try await AccountDatabase.openReading(at: path))
    let waiting = try await writer.database.read { try SearchIndex.waiting(in: $0) }
    #expect(waiting > 0)
    #expect(
      try await texts("café", in: nil, of: reader)
        == ["café in the room", "the cafés of Rome", "a café in Paris"])
    #expect(
      try await texts("café", in: Sample.juliet, of: reader)
        == ["the cafés of Rome", "a café in Paris"])
    #expect(try await texts("茶的", in: nil, of: reader) == ["喝茶的地方"])
    #expect(try await texts("茶的", in: Sample.room, of: reader) == [])
    #expect(try await texts("cafés rome", in: nil, of: reader) == ["the cafés of Rome"])
    #expect(
      try await texts("café", in: JID(local: "nobody", domain: "example.org"), of: reader) == [])
    #expect(try await writer.database.read { try SearchIndex.waiting(in: $0) } == waiting)
    await reader.close()
    await writer.close()
  }

  @Test(arguments: ["\"", "NEAR(", "*", "^", "a AND", "-", "%", "_", "\\", "'"])
  func `no query is an error`(query: String) async throws {
    let account = try await AccountDatabase.inMemory()
    try await insert([Sample.message("a text", at: 1)], into: account)
    let found = try await texts(query, in: nil, of: account)
    #expect(found == [] || found == ["a text"])
  }

  @Test func `a search without the index looks through all messages, the newest first`()
    async throws
  {
    let account = try await AccountDatabase.inMemory()
    // More than a transaction reads; the newest by time has the lowest row.
    let count = Database.readingLimit + 10
    try await insert(
      (0..<count).map { Sample.message("字 \($0)", at: Double(count - $0)) }, into: account)
    #expect(
      try await texts("字", in: nil, of: account).prefix(3) == ["字 0", "字 1", "字 2"])
  }

  @Test func `the first text of a corrected message is kept`() async throws {
    let account = try await AccountDatabase.inMemory()
    var correction = Sample.message("right", at: 2, origin: "o2")
    correction.replaces = "o1"
    try await insert([Sample.message("wrong", at: 1, origin: "o1"), correction], into: account)
    let message = try #require(
      try await account.timeline.latest(1, in: Sample.juliet).first)
    #expect(message.body == "right")
    #expect(try await account.details.firstText(of: message.id) == "wrong")
  }

  @Test func `a database of an earlier version is not migrated by a reader`() async throws {
    let scratch = try Scratch()
    let path = try await AccountDatabaseTests.oldFile(1, in: scratch)
    let before = try Data(contentsOf: URL(filePath: path))
    await #expect(throws: StorageError.olderSchema(path: path)) {
      _ = try await AccountDatabase.openReading(at: path)
    }
    #expect(try Data(contentsOf: URL(filePath: path)) == before)
    #expect(StorageError.olderSchema(path: path).natterError.key == "error.storage.older")
  }
}
