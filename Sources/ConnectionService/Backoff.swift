/// How long to wait before the next attempt to connect: exponential with jitter (FLOWS.md 2).
///
/// Most outages are short: a server that is started anew, a moment without radio. Until twenty seconds were waited through the
/// waits are half of FLOWS.md's first one, until half a minute no longer than that, so that who comes back by then is met at
/// once; the jitter of such a wait leaves half of it. After that the longest wait doubles with each failure: who is away for
/// longer is not asked for ever at that pace.
package struct Backoff: Sendable {
  /// The longest of the first waits, twice of which are those that follow, and the longest of all.
  package let first: Duration
  package let longest: Duration
  /// How much is waited in all by waits as short as the first one.
  package let haste: Duration
  /// How much is waited in all before waits grow.
  package let patience: Duration
  /// How often in a row it failed.
  package private(set) var failures = 0
  private var waited = Duration.zero
  private var ceiling = Duration.zero

  package init(
    first: Duration = .milliseconds(300), longest: Duration = .seconds(60),
    haste: Duration = .seconds(12), patience: Duration = .seconds(30)
  ) {
    self.first = first
    self.longest = longest
    self.haste = haste
    self.patience = patience
  }

  /// It failed once more.
  /// - Parameter random: in 0..<1; where between the shortest wait and the longest this one lies.
  /// - Returns: how long to wait.
  package mutating func wait(random: Double) -> Duration {
    if failures < Int.max { failures += 1 }
    let usual = min(waited < haste ? first : first * 2, longest)
    ceiling = waited < patience ? usual : min(max(ceiling, first) * 2, longest)
    let floor = usual / 2
    let wait = floor + (ceiling - floor) * random
    waited += wait
    return wait
  }

  /// What is tried from now on has not failed yet.
  package mutating func reset() {
    (failures, waited, ceiling) = (0, .zero, .zero)
  }
}
