import Foundation
import NatterCore
import SQLite
import Testing
import XMPP

@testable import Storage

/// The stored reasons of messages that could not be sent.
@Suite struct FailureTests {
  private let nurse = JID(local: "nurse", domain: "example.org")

  private func failed(
    _ origin: String, to conversation: JID = Sample.juliet, in account: AccountDatabase
  ) async throws -> Message {
    _ = try await account.outbox.enqueue(
      body: origin, to: conversation, from: Sample.romeo, originID: origin, at: Sample.date(0))
    return try #require(
      await account.outbox.setDelivery(.failed(reason: "no"), ofOriginID: origin))
  }

  @Test func `each is listed by its conversation until it is looked at, sent or dropped`()
    async throws
  {
    let account = try await AccountDatabase.inMemory()
    let store = account.conversations
    #expect(try await store.unseenFailures() == [:])
    let (one, two) = (
      try await failed("o1", in: account), try await failed("o2", in: account)
    )
    let other = try await failed("o3", to: nurse, in: account)
    _ = try await account.outbox.enqueue(
      body: "on its way", to: nurse, from: Sample.romeo, originID: "o4", at: Sample.date(1))
    #expect(
      try await store.unseenFailures() == [Sample.juliet: [one.id, two.id], nurse: [other.id]])
    try await store.markFailuresSeen([one.id])
    #expect(try await store.unseenFailures() == [Sample.juliet: [two.id], nurse: [other.id]])
    _ = try await account.outbox.remove(other.id)
    _ = try await account.outbox.requeue(two.id, at: Sample.date(9))
    #expect(try await store.unseenFailures() == [:])
    // What fails again after it was looked at is news.
    _ = try await account.outbox.requeue(one.id, at: Sample.date(9))
    _ = try await account.outbox.setDelivery(.failed(reason: "still no"), ofOriginID: "o1")
    #expect(try await store.unseenFailures() == [Sample.juliet: [one.id]])
  }

  @Test
  func `a failed correction is listed by its message, and a reaction not at all`()
    async throws
  {
    let account = try await AccountDatabase.inMemory()
    let store = account.conversations
    let said = try await account.outbox.enqueue(
      body: "helo", to: Sample.juliet, from: Sample.romeo, originID: "o1", at: Sample.date(0)
    ).message
    _ = try await account.outbox.setDelivery(.sent, ofOriginID: "o1")
    _ = try await account.outbox.relations.enqueueReaction(
      "👍", to: said.id, from: Sample.romeo, originID: "r1", at: Sample.date(1))
    _ = try await account.outbox.setDelivery(.failed(reason: "no"), ofOriginID: "r1")
    #expect(try await store.unseenFailures() == [:])
    _ = try await account.outbox.relations.enqueueCorrection(
      of: said.id, body: "hello", from: Sample.romeo, originID: "c1", at: Sample.date(2))
    _ = try await account.outbox.setDelivery(.failed(reason: "no"), ofOriginID: "c1")
    #expect(try await store.unseenFailures() == [Sample.juliet: [said.id]])
    try await store.markFailuresSeen([said.id])
    #expect(try await store.unseenFailures() == [:])
  }

  @Test func `no message is read for it but those that failed`() async throws {
    let account = try await AccountDatabase.inMemory()
    let plan = try await account.database.read { db in
      try db.rows("EXPLAIN QUERY PLAN " + FailureQuery.unseen) { $0.string(3) }
    }
    #expect(plan.first == "SCAN failed USING INDEX message_failed", "\(plan)")
    #expect(plan.dropFirst().allSatisfy { $0.hasPrefix("SEARCH") }, "\(plan)")
  }
}
