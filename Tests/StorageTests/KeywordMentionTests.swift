import Foundation
import NatterCore
import SQLite
import Testing
import XMPP

@testable import Storage

/// Messages with a word that notifies, in the count of mentions.
@Suite struct KeywordMentionTests {
  private func account(words: String?) async throws -> AccountDatabase {
    let account = try await AccountDatabase.inMemory()
    _ = try await account.conversations.open(Sample.room, kind: .room)
    try await account.settings.setValue(words, for: NotifyKeywords.key)
    return account
  }

  private func mentions(of jid: JID, in account: AccountDatabase) async throws -> Int? {
    try await account.conversations.conversation(jid)?.mentions
  }

  private static let nurse = Sample.room.with(resource: "nurse") ?? Sample.room

  @Test func `messages of others with a word that notifies are counted as mentions`() async throws {
    let account = try await account(words: "rose\nPoison")
    let outgoing = Sample.message(
      "a rose", at: 5, from: Sample.romeo, in: Self.nurse.bare, direction: .outgoing)
    _ = try await account.messages.insert([
      Sample.message("A ROSÉ by any other name", at: 1),
      Sample.message("roses are red", at: 2),
      Sample.message("the poison!", at: 3, from: Self.nurse, in: Sample.room),
      Sample.message("nothing", at: 4, from: Self.nurse, in: Sample.room),
    ]) { _ in true }
    #expect(try await mentions(of: Sample.juliet, in: account) == 1)
    #expect(try await mentions(of: Sample.room, in: account) == 1)
    // The user's own message, which marks the room as read.
    _ = try await account.messages.insert([outgoing]) { _ in true }
    #expect(try await mentions(of: Sample.room, in: account) == 0)
  }

  @Test func `a message that mentions the user and has a word is one mention`() async throws {
    let account = try await account(words: "rose")
    var message = Sample.message("romeo: a rose", from: Self.nurse, in: Sample.room)
    message.isMention = true
    _ = try await account.messages.insert([message]) { _ in true }
    #expect(try await mentions(of: Sample.room, in: account) == 1)
  }

  @Test func `what is not unread, or the room says itself, is not a mention`() async throws {
    let account = try await account(words: "rose")
    _ = try await account.messages.insert([Sample.message("a rose", at: 1)]) { _ in false }
    #expect(try await mentions(of: Sample.juliet, in: account) == 0)
    _ = try await account.messages.insert([
      Sample.message("rose has left", at: 2, from: Sample.room, in: Sample.room)
    ]) { _ in true }
    #expect(try await mentions(of: Sample.room, in: account) == 0)
  }

  @Test func `keywords that are removed no longer count`() async throws {
    let account = try await account(words: "rose")
    try await account.settings.setValue(nil, for: NotifyKeywords.key)
    _ = try await account.messages.insert([Sample.message("a rose")]) { _ in true }
    #expect(try await mentions(of: Sample.juliet, in: account) == 0)
  }
}
