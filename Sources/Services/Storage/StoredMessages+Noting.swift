import NatterCore
import XMPP

extension StoredMessages {
  /// Adds a changed message: a message of this batch is reported in its present form.
  mutating func note(_ message: Message?) {
    guard let message else { return }
    if let index = messages.firstIndex(where: { $0.id == message.id }) {
      messages[index] = message
    } else {
      changed.removeAll { $0.id == message.id }
      changed.append(message)
    }
  }

  mutating func note(all messages: [Message]) {
    for message in messages { note(message) }
  }

  /// Records messages that became changes of other messages.
  mutating func absorb(_ ids: [Message.ID], in conversation: JID) {
    let isOfBatch = Set(messages.map(\.id)).intersection(ids)
    messages.removeAll { isOfBatch.contains($0.id) }
    absorbed[conversation, default: []] += ids.filter { !isOfBatch.contains($0) }
  }
}
