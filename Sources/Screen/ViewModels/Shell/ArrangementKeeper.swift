import NatterCore
import XMPP

/// Stores the numbers, the pins and the order of the list of conversations.
package final class ArrangementKeeper {
  weak var shell: ShellViewModel?
  /// The number of writes so far.
  private var writes = 0
  /// The last write that has ended, if that failed; `nil`: what it was to store is stored.
  private var failure: (write: Int, error: any Error)?

  /// Stores `arrangement` after earlier changes. If that fails, the list shows again what is
  /// stored.
  func keep(_ arrangement: SidebarArrangement) {
    guard let shell, let preferences = shell.ports.preferences else { return }
    writes += 1
    shell.lifetime.inOrder { [weak self, weak shell, write = writes] in
      do {
        try await preferences.setValue(arrangement.text, for: PreferenceKey.order)
        self?.failure = nil
      } catch {
        self?.failure = (write, error)
        shell?.report(error)
        // An unreadable one leaves the list as it is: the error is reported.
        let values = try? await preferences.values()
        // A later change has its own write.
        guard let values, let sidebar = shell?.sidebar, sidebar.kept == arrangement else { return }
        self?.restore(SidebarArrangement(text: values[PreferenceKey.order] ?? ""), in: sidebar)
      }
    }
  }

  /// Calls `work` once the changes that are being stored are stored; not if that fails, which is
  /// reported.
  func whenStored(_ work: @escaping @MainActor () -> Void) {
    // An earlier change that failed was reported then, and is gone.
    shell?.lifetime.inOrder { [weak self, earlier = failure?.write] in
      let failed = self?.failure?.write
      if failed == nil || failed == earlier { work() }
    }
  }

  /// Pins a conversation, or removes its pin, and returns once that is stored.
  /// - Returns: `false` if the list does not have it.
  /// - Throws: the error of storing it; then nothing has changed.
  package func setPinned(_ isPinned: Bool, of jid: JID) async throws -> Bool {
    guard let shell, shell.sidebar.conversation(jid) != nil else { return false }
    let isChange = shell.sidebar.isPinned(jid) != isPinned
    if isChange { shell.sidebar.togglePin(jid) }
    await shell.lifetime.settleInOrder()
    if let failure, isChange || shell.sidebar.isPinned(jid) != isPinned { throw failure.error }
    return true
  }

  /// Shows the stored arrangement. Conversations without a stored number keep theirs, or get a
  /// free one.
  private func restore(_ stored: SidebarArrangement, in sidebar: SidebarViewModel) {
    let present = sidebar.conversations
    var numbers = stored.numbers.filter { present[$0.key] != nil }
    var taken = Set(numbers.values)
    var others: [JID] = []
    for (jid, number) in sidebar.numbers.sorted(by: { $0.value < $1.value })
    where numbers[jid] == nil {
      if taken.insert(number).inserted { numbers[jid] = number } else { others.append(jid) }
    }
    var free = FreeNumbers(taken: taken)
    for jid in others { numbers[jid] = free.take() }
    taken = Set(numbers.values)
    sidebar.numbers = numbers
    sidebar.pinned = stored.pinned.filter { present[$0] != nil }
    sidebar.isArranged = stored.isOwn
    sidebar.kept = SidebarArrangement(
      numbers: numbers, pinned: sidebar.pinned, isOwn: stored.isOwn)
    sidebar.feedNumbers = sidebar.feedNumbers.filter { !taken.contains($0.value) }
    sidebar.numberFeeds()
    sidebar.calmOrder = nil
    sidebar.settleOrder()
    sidebar.refresh()
  }
}
