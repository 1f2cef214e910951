import Foundation
import NatterCore
import Testing
import XMPP

@testable import MessagingService

/// The knowledge of one reading of an archive.
@Suite struct OpenArchiveTests: ArchiveRuleTests {
  private let archive = JID(local: "alice", domain: "example.org")

  private func position(_ id: String, _ seconds: TimeInterval) -> ArchivePosition {
    ArchivePosition(id: id, at: time(seconds))
  }

  private func range(
    _ start: ArchivePosition, _ end: ArchivePosition, row: Int64? = nil, anchor: String? = nil
  ) -> ArchiveRange {
    ArchiveRange(
      row: row, archive: archive, start: start, end: end, reachesBeginning: false, anchor: anchor)
  }

  /// A reading that began at second 100.
  private func reading(isFollowed: Bool = true) -> OpenArchive {
    OpenArchive(
      number: 1, visit: nil, connection: 1, begun: time(100), border: time(100),
      isFollowed: isFollowed)
  }

  /// A reading that has caught up, to second 90.
  private func caughtUp(unchecked: OpenArchive.Unchecked? = nil) -> OpenArchive {
    var reading = reading()
    _ = reading.prepare(after: time(90))
    reading.finish(
      with: range(position("a1", 10), position("a9", 90), row: 7, anchor: "a9"),
      unchecked: unchecked)
    return reading
  }

  // MARK: - The end that live messages move

