import Storage

/// How long an account that another Natter has is waited for.
///
/// One that was told to end still writes its log into the file, and a person who starts Natter again at once should
/// not be told of it.
nonisolated struct LockRetryPolicy: Sendable {
  /// The lock tells nobody when it is free: it is asked for again and again.
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
  /// - Throws: what `open` throws; `StorageError.locked` when it is still taken at the end.
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
