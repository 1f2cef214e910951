import Foundation
import NatterCore
import XMPP

/// The ports of the roster, the block list and what is done to both, in memory.
package actor MemoryRosterStore: RosterStoring {
  private var stored: [JID: Contact]
  private var version: String?
  private var blockedAddresses: Set<JID>
  private var changes: [ContactChange] = []
  private var count: Int64 = 0
  private var rosterDate: Date?
  private var blockListDate: Date?
  /// Thrown by every change of the contacts while it is set.
  private var failure: NatterError?

  package init(_ contacts: [Contact] = [], version: String? = nil, blocked: Set<JID> = []) {
    stored = Dictionary(uniqueKeysWithValues: contacts.map { ($0.jid, $0) })
    self.version = version
    blockedAddresses = blocked
  }

  package func fail(with failure: NatterError?) { self.failure = failure }

  /// The number of requests for all entries.
  package private(set) var listings = 0

  package func contacts() -> [Contact] {
    listings += 1
    return all
  }
  private var all: [Contact] {
    Contact.list(Array(stored.values), with: changes).sorted {
      $0.jid.description < $1.jid.description
    }
  }
  package func contact(_ jid: JID) async -> Contact? { all.first { $0.jid == jid.bare } }
  package func rosterVersion() -> String? { version }

  package func replaceContacts(_ contacts: [Contact], version: String?) {
    stored = Dictionary(contacts.map { ($0.jid, $0) }) { $1 }
    self.version = version
  }

  package func apply(_ pushes: [RosterPush]) throws -> [Contact] {
    if let failure { throw failure }
    for push in pushes {
      stored[push.jid] = push.contact
      version = push.version ?? version
    }
    let concerned = Set(pushes.map(\.jid))
    return all.filter { concerned.contains($0.jid) }
  }

  package func rosterConfirmedAt() -> Date? { rosterDate }
  package func confirmRoster(at date: Date) { rosterDate = date }
}

extension MemoryRosterStore: BlockListStoring {
  package func blocked() -> Set<JID> { blockedAddresses }
  package func replaceBlocked(_ jids: Set<JID>) { blockedAddresses = jids }
  package func changeBlocked(adding new: [JID], removing gone: [JID]) -> Bool {
    let before = blockedAddresses
    blockedAddresses = before.union(new).subtracting(gone)
    return blockedAddresses != before
  }
  package func blockListConfirmedAt() -> Date? { blockListDate }
  package func confirmBlockList(at date: Date) { blockListDate = date }
}

extension MemoryRosterStore: ContactChangeStoring {
  package func unreadableChanges(of kinds: Set<PendingChangeKind>) -> [UnreadableChange] { [] }
  package func contactChanges() -> [ContactChange] { changes }
  package func contactChanges(of jid: JID) -> [ContactChange] { changes.filter { $0.jid == jid } }

  package func keep(_ operation: ContactChange.Operation, of jid: JID) -> ContactChange {
    count += 1
    changes.removeAll { $0.jid == jid && operation.replaces($0.operation) }
    changes.append(ContactChange(id: count, jid: jid, operation: operation))
    return changes[changes.count - 1]
  }

  package func settle(_ reported: [ContactChange]) {
    for change in reported {
      switch change.operation {
      case .add: stored[change.jid] = stored[change.jid] ?? Contact(jid: change.jid)
      case .remove: stored[change.jid] = nil
      case .block: blockedAddresses.insert(change.jid)
      case .unblock: blockedAddresses.remove(change.jid)
      default: break
      }
      stored[change.jid]?.take(change)
    }
    drop(reported)
  }

  package func drop(_ gone: [ContactChange]) {
    let ids = Set(gone.map(\.id))
    changes.removeAll { ids.contains($0.id) }
  }

  package func mark(_ marked: [ContactChange], refusal: StatusNotice?) {
    let ids = Set(marked.map(\.id))
    for index in changes.indices where ids.contains(changes[index].id) {
      changes[index].refusal = refusal
    }
  }
}
