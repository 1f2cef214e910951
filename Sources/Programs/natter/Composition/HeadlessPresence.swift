import FoundationEssentials
import NatterCore
import XMPP

/// The own presence of a client that no user looks at: away, with priority 0 so that it gets
/// messages all the same. The stored presence stays as the user left it.
nonisolated struct HeadlessPresence: PresenceStoring {
  private let store: any PresenceStoring

  init(over store: any PresenceStoring) { self.store = store }

  func storedPresence() async throws -> StoredPresence {
    StoredPresence(
      own: OwnPresence(availability: .away), requests: try await store.storedPresence().requests)
  }

  func keep(_ presence: OwnPresence) async throws {}

  func keepRequest(from jid: JID, at date: Date) async throws {
    try await store.keepRequest(from: jid, at: date)
  }

  func removeRequest(from jid: JID) async throws { try await store.removeRequest(from: jid) }

  func unreadableChanges(
    of kinds: Set<PendingChangeKind>
  ) async throws -> [UnreadableChange] {
    try await store.unreadableChanges(of: kinds)
  }
}
