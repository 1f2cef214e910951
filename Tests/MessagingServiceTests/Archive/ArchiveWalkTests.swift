import Foundation
import NatterCore
import Testing
import XML
import XMPP

@testable import MessagingService

/// The next query for an archive, the consequences of a page, and the times that it gets.
@Suite struct ArchiveWalkTests: ArchiveRuleTests {
  private let known = ArchivePosition(
    id: "a9", at: Date(timeIntervalSince1970: 1_700_000_000 + 9000))

  /// A page with messages that were sent a thousand seconds apart.
  private func page(_ numbers: [Int], isComplete: Bool = false) -> XEP0313Page {
    page(numbers, every: 1000, isComplete: isComplete)
  }

  // MARK: - Reading on

  @Test func `it goes on behind the last message that was read, to the archive's end`() {
    var walk = ArchiveWalk(from: known)
    #expect(walk.query(limit: 2) == XEP0313Query(.after("a9"), limit: 2))
    let first = walk.take(page([10, 11]), tolerance: 60)
    #expect(first == .next)
    #expect(walk.query(limit: 2) == XEP0313Query(.after("a11"), limit: 2))
    #expect(!walk.isDone)
    let last = walk.take(page([12], isComplete: true), tolerance: 60)
    #expect(last == .last)
    #expect(walk.isDone)
    #expect(!walk.isByTime)
  }

  @Test func `nothing more is the end, and an archive that was empty is read from its beginning`() {
    var walk = ArchiveWalk(from: known)
    let step = walk.take(page([], isComplete: true), tolerance: 60)
    #expect(step == .last)
    #expect(walk.isDone)
    let empty = ArchiveWalk(from: ArchivePosition(id: "", at: known.at))
    #expect(empty.query(limit: 2) == XEP0313Query(.first, limit: 2))
  }

