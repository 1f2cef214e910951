import Foundation
import NatterCore
import Storage
import TestSupport
import Testing
import XMPP

@testable import MessagingService

/// The search in the archive by the server (XEP-0431).
@Suite struct FullTextSearchTests {
  /// The numbers of the messages that only the server has.
  private func found(_ outcome: ServerSearchOutcome) -> [Int]? {
    guard case .found(let matches, _) = outcome else { return nil }
    return matches.map { Int($0.message.body.dropFirst(5)) ?? -1 }
  }

  @Test func `what only the server has is found, nothing is stored, and one is fetched`()
    async throws
  {
    let fixture = try await ArchiveFixture()
    let archive = ScriptedArchive(account: fixture.account, entries: fixture.entries(1...1000))
    await archive.offer([.feature, .field])
    let service = await fixture.signIn(to: archive)
    let newest = try await fixture.numbers()
    let ranges = try await fixture.database.archiveRanges.ranges(of: fixture.account, with: nil)
    #expect(await service.searchOffer() == .offered)
    // "text 99" is in 99 and in 990 to 999, which are stored.
    let outcome = try await service.searchServer(for: SearchQuery("text 99"), limit: 50)
    #expect(found(outcome) == [99])
    #expect(await archive.queries.last?.text == "text 99")
    #expect(try await fixture.numbers() == newest)
    #expect(
      try await fixture.database.archiveRanges.ranges(of: fixture.account, with: nil) == ranges)
    guard case .found(let matches, isComplete: true) = outcome, let match = matches.first else {
      Issue.record("\(outcome)")
      return
    }
    #expect(match.id == "a99" && match.message.conversation == fixture.bob)
    #expect(try await service.fetchSurroundings(of: match) == .fetched)
    #expect(try await fixture.numbers() == Array(99...148) + newest)
    #expect(try await service.holes(in: fixture.bob).count == 1)
    #expect(try await fixture.isHonest())
    let again = try await service.searchServer(for: SearchQuery("text 99"), limit: 50)
    #expect(found(again) == [])
  }

  @Test func `a message that the server repeats is found once`() async throws {
    let fixture = try await ArchiveFixture()
    let archive = ScriptedArchive(
      account: fixture.account, entries: fixture.entries(1...99) + fixture.entries(99...1000))
    await archive.offer([.feature, .field])
    let service = await fixture.signIn(to: archive)
    let outcome = try await service.searchServer(for: SearchQuery("text 99"), limit: 50)
    #expect(found(outcome) == [99])
  }

  @Test(arguments: [ScriptedArchive.TextSearch(), .feature, .field])
  func `an archive that does not announce all of it is not asked`(
    offered: ScriptedArchive.TextSearch
  ) async throws {
    let fixture = try await ArchiveFixture()
    let archive = ScriptedArchive(account: fixture.account, entries: fixture.entries(1...300))
    await archive.offer(offered)
    let service = await fixture.signIn(to: archive)
    let queries = await archive.queries.count
    #expect(await service.searchOffer() == .notOffered)
    #expect(try await service.searchServer(for: SearchQuery("text"), limit: 50) == .notOffered)
    #expect(await archive.queries.count == queries)
    await service.sessionEnded()
    #expect(await service.searchOffer() == .offline)
    #expect(try await service.searchServer(for: SearchQuery("text"), limit: 50) == .offline)
    // Until the session is set up, nothing is asked.
    await service.channelOpened(archive)
    #expect(await service.searchOffer() == .early)
    #expect(try await service.searchServer(for: SearchQuery("text"), limit: 50) == .early)
    #expect(await archive.queries.count == queries)
  }

  @Test func `where a server ends a page early, the search goes on, and not for ever`() async throws
  {
    let fixture = try await ArchiveFixture()
    let archive = ScriptedArchive(account: fixture.account, entries: fixture.entries(1...1000))
    await archive.offer([.feature, .field], searching: 300)
    let service = await fixture.signIn(to: archive)
    var queries = await archive.queries.count
    let outcome = try await service.searchServer(for: SearchQuery("text 99"), limit: 50)
    #expect(found(outcome) == [99])
    guard case .found(_, isComplete: true) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    let positions = await archive.queries[queries...].map(\.page.position)
    #expect(
      positions == [.last, .before("a990"), .before("a690"), .before("a390"), .before("a99")])

    await archive.offer([.feature, .field], searching: 1)
    queries = await archive.queries.count
    let other = try await service.searchServer(for: SearchQuery("cake"), limit: 50)
    #expect(other == .found([], isComplete: false))
    #expect(await archive.queries.count == queries + FullTextSearch.mostPages)
  }

  @Test func `only terms are sent, between the times of the query`() async throws {
    let fixture = try await ArchiveFixture()
    let archive = ScriptedArchive(account: fixture.account, entries: fixture.entries(1...300))
    await archive.offer([.feature, .field])
    let service = await fixture.signIn(to: archive)
    let queries = await archive.queries.count
    let vocabulary = SearchVocabulary { text in
      text == "then" ? ArchiveFixture.stamp(10)..<ArchiveFixture.stamp(20) : nil
    }
    let filters = SearchQuery("from:bob -cake on:then", vocabulary: vocabulary)
    #expect(found(try await service.searchServer(for: filters, limit: 50)) == [])
    #expect(await archive.queries.count == queries)
    let query = SearchQuery("text from:bob -cake on:then", vocabulary: vocabulary)
    let outcome = try await service.searchServer(for: query, limit: 5)
    #expect(await archive.queries.last?.text == "text")
    #expect(await archive.queries.last?.start == ArchiveFixture.stamp(10))
    guard case .found(let matches, let isComplete) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(matches.map(\.id) == ["a16", "a17", "a18", "a19", "a20"] && !isComplete)
  }
}
