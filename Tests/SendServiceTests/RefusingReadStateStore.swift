import NatterCore
import XMPP

/// A store of what was read that writes nothing while it is told so, as on a full disk.
actor RefusingReadStateStore: ReadStateStoring {
  private let store: any ReadStateStoring
  private var refuses = false

  init(_ store: any ReadStateStoring) { self.store = store }

  func refuse(_ refuses: Bool) { self.refuses = refuses }

  private func check() throws {
    if refuses { throw NatterError(.storage, "error.storage.full") }
  }

  func addReceipts(_ requests: [ReceiptRequest]) async throws {
    try check()
    try await store.addReceipts(requests)
  }

  func receiptsDue() async throws -> [ReceiptRequest] { try await store.receiptsDue() }

  func removeReceipts(_ requests: [ReceiptRequest]) async throws {
    try check()
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
