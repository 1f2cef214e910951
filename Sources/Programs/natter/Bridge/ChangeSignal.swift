import Synchronization

/// Lets tasks wait until something has changed.
nonisolated final class ChangeSignal: Sendable {
  private struct State {
    var last = 0
    var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
  }

  private let state = Mutex(State())

  /// Wakes all tasks that wait.
  func signal() {
    let waiting = state.withLock { state in
      defer { state.waiting = [:] }
      return state.waiting
    }
    for continuation in waiting.values { continuation.resume() }
  }

  /// Waits for the next signal, or until the task is cancelled.
  /// - Parameter isMet: ends the wait at once. It is called after the wait has begun, so that no
  ///   signal is lost in between.
  func wait(unless isMet: () -> Bool) async {
    let number = state.withLock { state in
      state.last += 1
      return state.last
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        state.withLock { $0.waiting[number] = continuation }
        if isMet() || Task.isCancelled { wake(number) }
      }
    } onCancel: {
      wake(number)
    }
  }

  private func wake(_ number: Int) {
    state.withLock { $0.waiting.removeValue(forKey: number) }?.resume()
  }
}
