import NatterCore
import Storage

/// An account that this process has open for other programs.
nonisolated protocol AccountOwning: Sendable {
  /// Returns a connection to what answers for the account; `nil`: it is being closed.
  func connect() async -> LineConnection?
  /// Closes the account in order. Returns when another process can open it.
  func close() async
}

/// Finds the process that answers for an account, and is it where no other one is
/// (interface.md, "Access for programs").
actor AccountGateway: BridgeUpstreams {
  /// The ways to the account.
  struct Means: Sendable {
    /// Connects to the process that listens on the account's socket; `nil`: none does.
    let connect: @Sendable () async -> LineConnection?
    /// Opens the account here; `nil`: that is not wanted.
    /// - Throws: `StorageError.locked` while another process has it.
    let open: (@Sendable () async throws -> any AccountOwning)?
    /// Indicates whether no process has the account open.
    let isFree: @Sendable () -> Bool
    /// Returns what answers from the stored data; `nil`: nothing is stored yet.
    let read: @Sendable () async throws -> StoredBridge?
    /// Returns another value once the stored data has changed.
    let version: @Sendable () -> [Int]
  }

  private let means: Means
  /// The time that a process which has the account may take to listen, or to end.
  private let patience: Duration
  /// The time between two looks for another process while only stored data answers.
  private let interval: Duration
  /// The time for which the account is left to the process that asked for it.
  private let yielding: Duration
  private static let step = Duration.milliseconds(50)

  private var owner: (any AccountOwning)?
  private var yieldsUntil: ContinuousClock.Instant?
  private var isClosed = false

  init(
    _ means: Means, patience: Duration = .milliseconds(1500), interval: Duration = .seconds(1),
    yielding: Duration = .seconds(5)
  ) {
    self.yielding = yielding
    self.means = means
    self.patience = patience
    self.interval = interval
  }

  func connection() async throws -> LineConnection {
    var waited = Duration.zero
    while true {
      try Task.checkCancellation()
      if isClosed { throw CancellationError() }
      if let connection = await owner?.connect() { return connection }
      if let connection = await means.connect() {
        // The process that asked for the account has it.
        yieldsUntil = nil
        return connection
      }
      if try await opened() { continue }
      if means.open == nil || waited >= patience {
        if let connection = try await readingConnection() { return connection }
        try await Task.sleep(for: interval)
      } else {
        try await Task.sleep(for: Self.step)
        waited += Self.step
      }
    }
  }

  /// Closes the account here because another process is about to open it, and leaves it to that
  /// one for a moment.
  func release() async {
    yieldsUntil = ContinuousClock.now + yielding
    await closeOwner()
  }

  /// Closes the account if it is open here, for good.
  func close() async {
    isClosed = true
    await closeOwner()
  }

  private func closeOwner() async {
    await owner?.close()
    owner = nil
  }

  private var isYielding: Bool { yieldsUntil.map { ContinuousClock.now < $0 } ?? false }

  /// Tries to open the account here.
  /// - Returns: whether it is open.
  private func opened() async throws -> Bool {
    guard let open = means.open, !isYielding, owner == nil else { return false }
    let new: any AccountOwning
    do { new = try await open() } catch StorageError.locked { return false }
    // Another task has closed the gateway, or given the account away, meanwhile.
    guard !isClosed, !isYielding, owner == nil else {
      await new.close()
      return false
    }
    owner = new
    return true
  }

  /// Returns a connection that ends as soon as a process listens, the account can be opened, or the
  /// stored data has changed: the next one begins after what is known.
  private func readingConnection() async throws -> LineConnection? {
    guard let stored = try await means.read() else { return nil }
    let pair: (client: LineConnection, server: LineConnection)
    do { pair = try LineConnection.pair(interception: stored.interception) } catch {
      await stored.close()
      throw error
    }
    let (server, version) = (pair.server, means.version())
    Task { [weak self, interval] in
      await withDiscardingTaskGroup { group in
        group.addTask {
          await stored.bridge.serve(server)
          server.close()
        }
        group.addTask {
          while server.isOpen, (try? await Task.sleep(for: interval)) != nil {
            guard let self, self.means.version() == version, await !self.findsOther() else { break }
          }
          server.close()
        }
      }
      await stored.close()
    }
    return pair.client
  }

  /// Indicates whether more than the stored data can answer now.
  private func findsOther() async -> Bool {
    if let connection = await means.connect() {
      connection.close()
      return true
    }
    return means.open != nil && !isYielding && means.isFree()
  }
}
