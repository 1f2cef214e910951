/// The archive searches of flushes whose callers do not wait for the network: the task of the
/// outbox (`Outbox.run`) does them.
struct PostponedSearches: Sendable {
  /// `true` if there are such searches.
  var areThere = false
  private let request = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))

  /// Wakes the searching task.
  func wake() { request.continuation.yield() }

  /// The stream that the searching task follows.
  var requests: AsyncStream<Void> { request.stream }
}
