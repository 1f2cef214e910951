import Foundation
import NatterCore
import Testing

@testable import RoomService

@Suite struct EntryRetriesTests {
  private func date(_ seconds: Double) -> Date { Date(timeIntervalSince1970: seconds) }

  @Test func `a room that kept the user for a minute is entered again at once`() {
    var retries = EntryRetries()
    for start in [0.0, 1000] {
      retries.entered(at: date(start))
      #expect(retries.pause(lostAt: date(start + 60), mayReturnAtOnce: true) == nil)
      #expect(retries.losses == 0)
    }
  }

  @Test func `the pauses double while the room does not keep the user, up to five minutes`() {
    var retries = EntryRetries()
    var pauses: [Int?] = []
    for number in 0..<11 {
      retries.entered(at: date(Double(number)))
      pauses.append(retries.pause(lostAt: date(Double(number) + 59), mayReturnAtOnce: true))
    }
    #expect(pauses == [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300])
    retries.entered(at: date(5000))
    #expect(retries.pause(lostAt: date(5060), mayReturnAtOnce: true) == nil)
    #expect(retries.losses == 0)
  }

  @Test func `a room that refuses is entered again after a pause, which also doubles`() {
    var retries = EntryRetries()
    let pauses = (0..<3).map { _ in retries.pause(lostAt: date(0), mayReturnAtOnce: false) }
    #expect(pauses == [1, 2, 4])
    // The user asks again.
    retries = EntryRetries()
    #expect(retries.pause(lostAt: date(0), mayReturnAtOnce: false) == 1)
  }

  @Test func `a few other nicks are tried, and as many again once the room has taken one`() {
    var retries = EntryRetries()
    for _ in 0..<2 {
      #expect((0..<4).map { _ in retries.takeNick() } == [true, true, true, false])
      retries.nickAccepted()
    }
  }
}
