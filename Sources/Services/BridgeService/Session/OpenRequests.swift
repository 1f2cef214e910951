import NatterCore
import XMPP

/// The requests of a client that are being performed.
struct OpenRequests {
  private struct Entry {
    /// `nil`: a notification, which is not answered.
    let id: BridgeRequest.ID?
    let task: Task<Void, Never>
    /// The rights by which it is performed.
    var holding: RightsQuestion.Holding = [:]
    var isCancelled = false
  }

  /// By numbers that are never used again: notifications have no ids.
  private var entries: [Int: Entry] = [:]
  private var numbers: [BridgeRequest.ID: Int] = [:]
  private var lastNumber = 0
  /// How often each right was taken back.
  private var revocations: [BridgePermission: Int] = [:]

  var count: Int { entries.count }

  func contains(_ id: BridgeRequest.ID) -> Bool { numbers[id] != nil }

  /// Adds a request.
  /// - Parameter begin: begins its task, with its number; the task must not run before this
  ///   returns.
  mutating func add(
    _ id: BridgeRequest.ID?, _ begin: (Int) -> Task<Void, Never>
  ) -> Task<Void, Never> {
    lastNumber += 1
    let task = begin(lastNumber)
    entries[lastNumber] = Entry(id: id, task: task)
    if let id { numbers[id] = lastNumber }
    return task
  }

  /// Removes a request that has ended.
  /// - Returns: whether the client has cancelled it; `nil` if it was answered before.
  mutating func remove(_ number: Int) -> Bool? {
    guard let entry = entries.removeValue(forKey: number) else { return nil }
    if let id = entry.id { numbers[id] = nil }
    return entry.isCancelled
  }

  /// Cancels a request for the client.
  mutating func cancel(_ id: BridgeRequest.ID) {
    guard let number = numbers[id] else { return }
    entries[number]?.isCancelled = true
    entries[number]?.task.cancel()
  }

  // MARK: - Rights

  /// Returns how often the rights of a question were taken back until now.
  func revocations(of permissions: [BridgePermission]) -> Int {
    permissions.reduce(0) { $0 + revocations[$1, default: 0] }
  }

  /// Notes the rights by which a request is performed.
  mutating func hold(_ holding: RightsQuestion.Holding, by number: Int) {
    entries[number]?.holding.merge(holding) { $0.merging($1) { $1 } }
  }

  /// Cancels and removes the requests that are performed by a right that was taken back, unless
  /// what is left of it covers theirs.
  /// - Returns: the ids of those that are to be answered, in their order.
  mutating func revoke(
    _ revocation: BridgeRights.Revocation, leaving rights: BridgeRights
  ) -> [BridgeRequest.ID] {
    revocations[revocation.permission, default: 0] += 1
    var ids: [BridgeRequest.ID] = []
    for (number, entry) in entries.sorted(by: { $0.key < $1.key }) {
      let isLost = entry.holding.contains { account, scopes in
        guard revocation.concerns(account), let scope = scopes[revocation.permission] else {
          return false
        }
        return !rights.covers(scope, of: revocation.permission, in: account)
      }
      guard isLost else { continue }
      entry.task.cancel()
      _ = remove(number)
      if let id = entry.id { ids.append(id) }
    }
    return ids
  }
}
