import Dispatch

/// Runs an actor's jobs on a private serial queue, so that a blocking call never occupies a thread
/// of the small cooperative pool.
///
/// The actor must retain it: the reference that the runtime holds is unowned.
package final class QueueExecutor: SerialExecutor {
  private let queue: DispatchQueue

  /// - Parameter label: The queue's name in a debugger.
  package init(label: String) {
    queue = DispatchQueue(label: label)
  }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }

  /// Stops the program unless it is called on this queue; `assumeIsolated` requires this check.
  package func checkIsolated() {
    dispatchPrecondition(condition: .onQueue(queue))
  }
}
