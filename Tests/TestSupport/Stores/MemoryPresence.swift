import Foundation
import NatterCore
import XMPP

/// The own presence and the unanswered subscription requests, in memory.
package actor MemoryPresence: PresenceStoring {
  private var own = OwnPresence()
  private var requests: [JID: Date] = [:]
  private var failure: NatterError?
  package init() {}

  package func unreadableChanges(of kinds: Set<PendingChangeKind>) -> [UnreadableChange] { [] }
  package func storedPresence() -> StoredPresence {
    StoredPresence(
      own: own,
      requests: requests.sorted { ($0.value, "\($0.key)") < ($1.value, "\($1.key)") }.map(\.key))
  }
  package func keep(_ presence: OwnPresence) throws {
    if let failure { throw failure }
    own = presence
  }
  /// Has `keep` throw `error`, or work again.
  package func fail(with error: NatterError?) { failure = error }
  package func keepRequest(from jid: JID, at date: Date) { requests[jid] = date }
  package func removeRequest(from jid: JID) { requests[jid] = nil }

  /// Indicates whether it has only default values.
  package var isEmpty: Bool { own == OwnPresence() && requests.isEmpty }
}
