import ChatsFixtures
import Foundation
import NatterCore
import TestSupport
import Testing
import XMPP

@testable import ViewModels

/// The matches of several accounts as one list.
@Suite struct SearchMergeTests {
  private func matches(_ rows: [(Int64, Double)], count: Int? = nil) -> SearchMatches {
    SearchMatches(
      matches: rows.map {
        .init(id: Message.ID($0.0), conversation: .bob, sentAt: .minutes($0.1))
      }, count: count ?? rows.count)
  }

  private func merged(_ results: [SearchMatches], limit: Int = 50) -> [String] {
    SearchMerge(results, limit: limit).matches.map { "\($0.account):\($0.match.id.rawValue)" }
  }

  @Test func `three accounts are one list, the newest first`() {
    let results = [
      matches([(1, 9), (2, 5), (3, 1)]), matches([(1, 8), (2, 6)]), matches([(7, 10), (5, 0)]),
    ]
    #expect(merged(results) == ["2:7", "0:1", "1:1", "1:2", "0:2", "0:3", "2:5"])
    #expect(merged(results, limit: 3) == ["2:7", "0:1", "1:1"])
    #expect(merged([]) == [] && merged(results, limit: 0) == [])
  }

  @Test func `of the same second, the earlier account is first, each in its own order`() {
    let results = [matches([(3, 5), (1, 5)]), matches([(9, 5), (8, 5)]), matches([(2, 5)])]
    #expect(merged(results) == ["0:3", "0:1", "1:9", "1:8", "2:2"])
  }

  @Test func `numbers are added up to the limit of counting, and the newest gap counts`() {
    var (first, second) = (matches([(1, 1)], count: 700), matches([(1, 2)], count: 700))
    #expect(SearchMerge([first, matches([], count: 3)], limit: 1).count == 703)
    #expect(SearchMerge([first, second], limit: 1).count == SearchMatches.countLimit)
    #expect(SearchMerge([first, second], limit: 1).missingUpTo == nil)
    (first.missingUpTo, second.missingUpTo) = (.minutes(-5), .minutes(-2))
    #expect(SearchMerge([first, second], limit: 1).missingUpTo == .minutes(-2))
  }

  @Test func `ranks go before times`() {
    func ranked(_ rows: [(Int64, Double)]) -> SearchMatches {
      SearchMatches(
        matches: rows.map {
          .init(id: Message.ID($0.0), conversation: .bob, sentAt: .minutes(0), rank: $0.1)
        })
    }
    #expect(
      merged([ranked([(1, -3), (2, -1)]), ranked([(1, -2), (2, -0.5)])]) == [
        "0:1", "1:1", "0:2", "1:2",
      ])
  }
}
