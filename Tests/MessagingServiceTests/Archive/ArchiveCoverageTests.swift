import Foundation
import NatterCore
import Testing
import XMPP

@testable import MessagingService

/// What is known of an archive, put together from its ranges.
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
}
