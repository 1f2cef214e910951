import ConnectionService
import Testing

@Suite struct BackoffTests {
  let backoff = Backoff(first: .seconds(1), longest: .seconds(60))

  @Test func `a short outage is met by short waits, and then waits double up to the longest`() {
    for attempt in 1...backoff.shortWaits {
      #expect(backoff.delay(afterFailure: attempt, random: 0.999_999) <= .seconds(1))
    }
    let longest = (backoff.shortWaits...backoff.shortWaits + 8).map {
      backoff.delay(afterFailure: $0, random: 0.999_999)
    }
    for (wait, limit) in zip(longest, [1, 2, 4, 8, 16, 32, 60, 60, 60]) {
      #expect(wait <= .seconds(limit))
      #expect(wait > .seconds(limit) * 0.99)
    }
  }

  @Test func `the jitter reaches down to half a second, never to nothing`() {
    for attempt in 1...40 {
      #expect(backoff.delay(afterFailure: attempt, random: 0) == .milliseconds(500))
    }
  }

  @Test func `no attempt number overflows`() {
    #expect(backoff.delay(afterFailure: .max, random: 0.5) <= .seconds(60))
    #expect(backoff.delay(afterFailure: 0, random: 0.5) <= .seconds(1))
  }
}
