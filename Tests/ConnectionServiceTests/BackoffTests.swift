import ConnectionService
import Testing

@Suite struct BackoffTests {
  /// The waits after so many failures in a row.
  private func waits(_ count: Int, _ backoff: Backoff = Backoff(), random: Double) -> [Duration] {
    var backoff = backoff
    return (0..<count).map { _ in backoff.wait(random: random) }
  }

  @Test func `a short outage is met by short waits, and then waits double up to the longest`() {
    let waits = waits(60, random: 1)
    #expect(waits[..<40].allSatisfy { $0 == .milliseconds(500) })
    // Half a minute in all.
    #expect(waits[40..<50].allSatisfy { $0 == .seconds(1) })
    #expect(waits[50...].map { $0 / .seconds(1) } == [2, 4, 8, 16, 32, 60, 60, 60, 60, 60])
  }

  @Test func `the jitter reaches down to half of a short wait, never to nothing`() {
    let waits = waits(200, random: 0)
    #expect(waits[..<80].allSatisfy { $0 == .milliseconds(250) })
    #expect(waits[80...].allSatisfy { $0 == .milliseconds(500) })
  }

  @Test(arguments: [0, 0.25, 0.5, 0.75, 0.999_999])
  func
    `whoever comes back within half a minute is met within a second, and then not asked for ever`(
      random: Double
    )
  {
    var passed = Duration.zero
    for wait in waits(200, random: random) {
      if passed < .seconds(30) { #expect(wait <= .seconds(1)) }
      passed += wait
    }
    // Fewer attempts than one in four seconds, in the end.
    if random > 0 {
      #expect(waits(200, random: random).suffix(100).allSatisfy { $0 > .seconds(4) })
    }
  }

  @Test func `what is tried anew begins with short waits`() {
    var backoff = Backoff()
    for _ in 0..<60 { _ = backoff.wait(random: 1) }
    #expect(backoff.failures == 60)
    backoff.reset()
    #expect(backoff.failures == 0 && backoff.wait(random: 1) == .milliseconds(500))
  }

  @Test func `no number of failures overflows`() {
    #expect(waits(10_000, random: 1).last == .seconds(60))
    #expect(waits(1, Backoff(first: .seconds(90)), random: 1) == [.seconds(60)])
  }
}
