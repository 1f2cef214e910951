import NatterCore
import Synchronization

/// Delivers what changes because of scripts to everything that follows it.
final class ScriptChanges: Sendable {
  private struct State {
    var followers: [Int: AsyncStream<ScriptChange>.Continuation] = [:]
    var last = 0
    /// The notices before anything has followed.
    var early: [ScriptChange]? = []
  }

  private static let mostEarly = 20

  private let state = Mutex(State())

  /// The changes from now on. Of a follower that does not read, the oldest are dropped.
  func follow() -> AsyncStream<ScriptChange> {
    let (stream, continuation) = AsyncStream<ScriptChange>.makeStream(
      bufferingPolicy: .bufferingNewest(100))
    state.withLock { state in
      state.last += 1
      state.followers[state.last] = continuation
      for change in state.early ?? [] { continuation.yield(change) }
      state.early = nil
    }
    return stream
  }

  func send(_ change: ScriptChange) {
    state.withLock { state in
      if case .notice = change, let early = state.early, early.count < Self.mostEarly {
        state.early = early + [change]
      }
      for (number, follower) in state.followers {
        if case .terminated = follower.yield(change) { state.followers[number] = nil }
      }
    }
  }
}
