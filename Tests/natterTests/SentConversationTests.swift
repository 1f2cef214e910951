import Diagnostics
import Foundation
import MessagingService
import NatterCore
import Storage
import TestSupport
import Testing
import XMPP

@testable import natter

@Suite struct SentConversationTests {
  private let bob = JID(local: "bob", domain: "natter.test")

  /// - Parameter prepare: what happens before the command is given.
  /// - Returns: the database after a refused message to bob.
  private func refused(
    _ prepare: (AccountDatabase) async throws -> Void,
    meanwhile: (AccountDatabase) async throws -> Void = { _ in }
  ) async throws -> AccountDatabase {
    let database = try await AccountDatabase.inMemory()
    let outbox = Outbox(
      account: JID(local: "alice", domain: "natter.test"), store: database.outbox,
      hub: EventHub(), log: .none)
    try await prepare(database)
    let conversation = try await SentConversation(bob, in: database.conversations)
    try await outbox.takeOver(
      "hi", originID: "o1", to: bob, typedAt: Date(timeIntervalSince1970: 1), refusedFor: "no")
    try await meanwhile(database)
    let messages = try await database.timeline.latest(9, in: bob)
    let failed = try #require(messages.first { $0.body == "hi" })
    try await conversation.withdraw([failed.id], from: database.conversations)
    return database
  }

  @Test func `a refused message leaves no conversation that was not there`() async throws {
    let database = try await refused { _ in }
    #expect(try await database.conversations.conversations().isEmpty)
    #expect(try await database.conversations.unseenFailures().isEmpty)
    // The archive would bring the message back as one that was sent.
    #expect(try await database.timeline.latest(9, in: bob).map(\.body) == ["hi"])
  }

  @Test func `a conversation that was closed is closed again`() async throws {
    let database = try await refused {
      _ = try await $0.conversations.open(bob, kind: .direct)
      try await $0.conversations.hide(bob)
    }
    #expect(try await database.conversations.conversations().isEmpty)
  }

  @Test func `a conversation that was there stays, with the message`() async throws {
    let database = try await refused {
      _ = try await $0.conversations.open(bob, kind: .direct)
    }
    #expect(try await database.conversations.conversations().map(\.jid) == [bob])
    #expect(try await database.conversations.unseenFailures()[bob]?.count == 1)
  }

  @Test func `what arrives meanwhile stays in the list`() async throws {
    let database = try await refused({ _ in }) {
      _ = try await $0.messages.insert([
        IncomingMessage(
          conversation: bob, sender: bob, body: "hello", sentAt: Date(timeIntervalSince1970: 2),
          originID: "b1")
      ]) { _ in true }
    }
    #expect(try await database.conversations.conversations().map(\.jid) == [bob])
  }
}
