import NatterCore
import XMPP

/// The user's own messages that could not be sent, by conversation. The list shows each until the
/// user has looked at it, or it is sent or dropped (interface.md, "Panes").
nonisolated package struct SidebarFailures: Hashable, Sendable {
  private let messages: [JID: Set<Message.ID>]

  /// - Parameter messages: as stored in the database.
  package init(_ messages: [JID: Set<Message.ID>] = [:]) { self.messages = messages }

  /// Returns true if a message of a conversation was not sent.
  package func concern(_ jid: JID) -> Bool { messages[jid]?.isEmpty == false }

  /// Returns those of `ids` that are shown as failed.
  func among(_ ids: Set<Message.ID>, in conversation: JID) -> Set<Message.ID> {
    ids.intersection(messages[conversation] ?? [])
  }

  /// Returns true if the database has to be queried again after `event`.
  func isOutOfDate(after event: DomainEvent) -> Bool {
    switch event {
    case .messagesStored(let changed), .messagesChanged(let changed):
      changed.contains { message in
        guard message.direction == .outgoing else { return false }
        if case .failed = message.delivery { return true }
        return !among([message.id], in: message.conversation).isEmpty
      }
    case .messagesRemoved(let conversation, let ids):
      !among(Set(ids), in: conversation).isEmpty
    default: false
    }
  }
}
