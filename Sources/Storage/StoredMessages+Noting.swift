import NatterCore
import XMPP

extension StoredMessages {
  /// Takes a message that is another than it was: one that this batch brought is told as it is now.
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

  /// Takes messages that are none of their own any more.
  mutating func absorb(_ ids: [Message.ID], in conversation: JID) {
    let isOfBatch = Set(messages.map(\.id)).intersection(ids)
    messages.removeAll { isOfBatch.contains($0.id) }
    absorbed[conversation, default: []] += ids.filter { !isOfBatch.contains($0) }
  }
}
