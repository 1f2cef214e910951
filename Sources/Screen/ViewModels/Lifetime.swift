/// The tasks of one part of the screen, cancelled when it is released.
///
/// Key handlers cannot wait; the work that they start runs here, serialized if its order matters.
package final class Lifetime {
  private var tasks: [Int: Task<Void, Never>] = [:]
  private var nextTask = 0
  /// The number of serialized tasks that have not finished.
  private var waiting = 0
  private let queue: AsyncStream<@MainActor () async -> Void>.Continuation
  private let worker: Task<Void, Never>

  package init() {
    let (stream, queue) = AsyncStream<@MainActor () async -> Void>.makeStream()
    self.queue = queue
    worker = Task { for await work in stream { await work() } }
  }

  /// Runs `work` after all previously serialized work.
  package func inOrder(_ work: @escaping @MainActor () async -> Void) {
    waiting += 1
    queue.yield { [weak self] in
      await work()
      self?.waiting -= 1
    }
  }

  /// Runs `work` concurrently with everything else.
  /// - Returns: The task, to cancel it when its result is no longer needed.
  @discardableResult package func aside(
    _ work: @escaping @MainActor () async -> Void
  ) -> Task<Void, Never> {
    nextTask += 1
    let number = nextTask
    let task = Task { [weak self] in
      await work()
      self?.tasks[number] = nil
    }
    tasks[number] = task
    return task
  }

  /// Returns when all serialized work has finished, such as writes to disk. Concurrent work may
  /// still wait for a server.
  package func settleInOrder() async {
    while waiting > 0 {
      await withCheckedContinuation { continuation in
        queue.yield { continuation.resume() }
      }
    }
  }

  /// Returns when all work started so far has finished: drafts are saved, messages stored.
  package func settle() async {
    // Finished work may have started more.
    while waiting > 0 || !tasks.isEmpty {
      if let task = tasks.values.first { await task.value }
      guard waiting > 0 else { continue }
      await withCheckedContinuation { continuation in
        queue.yield { continuation.resume() }
      }
    }
  }

  isolated deinit {
    queue.finish()
    worker.cancel()
    for task in tasks.values { task.cancel() }
  }
}
