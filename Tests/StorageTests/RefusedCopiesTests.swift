import NatterCore
import SQLite
import Testing
import XMPP

@testable import Storage

/// Archived copies of messages that were refused.
@Suite struct RefusedCopiesTests {
  private let account: AccountDatabase

  init() async throws {
    account = try await AccountDatabase.inMemory()
    _ = try await OutboxTests.enqueue(account, "hello", "o1")
  }

  private func state() async throws -> Delivery? {
    try await account.timeline.latest(1, in: Sample.juliet).first?.delivery
  }

  /// An archive contains a copy.
  private func report(_ stanzaID: String?) async throws {
    _ = try await account.messages.insert(
      [
        Sample.message(
          "hello", from: Sample.romeo.bare, origin: "o1", stanza: stanzaID, direction: .outgoing)
      ], countsUnread: { _ in true })
  }

  private func refuse() async throws {
    try await account.outbox.markAttempted(["o1"], at: Sample.date(1))
    #expect(
      try await account.outbox.setDelivery(
        .failed(reason: "no"), ofOriginID: "o1", sentTo: Sample.juliet)
        != nil)
  }

  private func requeue() async throws {
    let id = try #require(try await account.timeline.latest(1, in: Sample.juliet).first?.id)
    #expect(try await account.outbox.requeue(id, at: Sample.date(2)) != nil)
  }

  @Test func `a copy from before is none of what is sent again, whenever it is reported`()
    async throws
  {
    try await refuse()
    try await report("s1")
    #expect(try await state() == .failed(reason: "no"))
    try await requeue()
    try await report("s1")
    try await report("s2")
    #expect(try await state() == .queued)
    #expect(
      try await account.outbox.refusals() == ["o1": RefusedCopies(ids: ["s1", "s2"], isOpen: true)])
    try await account.outbox.closeRefusal(of: "o1", copies: ["s2", "s3"])
    #expect(
      try await account.outbox.refusals() == [
        "o1": RefusedCopies(ids: ["s1", "s2", "s3"], isOpen: false)
      ])
    for copy in ["s1", "s2", "s3"] { try await report(copy) }
    #expect(try await state() == .queued)
    try await report("s4")
    #expect(try await state() == .sent)
    #expect(try await account.outbox.refusals().isEmpty)
  }

  @Test func `what comes without an archive's id counts once it was sent again`() async throws {
    try await refuse()
    try await requeue()
    try await report(nil)
    #expect(try await state() == .queued)
    try await account.outbox.closeRefusal(of: "o1", copies: [])
    try await report(nil)
    #expect(try await state() == .sent)
  }

  @Test func `what another program sent, and was refused, has copies, too`() async throws {
    _ = try await account.messages.insert(
      [
        Sample.message(
          "from elsewhere", from: Sample.romeo.bare, origin: "o2", direction: .outgoing)
      ], countsUnread: { _ in true })
    let refused = try await account.outbox.setDelivery(
      .failed(reason: "no"), ofOriginID: "o2", sentTo: Sample.juliet)
    let id = try #require(refused?.id)
    _ = try await account.outbox.requeue(id, at: Sample.date(2))
    #expect(try await account.outbox.refusals() == ["o2": RefusedCopies(ids: [], isOpen: true)])
  }

  @Test func `refused again, it is all to be looked for again`() async throws {
    try await refuse()
    try await requeue()
    try await account.outbox.closeRefusal(of: "o1", copies: ["s1"])
    try await refuse()
    try await refuseTwice()
    try await requeue()
    #expect(try await account.outbox.refusals() == ["o1": RefusedCopies(ids: ["s1"], isOpen: true)])
  }

  /// Two of the recipient's servers may say no to one message.
  private func refuseTwice() async throws {
    #expect(
      try await account.outbox.setDelivery(
        .failed(reason: "no"), ofOriginID: "o1", sentTo: Sample.juliet)
        == nil)
  }

  @Test func `what never left here is in no archive, and what is dropped is forgotten`()
    async throws
  {
    #expect(
      try await account.outbox.setDelivery(.failed(reason: "late"), ofOriginID: "o1") != nil)
    try await requeue()
    #expect(try await account.outbox.refusals().isEmpty)
    try await refuse()
    let id = try #require(try await account.timeline.latest(1, in: Sample.juliet).first?.id)
    #expect(try await account.outbox.remove(id) == .gone)
    let rows = try await account.database.read { db in
      try db.rows("SELECT 1 FROM refused_copy") { $0.int64(0) }
    }
    #expect(rows.isEmpty)
    #expect(try await account.faults() == [])
  }
}
