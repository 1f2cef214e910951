import Synchronization
import Testing

/// Lets a number of end-to-end tests run at a time: each starts programs, and hundreds of them at
/// once leave none of them, and no other test of the process, the time that it waits for at most.
///
/// Only for suites without a time limit, which would count the waiting too, and only on the
/// outermost suite: a test that took two slots could wait for another one that does the same.
struct ConcurrencyLimit: TestTrait, SuiteTrait, TestScoping {
  /// Enough that two cores are busy while most of the tests wait for a screen.
  private static let width = 14
  private static let gate = Gate(width)

  var isRecursive: Bool { true }

  func provideScope(
    for test: Test, testCase: Test.Case?,
    performing function: @Sendable @concurrent () async throws -> Void
  ) async throws {
    guard testCase != nil else { return try await function() }
    await Self.gate.enter()
    defer { Self.gate.leave() }
    try await function()
  }
}

extension Trait where Self == ConcurrencyLimit {
  /// The suite's tests are among those of which only some run at a time.
  static var limitedConcurrency: Self { ConcurrencyLimit() }
}

/// Counts who is inside; those who wait come in as they came.
private final class Gate: Sendable {
  private struct State {
    var free: Int
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state: Mutex<State>

  init(_ width: Int) { state = Mutex(State(free: width)) }

  func enter() async {
    await withCheckedContinuation { continuation in
      let isFree = state.withLock { state in
        guard state.free > 0 else {
          state.waiting.append(continuation)
          return false
        }
        state.free -= 1
        return true
      }
      if isFree { continuation.resume() }
    }
  }

  func leave() {
    let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
      guard !state.waiting.isEmpty else {
        state.free += 1
        return nil
      }
      return state.waiting.removeFirst()
    }
    next?.resume()
  }
}
