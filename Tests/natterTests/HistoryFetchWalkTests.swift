import Foundation
import JSONLines
import NatterCore
import Testing
import XMPP

@testable import natter

/// The requests of `natter history --fetch`.
@Suite struct HistoryFetchWalkTests {
  private let bob = JID(local: "bob", domain: "example.org")

  private func walk(limit: Int?, since start: Date? = nil, until end: Date? = nil)
    -> HistoryFetchWalk
  {
    HistoryFetchWalk(bob, HistoryPeriod(start: start, end: end, limit: limit))
  }

  /// - Parameter ids: of messages that were sent so many seconds after the start of 2027.
  private func answer(
    _ ids: ClosedRange<Int>, holes: Int = 0, more: Bool = false, beginning: Bool = false
  ) -> JSONValue {
    .object([
      "messages": .array(
        ids.map { id in
          .object([
            "id": .text("\(id)"), "at": .text("2027-01-01T00:00:\(id < 10 ? "0" : "")\(id)Z"),
          ])
        }),
      "holes": .array((0..<holes).map { .object(["before": .integer($0)]) }),
      "more": .boolean(more), "beginning": .boolean(beginning),
    ])
  }

  private let newYear = Date(timeIntervalSince1970: 1_798_761_600)

  @Test func `a page is requested until it has no gap`() {
    var walk = walk(limit: 5)
    let first = walk.parameters
    #expect(first["conversation"] == .text("bob@example.org") && first["fetch"] == .boolean(true))
    #expect(first["limit"] == .integer(5) && first["before"] == nil)
    #expect(walk.take(answer(55...59, holes: 2, more: true)) == true)
    #expect(walk.parameters == first)
    #expect(walk.take(answer(55...59, holes: 1, more: true)) == true)
    #expect(walk.take(answer(55...59, more: true)) == false)
    #expect(walk.count == 5)
  }

  @Test func `a gap that the server does not fill does not hold older pages`() {
    var walk = walk(limit: nil)
    #expect(walk.parameters["limit"] == .integer(500))
    let stuck = answer(50...59, holes: 1, more: true)
    #expect(walk.take(stuck) == true)
    #expect(walk.parameters["before"] == nil)
    #expect(walk.take(stuck) == true)
    #expect(walk.parameters["before"] == .text("50"))
    // The archive may have more before it.
    #expect(walk.take(answer(40...49)) == true)
    #expect(walk.take(answer(30...49)) == true)
    #expect(walk.take(answer(30...49, beginning: true)) == false)
    #expect(walk.count == 30)
  }

  @Test func `where the server gives nothing more, it ends`() {
    var walk = walk(limit: nil)
    #expect(walk.take(answer(50...59)) == true)
    #expect(walk.take(answer(50...59)) == false)
    var empty = self.walk(limit: 50)
    let nothing = JSONValue.object(["messages": .array([]), "beginning": .boolean(true)])
    #expect(empty.take(nothing) == false)
  }

  @Test func `it goes back to the beginning of the period, and counts what is in it`() {
    var since = walk(limit: nil, since: newYear.addingTimeInterval(45))
    #expect(since.take(answer(50...59, more: true)) == true)
    #expect(since.take(answer(40...49, more: true)) == false)
    // Of the newest page only two are in the period.
    var until = walk(limit: 4, until: newYear.addingTimeInterval(52))
    #expect(until.parameters["limit"] == .integer(500))
    #expect(until.take(answer(50...59, more: true)) == true)
    #expect(until.take(answer(40...49, more: true)) == false)
  }
}
