import Storage

/// The time to wait for an account that another instance has.
///
/// An instance that is ending still merges its log into the file; a user who starts Natter again at
/// once should not see an error.
nonisolated struct LockRetryPolicy: Sendable {
  /// The release of the lock is not reported: it has to be polled.
  private static let step = Duration.milliseconds(50)

  private let limit: Duration
  private let sleep: @Sendable (Duration) async throws -> Void

  /// Does not wait.
  static let none = LockRetryPolicy(limit: .zero)

  init(
    limit: Duration = .milliseconds(1500),
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  ) {
    self.limit = limit
    self.sleep = sleep
  }

  /// Runs `open` until it finds the account free, or the limit is reached.
  /// - Throws: errors of `open`; `StorageError.locked` when it is still in use at the end.
  func open<Value: Sendable>(_ open: @Sendable () async throws -> Value) async throws -> Value {
    var waited = Duration.zero
    while true {
      do { return try await open() } catch StorageError.locked(let holder) {
        guard waited < limit else { throw StorageError.locked(by: holder) }
      }
      try await sleep(Self.step)
      waited += Self.step
    }
  }
}
