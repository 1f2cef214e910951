import Foundation
import Testing

@testable import MessagingService

/// The repetition of a catch-up that ended early.
@Suite struct CatchUpRetryTests {
  @Test func `each pause is twice as long as the one before, up to ten minutes`() {
    var retry = CatchUpRetry()
    var pauses: [Duration] = []
    for _ in 1...12 {
      guard let pause = retry.nextPause(isBehind: true) else { break }
      pauses.append(pause)
      let second = retry.nextPause(isBehind: true)
      #expect(second == nil, "the pause has begun")
      #expect(!retry.isDue)
      retry.endPause()
      #expect(retry.isDue)
      retry.begin()
      #expect(!retry.isDue)
    }
    #expect(pauses.count == 12)
    let seconds = [15, 30, 60, 120, 240, 480] + Array(repeating: 600, count: 6)
    #expect(pauses == seconds.map { Duration.seconds($0) })
  }

  @Test func `a catch-up that ended well has the next pause begin anew`() {
    var retry = CatchUpRetry()
    for _ in 1...3 {
      _ = retry.nextPause(isBehind: true)
      retry.endPause()
    }
    let none = retry.nextPause(isBehind: false)
    #expect(none == nil)
    let first = retry.nextPause(isBehind: true)
    #expect(first == .seconds(15))
  }

  @Test func `a resumed session and the user have it repeated at once, the user not all the time`()
  {
    var retry = CatchUpRetry()
    retry.setDue()
    #expect(retry.isDue)
    retry.begin()
    let now = Date(timeIntervalSince1970: 1_700_000_000)
    // The clock may be set back.
    for (seconds, isTaken) in [(0.0, true), (4, false), (5, true), (9, false), (-1, true)] {
      let isAsked = retry.ask(at: now + seconds)
      #expect(isAsked == isTaken, "\(seconds)")
      #expect(retry.isDue == isTaken)
      retry.begin()
    }
    #expect(retry.askedAt == now - 1)
  }
}
