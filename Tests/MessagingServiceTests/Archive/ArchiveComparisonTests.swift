import Foundation
import NatterCore
import Testing
import XMPP

@testable import MessagingService

/// The progress of comparing live messages with the archive.
@Suite struct ArchiveComparisonTests: ArchiveRuleTests {
  private var comparison: ArchiveComparison {
    ArchiveComparison(from: .init(from: ArchivePosition(id: "a9", at: time(9)), "a9"))
  }

  @Test func `pages move it on until the archive has no more`() {
    var comparison = comparison
    #expect(comparison.walk.query(limit: 2).page.position == .after("a9"))
    let first = page([10, 11], isComplete: false)
    _ = comparison.walk.take(first, tolerance: 60)
    let times = comparison.take(first, now: time(100))
    #expect(times == [time(10), time(11)])
    #expect(comparison.checked == ArchivePosition(id: "a11", at: time(11)))
    #expect(!comparison.isOver)
    let second = page([12], isComplete: true)
    _ = comparison.walk.take(second, tolerance: 60)
    _ = comparison.take(second, now: time(100))
    #expect(comparison.ids == ["a9", "a10", "a11", "a12"])
    #expect(comparison.isOver)
    #expect(comparison.since == time(9), "what was sent since is still news")
  }

  @Test func `an empty page is the end`() {
    var comparison = comparison
    let empty = page([], isComplete: true)
    _ = comparison.walk.take(empty, tolerance: 60)
    let times = comparison.take(empty, now: time(100))
    #expect(times == nil)
    #expect(comparison.isOver)
    #expect(comparison.checked == ArchivePosition(id: "a9", at: time(9)))
  }

  @Test func `it goes on from the times that are stored, whatever the server's clock says`() {
    var comparison = comparison
    let first = page([10], isComplete: false)
    _ = comparison.walk.take(first, tolerance: 60)
    _ = comparison.take(first, now: time(100))
    comparison.noteStored(upTo: time(50))
    #expect(comparison.checked == ArchivePosition(id: "a10", at: time(50)))
    comparison.noteStored(upTo: time(20))
    #expect(comparison.checked.at == time(50))
    let second = page([11], isComplete: true)
    _ = comparison.walk.take(second, tolerance: 60)
    let times = comparison.take(second, now: time(100))
    #expect(times == [time(50).addingTimeInterval(ArchiveOrder.step)])
  }
}
