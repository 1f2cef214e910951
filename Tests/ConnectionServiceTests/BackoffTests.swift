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
    for attempt in 1...backoff.shortWaits {
      #expect(backoff.delay(afterFailure: attempt, random: 0) == .milliseconds(500))
    }
  }

  @Test func `whoever comes back within seconds is met within two thirds of a second`() {
    let usual = Backoff()
    // As long as a server takes to start anew.
    var passed = Duration.zero
    for attempt in 1...usual.shortWaits {
      let wait = usual.delay(afterFailure: attempt, random: 0.999_999)
      #expect(wait <= .milliseconds(600))
      passed += usual.delay(afterFailure: attempt, random: 0)
    }
    #expect(passed >= .seconds(10))
  }

  @Test func `no attempt number overflows`() {
    #expect(backoff.delay(afterFailure: .max, random: 0.5) <= .seconds(60))
    #expect(backoff.delay(afterFailure: 0, random: 0.5) <= .seconds(1))
  }
}
