import Foundation
import NatterCore
import Testing
import XMPP

@testable import Storage

/// Messages in the order in which they were stored.
@Suite struct MessageLogTests {
  @Test func `messages come by id, whatever their time, with the kind of their conversation`()
    async throws
  {
    let account = try await AccountDatabase.inMemory()
    let log = account.messageLog
    #expect(try await log.newestMessage() == .init(0))
    #expect(try await log.timeOfMessage(upTo: .init(9)) == nil)
    _ = try await account.conversations.open(Sample.room, kind: .room)
    let occupant = JID(
      local: Sample.room.local, domain: Sample.room.domain, resource: "mercutio")
    let stored = try await account.messages.insert(
      [
        Sample.message("late", at: 9, origin: "o1"),
        Sample.message("early", at: 1, origin: "o2"),
        Sample.message("room", at: 5, from: occupant, in: Sample.room, origin: "o3"),
      ], countsUnread: { _ in true }
    ).messages
    let all = try await log.messages(storedAfter: .init(0), limit: 10)
    #expect(all.map(\.message) == stored)
    #expect(all.map(\.kind) == [.direct, .direct, .room])
    let first = try #require(stored.first?.id)
    let rest = try await log.messages(storedAfter: first, limit: 1)
    #expect(rest.map(\.message.body) == ["early"])
    #expect(try await log.messages(storedAfter: first, limit: 0).isEmpty)
    #expect(try await log.newestMessage() == stored.last?.id)
    #expect(try await log.timeOfMessage(upTo: first) == Sample.date(9))
    #expect(try await log.timeOfMessage(upTo: .init(first.rawValue + 1)) == Sample.date(1))
  }

  @Test func `rows that only change another message are left out`() async throws {
    let account = try await AccountDatabase.inMemory()
    let log = account.messageLog
    var correction = Sample.message("hello", at: 2, origin: "o2")
    correction.replaces = "o1"
    _ = try await account.messages.insert(
      [Sample.message("helo", at: 1, origin: "o1"), correction], countsUnread: { _ in true })
    let all = try await log.messages(storedAfter: .init(0), limit: 10)
    #expect(all.map(\.message.body) == ["hello"])
    // The cursor passes over the row of the correction.
    #expect(try await log.newestMessage().rawValue == 2)
    #expect(try await log.firstText(of: .init(1)) == "helo")
    #expect(try await log.messages(storedAfter: .init(1), limit: 10).isEmpty)
  }
}
