import NatterCore

/// Pending changes, in memory.
package actor MemoryPendingChanges: PendingChangeStoring {
  private var stored: [(change: any PendingChange, refusal: StatusNotice?)] = []
  package init() {}

  private var unreadable: [UnreadableChange] = []
  /// Has changes that cannot be read.
  package func put(_ changes: [UnreadableChange]) { unreadable = changes }
  package func unreadableChanges(of kinds: Set<PendingChangeKind>) -> [UnreadableChange] {
    unreadable.filter { kinds.contains($0.kind) }
  }

  package func pending<Change: PendingChange>(_ type: Change.Type) -> [StoredChange<Change>] {
    stored.compactMap { row in
      (row.change as? Change).map { StoredChange($0, refusal: row.refusal) }
    }
  }

  package func keep<Change: PendingChange>(_ change: Change, refusal: StatusNotice?) {
    if let index = index(Change.self, of: change.subject) {
      stored[index] = (change, refusal)
    } else {
      stored.append((change, refusal))
    }
  }

  package func settle<Change: PendingChange>(_ change: Change) {
    guard let index = index(Change.self, of: change.subject),
      stored[index].change as? Change == change
    else { return }
    stored.remove(at: index)
  }

  package func drop<Change: PendingChange>(_ type: Change.Type, of subject: [String]) {
    guard let index = index(type, of: subject) else { return }
    stored.remove(at: index)
  }

  private func index<Change: PendingChange>(_ type: Change.Type, of subject: [String]) -> Int? {
    stored.firstIndex { $0.change is Change && $0.change.subject == subject }
  }
}
