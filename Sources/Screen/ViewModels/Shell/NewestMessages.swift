import NatterCore
import XMPP

/// The newest message of each of some conversations, until it is decided whether to notify of it.
///
/// Strangers can write from any number of addresses, and as much as a stanza takes: beside the
/// conversations with contacts and rooms, only `DesktopNotification.mostAtOnce` are kept, and of
/// each message the beginning.
nonisolated struct NewestMessages {
  private(set) var messages: [JID: Message] = [:]
  /// The kept conversations with strangers.
  private var strangers: Set<JID> = []

  var isEmpty: Bool { messages.isEmpty }

  /// Keeps a message as the newest of its conversation, unless there are too many strangers.
  /// - Parameter isKnown: `true` for a conversation with a contact or a room of the user.
  /// - Returns: `true` if it is kept, and the first of its conversation.
  @discardableResult
  mutating func keep(_ message: Message, isKnown: Bool) -> Bool {
    let isFirst = messages[message.conversation] == nil
    if isKnown {
      strangers.remove(message.conversation)
    } else if isFirst {
      guard strangers.count < DesktopNotification.mostAtOnce else { return false }
      strangers.insert(message.conversation)
    }
    messages[message.conversation] = message.shortened
    return isFirst
  }

  /// Forgets a conversation.
  /// - Returns: its newest message.
  mutating func remove(_ conversation: JID) -> Message? {
    strangers.remove(conversation)
    return messages.removeValue(forKey: conversation)
  }
}
