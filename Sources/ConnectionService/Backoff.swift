/// How long to wait before the next attempt to connect: exponential with full jitter (FLOWS.md 2).
///
/// Most outages are short: a server that is started anew, a moment without radio. For some attempts the longest wait stays the
/// first one, and that is less than FLOWS.md's second, so that who comes back within seconds is met at once.
package struct Backoff: Sendable {
  /// The longest wait after the first failure, and after any.
  package let first: Duration
  package let longest: Duration
  /// How many waits are as short as the first one before they grow.
  package let shortWaits: Int

  package init(
    first: Duration = .milliseconds(600), longest: Duration = .seconds(60), shortWaits: Int = 40
  ) {
    self.first = first
    self.longest = longest
    self.shortWaits = shortWaits
  }

  /// The wait after the `attempt`-th failure in a row.
  /// - Parameters:
  ///   - attempt: 1 or more.
  ///   - random: in 0..<1; where between the shortest (half of `first`) and the longest the wait lies.
  package func delay(afterFailure attempt: Int, random: Double) -> Duration {
    var ceiling = first
    for _ in 0..<max(0, min(attempt - shortWaits, 32)) where ceiling < longest {
      ceiling = ceiling * 2
    }
    ceiling = min(ceiling, longest)
    let floor = first / 2
    return floor + (ceiling - floor) * random
  }
}
