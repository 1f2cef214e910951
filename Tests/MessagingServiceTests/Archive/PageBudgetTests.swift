import Foundation
import NatterCore
import TestSupport
import Testing
import XML
import XMPP

@testable import MessagingService

/// Queries by time span several pages: one limit applies to all that is kept of them, and no
/// message is skipped.
@Suite struct PageBudgetTests {
  private static let bytes = 100_000
  private static let perPage = 20

  /// Messages of one second, each of them long.
  private func entries(
    _ numbers: ClosedRange<Int>, _ prefix: String, _ fixture: ArchiveFixture
  ) -> [ScriptedArchive.Entry] {
    numbers.map { number in
      let entry = fixture.unique(fixture.entry(number, prefix: prefix))
      var element = entry.message.element
      element.append(
        Element("pad", "urn:example:pad", text: String(repeating: "x", count: Self.bytes)))
      return .init(
        id: entry.id, stamp: ArchiveFixture.stamp(0), message: MessageStanza(element))
    }
  }

  @Test func `of pages by time no more bytes are kept than of another page`() async throws {
    let fixture = try await ArchiveFixture()
    let archive = ScriptedArchive(
      account: fixture.account, entries: entries(1...200, "b", fixture), pageLimit: Self.perPage)
    let page = try #require(
      try await ArchivePageByTime(archive: fixture.account, peer: nil, channel: archive).page(
        endingAt: ArchivePosition(id: "gone", at: ArchiveFixture.stamp(0))))
    let weight = page.results.reduce(0) { $0 + $1.message.element.weight }
    #expect(weight <= GatheredResults.byteLimit)
    #expect(weight + 2 * Self.bytes > GatheredResults.byteLimit)
    #expect(!page.isComplete && page.isByTime)
    // The newest, without a gap, up to what the next page begins before.
    let first = 201 - page.results.count
    #expect(page.results.map(\.id) == (first...200).map { "b\($0)" })
    #expect(page.oldest == "b\(first)")
    // What does not fit is not asked for.
    #expect(await archive.queries.count <= page.results.count / Self.perPage + 1)
  }

  @Test(arguments: ScriptedArchive.UnknownID.allCases)
  func `what did not fit is asked for again, and none is passed over`(
    _ unknownID: ScriptedArchive.UnknownID
  ) async throws {
    let fixture = try await ArchiveFixture()
    let archive = ScriptedArchive(
      account: fixture.account, entries: entries(1...200, "a", fixture), pageLimit: Self.perPage)
    let before = await fixture.signIn(to: archive)
    // More is known of this second than is kept of pages by time.
    while try await fixture.numbers().count < 60 {
      #expect(try await before.fetchOlder(in: fixture.bob) == .fetched)
    }
    await before.sessionEnded()
    let moved = ScriptedArchive(
      account: fixture.account, entries: entries(1...200, "b", fixture), pageLimit: Self.perPage,
      unknownID: unknownID)
    await moved.fail(with: ChannelError.timedOut)
    let synchronizer = await fixture.signIn(to: moved)
    await moved.recover()
    while try await synchronizer.fetchOlder(in: fixture.bob) == .fetched {}
    #expect(try await fixture.numbers() == Array(1...200))
  }
}
