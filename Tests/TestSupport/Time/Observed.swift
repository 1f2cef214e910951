import Dispatch
import Synchronization

/// A value that something outside the test changes, and that the test waits on.
///
/// Conditions are checked on a copy after every single change, so that a state that lasts only
/// until the next change is seen too. Nothing polls, and nothing sleeps.
package final class Observed<Value: Sendable>: Sendable {
  private struct Waiter {
    let condition: @Sendable (Value) -> Bool
    let answer: CheckedContinuation<Bool, Never>
  }

  private struct State {
    var value: Value
    var waiters: [Int: Waiter] = [:]
    var lastWaiter = 0
    var isFinished = false
  }

  private let state: Mutex<State>

  package init(_ value: Value) {
    state = Mutex(State(value: value))
  }

  /// The value as it is now.
  package var value: Value { state.withLock { $0.value } }

  /// Indicates whether `finish` was called: the value will not change any more.
  package var isFinished: Bool { state.withLock { $0.isFinished } }

  /// Changes the value, then lets every test go on whose condition holds now.
  package func update(_ change: (inout Value) -> Void) {
    let (value, waiters) = state.withLock { state in
      change(&state.value)
      return (state.value, state.waiters)
    }
    for (number, waiter) in waiters where waiter.condition(value) { settle(number, true) }
  }

  /// Marks the value as final: all that still wait get `false` at once.
  package func finish() {
    let (value, waiters) = state.withLock { state in
      state.isFinished = true
      return (state.value, state.waiters)
    }
    for (number, waiter) in waiters { settle(number, waiter.condition(value)) }
  }

  /// Waits until `condition` holds.
  /// - Returns: whether it came to hold before `limit` had passed, the value finished or the task
  ///   was cancelled. Long limits are tripled (see `withPatience`).
  package func waits(
    upTo limit: Duration = .seconds(20), until condition: @escaping @Sendable (Value) -> Bool
  ) async -> Bool {
    let number = state.withLock { state in
      state.lastWaiter += 1
      return state.lastWaiter
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { answer in
        let (value, isFinished) = state.withLock { state in
          state.waiters[number] = Waiter(condition: condition, answer: answer)
          return (state.value, state.isFinished)
        }
        if condition(value) {
          settle(number, true)
        } else if isFinished || Task.isCancelled {
          settle(number, false)
        } else {
          DispatchQueue.global().asyncAfter(deadline: .now() + limit.withPatience.seconds) {
            self.settle(number, false)
          }
        }
      }
    } onCancel: {
      settle(number, false)
    }
  }

  private func settle(_ number: Int, _ result: Bool) {
    let waiter = state.withLock { $0.waiters.removeValue(forKey: number) }
    waiter?.answer.resume(returning: result)
  }
}

extension Duration {
  /// In seconds, for interfaces that take a floating-point number.
  package var seconds: Double {
    Double(components.seconds) + Double(components.attoseconds) / 1e18
  }
}
