import FoundationEssentials
import NatterCore
import Text
import XMPP

/// Makes the items of a run of messages: day separators, the "new" separator, groups of one sender.
nonisolated struct TimelineItems {
  /// Messages of one sender within this time show name and time once (interface.md, "Messages").
  static let groupSpan: TimeInterval = 300

  let format: ItemFormat
  let people: People
  let now: Date
  /// The pictures stored on this machine, by the messages that offer them.
  var pictures: [Message.ID: PictureFile] = [:]
  /// The selected message.
  var selected: Message.ID?

  /// - Parameters:
  ///   - messages: oldest first.
  ///   - incidents: the incidents among them, oldest first.
  ///   - newLine: the first unseen message and the number of unseen messages.
  ///   - holes: where messages are missing, oldest first.
  ///   - refusal: why the server refuses the missing messages; `nil`: no known refusal.
  ///   - edges: whether there may be older messages than the first here, and newer than the last.
  ///   - today: a day that began while the program ran and may have no message yet.
  func items(
    of messages: [Message], incidents: [TimelineIncident] = [],
    newLine: (position: MessagePosition, count: Int)?,
    holes: [HistoryHole] = [], refusal: HistoryRefusal? = nil,
    edges: (older: Bool, newer: Bool) = (false, false), today: Date?
  ) -> [TimelineItem] {
    var items: [TimelineItem] = []
    items.reserveCapacity(messages.count + 8)
    var day = 0
    var head: Message?
    var before = ""
    var newLine = newLine
    var threads = ThreadMarks(
      of: messages, isRoom: messages.first.map { people.isRoom($0.conversation) } ?? false)
    var reported = incidents[...]
    var holes = holes[...]
    for (index, message) in messages.enumerated() {
      while let hole = holes.first, message.position.time > hole.after {
        holes.removeFirst()
        // The messages before the first are not loaded yet: they may be on this side of the hole.
        guard index > 0 || !edges.older else { continue }
        head = nil
        items.append(line(for: hole, refusal))
      }
      while let incident = reported.first, incident.at < message.position.time {
        reported = reported.dropFirst()
        head = nil
        items.append(incident.item)
      }
      let itsDay = format.dayNumber(message.position.time)
      if itsDay != day {
        day = itsDay
        head = nil
        items.append(dayLine(message.position.time, number: itsDay))
      }
      if let line = newLine, message.position >= line.position {
        newLine = nil
        head = nil
        var item = TimelineItem(id: .new, kind: .new)
        item.body = format.localizer.plural("timeline.new", line.count)
        items.append(item)
      }
      let isGrouped = head.map { isGroup($0, message) } ?? false
      // A message after an action shows its sender's name, even within a group of that sender.
      if !isGrouped || message.isAction { head = message }
      var item = item(of: message, isGrouped: isGrouped)
      if let name = threads.name(for: message, isSelected: message.id == selected) {
        if !item.note.isEmpty { item.note += " " }
        item.note += format.localizer("timeline.thread", ["name": name])
      }
      let time = shownTime(of: message, on: itsDay)
      if !isGrouped || message.isAction || time != before { item.time = time }
      before = time
      items.append(item)
    }
    items += reported.map(\.item)
    if !edges.newer { items += holes.map { line(for: $0, refusal) } }
    if let today {
      let number = format.dayNumber(today)
      if number > day, !messages.isEmpty { items.append(dayLine(today, number: number)) }
    }
    return items
  }

  private func line(for hole: HistoryHole, _ refusal: HistoryRefusal?) -> TimelineItem {
    var item = TimelineItem(id: .hole(hole.after), kind: .hole)
    item.body =
      refusal.map { format.text(of: $0, "timeline.refused") }
      ?? hole.count.map { format.localizer.plural("timeline.missing", $0) }
      ?? format.localizer("timeline.missing")
    return item
  }

  private func isGroup(_ head: Message, _ message: Message) -> Bool {
    let isSame =
      people.isRoom(message.conversation)
      ? head.sender == message.sender : head.sender.bare == message.sender.bare
    // An action has no name above it that could apply to the next message; its glyph does not name
    // the sender.
    return !head.isAction && (isSame || head.direction == .outgoing)
      && head.direction == message.direction
      && message.position.time.timeIntervalSince(head.position.time) < Self.groupSpan
  }

  /// Returns the time of sending. A message that was sent on another day than its neighbours, as
  /// one that waited for a connection over midnight, shows the time of its position: the line of
  /// the day above it applies to it.
  /// - Parameter day: the day of its position.
  private func shownTime(of message: Message, on day: Int) -> String {
    let isOfThatDay = format.dayNumber(message.sentAt) == day
    return format.time(isOfThatDay ? message.sentAt : message.position.time)
  }

  private func dayLine(_ date: Date, number: Int) -> TimelineItem {
    var item = TimelineItem(id: .day(number), kind: .day)
    item.body = format.day(date, now: now)
    return item
  }

  private func quote(of reply: Message.Reply, in conversation: JID) -> String {
    let text = ErrorText.oneLine(format.shown(reply.text))
    guard let author = reply.author else { return text }
    let own = people.room(conversation).flatMap { $0.jid.with(resource: $0.nick) }
    let name =
      author.bare == format.account.bare || own == author
      ? format.localizer("timeline.you") : format.shown(people.shortName(of: author))
    return text.isEmpty ? name : "\(name): \(text)"
  }

  private func item(of message: Message, isGrouped: Bool) -> TimelineItem {
    let action = message.isAction
    var item = TimelineItem(id: .message(message.id), kind: action ? .action : .message)
    item.isOwn = message.direction == .outgoing
    let inRoom = people.isRoom(message.conversation)
    item.hue =
      inRoom
      ? message.sender.resource.map { NameHue.of(nick: $0) } ?? NameHue.of(message.sender)
      : NameHue.of(message.sender)
    item.isMention = people.mentionsUser(message)
    let name =
      item.isOwn
      ? format.localizer("timeline.you") : format.shown(people.shortName(of: message.sender))
    let body = format.bodyText(of: message, by: name, now: now)
    if action {
      (item.sender, item.author) = ("*", "*")
      let own = inRoom ? people.room(message.conversation)?.nick : nil
      let actor = item.isOwn ? own ?? format.account.local ?? format.account.domain : name
      item.body = actor + " " + body.dropFirst("/me ".count)
    } else {
      item.body =
        message.isRetracted ? "" : message.file.map { format.card(of: $0, caption: body) } ?? body
      item.picture = pictures[message.id]
      if !isGrouped { item.sender = name }
      item.author = name
    }
    if let retraction = message.retraction {
      (item.isDeleted, item.picture) = (true, nil)
      item.body = format.localizer(
        retraction == .author ? "timeline.deleted" : "timeline.deletedByModerator")
      return item
    }
    if message.isShortened { item.below.more = format.localizer("timeline.shortened") }
    if !message.reactions.isEmpty {
      let line = ReactionLine(
        message.reactions, totals: message.reactionTotals, format: format, people: people)
      (item.reactions, item.reactors) = (line.counts, line.names)
      if format.glyphs.isLinear {
        item.reactors = format.localizer("timeline.reactions", ["list": line.names])
        item.reactions = item.reactors
      }
    }
    if let reply = message.reply { item.quote = quote(of: reply, in: message.conversation) }
    item.note = note(of: message)
    let spans = MessageMarkup.spans(
      of: item.body,
      mentions: item.isMention ? people.mentions(in: item.body, of: message.conversation) : [])
    if spans.contains(where: { $0.style != .plain }) { item.spans = spans }
    guard item.isOwn, let delivery = message.delivery else { return item }
    switch delivery {
    case .queued: (item.tick, item.tickText) = (.queued, format.glyphs.queued)
    case .sent: (item.tick, item.tickText) = (.sent, format.glyphs.sent)
    // Two ticks would mean that the recipient has seen it (interface.md, "Messages").
    case .delivered: (item.tick, item.tickText) = (.delivered, format.glyphs.sent)
    case .read: (item.tick, item.tickText) = (.read, format.glyphs.read)
    case .failed(let reason):
      (item.tick, item.tickText) = (.failed, format.glyphs.failed)
      // The refusing server may have given a reason, of any number of lines.
      let reasonText = format.shown(ErrorText.oneLine(reason))
      let conversation = message.conversation
      let isListener =
        people.isRoom(conversation) && people.room(conversation)?.role == .visitor
      item.failure = format.localizer(
        isListener ? "timeline.failedVoice" : "timeline.failed",
        ["reason": reasonText.hasSuffix(".") ? String(reasonText.dropLast()) : reasonText])
    }
    if format.glyphs.isLinear { item.tickText = "(\(word(for: item.tick)))" }
    return item
  }
}

nonisolated extension TimelineItems {
  /// Returns which program sent a message for the user, and whether it was edited.
  fileprivate func note(of message: Message) -> String {
    let program = message.sentBy.map {
      let name = format.shown(ErrorText.oneLine($0, limit: 40))
      return format.localizer("timeline.sentBy", ["name": name])
    }
    let edited = message.isEdited ? format.localizer("timeline.edited") : nil
    return [program, edited].compactMap(\.self).joined(separator: " ")
  }

  /// Returns the delivery state of a message as text, for screen readers.
  fileprivate func word(for tick: TimelineItem.Tick) -> String {
    let key: String? =
      switch tick {
      case .none: nil
      case .queued: "timeline.tick.queued"
      case .sent: "timeline.tick.sent"
      case .delivered: "timeline.tick.delivered"
      case .read: "timeline.tick.read"
      case .failed: "timeline.tick.failed"
      }
    return key.map { format.localizer($0) } ?? ""
  }
}

extension Message {
  /// True if it describes an action of its sender, by `/me` (XEP-0245).
  nonisolated package var isAction: Bool { content == nil && body.hasPrefix("/me ") }
}
