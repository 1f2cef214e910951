/// The tasks of one part of the screen: they end with it.
///
/// Key handlers cannot wait; what they begin is put here, one after the other where the order counts.
package final class Lifetime {
  private var tasks: [Int: Task<Void, Never>] = [:]
  private var nextTask = 0
  /// Work put in order that is not done.
  private var waiting = 0
  private let queue: AsyncStream<@MainActor () async -> Void>.Continuation
  private let worker: Task<Void, Never>

  package init() {
    let (stream, queue) = AsyncStream<@MainActor () async -> Void>.makeStream()
    self.queue = queue
    worker = Task { for await work in stream { await work() } }
  }

  /// Runs `work` after everything that was put in order before.
  package func inOrder(_ work: @escaping @MainActor () async -> Void) {
    waiting += 1
    queue.yield { [weak self] in
      await work()
      self?.waiting -= 1
    }
  }

  /// Runs `work` beside everything else.
  package func aside(_ work: @escaping @MainActor () async -> Void) {
    nextTask += 1
    let number = nextTask
    tasks[number] = Task { [weak self] in
      await work()
      self?.tasks[number] = nil
    }
  }

  /// Returns when everything that was put in order is done: what goes to the disk. What is beside that may wait for a server.
  package func settleInOrder() async {
    while waiting > 0 {
      await withCheckedContinuation { continuation in
        queue.yield { continuation.resume() }
      }
    }
  }

  /// Returns when everything begun so far is done: drafts are saved, messages stored.
  package func settle() async {
    // What is done may begin more.
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
