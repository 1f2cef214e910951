import NatterCore
import XMPP

/// A store of read positions that writes nothing while it is configured so, as on a full disk, and
/// lets another event happen before it performs a request.
actor RefusingReadStateStore: ReadStateStoring {
  enum Call { case reading, removing }

  private let store: any ReadStateStoring
  private var refuses = false
  private var actions: [Call: @Sendable () async -> Void] = [:]

  init(_ store: any ReadStateStoring) { self.store = store }

  /// The conversations whose positions were applied, one for each time.
  private(set) var applied: [JID] = []

  func refuse(_ refuses: Bool) { self.refuses = refuses }

  /// Has `action` done before the next call that reads or removes receipts.
  func before(_ call: Call, _ action: @escaping @Sendable () async -> Void) {
    actions[call] = action
  }

  private func check() throws {
    if refuses { throw NatterError(.storage, "error.storage.full") }
  }

  func addReceipts(_ requests: [ReceiptRequest]) async throws {
    try check()
    try await store.addReceipts(requests)
  }

  func receiptsDue() async throws -> [ReceiptRequest] {
    await actions.removeValue(forKey: .reading)?()
    return try await store.receiptsDue()
  }

  func removeReceipts(_ requests: [ReceiptRequest]) async throws {
    try check()
    await actions.removeValue(forKey: .removing)?()
    try await store.removeReceipts(requests)
  }

  func addMarkable(_ markers: [ReadMarker]) async throws {
    try check()
    try await store.addMarkable(markers)
  }

  func markersDue() async throws -> [ReadMarker] { try await store.markersDue() }

  func removeMarkers(_ markers: [ReadMarker]) async throws {
    try check()
    try await store.removeMarkers(markers)
  }

  func markUnread(_ conversation: JID) async throws -> Conversation? {
    try check()
    return try await store.markUnread(conversation)
  }

  func markRead(_ conversation: JID, isCaughtUp: Bool) async throws -> Conversation? {
    try check()
    return try await store.markRead(conversation, isCaughtUp: isCaughtUp)
  }

  func positionsDue() async throws -> [ReadPosition] { try await store.positionsDue() }

  func settlePosition(_ position: ReadPosition) async throws {
    try check()
    try await store.settlePosition(position)
  }

  func apply(_ positions: [ReadPosition]) async throws
    -> (changed: [Conversation], waiting: [JID], unseen: [JID])
  {
    try check()
    applied += positions.map(\.conversation)
    return try await store.apply(positions)
  }

  func applyOwnMarker(_ marker: ReadMarker) async throws -> Conversation? {
    try check()
    return try await store.applyOwnMarker(marker)
  }

  func applyMarker(_ marker: ReadMarker) async throws -> [Message] {
    try check()
    return try await store.applyMarker(marker)
  }
}
