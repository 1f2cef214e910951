import Foundation
import NatterCore
import Testing
import XMPP

@testable import MessagingService

/// The beginning of the history that a room sent, if the room's archive cannot be read.
@Suite struct JoinHistoryRangeTests: ArchiveRuleTests {
  private let room = JID(local: "room", domain: "example.org")

  private func position(_ number: Int) -> ArchivePosition {
    ArchivePosition(id: "r\(number)", at: time(Double(number)))
  }

  private func range(_ start: Int, _ end: Int, row: Int64?) -> ArchiveRange {
    ArchiveRange(
      row: row, archive: room, start: position(start), end: position(end), reachesBeginning: false)
  }

  /// The history of messages 30 to 40.
  private func history(
    known: String? = nil, first: TimeInterval = 30, after ranges: [ArchiveRange],
    current: ArchiveRange? = nil
  ) -> JoinHistoryRange {
    JoinHistoryRange(
      JoinHistory(first: "r30", last: "r40", known: known), first: time(first), last: time(40),
      among: ranges, current: current)
  }

  @Test func `it begins with its first message, after all that is known`() {
    for ranges in [[], [range(1, 20, row: 1)]] {
      let history = history(known: "r20", after: ranges)
      #expect(history.start(deciding: nil) == position(30))
      #expect(history.decidingID == nil)
      #expect(history.last == position(40))
    }
  }

  @Test func `it follows what is known if it has a message of that`() {
    let history = history(known: "r35", after: [range(1, 35, row: 1)])
    #expect(history.decidingID == "r35")
    #expect(history.start(deciding: time(35)) == position(35))
  }

  @Test func `clocks that differ do not prove that nothing is missing`() {
    let later = ArchivePosition(id: "r30", at: time(50) + ArchiveOrder.gap)
    let known = range(1, 50, row: 1)
    #expect(history(after: [known]).decidingID == nil)
    #expect(history(after: [known]).start(deciding: nil) == later)
    #expect(history(known: "r35", after: [known]).start(deciding: nil) == later)
    #expect(history(known: "r35", after: [known]).start(deciding: time(60)) == later)
  }

  @Test func `a room that has refused before in this visit has it go on`() {
    let history = history(known: "r35", after: [range(1, 20, row: 1), range(30, 45, row: 2)])
    #expect(history.decidingID == nil)
    #expect(history.start(deciding: nil) == position(45))
  }

  @Test func `what came live in this visit was not known before`() {
    let (known, live) = (range(1, 20, row: 1), range(41, 42, row: 2))
    let history = history(after: [known, live], current: live)
    #expect(history.start(deciding: nil) == position(30))
    var unstored = live
    unstored.row = nil
    let other = self.history(after: [known, live], current: unstored)
    #expect(other.start(deciding: nil) == position(30))
  }
}
