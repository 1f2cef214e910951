import Glibc
import System

extension StopSignals {
  /// Runs `work`, and cancels it with a signal that asks the program to stop.
  /// - Returns: what `work` returned or threw, and the signal; `nil`: none came.
  static func cancelling<Value: Sendable>(
    _ work: @escaping () async throws -> Value
  ) async -> (result: Result<Value, any Error>, signal: Int32?) {
    let signals = StopSignals()
    defer { signals.release() }
    let task = Task { try await work() }
    // Cancelling the task that reads it ends a stream: each call has its own.
    let numbers = signals.numbers
    let watch = Task { @concurrent () -> Int32? in
      for await number in numbers {
        task.cancel()
        return number
      }
      return nil
    }
    let result = await task.result
    watch.cancel()
    return (result, await watch.value)
  }
}
