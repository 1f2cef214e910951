import Foundation
import NatterCore
import Testing

/// What is recent by a clock that may be set.
@Suite struct RecentDateTests {
  @Test(arguments: [
    (0, true), (9, true), (-9, true), (10, false), (-10, false), (1e6, false), (-1e6, false),
  ])
  func `a moment is recent for so long, and not for longer after the clock was set back`(
    age: Double, isRecent: Bool
  ) {
    let now = Date(timeIntervalSince1970: 1_700_000_000)
    #expect(now.addingTimeInterval(-age).isRecent(10, at: now) == isRecent)
  }

  @Test func `what was never is not recent`() {
    #expect(!Date.distantPast.isRecent(1e6, at: Date(timeIntervalSince1970: 0)))
    #expect(!Date.distantFuture.isRecent(1e6, at: Date(timeIntervalSince1970: 0)))
  }
}
