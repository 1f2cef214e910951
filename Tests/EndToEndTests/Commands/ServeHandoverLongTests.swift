import TestSupport
import Testing

/// `natter serve` while the owners of its account are killed at many moments.
@Suite(.serialized, .long) struct ServeHandoverLongTests {
  @Test func `messages through serve are stored once, in order, at 100 moments of a kill`()
    async throws
  {
    // The same numbers of answers each time; the moments are those of the scheduler.
    var random = SeededGenerator(seed: 64)
    let answers = (1...100).map { _ in Int.random(in: 0...15, using: &random) }
    try await ServeOwners(ServeOwners.home()).kill(answers.count) { answers[$0 - 1] }
  }
}
