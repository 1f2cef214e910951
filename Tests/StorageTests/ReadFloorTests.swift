import Foundation
import NatterCore
import Testing
import XMPP

@testable import Storage

/// Messages that fill a gap, below those that the user has read and above them.
@Suite struct ReadFloorTests {
  private func said(_ numbers: ClosedRange<Int>, fillsGap: Bool = false) -> [IncomingMessage] {
    numbers.map {
      var message = Sample.message("\($0)", at: Double($0), origin: "o\($0)", stanza: "s\($0)")
      guard fillsGap else { return message }
      (message.placement.fillsGap, message.archivedAt) = (true, message.sentAt)
      return message
    }
  }

  private func fill(_ numbers: ClosedRange<Int>, in account: AccountDatabase) async throws
    -> StoredMessages
  {
    let messages = said(numbers, fillsGap: true)
    let (first, last) = (Double(numbers.lowerBound), Double(numbers.upperBound))
    return try await account.archiveRanges.insert(
      messages,
      making: ArchiveRange(
        archive: Sample.romeo.bare,
        start: ArchiveParts.position("s\(numbers.lowerBound)", at: first),
        end: ArchiveParts.position("s\(numbers.upperBound)", at: last), reachesBeginning: false),
      absorbing: [], beginningWithFirst: false, adjoining: .unknown, countsUnread: { _ in true }
    ).stored
  }

  private func juliet(_ account: AccountDatabase) async throws -> Conversation {
    try #require(try await account.conversations.conversation(Sample.juliet))
  }

  @Test func `below what was there when the conversation was read, nothing becomes unread`()
    async throws
  {
    let account = try await AccountDatabase.inMemory()
    _ = try await account.messages.insert(said(1...2) + said(20...22)) { _ in true }
    _ = try await account.readState.markRead(Sample.juliet, isCaughtUp: true)
    let stored = try await fill(5...6, in: account)
    #expect(stored.belowRead == Set(stored.messages.map(\.id)) && stored.messages.count == 2)
    #expect(try await juliet(account).unread == 0)
    // Not either when more has come since.
    _ = try await account.messages.insert(said(30...30)) { _ in true }
    let before = try await juliet(account)
    #expect(try await fill(7...8, in: account).belowRead.count == 2)
    #expect(try await juliet(account) == before && before.unread == 1)
  }

  @Test func `what is missing between the read messages and the unread ones is unread`()
    async throws
  {
    let account = try await AccountDatabase.inMemory()
    _ = try await account.messages.insert(said(1...2)) { _ in false }
    _ = try await account.messages.insert(said(20...22)) { _ in true }
    let stored = try await fill(5...6, in: account)
    #expect(stored.belowRead.isEmpty)
    let conversation = try await juliet(account)
    #expect(conversation.unread == 5)
    #expect(conversation.firstUnread == stored.messages.first?.position)
    // Another client has read a part of it.
    let position = ReadPosition(conversation: Sample.juliet, stanzaID: "s20")
    _ = try await account.readState.apply([position])
    #expect(try await juliet(account).unread == 2)
    #expect(try await fill(10...11, in: account).belowRead.count == 2)
    #expect(try await juliet(account).unread == 2)
  }

  @Test func `an own message behind the gap does not show that it was read`() async throws {
    let account = try await AccountDatabase.inMemory()
    _ = try await account.messages.insert(said(1...2)) { _ in false }
    _ = try await account.messages.insert([
      Sample.message(
        "mine", at: 20, from: Sample.romeo, origin: "mine", stanza: "s20", direction: .outgoing)
    ]) { _ in false }
    #expect(try await fill(5...6, in: account).belowRead.isEmpty)
    #expect(try await juliet(account).unread == 2)
  }
}
