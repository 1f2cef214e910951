import TestSupport
import Testing

/// `natter serve` while the owners of its account are killed at many moments.
@Suite(.serialized, .long) struct ServeHandoverLongTests {
  @Test func `messages through serve are stored once, in order, at 100 moments of a kill`()
    async throws
  {
    // The same delays each time; the moments within them are those of the scheduler.
    var random = SeededGenerator(seed: 64)
    let delays = (1...100).map { _ in
      Duration.microseconds(Int.random(in: 0...30_000, using: &random))
    }
    try await ServeOwners(ServeOwners.home()).kill(delays.count) { delays[$0 - 1] }
  }
}
