import Synchronization

/// The first result among several that may end a wait: an answer, a timeout, a cancellation.
///
/// It may be settled from any thread and is awaited by one task at most.
package final class OneShot<Value: Sendable>: Sendable {
  private enum State {
    case open
    case awaited(CheckedContinuation<Value, Never>)
    case settled(Value)
    case taken
  }

  /// The work of `settle` after the lock is released.
  private enum Settling {
    case resume(CheckedContinuation<Value, Never>)
    case stored, late
  }

  private let state = Mutex<State>(.open)

  package init() {}

  /// Indicates whether the wait is over.
  package var isSettled: Bool {
    state.withLock { state in
      switch state {
      case .open, .awaited: false
      case .settled, .taken: true
      }
    }
  }

  /// Ends the wait with `value`.
  /// - Returns: `true` if it did; `false` if there was an earlier result, which stays.
  @discardableResult
  package func settle(_ value: Value) -> Bool {
    let step: Settling = state.withLock { state in
      switch state {
      case .open:
        state = .settled(value)
        return .stored
      case .awaited(let continuation):
        state = .taken
        return .resume(continuation)
      case .settled, .taken:
        return .late
      }
    }
    switch step {
    case .resume(let continuation):
      continuation.resume(returning: value)
      return true
    case .stored: return true
    case .late: return false
    }
  }

  /// Waits for the result. Call it once.
  package func value() async -> Value {
    await withCheckedContinuation { continuation in
      let ready: Value? = state.withLock { state in
        switch state {
        case .open:
          state = .awaited(continuation)
          return nil
        case .settled(let value):
          state = .taken
          return value
        case .awaited, .taken:
          preconditionFailure("an outcome is awaited once")
        }
      }
      if let ready { continuation.resume(returning: ready) }
    }
  }
}
