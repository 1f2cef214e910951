import Foundation
import Testing

@testable import MessagingService

@Suite struct ExpiryPolicyTests {
  private let start = Date(timeIntervalSince1970: 1_700_000_000)

  /// The correction at the second of two readings a minute apart.
  private func correction(whenClockShows seconds: Double) -> TimeInterval? {
    var policy = ExpiryPolicy(timeLimit: 1800)
    _ = policy.correction(at: start, steady: .seconds(100))
    return policy.correction(at: start + seconds, steady: .seconds(160))
  }

  @Test func `a message may wait for the time limit`() {
    #expect(ExpiryPolicy(timeLimit: 1800).deadline(at: start) == start - 1800)
  }

  @Test func `the first reading is nothing to compare with`() {
    var policy = ExpiryPolicy(timeLimit: 1800)
    #expect(policy.correction(at: start, steady: .zero) == nil)
  }

  @Test(arguments: [(3660.0, 3600.0), (-3540, -3600), (65, 5), (55, -5)])
  func `a clock that was set moves the waits with it`(seconds: Double, correction: Double) {
    #expect(self.correction(whenClockShows: seconds) == correction)
  }

  @Test(arguments: [60.0, 64.9, 55.1])
  func `a clock that is adjusted gradually moves nothing`(seconds: Double) {
    #expect(correction(whenClockShows: seconds) == nil)
  }

  @Test func `a clock that was set is reported once`() {
    var policy = ExpiryPolicy(timeLimit: 1800)
    _ = policy.correction(at: start, steady: .zero)
    #expect(policy.correction(at: start + 3600, steady: .seconds(60)) == 3540)
    #expect(policy.correction(at: start + 3660, steady: .seconds(120)) == nil)
  }

  @Test func `the sleep of the machine counts as waiting`() {
    var policy = ExpiryPolicy(timeLimit: 1800)
    _ = policy.correction(at: start, steady: .zero)
    #expect(policy.correction(at: start + 7200, steady: .seconds(7200)) == nil)
  }
}
