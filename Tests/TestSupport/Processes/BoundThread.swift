import CPTY
import Foundation

/// A thread that permissions of files bind, also where root runs the tests.
package enum BoundThread {
  /// Runs `body` there. Other threads, which run meanwhile, keep their rights.
  /// - Throws: what `body` throws; `POSIXError` where the rights cannot be given up.
  package static func run<Value: Sendable>(
    _ body: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      // Its own thread, which ends with it: none that is used again gets its rights back.
      Thread.detachNewThread {
        continuation.resume(
          with: Result {
            let problem = cpty_bind_thread()
            guard problem == 0 else { throw POSIXError(.init(rawValue: problem) ?? .EPERM) }
            return try body()
          })
      }
    }
  }
}
