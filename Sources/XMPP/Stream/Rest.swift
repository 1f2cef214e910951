import Dispatch

extension Task where Success == Never, Failure == Never {
  /// Waits as `Task.sleep(for:)` does: until `duration` is over, or the task is cancelled.
  ///
  /// `Task.sleep` waits on one of libdispatch's global queues. Once one of those has been used, libdispatch counts its threads
  /// each second as long as the program runs, and an idle program would never rest.
  /// - Throws: `CancellationError`.
  package static func rest(for duration: Duration) async throws {
    guard duration > .zero else { return try Task.checkCancellation() }
    let (end, over) = AsyncStream<Never>.makeStream()
    let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "natter.rest"))
    let (seconds, attoseconds) = duration.components
    let (nanoseconds, isForever) = Int(seconds).multipliedReportingOverflow(by: 1_000_000_000)
    timer.schedule(
      deadline: isForever
        ? .distantFuture
        : .now() + .nanoseconds(nanoseconds) + .nanoseconds(Int(attoseconds / 1_000_000_000)))
    timer.setEventHandler { over.finish() }
    timer.activate()
    defer { timer.cancel() }
    // Ends with the task, too.
    for await _ in end {}
    try Task.checkCancellation()
  }
}
