import Synchronization

/// Has what concerns one thing done one after the other, in the order in which it was asked for.
///
/// An actor alone does not do that: where one of its methods waits, the next begins. Who has the turn must not ask for another
/// one of the same key before he is done: he would wait for himself.
package final class KeyedSerializer<Key: Hashable & Sendable>: Sendable {
  /// By key, who waits behind the one whose turn it is; no entry: it is nobody's.
  private let lines = Mutex<[Key: [CheckedContinuation<Void, Never>]]>([:])

  package init() {}

  /// Whether it is nobody's turn.
  var isFree: Bool { lines.withLock { $0.isEmpty } }

  /// How many wait behind the one whose turn it is.
  func waiting(for key: Key) -> Int { lines.withLock { $0[key]?.count ?? 0 } }

  /// Does `body` when all that was asked for before it, of the same key, has ended.
  ///
  /// Whoever is cancelled while he waits keeps his place, as those behind him do: `body` is done in its turn and finds out by
  /// itself.
  /// - Throws: what `body` throws; that is the end of its turn, too.
  package func inTurn<Result>(
    _ key: Key, _ body: () async throws -> Result
  ) async rethrows -> Result {
    await take(key)
    defer { pass(key) }
    return try await body()
  }

  /// As `inTurn`, and goes on where the one who asked for it is cancelled. Its place in the order is taken when this returns.
  package func begin<Value: Sendable>(
    _ key: Key, _ work: @escaping @Sendable () async throws -> Value
  ) -> Task<Value, any Error> {
    Task.immediate { try await self.inTurn(key, work) }
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
