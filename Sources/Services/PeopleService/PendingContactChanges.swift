import Diagnostics
import FoundationEssentials
import NatterCore
import XMPP

/// The changes of the roster or the block list, from the database until the server accepts them.
struct PendingContactChanges: Sendable {
  private let store: any ContactChangeStoring
  private let queue: PendingChangeSender

  /// - Parameter list: the list for the log: `the roster`.
  init(of list: String, store: any ContactChangeStoring, hub: EventHub, log: Log) {
    self.store = store
    queue = PendingChangeSender("a change of \(list)", hub: hub) { log.warning("\($0)") }
  }

  /// Sends changes whose result the user waits for.
  /// - Parameters:
  ///   - submit: sends the changes.
  ///   - announce: publishes the current state of the contacts concerned.
  /// - Throws: `NatterError` when the server refuses; the changes are dropped then.
  func make<Outcome>(
    _ changes: [ContactChange], _ submit: () async throws -> Outcome,
    announce: () async throws -> Void
  ) async throws -> Outcome {
    do { return try await submit() } catch let error as NatterError where error.kind == .refused {
      try await store.drop(changes)
      try await announce()
      throw error
    }
  }

  /// Sends changes that belong together.
  /// - Parameters:
  ///   - work: sends the changes and waits until the server has them.
  ///   - isPushed: returns `true` if the server has pushed the address since `work` began.
  ///   - announce: publishes the current state of the contacts concerned.
  /// - Returns: `true` once the server has them; otherwise they stay pending.
  func submit(
    _ changes: [ContactChange], _ work: () async throws -> Void, isPushed: () -> Bool,
    announce: () async throws -> Void
  ) async throws -> Bool {
    let isSubmitted = try await queue.submit(work) { refusal in
      try await store.mark(changes, refusal: refusal)
      try await announce()
    }
    if isSubmitted, isPushed() {
      // The push of the change is stored, or a newer one; or it follows, after an older one.
      try await store.drop(changes)
    } else if isSubmitted {
      try await store.settle(changes)
    }
    try await announce()
    return isSubmitted
  }

  /// Writes the changes that cannot be read to the log: they are not sent.
  func reportUnreadable() async { await queue.reportUnreadable([.contact], in: store) }

  func submitAll<Change>(
    _ waiting: () async throws -> [Change], _ submit: (Change) async throws -> Void
  ) async {
    await queue.submitAll(waiting, submit)
  }
}

/// The address whose changes are being sent. The server pushes it when it has the changes, and
/// again when another client changes it; the pushes may come before the answer.
struct SubmittedAddress: Sendable {
  private var jid: JID?
  /// Indicates whether the server has pushed the address since the changes were sent.
  private(set) var isPushed = false

  mutating func begin(_ jid: JID) { (self.jid, isPushed) = (jid, false) }

  /// Records a push, before it is stored.
  /// - Parameter jids: the addresses in it; `nil`: it concerns all.
  mutating func note(_ jids: [JID]?) {
    guard let jid, jids?.contains(jid) ?? true else { return }
    isPushed = true
  }
}

/// Stores the last time at which a list of contacts was identical to the server's.
struct SnapshotAge: Sendable {
  /// The list for the log: `the roster`.
  let list: String
  let log: Log
  let now: @Sendable () -> Date
  let keep: @Sendable (Date) async throws -> Void

  /// Stores the current time as the time of the last agreement.
  func confirm() async {
    do { try await keep(now()) } catch {
      // The list then looks older than it is.
      log.warning("the age of \(list) could not be kept: \(error)")
    }
  }
}
