import Synchronization

/// The inbox of a façade: runs the operations of one lane one at a time, in the order of the
/// requests.
///
/// An actor alone does not do that: where one of its methods suspends, the next begins. A façade
/// has one inbox, with a lane for all that must not interleave, and its parts have no locks. An
/// operation must not request another one of its lane: it would wait for itself. Each request waits
/// for its operation, so a lane is never longer than the number of its callers.
package final class SerialInbox<Lane: Hashable & Sendable>: Sendable {
  /// By lane, the requests that wait behind the running one; no entry if none runs.
  private let lines = Mutex<[Lane: [CheckedContinuation<Void, Never>]]>([:])

  package init() {}

  /// Indicates whether no operation runs.
  var isFree: Bool { lines.withLock { $0.isEmpty } }

  /// Returns how many requests wait behind the running one.
  func waiting(in lane: Lane) -> Int { lines.withLock { $0[lane]?.count ?? 0 } }

  /// Runs `body` after all earlier requests of the lane have ended.
  ///
  /// A request that is cancelled while it waits keeps its position in the queue, as those behind it
  /// do: `body` runs in order and checks for the cancellation itself.
  /// - Throws: rethrows the error of `body`, which also ends the operation.
  package func run<Result>(
    in lane: Lane, _ body: () async throws -> Result
  ) async rethrows -> Result {
    await take(lane)
    defer { pass(lane) }
    return try await body()
  }

  /// Like `run`, but continues when the requesting task is cancelled. The position in the
  /// queue is assigned when this returns.
  package func begin<Value: Sendable>(
    in lane: Lane, _ work: @escaping @Sendable () async throws -> Value
  ) -> Task<Value, any Error> {
    Task.immediate { try await self.run(in: lane, work) }
  }

  private func take(_ lane: Lane) async {
    await withCheckedContinuation { continuation in
      let isFirst = lines.withLock { lines in
        guard lines[lane] != nil else {
          lines[lane] = []
          return true
        }
        lines[lane]?.append(continuation)
        return false
      }
      if isFirst { continuation.resume() }
    }
  }

  private func pass(_ lane: Lane) {
    let next = lines.withLock { lines -> CheckedContinuation<Void, Never>? in
      guard lines[lane]?.isEmpty == false else {
        lines[lane] = nil
        return nil
      }
      return lines[lane]?.removeFirst()
    }
    next?.resume()
  }
}

/// The lane of an inbox whose operations all wait for each other.
package enum SingleLane: Hashable, Sendable { case only }

extension SerialInbox where Lane == SingleLane {
  /// Runs `body` after all earlier requests have ended.
  package func run<Result>(_ body: () async throws -> Result) async rethrows -> Result {
    try await run(in: .only, body)
  }

  /// Like `run`, but continues when the requesting task is cancelled. The position in the queue is
  /// assigned when this returns.
  package func begin<Value: Sendable>(
    _ work: @escaping @Sendable () async throws -> Value
  ) -> Task<Value, any Error> {
    begin(in: .only, work)
  }
}
