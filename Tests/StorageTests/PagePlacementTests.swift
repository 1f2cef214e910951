import Foundation
import NatterCore
import Testing
import XMPP

@testable import Storage

/// The positions that a page gives to messages that arrived in another way before, and are stored
/// in another order than in the archive.
@Suite struct PagePlacementTests {
  private func said(_ texts: String..., from seconds: Double) -> [IncomingMessage] {
    texts.enumerated().map { index, text in
      Sample.message(text, at: seconds + Double(index), stanza: text)
    }
  }

  /// A server that sends again what was not acknowledged sends something newer first.
  @Test func `what a page has of an earlier part stays behind what that has before it`()
    async throws
  {
    let account = try await AccountDatabase.inMemory()
    let parts = ArchiveParts(store: account.archiveRanges)
    let early = said("stray", from: 10)
    let known = said("one", "two", "three", from: 11)
    _ = try await account.messages.insert(early + known, countsUnread: { _ in false })
    var lower = try await parts.begin(at: ArchiveParts.position("receipt", at: 5))
    lower.end = ArchiveParts.position("three", at: 13)
    lower = try await parts.store(known, making: lower, adjoining: .beside(later: []))

    let last = said("last", from: 30)
    _ = try await account.messages.insert(last, countsUnread: { _ in false })
    var upper = try await parts.begin(at: ArchiveParts.position("last", at: 30))
    upper.start = lower.start
    _ = try await parts.store(
      Array(known[1...]) + early, making: upper, absorbing: [lower], adjoining: .beside(later: []))
    #expect(
      try await account.timeline.latest(10, in: Sample.juliet).map(\.body)
        == ["one", "two", "three", "stray", "last"])
    #expect(try await account.faults() == [])
  }

  @Test(arguments: [false, true])
  func `what a page has of a later part stays before what that has behind it`(absorbs: Bool)
    async throws
  {
    let account = try await AccountDatabase.inMemory()
    let parts = ArchiveParts(store: account.archiveRanges)
    let first = said("first", from: 1)
    _ = try await account.messages.insert(first, countsUnread: { _ in false })
    var lower = try await parts.begin(at: ArchiveParts.position("first", at: 1))

    let known = said("one", "two", "three", from: 11)
    let late = said("stray", from: 14)
    _ = try await account.messages.insert(known + late, countsUnread: { _ in false })
    var upper = try await parts.begin(at: ArchiveParts.position("one", at: 11))
    upper.end = ArchiveParts.position("three", at: 13)
    upper = try await parts.store([], making: upper)

    lower.end = absorbs ? upper.end : ArchiveParts.position("one", at: 10.9)
    _ = try await parts.store(
      late + known[..<1], making: lower, absorbing: absorbs ? [upper] : [],
      adjoining: .beside(later: []))
    #expect(
      try await account.timeline.latest(10, in: Sample.juliet).map(\.body)
        == ["first", "stray", "one", "two", "three"])
    #expect(try await account.faults() == [])
  }

  /// A visit by time (Home, `/goto`). What was known before it may be below the older side of the
  /// gap, by another clock.
  @Test(arguments: [false, true])
  func `a page by time comes after the part before it, unless it begins within that`(isWithin: Bool)
    async throws
  {
    let account = try await AccountDatabase.inMemory()
    let parts = ArchiveParts(store: account.archiveRanges)
    let early = said("one", "two", from: 8)
    let old = said("old", from: 10)
    _ = try await account.messages.insert(early + old, countsUnread: { _ in false })
    _ = try await parts.begin(at: ArchiveParts.position("old", at: 10))

    var page = early + said("three", from: 22)
    for index in page.indices { page[index].placedAt = Sample.date(20 + Double(index)) }
    if isWithin { page = early + old + [page[2]] }
    _ = try await parts.store(
      page,
      making: ArchiveRange(
        archive: Sample.romeo.bare, start: ArchiveParts.position("one", at: 20),
        end: ArchiveParts.position("three", at: 22), reachesBeginning: false))
    #expect(
      try await account.timeline.latest(10, in: Sample.juliet).map(\.body)
        == (isWithin ? ["one", "two", "old", "three"] : ["old", "one", "two", "three"]))
    #expect(try await account.faults() == [])
  }

  /// The time at which it was typed is later.
  @Test func `a local message at the end of a part stays before a page across the gap`()
    async throws
  {
    let account = try await AccountDatabase.inMemory()
    let parts = ArchiveParts(store: account.archiveRanges)
    _ = try await account.outbox.enqueue(
      body: "typed", to: Sample.juliet, from: Sample.romeo, originID: "o1", at: Sample.date(50))
    try await account.outbox.markAttempted(["o1"], at: Sample.date(50))
    let typed = IncomingMessage(
      conversation: Sample.juliet, sender: Sample.romeo, direction: .outgoing, body: "typed",
      sentAt: Sample.date(3), originID: "o1", stanzaID: "typed")
    var lower = try await parts.begin(at: ArchiveParts.position("r1", at: 1))
    lower.end = ArchiveParts.position("typed", at: 3)
    _ = try await parts.store(
      said("first", from: 2) + [typed], making: lower, adjoining: .beside(later: []))
    let range = ArchiveRange(
      archive: Sample.romeo.bare, start: ArchiveParts.position("last", at: 30),
      end: ArchiveParts.position("last", at: 30), reachesBeginning: false)
    _ = try await parts.store(said("last", from: 30), making: range)
    #expect(
      try await account.timeline.latest(10, in: Sample.juliet).map(\.body)
        == ["first", "typed", "last"])
    #expect(try await account.faults() == [])
  }
}
