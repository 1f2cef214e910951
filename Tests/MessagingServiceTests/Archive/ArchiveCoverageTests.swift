import Foundation
import NatterCore
import Testing
import XMPP

@testable import MessagingService

/// The known history of an archive, put together from its ranges.
@Suite struct ArchiveCoverageTests {
  @Test func `ranges that touch are one; a range that begins the archive has nothing before it`() {
    let archive = JID(local: "alice", domain: "example.org")
    func range(
      _ start: Double, _ end: Double, beginning: Bool = false, from id: String? = nil
    ) -> ArchiveRange {
      let (first, last) = (Date(timeIntervalSince1970: start), Date(timeIntervalSince1970: end))
      return ArchiveRange(
        archive: archive, start: .init(id: id ?? "s\(start)", at: first),
        end: .init(id: "e\(end)", at: last), reachesBeginning: beginning)
    }
    let coverage = ArchiveCoverage([range(50, 60), range(10, 20), range(15, 30), range(30, 40)])
    #expect(coverage.spans.map(\.start.id) == ["s10.0", "s50.0"])
    #expect(coverage.spans.map(\.end.id) == ["e40.0", "e60.0"])
    #expect(coverage.holes.count == 1)
    #expect(ArchiveCoverage([range(50, 60, beginning: true), range(10, 20)]).holes.isEmpty)
    #expect(ArchiveCoverage([]).spans.isEmpty)
    // What came again at a session's beginning, and was taken for new.
    #expect(ArchiveCoverage([range(10, 20), range(30, 40, from: "e20.0")]).holes.isEmpty)
  }
  private func range(_ start: Int, _ end: Int, row: Int64?) -> ArchiveRange {
    func position(_ number: Int) -> ArchivePosition {
      ArchivePosition(id: "a\(number)", at: Date(timeIntervalSince1970: Double(number)))
    }
    return ArchiveRange(
      row: row, archive: JID(local: "alice", domain: "example.org"), start: position(start),
      end: position(end), reachesBeginning: false)
  }

  private func date(_ seconds: TimeInterval) -> Date { Date(timeIntervalSince1970: seconds) }

  @Test func `the newest gap is filled first, unless the server cannot fill it`() {
    let bob = JID(local: "bob", domain: "example.org")
    let coverage = ArchiveCoverage([
      range(10, 20, row: 1), range(30, 40, row: 2), range(50, 60, row: 3),
    ])
    func newest(_ keys: Set<ArchiveCoverage.Hole.Key>, with peer: JID? = nil) -> Int64? {
      coverage.newestHole(except: keys, with: peer)?.newer.first.row
    }
    #expect(newest([]) == 3)
    #expect(newest([.init(row: 3, peer: nil)]) == 2)
    #expect(newest([.init(row: 3, peer: bob)]) == 3, "the gap of a conversation is another one")
    #expect(newest([.init(row: 3, peer: bob)], with: bob) == 2)
    #expect(newest([.init(row: 3, peer: nil), .init(row: 2, peer: nil)]) == nil)
  }

  @Test func `a gap is found by a time in it, and by its sides`() throws {
    let coverage = ArchiveCoverage([
      range(10, 20, row: 1), range(30, 40, row: 2), range(50, 60, row: 3),
    ])
    #expect(coverage.hole(at: date(20))?.newer.first.row == 2)
    #expect(coverage.hole(at: date(45))?.newer.first.row == 3)
    #expect(coverage.hole(at: date(35)) == nil)
    let hole = try #require(coverage.hole(at: date(45)))
    #expect(coverage.hole(like: hole) == hole)
    let smaller = ArchiveCoverage([
      range(10, 20, row: 1), range(30, 40, row: 2), range(48, 60, row: 3),
    ])
    #expect(smaller.hole(like: hole) == nil)
  }

  @Test func `before a message that came by itself is the last stored range`() throws {
    var coverage = ArchiveCoverage([range(10, 20, row: 1), range(50, 60, row: 3)])
    let newer = try #require(coverage.spans.last)
    coverage.insert(range(30, 30, row: nil), before: newer)
    #expect(coverage.holes.count == 2)
    let hole = try #require(coverage.holes.last)
    #expect(hole.older.last.row == nil)
    #expect(coverage.end(before: hole) == date(20))
    let first = try #require(coverage.holes.first)
    #expect(coverage.end(before: first) == nil)
  }
}