  @Test func `an id that the server ignores has it go on from the time, once`() {
    var walk = ArchiveWalk(from: known)
    #expect(walk.doubts(page([1, 2]), tolerance: 60))
    #expect(!walk.doubts(page([9]), tolerance: 60))
    let step = walk.take(page([1, 2]), tolerance: 60)
    #expect(step == .restart)
    #expect(walk.isByTime)
    #expect(
      walk.query(limit: 2)
        == XEP0313Query(start: known.at.addingTimeInterval(-60), .first, limit: 2))
    #expect(!walk.doubts(page([1, 2]), tolerance: 60), "what is older is no surprise now")
    let again = walk.restartFromTime(tolerance: 60)
    #expect(!again)
  }

  @Test func `the server's order holds where its clock is not doubted`() {
    var walk = ArchiveWalk(from: known)
    walk.trust()
    let step = walk.take(page([1, 2]), tolerance: 60)
    #expect(step == .next)
    #expect(!walk.isByTime)
  }

  @Test func `a page that comes twice is the end of it`() {
    var walk = ArchiveWalk(from: known)
    let first = walk.take(page([10, 11]), tolerance: 60)
    #expect(first == .next)
    let second = walk.take(page([10, 11]), tolerance: 60)
    #expect(second == .lost)
  }

  // MARK: - Reading backwards

  @Test func `a page meets what is known by its id, or by a time long before`() {
    #expect(ArchiveContact(of: page([10, 11]), with: known, tolerance: 60) == .none)
    #expect(ArchiveContact(of: page([9, 10]), with: known, tolerance: 60) == .met)
    #expect(ArchiveContact(of: page([8, 10]), with: known, tolerance: 60) == .met)
    #expect(ArchiveContact(of: page([8, 10]), with: known, tolerance: 6000) == .none)
    #expect(
      ArchiveContact(of: page([10], isComplete: true), with: known, tolerance: 60) == .beginning)
  }

  // MARK: - The newest page

  private func range(_ start: Int, _ end: Int, beginning: Bool = false) -> ArchiveRange {
    func position(_ number: Int) -> ArchivePosition {
      ArchivePosition(id: "a\(number)", at: time(Double(number) * 1000))
    }
    return ArchiveRange(
      row: 1, archive: JID(local: "alice", domain: "example.org"), start: position(start),
      end: position(end), reachesBeginning: beginning, anchor: "a\(end)")
  }

  @Test func `the newest page goes on with what is known, or is a range of its own`() throws {
    let (now, older) = (time(1_000_000), range(1, 9))
    let met = try #require(
      NewestPage(page([9, 10]), after: older, contact: .met, latest: now))
    #expect(met.isJoined)
    // What is known of the last message stays: the page's has the next time.
    #expect(met.times == [older.end.at + ArchiveOrder.step, time(10_000)])
    var joined = older
    (joined.end, joined.anchor) = (ArchivePosition(id: "a10", at: time(10_000)), nil)
    #expect(met.range(of: older.archive, now: now) == joined)

    let apart = try #require(
      NewestPage(page([20, 21]), after: older, contact: ArchiveContact.none, latest: now))
    #expect(!apart.isJoined)
    let own = apart.range(of: older.archive, now: now)
    #expect(own.row == nil)
    #expect([own.start.id, own.end.id] == ["a20", "a21"])
    #expect(!own.reachesBeginning)
  }

  @Test func `an archive that begins on the newest page has nothing before what is known`() throws {
    let older = range(1, 9)
    let begun = try #require(
      NewestPage(
        page([10], isComplete: true), after: older, contact: .beginning, latest: time(20_000)))
    #expect(begun.range(of: older.archive, now: time(20_000)).reachesBeginning)
    #expect(begun.range(of: older.archive, now: time(20_000)).row == 1)
    let first = try #require(
      NewestPage(page([10], isComplete: true), after: nil, contact: nil, latest: time(20_000)))
    #expect(!first.isJoined)
    #expect(first.range(of: older.archive, now: time(20_000)).reachesBeginning)
  }

  @Test func `with something missing between, the newest page is later whatever the clocks say`()
    throws
  {
    let older = range(1, 9)
    let apart = try #require(
      NewestPage(page([5]), after: older, contact: ArchiveContact.none, latest: time(20_000)))
    #expect(apart.times.allSatisfy { $0 > older.end.at + ArchiveOrder.gap / 4 })
    // None is later than what comes live.
    let late = try #require(
      NewestPage(page([30]), after: older, contact: ArchiveContact.none, latest: time(20_000)))
    #expect(late.times == [time(20_000)])
  }

  /// More was said since they arrived than a page has.
  @Test func `the newest page is later than the live messages before it`() throws {
    let newest = try #require(
      NewestPage(
        page([5, 30]), after: range(1, 9), contact: ArchiveContact.none, arrived: time(20_000),
        latest: time(25_000)))
    let first = time(20_000) + ArchiveRange.space + ArchiveOrder.step
    #expect(newest.times == [first, time(25_000)])
  }

  @Test func `a page with a gap on both sides leaves space behind it`() {
    #expect(ArchiveOrder.limit(before: time(200), after: nil) == time(200) - ArchiveRange.space)
    #expect(
      ArchiveOrder.limit(before: time(200), after: time(100)) == time(200) - ArchiveRange.space)
    #expect(
      ArchiveOrder.limit(before: time(2), after: time(2) - 0.003_906_25)
        == time(2) - 0.001_953_125)
  }

  /// A page of the newest side: the rest of the gap is still missing.
  @Test func `timestamps right after the older side of a gap leave space there`() {
    let (older, newer) = (time(100), time(200))
    let times = ArchiveOrder.times(
      of: [time(100.001), time(100.002), time(150)], after: older, before: newer, now: newer)
    let second = time(150).addingTimeInterval(-ArchiveOrder.step)
    #expect(times == [second.addingTimeInterval(-ArchiveOrder.step), second, time(150)])
  }

  @Test func `an empty archive has no newest page`() {
    #expect(
      NewestPage(page([], isComplete: true), after: nil, contact: nil, latest: time(1)) == nil)
  }
}
