import Dispatch

/// Runs one actor's jobs on one private serial queue, so that a blocking call never holds one of
/// the few cooperative threads.
///
/// Its actor keeps it: the reference that the runtime holds is unowned.
package final class QueueExecutor: SerialExecutor {
  private let queue: DispatchQueue

  /// - Parameter label: the queue's name in a debugger.
  package init(label: String) {
    queue = DispatchQueue(label: label)
  }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }

  /// Stops the program unless it is called on this queue: what `assumeIsolated` asks.
  package func checkIsolated() {
    dispatchPrecondition(condition: .onQueue(queue))
  }
}
