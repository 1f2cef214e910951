import NatterCore
import XMPP

// Messages that could not be sent are told in the list until somebody has looked at them.
extension ShellViewModel {
  /// Has the list tell what the database knows of messages that could not be sent.
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
      // Here, and not before: what was begun before may tell of them.
      guard let told = self?.sidebar.failures.among(ids, in: conversation), !told.isEmpty else {
        return
      }
      do {
        try await ports.conversations.markFailuresSeen(told)
        let unseen = try await ports.conversations.unseenFailures()
        self?.sidebar.failures = SidebarFailures(unseen)
      } catch {
        self?.report(error)
      }
    }
  }
}
