/// The time limit of what is sent without a file.
extension SendCommand {
  /// Does `work` while a session runs, and closes that once there is a result.
  /// - Parameters:
  ///   - late: the result when `limit` has passed before.
  ///   - session: runs until the session is closed.
  ///   - close: closes the session, which ends `work` if that still waits.
  func result<Value: Sendable>(
    within limit: Duration, orElse late: Value,
    running session: @escaping @Sendable () async -> Void,
    closing close: @Sendable () async -> Void,
    of work: @escaping @Sendable () async -> Value
  ) async -> Value {
    await withTaskGroup(of: Value?.self) { group in
      group.addTask {
        await session()
        return nil
      }
      group.addTask { await work() }
      group.addTask { [sleep] in
        // Cancelled: there is a result.
        try? await sleep(limit)
        return late
      }
      var result: Value?
      while result == nil, let next = await group.next() { result = next }
      await close()
      group.cancelAll()
      return result ?? late
    }
  }
}
