import Testing
import XMPP

@Suite struct RestTests {
  @Test(arguments: [Duration.zero, .milliseconds(-5), .microseconds(10), .milliseconds(20)])
  func `it ends when the time is over, and not before`(duration: Duration) async throws {
    let start = ContinuousClock.now
    try await Task.rest(for: duration)
    // The two clocks are not the same one: a hair's breadth is none of this.
    #expect(ContinuousClock.now - start >= duration - .milliseconds(1))
  }

  @Test(arguments: [Duration.seconds(3600), .seconds(Int64.max / 2)])
  func `it ends at once with its task`(duration: Duration) async {
    let task = Task { try await Task.rest(for: duration) }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}
