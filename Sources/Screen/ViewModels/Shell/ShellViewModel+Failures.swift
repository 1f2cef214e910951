import NatterCore
import XMPP

// Messages that could not be sent are marked in the list until the user has seen them.
extension ShellViewModel {
  /// Marks the conversations with messages that could not be sent, from the database.
  func readFailures() {
    lifetime.inOrder { [weak self, ports] in
      do {
        let unseen = try await ports.conversations.unseenFailures()
        self?.sidebar.failures = SidebarFailures(unseen)
      } catch {
        self?.report(error)
      }
    }
  }

  /// Takes note that messages that could not be sent are looked at.
  func sawFailures(_ ids: Set<Message.ID>, in conversation: JID) {
    lifetime.inOrder { [weak self, ports] in
      // Read here, after earlier work, which may add failures.
      guard let shown = self?.sidebar.failures.among(ids, in: conversation), !shown.isEmpty else {
        return
      }
      do {
        try await ports.conversations.markFailuresSeen(shown)
        let unseen = try await ports.conversations.unseenFailures()
        self?.sidebar.failures = SidebarFailures(unseen)
      } catch {
        self?.report(error)
      }
    }
  }
}
