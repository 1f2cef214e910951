import TestSupport
import Testing

@testable import ConnectionService

@Suite struct BackoffTests {
  /// Random number generators: the ends, the middle, and any value.
  static let dice: [@Sendable (Int) -> Double] = [
    { _ in 0 }, { _ in 0.25 }, { _ in 0.999_999 }, { $0.isMultiple(of: 2) ? 0 : 0.999_999 },
    { $0.isMultiple(of: 2) ? 0.999_999 : 0 }, { $0 < 4 ? 0 : 0.999_999 },
    { Double($0 &* 2_654_435_761 % 1000) / 1000 },
  ]

  /// A backoff after a session that lasted.
  private func connected() -> Backoff {
    var backoff = Backoff()
    backoff.sessionEnded(after: .seconds(3600), isSound: true)
    return backoff
  }

  /// When the attempts are made, in seconds since the connection was lost, or since the first
  /// attempt where there was none.
  private func times(_ count: Int, _ backoff: Backoff, _ die: (Int) -> Double) -> [Double] {
    var (backoff, passed) = (backoff, Duration.zero)
    return (0..<count).map {
      passed += backoff.wait(random: die($0))
      return passed / .seconds(1)
    }
  }

  private func rounded(_ times: [Double]) -> [Double] { times.map { ($0 * 100).rounded() / 100 } }

  @Test func `at once, then after 0.3 s, and waits double up to a minute`() {
    let times = times(12, connected()) { _ in 1 }
    #expect(
      rounded(times) == [0, 0.3, 0.9, 2.1, 4.5, 9.3, 18.9, 38.1, 76.5, 136.5, 196.5, 256.5])
  }

  @Test func `the jitter reaches down to half of a wait, never to nothing`() {
    let times = times(12, connected()) { _ in 0 }
    #expect(
      rounded(times)
        == [0, 0.15, 0.6, 1.5, 3.3, 6.9, 14.1, 28.5, 57.3, 106.5, 166.5, 226.5])
    for die in Self.dice {
      var backoff = connected()
      _ = backoff.wait(random: 0)
      for index in 0..<100 { #expect(backoff.wait(random: die(index)) >= .milliseconds(150)) }
    }
  }

  @Test(arguments: dice.indices)
  func `an outage of three seconds ends within a second and a half, and a minute has ten attempts`(
    die: Int
  ) {
    let times = times(20, connected(), Self.dice[die])
    #expect(times.contains { (3...4.5).contains($0) }, "\(times)")
    #expect(times.count { $0 < 60 } <= 10, "\(times)")
    #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 < 60.001 }, "\(times)")
  }

  @Test(arguments: dice.indices)
  func `where nothing was ever connected, the first wait is a second`(die: Int) {
    var backoff = Backoff()
    #expect(backoff.wait(random: 0.999) > .milliseconds(990))
    let times = times(20, Backoff(), Self.dice[die])
    #expect(times[0] >= 0.5)
    // With the first attempt, which no wait comes before.
    #expect(times.count { $0 < 60 } + 1 <= 8, "\(times)")
  }

  /// The sessions last so many seconds: the server takes this client in and throws it out.
  @Test(arguments: [0, 0.5, 1.9, 2, 3, 5, 20], dice.indices)
  func `sessions that end again and again make no more than ten attempts a minute`(
    length: Double, die: Int
  ) {
    var backoff = Backoff()
    var (passed, times) = (0.0, [Double]())
    for index in 0..<60 {
      passed += length
      backoff.sessionEnded(after: .seconds(length), isSound: length >= 2)
      passed += backoff.wait(random: Self.dice[die](index)) / .seconds(1)
      times.append(passed)
    }
    for (index, time) in times.enumerated() {
      #expect(times[index...].count { $0 < time + 59.999 } <= 10, "\(times)")
    }
    // At once only the first time, and after a session that lasted.
    if length < 2 { #expect(times[1] > times[0] + length) }
  }

  @Test func `an attempt of the user's, or after a network change, begins with short waits again`()
  {
    for isConnected in [true, false] {
      var backoff = isConnected ? connected() : Backoff()
      for _ in 0..<60 { _ = backoff.wait(random: 1) }
      backoff.reset()
      #expect(backoff.failures == 0)
      let waits = (0..<5).map { _ in backoff.wait(random: 1) / .milliseconds(1) }
      #expect(
        waits == (isConnected ? [300, 600, 1200, 2400, 4800] : [1000, 2000, 4000, 8000, 16_000]))
    }
  }

  @Test
  func `a network that changes during an attempt has another one follow at once, and one only`() {
    var backoff = Backoff()
    for _ in 0..<5 { _ = backoff.wait(random: 1) }
    backoff.hurry()
    #expect(backoff.wait(random: 1) == .zero)
    #expect(backoff.wait(random: 1) == .seconds(32))
  }

  @Test func `after minutes each wait has a jitter of its own`() {
    var backoff = connected()
    // All clients of a server that is gone: held to one schedule they would end up at one time.
    for _ in 0..<13 { _ = backoff.wait(random: 0) }
    #expect(
      (0..<3).map { _ in backoff.wait(random: 0) } == Array(repeating: .seconds(30), count: 3))
    #expect(backoff.wait(random: 0.5) == .seconds(45))
    #expect(backoff.wait(random: 1) == .seconds(60))
  }

  @Test func `no number of failures overflows`() {
    var backoff = connected()
    for _ in 0..<10_000 { _ = backoff.wait(random: 1) }
    #expect(backoff.wait(random: 1) == .seconds(60))
    var long = Backoff(first: .seconds(90), firstEver: .seconds(90))
    #expect(long.wait(random: 1) == .seconds(60))
  }
}
