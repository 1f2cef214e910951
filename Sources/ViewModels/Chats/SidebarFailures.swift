import NatterCore
import XMPP

/// The person's own messages that could not be sent, by their conversations: each is told in the list until it is settled
/// (UX.md 3.1).
nonisolated package struct SidebarFailures: Hashable, Sendable {
  private var messages: [JID: Set<Message.ID>] = [:]

  package init() {}

  /// Reads what `text` wrote; lines that make no sense are passed over.
  package init(text: String) {
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ", maxSplits: 1)
      guard words.count == 2, let number = Int64(words[0]), let jid = JID(parsing: String(words[1]))
      else { continue }
      messages[jid, default: []].insert(Message.ID(number))
    }
  }

  /// A line for each message: `12 bob@example.net`.
  package var text: String {
    messages.flatMap { jid, ids in ids.map { ($0, jid) } }.sorted { $0.0 < $1.0 }
      .map { "\($0.rawValue) \($1)" }.joined(separator: "\n")
  }

  /// Whether something of a conversation was not sent.
  package func concern(_ jid: JID) -> Bool { messages[jid]?.isEmpty == false }

  /// - Returns: whether that changes anything.
  mutating func take(_ event: DomainEvent) -> Bool {
    switch event {
    case .messagesStored(let changed), .messagesChanged(let changed):
      var isNews = false
      for message in changed where message.direction == .outgoing {
        if case .failed = message.delivery, !message.isRetracted {
          isNews =
            messages[message.conversation, default: []].insert(message.id).inserted || isNews
        } else if messages[message.conversation]?.remove(message.id) != nil {
          isNews = true
        }
      }
      return isNews
    case .messagesRemoved(let conversation, let ids):
      guard let before = messages[conversation], !before.isDisjoint(with: ids) else { return false }
      messages[conversation] = before.subtracting(ids)
      return true
    default: return false
    }
  }
}
