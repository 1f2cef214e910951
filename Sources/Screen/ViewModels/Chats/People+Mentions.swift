import NatterCore
import XMPP

// Mentions of the user in what others write: their nick in a room, and the keywords that notify.
nonisolated extension People {
  /// Returns whether a message contains a word that notifies. A message of a room itself, which
  /// names occupants without addressing anybody, does not count.
  func hasWord(_ message: Message) -> Bool {
    !words.isEmpty && message.direction == .incoming && !isOfRoom(message)
      && words.match(message.body)
  }

  /// Returns whether a message is shown as one that mentions the user.
  func mentionsUser(_ message: Message) -> Bool {
    guard message.direction == .incoming, !isOfRoom(message) else { return false }
    let nick = nick(in: message.conversation)
    return nick.map { Mention.contains($0, in: message.body) } ?? false || hasWord(message)
  }

  /// Returns where `text` mentions the user; ranges may overlap.
  func mentions(in text: String, of conversation: JID) -> [Range<String.Index>] {
    let nick = nick(in: conversation)
    return (nick.map { Mention.ranges(of: $0, in: text) } ?? []) + words.ranges(in: text)
  }

  /// The user's nick in a room; `nil` for other conversations.
  private func nick(in conversation: JID) -> String? {
    isRoom(conversation) ? room(conversation)?.nick : nil
  }

  private func isOfRoom(_ message: Message) -> Bool {
    message.sender.isBare && isRoom(message.conversation)
  }
}
