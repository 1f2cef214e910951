import FoundationEssentials
import NatterCore
import XMPP

/// A message that is told of outside the program, as text.
nonisolated package struct ShellNotification: Hashable, Sendable {
  package let conversation: JID
  /// From whom.
  package var title: String
  /// What was written; from outside: shown made safe.
  package let text: String
}

// For which messages the bell rings, and which are told of.
extension ShellViewModel {
  func ring(for messages: [Message]) {
    guard !isQuiet() else { return }
    let news = messages.filter { message in
      message.direction == .incoming && !message.isRetracted && rings(for: message)
        && !places.contains {
          $0.conversation == message.conversation && $0.timeline.isAttended
        }
    }
    guard !news.isEmpty else { return }
    if heldBells == nil { tell(news) }
    guard heldBells != nil || now().timeIntervalSince(lastBell) >= 1 else { return }
    if heldBells != nil {
      for message in news { heldBells?[message.conversation] = message }
      return
    }
    lastBell = now()
    onBell()
  }

  /// Tells the last of the messages in one line, for somebody who hears the screen.
  func announce(_ messages: [Message]) {
    guard announces, heldBells == nil else { return }
    let news = messages.last { message in
      message.direction == .incoming && !message.isRetracted
        && (places.contains { $0.conversation == message.conversation } || rings(for: message))
    }
    guard let news else { return }
    let name = people.shortName(of: news.sender)
    let isHere = news.conversation == activeConversation
    let title =
      isHere || !people.isRoom(news.conversation)
      ? name
      : format.localizer(
        "notify.from", ["nick": name, "room": people.name(of: news.conversation)])
    let line = news.body.split(whereSeparator: \.isNewline).joined(separator: " ")
    status.announce(format.shown("\(title): \(line)"))
  }

  /// Archives are being read: the account's, or those of rooms, several at a time.
  func holdBells(_ isRunning: Bool) {
    catchUps = max(0, catchUps + (isRunning ? 1 : -1))
    guard catchUps == 0 else {
      heldBells = heldBells ?? [:]
      return
    }
    let held = heldBells ?? [:]
    heldBells = nil
    let due = held.values.filter { (sidebar.conversation($0.conversation)?.unread ?? 0) > 0 }
    guard !due.isEmpty else { return }
    // After a long time away the list says it better than a pile of notices.
    if due.count <= Self.mostTold { tell(due) }
    lastBell = now()
    onBell()
  }

  /// Of no more conversations than this it is told one by one what came while nobody was there.
  private static let mostTold = 3

  /// One for each conversation, about its last message.
  private func tell(_ news: [Message]) {
    var last: [JID: Message] = [:]
    for message in news { last[message.conversation] = message }
    for message in last.values.sorted(by: { $0.sentAt < $1.sentAt }) {
      let room = people.isRoom(message.conversation)
      let nick = message.sender.resource
      let name = people.name(of: message.conversation)
      onNotify(
        ShellNotification(
          conversation: message.conversation,
          title: room
            ? nick.map { format.localizer("notify.from", ["nick": $0, "room": name]) } ?? name
            : name,
          text: message.body))
    }
  }

  /// In a room only what speaks to the person rings, unless he wants to hear everything.
  private func rings(for message: Message) -> Bool {
    let isRoom = people.isRoom(message.conversation)
    switch actions.notificationRule(message.conversation) {
    case .none: return false
    case .all: return true
    case .mentions: if !isRoom { return false }
    case .standard:
      guard bell != .never else { return false }
      guard isRoom, bell != .all else { return true }
      guard bell == .mention else { return false }
    }
    guard let nick = people.room(message.conversation)?.nick else { return false }
    return Mention.contains(nick, in: message.body)
  }
}
