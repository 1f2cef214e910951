import Synchronization

/// A value that is set once, and that any number of tasks may wait for.
final class Outcome<Value: Sendable>: Sendable {
  private struct State {
    var value: Value?
    var waiting: [Int: CheckedContinuation<Value?, Never>] = [:]
    var last = 0
  }

  private let state = Mutex(State())

  /// `nil` until it is set.
  var value: Value? { state.withLock { $0.value } }

  /// Sets the value; the first one stays.
  func settle(_ value: Value) {
    let waiting = state.withLock { state in
      guard state.value == nil else { return [CheckedContinuation<Value?, Never>]() }
      state.value = value
      defer { state.waiting = [:] }
      return Array(state.waiting.values)
    }
    for continuation in waiting { continuation.resume(returning: value) }
  }

  /// Waits for the value.
  /// - Returns: `nil` if the task was cancelled before.
  func wait() async -> Value? {
    let number = state.withLock { state in
      state.last += 1
      return state.last
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOver = state.withLock { state in
          if state.value != nil || Task.isCancelled { return true }
          state.waiting[number] = continuation
          return false
        }
        if isOver { continuation.resume(returning: value) }
      }
    } onCancel: {
      let continuation = state.withLock { $0.waiting.removeValue(forKey: number) }
      continuation?.resume(returning: nil)
    }
  }
}