  @Test func `live messages before catch-up ends are a range that begins at the border`() {
    var reading = reading()
    #expect(reading.beginsIsland)
    reading.noteLive("a1", at: time(101), isAnchor: true, in: archive)
    reading.noteLive("a2", at: time(102), isAnchor: false, in: archive)
    #expect(!reading.beginsIsland)
    #expect(
      reading.island == range(position("a1", 100), position("a2", 102), anchor: "a1"))
    #expect(reading.arrived == ["a1", "a2"])
    #expect(reading.rangeToStore == nil, "its border is not known yet")
    let (isFirst, isSecond) = (
      reading.prepare(after: time(50)), reading.prepare(after: time(500))
    )
    #expect(isFirst)
    #expect(!isSecond, "only once")
    // Whether it has gaps is not known: it is stored as if it ended where it begins.
    let stored = reading.rangeToStore
    #expect(stored?.end == position("a1", 102))
    #expect(stored?.anchor == nil)
    reading.storesEnd()
    #expect(reading.rangeToStore == nil)
  }

  @Test func `all that is stored comes before the border, and live messages after it`() {
    var reading = reading()
    reading.noteLive("a1", at: time(101), isAnchor: true, in: archive)
    _ = reading.prepare(after: time(300))
    let border = time(300) + ArchiveOrder.gap
    #expect(reading.border == border)
    #expect(reading.island?.start.at == border)
    #expect(reading.island?.end.at == border)
    #expect(reading.latest(now: time(400)) < border)
    #expect(reading.latest(now: time(200)) == time(200))
  }

  @Test func `offline messages move the border until a live one came`() {
    var reading = reading()
    reading.noteOffline(time(150), deliveredAt: time(140))
    #expect(reading.border == time(140) + ArchiveOrder.step)
    reading.noteLive("a1", at: time(141), isAnchor: true, in: archive)
    reading.noteOffline(time(170), deliveredAt: time(170))
    #expect(reading.border == time(140) + ArchiveOrder.step)
  }

  @Test func `a live message moves the end after catch-up, and its time never goes back`() {
    var reading = caughtUp()
    #expect(reading.rangeToStore == nil)
    reading.noteLive("a10", at: time(80), isAnchor: false, in: archive)
    #expect(reading.live?.end == position("a10", 90))
    #expect(reading.live?.anchor == "a9", "a local message is no anchor")
    #expect(reading.rangeToStore?.end == position("a10", 90))
    #expect(reading.arrived.isEmpty)
  }

  @Test func `without copies of other clients, nothing of a range is kept`() {
    var reading = reading()
    reading.noteLive("a1", at: time(101), isAnchor: true, in: archive)
    reading.setFollowed(false)
    #expect(reading.island == nil)
    reading.finish(with: range(position("a1", 10), position("a9", 90)), unchecked: nil)
    #expect(reading.live == nil)
  }

  @Test func `how many live messages are remembered is limited`() {
    var reading = reading()
    for number in 0...OpenArchive.arrivedLimit + 1 {
      reading.noteLive("a\(number)", at: time(101), isAnchor: true, in: archive)
    }
    #expect(reading.arrived.count == OpenArchive.arrivedLimit)
    #expect(reading.island?.end.id == "a\(OpenArchive.arrivedLimit + 1)")
  }

  @Test func `a range that begins earlier keeps its end`() {
    var reading = caughtUp()
    reading.noteLive("a10", at: time(110), isAnchor: true, in: archive)
    reading.storesEnd()
    var stored = range(position("a0", 5), position("a9", 90), row: 7)
    stored.reachesBeginning = true
    reading.began(stored)
    #expect(reading.live?.start == position("a0", 5))
    #expect(reading.live?.reachesBeginning == true)
    #expect(reading.live?.end == position("a10", 110))
    #expect(reading.rangeToStore != nil, "the end that was stored with it is older")
    reading.storesEnd()
    reading.began(range(position("x", 1), position("y", 2), row: 8))
    #expect(reading.live?.start == position("a0", 5), "another range")
  }

  // MARK: - Catching up

  @Test func `a page that has all live messages takes them in`() {
    var reading = reading()
    _ = reading.prepare(after: time(90))
    reading.noteLive("a5", at: time(101), isAnchor: true, in: archive)
    reading.noteIslandRow(3)
    reading.noteRead(["a4", "a5"])
    let page = range(position("a1", 10), position("a5", 95), row: 7)
    let meeting = reading.meet(page, reading: reading.read, next: nil, isNewest: false)
    var joined = page
    joined.end.at = time(101)
    guard case .joined(joined, absorbing: let absorbed) = meeting else {
      Issue.record("\(meeting)")
      return
    }
    #expect(absorbed.map(\.row) == [3])
    #expect(reading.island == nil)
  }

  @Test func `live messages after a page remain a range that begins with the first of them`() {
    var reading = reading()
    _ = reading.prepare(after: time(90))
    reading.noteLive("a5", at: time(101), isAnchor: true, in: archive)
    reading.noteLive("a6", at: time(102), isAnchor: true, in: archive)
    reading.storesEnd()
    reading.noteRead(["a4", "a5"])
    #expect(reading.arrived == ["a6"])
    let page = range(position("a1", 10), position("a5", 101), row: 7)
    let meeting = reading.meet(page, reading: ["a4", "a5"], next: time(102), isNewest: false)
    #expect(meeting == .moved)
    #expect(reading.island?.start.id == "a6")
    #expect(reading.island?.start.at == time(101) + ArchiveOrder.gap / 4)
    #expect(reading.rangeToStore != nil)
  }

  @Test func `a page that ends before the live messages changes nothing`() {
    var reading = reading()
    _ = reading.prepare(after: time(90))
    reading.noteLive("a9", at: time(101), isAnchor: true, in: archive)
    let island = reading.island
    let page = range(position("a1", 10), position("a5", 80), row: 7)
    let meeting = reading.meet(page, reading: ["a5"], next: nil, isNewest: false)
    #expect(meeting == .apart)
    let newest = reading.meet(page, reading: ["a5"], next: nil, isNewest: true)
    #expect(newest == .apart)
    #expect(reading.island == island)
  }

  @Test func `a page that ends where the live messages begin moves those, unless it is the newest`()
  {
    var reading = reading()
    _ = reading.prepare(after: time(90))
    reading.noteLive("a9", at: time(101), isAnchor: true, in: archive)
    let page = range(position("a1", 10), position("a5", 100), row: 7)
    let newest = reading.meet(page, reading: ["a5"], next: nil, isNewest: true)
    #expect(newest == .apart)
    let meeting = reading.meet(page, reading: ["a5"], next: nil, isNewest: false)
    #expect(meeting == .moved)
    #expect(reading.island?.start.id == "a9")
    #expect(reading.island?.start.at == time(100) + ArchiveOrder.gap / 4)
  }

  @Test func `without live messages, the border is after what was read`() {
    var reading = reading()
    let page = range(position("a1", 10), position("a5", 200), row: 7)
    let meeting = reading.meet(page, reading: ["a5"], next: nil, isNewest: false)
    #expect(meeting == .apart)
    #expect(reading.border == time(200) + ArchiveOrder.gap / 4)
  }

  @Test func `what came live is one with what was read to the end, as far as that is certain`() {
    var reading = reading()
    _ = reading.prepare(after: time(90))
    let none = reading.join(range(position("a1", 10), position("a5", 95)), certainTo: nil)
    #expect(none == nil)
    reading.noteLive("a6", at: time(101), isAnchor: true, in: archive)
    let read = range(position("a1", 10), position("a5", 95), row: 7, anchor: "a5")
    let unchecked = OpenArchive.Unchecked(from: read.end, read.anchor)
    let joined = reading.join(read, certainTo: unchecked)
    #expect(joined?.range.end == position("a6", 101))
    #expect(joined?.range.anchor == "a6")
    #expect(joined?.certain == read)
    #expect(joined?.island.start.id == "a6")
    #expect(reading.island == nil)
  }

  @Test func `the history that a room sent begins its live messages`() {
    var reading = reading()
    reading.noteLive("a6", at: time(101), isAnchor: true, in: archive)
    reading.beginIsland(at: position("a1", 40), through: position("a5", 95), in: archive)
    #expect(reading.island?.start == position("a1", 40))
    #expect(reading.island?.end == position("a6", 101))
    var other = self.reading()
    other.beginIsland(at: position("a1", 40), through: position("a5", 95), in: archive)
    #expect(other.island == range(position("a1", 40), position("a5", 95)))
  }

  // MARK: - Reconciling

  @Test func `after a connection, only what was there before is certain`() {
    var reading = caughtUp()
    #expect(!reading.isToCompare)
    let storesEnd = reading.connectionOpened()
    #expect(storesEnd)
    #expect(reading.isToCompare)
    reading.noteLive("a10", at: time(110), isAnchor: true, in: archive)
    #expect(reading.live?.end == position("a10", 110))
    #expect(reading.rangeToStore?.end == position("a9", 90))
    let known = range(position("a1", 10), position("a9", 90), row: 7)
    #expect(reading.certain(known).end == position("a9", 90))
    let storesAgain = reading.connectionOpened()
    #expect(!storesAgain, "the earlier comparison is not over")
    #expect(reading.unchecked?.point == position("a9", 90))
    let result = reading.endCheck(isLong: false, isOver: true, isOwn: true)
    #expect(result == .compared)
    #expect(!reading.isToCompare)
    #expect(reading.certain(known).end == position("a10", 110))
  }

  @Test func `a comparison that cannot be made waits for the next connection`() {
    var reading = caughtUp(unchecked: .init(from: position("a9", 90), "a9"))
    #expect(reading.isToCompare)
    let result = reading.endCheck(isLong: false, isOver: false, isOwn: true)
    #expect(result == .ended)
    #expect(!reading.isToCompare)
    _ = reading.connectionOpened()
    #expect(reading.isToCompare)
  }

  @Test(arguments: [(true, 40), (false, 4)])
  func `a comparison without an end is given up, over this connection`(isOwn: Bool, limit: Int) {
    var reading = caughtUp(unchecked: .init(from: position("a9", 90), "a9"))
    for _ in 1...2 {
      for _ in 1...limit {
        let result = reading.endCheck(isLong: true, isOver: false, isOwn: isOwn)
        #expect(result == .goesOn)
      }
      let result = reading.endCheck(isLong: true, isOver: false, isOwn: isOwn)
      #expect(result == .ended)
      #expect(!reading.isToCompare)
      _ = reading.connectionOpened()
      #expect(reading.isToCompare)
    }
  }

  @Test func `a comparison goes on from what is compared`() {
    var reading = caughtUp(unchecked: .init(from: position("a9", 90), "a9"))
    reading.noteLive("a11", at: time(112), isAnchor: true, in: archive)
    var stored = range(position("a1", 10), position("a11", 112), row: 7)
    stored.anchor = "a10"
    reading.noteCompared(stored, upTo: position("a11", 111), returning: ["a9", "a10", "a11"])
    #expect(reading.unchecked?.point == position("a11", 112))
    #expect(reading.unchecked?.anchor == "a10")
    #expect(reading.unchecked?.since == time(90), "what was sent since is still news")
    #expect(reading.live?.anchor == "a10")
    // A later live message is not moved by a page that ends before it.
    reading.noteLive("a12", at: time(120), isAnchor: true, in: archive)
    reading.noteCompared(stored, upTo: position("a11", 111), returning: ["a11"])
    #expect(reading.live?.end == position("a12", 120))
    #expect(reading.live?.anchor == "a12")
  }

  @Test func `a crossed message has the comparison begin before it`() throws {
    var reading = caughtUp(unchecked: .init(from: position("a9", 90), "a9"))
    let live = try #require(reading.live)
    let isEarlier = reading.compareAgain(from: position("a4", 40), in: live)
    #expect(isEarlier)
    #expect(reading.unchecked?.point == position("a4", 40))
    #expect(reading.unchecked?.anchor == "a4")
    let isLater = reading.compareAgain(from: position("a6", 60), in: live)
    #expect(!isLater, "it begins earlier anyway")
    // Older than the range: from its start, whose message may be local.
    let isOlder = reading.compareAgain(from: position("z", 1), in: live)
    #expect(isOlder)
    #expect(reading.unchecked?.point == live.start)
    #expect(reading.unchecked?.anchor == nil)
  }
}
