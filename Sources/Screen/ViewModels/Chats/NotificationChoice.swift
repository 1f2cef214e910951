import NatterCore
import XMPP

/// The choice of the messages that notify the user, by the rules of conversations and the setting
/// of the bell.
struct NotificationChoice {
  let rules: ConversationNotifications
  let bell: ShellViewModel.BellRule
  let people: People
  let account: JID

  /// Returns whether a message notifies outside the program: by the conversation's rule, whatever
  /// the bell does. By default private messages do, and in a room those that mention the user.
  func isReported(_ message: Message) -> Bool {
    switch rules.rule(of: message.conversation) {
    case .none: false
    case .all: true
    case .mentions: names(message)
    case .standard: !people.isRoom(message.conversation) || names(message)
    }
  }

  /// Returns whether the bell rings for a message: never if it is disabled, else by the
  /// conversation's rule, and without a rule as the setting says.
  func rings(for message: Message) -> Bool {
    guard bell != .never else { return false }
    guard rules.rule(of: message.conversation) == .standard else { return isReported(message) }
    guard people.isRoom(message.conversation) else { return true }
    switch bell {
    case .all: return true
    case .mention: return names(message)
    case .direct, .never: return false
    }
  }

  /// Returns whether a message mentions the user: their nick in a room, elsewhere their local part,
  /// or a word that notifies.
  private func names(_ message: Message) -> Bool {
    let name = people.room(message.conversation.bare)?.nick ?? account.local
    return name.map { Mention.contains($0, in: message.body) } ?? false || people.hasWord(message)
  }
}
