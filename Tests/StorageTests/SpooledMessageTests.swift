import Foundation
import NatterCore
import SQLite
import Testing
import XMPP

@testable import Storage

/// A message of another instance is stored together with its result there, or not at all.
@Suite struct SpooledMessageTests {
  private func takeOver(_ fate: HandoffState, at account: AccountDatabase) async throws
    -> HandoffResult
  {
    try await account.outbox.takeOver(
      "hello", to: Sample.juliet, from: Sample.romeo, originID: "o1", typedAt: Sample.date(9),
      fate: fate)
  }

  @Test func `one that was refused is one that failed, and its copy in an archive means nothing`()
    async throws
  {
    let account = try await AccountDatabase.inMemory()
    let taken = try await takeOver(.refused(reason: "no"), at: account)
    #expect(taken.isNew && !taken.isChanged)
    #expect(taken.message.delivery == .failed(reason: "no"))
    #expect(try await account.timeline.latest(9, in: Sample.juliet) == [taken.message])
    #expect(try await account.outbox.queued().isEmpty)
    _ = try await account.outbox.requeue(taken.message.id, at: Sample.date(10))
    #expect(try await account.outbox.refusals()["o1"]?.isOpen == true)
    // Once more: it is pending already, at the user's request, and is refused after all.
    let again = try await takeOver(.refused(reason: "no"), at: account)
    #expect(!again.isNew && again.isChanged)
    #expect(try await account.timeline.latest(9, in: Sample.juliet).count == 1)
    #expect(try await takeOver(.refused(reason: "no"), at: account).isChanged == false)
  }

  @Test func `one that may have arrived is looked for before it is sent`() async throws {
    let account = try await AccountDatabase.inMemory()
    let taken = try await takeOver(.attempted(Sample.date(10)), at: account)
    #expect(taken.isNew && taken.message.delivery == .queued)
    #expect(try await account.outbox.attempts() == ["o1": Sample.date(10)])
    #expect(try await takeOver(.unsent, at: account).isNew == false)
    #expect(try await account.outbox.attempts() == ["o1": Sample.date(10)])
  }

  @Test(
    arguments: [
      ("delivery", HandoffState.refused(reason: "no")),
      ("attempted_at", .refused(reason: "no")), ("attempted_at", .attempted(Sample.date(10))),
    ])
  func `it is stored in one step: what fails on the way leaves nothing that would be sent`(
    column: String, fate: HandoffState
  ) async throws {
    let account = try await AccountDatabase.inMemory()
    try await account.database.write { db in
      try db.runScript(
        """
        CREATE TRIGGER no_room BEFORE UPDATE OF \(column) ON message
          BEGIN SELECT RAISE (ABORT, 'no room'); END;
        """)
    }
    await #expect(throws: (any Error).self) { try await takeOver(fate, at: account) }
    #expect(try await account.outbox.queued().isEmpty)
    #expect(try await account.timeline.latest(9, in: Sample.juliet).isEmpty)
    #expect(try await account.conversations.conversations().isEmpty)
  }
}
