import Foundation
import NatterCore
import XMPP

/// Makes the items of a run of messages: day lines, the "new" line, grouping of one sender.
nonisolated struct TimelineItems {
  /// One sender's messages within this time have name and time once (UX.md 4.5).
  static let groupSpan: TimeInterval = 300

  let format: ItemFormat
  let people: People
  let now: Date

  /// - Parameters:
  ///   - messages: oldest first.
  ///   - incidents: what happened among them, oldest first.
  ///   - newLine: the first unseen message and how many there are.
  ///   - today: a day that began while the program ran and may have no message yet.
  func items(
    of messages: [Message], incidents: [TimelineIncident] = [],
    newLine: (position: MessagePosition, count: Int)?, today: Date?
  ) -> [TimelineItem] {
    var items: [TimelineItem] = []
    items.reserveCapacity(messages.count + 8)
    var day = 0
    var head: Message?
    var newLine = newLine
    var told = incidents[...]
    for message in messages {
      while let incident = told.first, incident.at < message.sentAt {
        told = told.dropFirst()
        head = nil
        items.append(incident.item)
      }
      let itsDay = format.dayNumber(message.sentAt)
      if itsDay != day {
        day = itsDay
        head = nil
        items.append(dayLine(message.sentAt, number: itsDay))
      }
      if let line = newLine, message.position >= line.position {
        newLine = nil
        head = nil
        var item = TimelineItem(id: .new, kind: .new)
        item.body = format.localizer.plural("timeline.new", line.count)
        items.append(item)
      }
      let isGrouped = head.map { isGroup($0, message) } ?? false
      if !isGrouped { head = message }
      items.append(item(of: message, isGrouped: isGrouped))
    }
    items += told.map(\.item)
    if let today {
      let number = format.dayNumber(today)
      if number > day, !messages.isEmpty { items.append(dayLine(today, number: number)) }
    }
    return items
  }

  private func isGroup(_ head: Message, _ message: Message) -> Bool {
    let isSame =
      people.isRoom(message.conversation)
      ? head.sender == message.sender : head.sender.bare == message.sender.bare
    return (isSame || head.direction == .outgoing) && head.direction == message.direction
      && message.sentAt.timeIntervalSince(head.sentAt) < Self.groupSpan
  }

  private func dayLine(_ date: Date, number: Int) -> TimelineItem {
    var item = TimelineItem(id: .day(number), kind: .day)
    item.body = format.day(date, now: now)
    return item
  }

  private func item(of message: Message, isGrouped: Bool) -> TimelineItem {
    let action = message.body.hasPrefix("/me ")
    var item = TimelineItem(id: .message(message.id), kind: action ? .action : .message)
    item.isOwn = message.direction == .outgoing
    let inRoom = people.isRoom(message.conversation)
    item.colour =
      inRoom ? NameColour.of(nick: message.sender.resource ?? "") : NameColour.of(message.sender)
    if inRoom, !item.isOwn, let nick = people.room(message.conversation)?.nick {
      item.isMention = Mention.contains(nick, in: message.body)
    }
    let name =
      item.isOwn ? format.localizer("timeline.you") : people.shortName(of: message.sender)
    if action {
      item.time = format.time(message.sentAt)
      item.sender = "*"
      let own = inRoom ? people.room(message.conversation)?.nick : nil
      let actor = item.isOwn ? own ?? format.account.local ?? format.account.domain : name
      item.body = actor + " " + message.body.dropFirst("/me ".count)
    } else {
      item.body = message.body
      if !isGrouped {
        item.time = format.time(message.sentAt)
        item.sender = name
      }
    }
    guard item.isOwn, let delivery = message.delivery else { return item }
    switch delivery {
    case .queued: (item.tick, item.tickText) = (.queued, format.glyphs.queued)
    case .sent: (item.tick, item.tickText) = (.sent, format.glyphs.sent)
    case .delivered, .read: (item.tick, item.tickText) = (.read, format.glyphs.read)
    case .failed(let reason):
      (item.tick, item.tickText) = (.failed, format.glyphs.failed)
      item.failure = format.localizer("timeline.failed", ["reason": reason])
    }
    return item
  }
}
