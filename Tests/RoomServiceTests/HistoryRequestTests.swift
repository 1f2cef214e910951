import Foundation
import NatterCore
import Testing
import XMPP

@testable import RoomService

@Suite struct HistoryRequestTests {
  private let now = Date(timeIntervalSince1970: 1_000_000)

  private func request(_ newest: Date?, isRoomsTime: Bool = false) -> XEP0045.History {
    XEP0045.History(after: newest.map { ($0, isRoomsTime) }, now: now)
  }

  @Test func `a first visit asks for a few messages`() {
    #expect(request(nil) == .newest(20))
  }

  @Test func `a time that is the room's is asked from, with five minutes to spare`() {
    #expect(
      request(Date(timeIntervalSince1970: 300), isRoomsTime: true)
        == .since("1970-01-01T00:00:00.000Z"))
  }

  @Test(arguments: [(0.0, 300), (10.5, 311), (86_400, 86_700), (-500, 300), (2e9, 1_000_000_000)])
  func `a local time is asked from by its age, within what servers accept`(
    age: Double, seconds: Int
  ) {
    #expect(request(now.addingTimeInterval(-age)) == .seconds(seconds))
  }

  @Test func `what the room sends is a stretch that may begin with a known message`() {
    var history = KnownHistory(isKnown: true, newestID: "b")
    for id in ["a", "b", "c"] { history.add(id) }
    #expect(history.sent == JoinHistory(first: "a", last: "c", known: "b"))
    history.begin()
    #expect(history.sent == nil)
    #expect(history.newestID == "b")
    history.add("d")
    #expect(history.sent == JoinHistory(first: "d", last: "d"))
  }
}
