import Synchronization

/// Runs the operations of one key one after the other, in the order of the requests.
///
/// An actor alone does not do that: where one of its methods suspends, the next begins. An
/// operation must not request another one of the same key: it would wait for itself.
package final class KeyedSerializer<Key: Hashable & Sendable>: Sendable {
  /// By key, the requests that wait behind the running one; no entry if none runs.
  private let lines = Mutex<[Key: [CheckedContinuation<Void, Never>]]>([:])

  package init() {}

  /// Indicates whether no operation runs.
  var isFree: Bool { lines.withLock { $0.isEmpty } }

  /// Returns how many requests wait behind the running one.
  func waiting(for key: Key) -> Int { lines.withLock { $0[key]?.count ?? 0 } }

  /// Runs `body` after all earlier requests of the same key have ended.
  ///
  /// A request that is cancelled while it waits keeps its position in the queue, as those behind it
  /// do: `body` runs in order and checks for the cancellation itself.
  /// - Throws: rethrows the error of `body`, which also ends the operation.
  package func serialized<Result>(
    _ key: Key, _ body: () async throws -> Result
  ) async rethrows -> Result {
    await take(key)
    defer { pass(key) }
    return try await body()
  }

  /// Like `serialized`, but continues when the requesting task is cancelled. The position in the
  /// queue is assigned when this returns.
  package func begin<Value: Sendable>(
    _ key: Key, _ work: @escaping @Sendable () async throws -> Value
  ) -> Task<Value, any Error> {
    Task.immediate { try await self.serialized(key, work) }
  }

  private func take(_ key: Key) async {
    await withCheckedContinuation { continuation in
      let isFirst = lines.withLock { lines in
        guard lines[key] != nil else {
          lines[key] = []
          return true
        }
        lines[key]?.append(continuation)
        return false
      }
      if isFirst { continuation.resume() }
    }
  }

  private func pass(_ key: Key) {
    let next = lines.withLock { lines -> CheckedContinuation<Void, Never>? in
      guard lines[key]?.isEmpty == false else {
        lines[key] = nil
        return nil
      }
      return lines[key]?.removeFirst()
    }
    next?.resume()
  }
}
