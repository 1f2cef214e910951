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

  /// How often instances without a user are asked for an account: one may take it from another.
  private static let mostReleases = 5

  /// Runs `open` until it finds the account free, or the limit is reached.
  /// - Parameter release: asks the instance that has the account to give it over, and returns
  ///   whether it did; `nil`: that instance does not listen (yet).
  /// - Throws: errors of `open`; `StorageError.locked` when it is still in use at the end.
  func open<Value: Sendable>(
    asking release: @Sendable () async -> Bool? = { nil },
    _ open: @Sendable () async throws -> Value
  ) async throws -> Value {
    var waited = Duration.zero
    var releases = 0
    var isRefused = false
    while true {
      do { return try await open() } catch StorageError.locked(let holder) {
        if limit > .zero, !isRefused, releases < Self.mostReleases, let answer = await release() {
          isRefused = !answer
          if answer {
            releases += 1
            waited = .zero
            continue
          }
        }
        guard waited < limit else { throw StorageError.locked(by: holder) }
      }
      try await sleep(Self.step)
      waited += Self.step
    }
  }
}
