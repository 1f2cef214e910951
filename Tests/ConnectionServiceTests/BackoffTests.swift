import ConnectionService
import Testing

@Suite struct BackoffTests {
  /// The waits after so many failures in a row.
  private func waits(_ count: Int, _ backoff: Backoff = Backoff(), random: Double) -> [Duration] {
    var backoff = backoff
    return (0..<count).map { _ in backoff.wait(random: random) }
  }

  @Test func `a short outage is met by short waits, and then waits double up to the longest`() {
    let waits = waits(80, random: 1)
    #expect(waits[..<40].allSatisfy { $0 == .milliseconds(300) })
    // Half a minute in all.
    #expect(waits[40..<70].allSatisfy { $0 == .milliseconds(600) })
    #expect(
      waits[70..<76].map { $0 / .milliseconds(1) } == [1_200, 2_400, 4_800, 9_600, 19_200, 38_400])
    #expect(waits[76...].allSatisfy { $0 == .seconds(60) })
  }

  @Test func `the jitter reaches down to half of a short wait, never to nothing`() {
    let waits = waits(200, random: 0)
    #expect(waits[..<80].allSatisfy { $0 == .milliseconds(150) })
    #expect(waits[80...].allSatisfy { $0 == .milliseconds(300) })
  }

  @Test(arguments: [0, 0.25, 0.5, 0.75, 0.999_999])
  func
    `whoever comes back within half a minute is met within a second, and then not asked for ever`(
      random: Double
    )
  {
    var passed = Duration.zero
    for wait in waits(300, random: random) {
      if passed < .seconds(30) { #expect(wait <= .seconds(1)) }
      passed += wait
    }
    // Fewer attempts than one in four seconds, in the end.
    if random > 0 {
      #expect(waits(300, random: random).suffix(100).allSatisfy { $0 > .seconds(4) })
    }
  }

  @Test func `what is tried anew begins with short waits`() {
    var backoff = Backoff()
    for _ in 0..<60 { _ = backoff.wait(random: 1) }
    #expect(backoff.failures == 60)
    backoff.reset()
    #expect(backoff.failures == 0 && backoff.wait(random: 1) == .milliseconds(300))
  }

  @Test func `no number of failures overflows`() {
    #expect(waits(10_000, random: 1).last == .seconds(60))
    #expect(waits(1, Backoff(first: .seconds(90)), random: 1) == [.seconds(60)])
  }
}
