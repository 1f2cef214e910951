import Synchronization

/// The first of several things that may end a wait: an answer, a time limit, a cancellation.
///
/// It may be settled from any thread and is awaited by one task at most.
package final class Outcome<Value: Sendable>: Sendable {
  private enum State {
    case open
    case awaited(CheckedContinuation<Value, Never>)
    case settled(Value)
    case taken
  }

  /// What `settle` has to do once the lock is free.
  private enum Settling {
    case resume(CheckedContinuation<Value, Never>)
    case stored, late
  }

  private let state = Mutex<State>(.open)

  package init() {}

  /// Whether the wait is over.
  package var isSettled: Bool {
    state.withLock { state in
      switch state {
      case .open, .awaited: false
      case .settled, .taken: true
      }
    }
  }

  /// Ends the wait with `value`.
  /// - Returns: whether it did; an earlier outcome stays.
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

  /// Waits for the outcome. To be called once.
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
