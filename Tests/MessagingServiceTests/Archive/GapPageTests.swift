import Foundation
import NatterCore
import Testing
import XMPP

@testable import MessagingService

/// The consequences of a page for the gap before whose newer side it was read.
@Suite struct GapPageTests: ArchiveRuleTests {
  private let archive = JID(local: "alice", domain: "example.org")
  private let bob = JID(local: "bob", domain: "example.org")

  private func position(_ number: Int) -> ArchivePosition {
    ArchivePosition(id: "a\(number)", at: time(Double(number)))
  }

  /// A range between two messages, whose numbers are the seconds at which they were sent.
  private func range(
    _ start: Int, _ end: Int, row: Int64?, peer: JID? = nil, beginning: Bool = false
  ) -> ArchiveRange {
    ArchiveRange(
      row: row, archive: archive, peer: peer, start: position(start), end: position(end),
      reachesBeginning: beginning)
  }

  private func hole(_ older: ArchiveRange, _ newer: ArchiveRange) -> ArchiveCoverage.Hole {
    func span(_ range: ArchiveRange) -> ArchiveCoverage.Span {
      ArchiveCoverage.Span(first: range, last: range, reachesBeginning: range.reachesBeginning)
    }
    return ArchiveCoverage.Hole(older: span(older), newer: span(newer))
  }

  /// Returns what to store of a page between messages 20 and 90.
  private func plan(
    _ page: XEP0313Page, _ contact: ArchiveContact, older: ArchiveRange? = nil,
    newer: ArchiveRange? = nil, meeting ranges: [ArchiveRange] = [], after end: Date? = nil
  ) throws -> GapPage.Plan {
    let newer = newer ?? range(90, 99, row: 2)
    var gap = try #require(
      GapPage(page, of: hole(older ?? range(10, 20, row: 1), newer), contact: contact))
    if gap.mayMeetRanges { gap.meet(ranges) }
    return gap.plan(making: newer, after: end, now: time(1000))
  }

  @Test func `a page that meets nothing stays apart from what is before it`() throws {
    let plan = try plan(page([50, 60]), .none)
    #expect(plan.times == [time(50), time(60)])
    #expect(plan.range == range(50, 99, row: 2))
    #expect(plan.absorbed.isEmpty)
    #expect(!plan.beginsWithFirst)
  }

  @Test func `it stays apart whatever the clocks say`() throws {
    let plan = try plan(page([15]), .none)
    #expect(plan.times.allSatisfy { $0 > time(20) && $0 < time(90) })
    #expect(plan.range.start.id == "a15")
    #expect(plan.range.start.at == plan.times.first)
  }

  @Test func `a page that brings nothing new does not make the gap smaller`() {
    let gap = hole(range(10, 20, row: 1), range(90, 99, row: 2))
    #expect(GapPage(page([]), of: gap, contact: .none) == nil)
    #expect(GapPage(page([90]), of: gap, contact: .none) == nil)
    #expect(GapPage(page([]), of: gap, contact: .beginning) != nil)
  }

  @Test func `a page that reaches what is known closes the gap`() throws {
    let older = range(10, 20, row: 1, beginning: true)
    let plan = try plan(page([20, 50]), .met, older: older)
    #expect(plan.range == range(10, 99, row: 2, beginning: true))
    #expect(plan.absorbed == [older])
    #expect(!plan.beginsWithFirst)
  }

  @Test func `an archive that begins after what is known has nothing more`() throws {
    let plan = try plan(page([50], isComplete: true), .beginning)
    #expect(plan.range == range(10, 99, row: 2, beginning: true))
  }

  @Test func `the range of a conversation ends where that of the archive begins`() throws {
    let newer = range(90, 90, row: 2, peer: bob)
    let plan = try plan(page([20, 50]), .met, newer: newer)
    #expect(plan.range == range(20, 90, row: 2, peer: bob))
    #expect(plan.absorbed.isEmpty)
  }

  @Test func `a page with the first message of the older side meets it`() throws {
    let gap = try #require(
      GapPage(
        page([10, 50]), of: hole(range(10, 20, row: 1), range(90, 99, row: 2)), contact: .none))
    #expect(gap.contact == .met)
  }

  @Test func `a page takes in the ranges that it meets, from the start of the first`() throws {
    let (first, second) = (range(30, 40, row: 3), range(50, 60, row: 4))
    let other = range(70, 75, row: 5)
    let plan = try plan(page([40, 50, 80]), .none, meeting: [first, second, other])
    #expect(plan.range == range(30, 99, row: 2))
    #expect(plan.absorbed == [first, second])
    #expect(!plan.beginsWithFirst)
    // The range after the gap is no part of itself.
    let alone = try self.plan(page([50, 99]), .none, meeting: [range(90, 99, row: 2)])
    #expect(alone.absorbed.isEmpty)
  }

  @Test func `of what is before a message that came by itself nothing is known`() throws {
    let older = range(20, 20, row: nil)
    let gap = try #require(
      GapPage(page([5, 50]), of: hole(older, range(90, 99, row: 2)), contact: .met))
    #expect(gap.mayMeetRanges)
    #expect(gap.followsOlderRange)
    let plan = try plan(page([5, 50]), .met, older: older)
    #expect(plan.range == range(5, 99, row: 2))
    #expect(plan.absorbed.isEmpty)
    #expect(plan.beginsWithFirst)
    #expect(gap.isSmaller(with: plan.range))
    #expect(!gap.isSmaller(with: range(90, 99, row: 2)))
    #expect(gap.isSmaller(with: range(90, 99, row: 2, beginning: true)))
  }

  @Test func `a page before a message that came by itself comes after the range before that`()
    throws
  {
    let plan = try plan(page([5, 50]), .met, older: range(20, 20, row: nil), after: time(15))
    #expect(plan.times.allSatisfy { $0 > time(15) && $0 < time(90) })
  }

  @Test func `a range of live messages is taken in only with the range that it follows`() throws {
    let older = range(20, 20, row: nil)
    let live = range(50, 60, row: 4)
    let without = try plan(page([20, 50]), .met, older: older, meeting: [live])
    #expect(without.absorbed.isEmpty)
    #expect(without.beginsWithFirst)
    let before = range(10, 20, row: 3)
    let with = try plan(page([20, 50]), .met, older: older, meeting: [before, live])
    #expect(with.absorbed == [before, live])
    #expect(with.range == range(10, 99, row: 2))
    #expect(!with.beginsWithFirst)
  }
}
