/// Pauses that replace waiting.
package enum Pause {
  /// Ends only by cancellation: a time limit that is not reached, an attempt that is not made.
  package static let endless: @Sendable (Duration) async throws -> Void = { _ in
    let (stream, continuation) = AsyncStream<Void>.makeStream()
    for await _ in stream {}
    withExtendedLifetime(continuation) {}
    try Task.checkCancellation()
  }
}
