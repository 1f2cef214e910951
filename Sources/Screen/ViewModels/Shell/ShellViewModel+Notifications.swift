import FoundationEssentials
import NatterCore
import Text
import XMPP

/// A notification outside the program, as text.
nonisolated package struct DesktopNotification: Hashable, Sendable {
  package let conversation: JID
  /// From whom.
  package var title: String
  /// The text of the message; from outside: shown made safe.
  package let text: String

  /// The most conversations that are notified about within the pause after each notification.
  /// Strangers can write from any number of addresses, and a notification may start a program.
  static let mostAtOnce = 20
}

// The choice of the messages that ring the bell, or notify outside the program.
extension ShellViewModel {
  /// Rings the bell, notifies and announces, or keeps the messages until archives were read.
  func reportNews(_ messages: [Message]) {
    let news = messages.filter { $0.direction == .incoming && !$0.isRetracted }
    guard heldBells == nil else {
      for new in news { heldBells?.keep(new, isKnown: people.isKnown(new.conversation)) }
      return
    }
    announce(news)
    ring(for: news, atMost: .max, pause: 1)
  }

  /// - Parameters:
  ///   - most: with more of them to notify of, none is notified of.
  ///   - pause: seconds since the last bell.
  private func ring(for news: [Message], atMost most: Int, pause: TimeInterval) {
    guard !isQuiet() else { return }
    let news = news.filter { message in
      !slots.contains { $0.conversation == message.conversation && $0.timeline.isAttended }
    }
    let reported = news.filter(choice.isReported)
    if reported.count <= most { notify(reported) }
    guard news.contains(where: choice.rings), !lastBell.isRecent(pause, at: now())
    else { return }
    lastBell = now()
    onBell()
  }

  /// Announces messages in a line, for screen readers; what a conversation shows is spoken there.
  private func announce(_ messages: [Message]) {
    guard announces else { return }
    let news = messages.filter { message in
      let slot = slots.first { $0.conversation == message.conversation }
      return slot.map { !$0.timeline.showsNews } ?? choice.isReported(message)
    }
    status.announce(
      news.map { message in
        let name = people.shortName(of: message.sender)
        let title =
          message.conversation == activeConversation || !people.isRoom(message.conversation)
          ? name
          : format.localizer(
            "notify.from", ["nick": name, "room": people.name(of: message.conversation)])
        let line = format.bodyText(of: message, by: name, now: now())
          .split(whereSeparator: \.isNewline).joined(separator: " ")
        return (format.shown(title), line)
      })
  }

  /// Archives are being read: the account's, or those of rooms, several at a time.
  func holdBells(_ isRunning: Bool) {
    catchUps = max(0, catchUps + (isRunning ? 1 : -1))
    for slot in slots { slot.timeline.isCatchingUp = catchUps > 0 }
    guard catchUps == 0 else {
      heldBells = heldBells ?? NewestMessages()
      return
    }
    let held = heldBells.take()?.messages ?? [:]
    let due = held.values.filter { (sidebar.conversation($0.conversation)?.unread ?? 0) > 0 }
      .sorted { $0.position < $1.position }
    // After a long time away the list says it better than a pile of notices.
    if due.count(where: choice.isReported) <= Self.mostReported { announce(due) }
    ring(for: due, atMost: Self.mostReported, pause: 0)
  }

  /// With news in more conversations than this after an absence, no notification is shown.
  private static let mostReported = 3

  /// The pause between notifications of a conversation, so that a burst of messages makes only one.
  private static let notificationPause = Duration.seconds(5)

  /// One for each conversation, about its last message.
  private func notify(_ news: [Message]) {
    var last: [JID: Message] = [:]
    for message in news { last[message.conversation] = message }
    for message in last.values.sorted(by: { $0.position < $1.position }) {
      let conversation = message.conversation
      let isKnown = people.isKnown(conversation)
      guard reportedLately.keep(message, isKnown: isKnown) else { continue }
      notify(message)
      scheduler.after(Self.notificationPause) { [weak self] in
        guard let self, let last = reportedLately.remove(conversation),
          last.id != message.id, !isQuiet(), sidebar.conversation(conversation)?.unread ?? 0 > 0
        else { return }
        notify([last])
      }
    }
  }

  private func notify(_ message: Message) {
    let room = people.isRoom(message.conversation)
    let name = people.name(of: message.conversation)
    onNotify(
      DesktopNotification(
        conversation: message.conversation,
        title: room
          ? message.sender.isBare
            ? name
            : format.localizer(
              "notify.from", ["nick": people.occupantName(of: message.sender), "room": name])
          : name,
        text: format.text(of: message, by: name, now: now())))
  }

  private var choice: NotificationChoice {
    NotificationChoice(
      rules: actions.notifications, bell: bell, people: people, account: format.account)
  }
}
