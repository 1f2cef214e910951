import Diagnostics
import FoundationEssentials
import NatterCore

/// What was done to one of the lists of people, from the database until the server has it.
struct PendingContactChanges: Sendable {
  private let store: any ContactChangeStoring
  private let queue: PendingChangeSender

  /// - Parameter list: whose changes, for the log: `the roster`.
  init(of list: String, store: any ContactChangeStoring, hub: EventHub, log: Log) {
    self.store = store
    queue = PendingChangeSender("a change of \(list)", hub: hub) { log.warning("\($0)") }
  }

  /// Has changes told that the person waits for.
  /// - Parameters:
  ///   - tell: tells them.
  ///   - announce: has everybody look at who they are about.
  /// - Throws: `NatterError` when the server refuses; then it is as it was before.
  func make<Outcome>(
    _ changes: [ContactChange], _ tell: () async throws -> Outcome,
    announce: () async throws -> Void
  ) async throws -> Outcome {
    do { return try await tell() } catch let error as NatterError where error.kind == .refused {
      try await store.drop(changes)
      try await announce()
      throw error
    }
  }

  /// Tells changes that belong together.
  /// - Parameter work: says them to the server, and waits until that has them.
  /// - Returns: whether it has them; otherwise they wait.
  func tell(
    _ changes: [ContactChange], _ work: () async throws -> Void,
    announce: () async throws -> Void
  ) async throws -> Bool {
    let isTold = try await queue.tell(work) { refusal in
      try await store.mark(changes, refusal: refusal)
      try await announce()
    }
    if isTold { try await store.settle(changes) }
    try await announce()
    return isTold
  }

  func tellAll<Wish>(
    _ waiting: () async throws -> [Wish], _ tell: (Wish) async throws -> Void
  ) async {
    await queue.tellAll(waiting, tell)
  }
}

/// Until when a list of people was known to be as the server has it.
struct SnapshotAge: Sendable {
  /// For the log: `the roster`.
  let list: String
  let log: Log
  let now: @Sendable () -> Date
  let keep: @Sendable (Date) async throws -> Void

  /// Remembers that it is at this moment.
  func confirm() async {
    do { try await keep(now()) } catch {
      // The list is shown as older than it is.
      log.warning("the age of \(list) could not be kept: \(error)")
    }
  }
}
