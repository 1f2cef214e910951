import Foundation

/// The speed of this machine at this moment, for expectations about time.
///
/// A time in seconds says something of a program only together with the machine and with what else
/// runs on it. So the time of the smallest run of the program, from its start to its end, is
/// measured around what is looked at, and added many times over. What waits for a timer, or for an
/// answer that does not come, is found out all the same.
package enum Pace {
  /// The number of the program's smallest runs that may pass beyond the expected time.
  private static let runs = 20

  /// Indicates whether one of three attempts is as fast as expected.
  /// - Parameter attempt: does it, and says how long it took.
  package static func holds(
    _ stated: Duration, _ attempt: () async throws -> Duration
  ) async throws -> Bool {
    for _ in 0..<3 {
      let before = try await smallestRun()
      let taken = try await attempt()
      if taken <= stated + max(before, try await smallestRun()) * Self.runs { return true }
    }
    return false
  }

  /// Returns the duration of `work`.
  package static func time(_ work: () async throws -> Void) async rethrows -> Duration {
    let start = ContinuousClock.now
    try await work()
    return ContinuousClock.now - start
  }

  private static func smallestRun() async throws -> Duration {
    try await time {
      try await CommandRun.check(Programs.natter, ["--version"], upTo: .seconds(120))
    }
  }
}
