import FoundationEssentials
import NatterCore
import Text
import XMPP

/// An incident in a room, as a line among its messages; kept as long as the program runs.
nonisolated package struct TimelineIncident: Hashable, Sendable {
  let number: Int
  let at: Date
  let text: String

  var item: TimelineItem {
    var item = TimelineItem(id: .incident(number), kind: .notice)
    item.body = text
    return item
  }

  /// Returns the text of `incident`.
  package static func text(of incident: RoomIncident, format: ItemFormat) -> String {
    var arguments = incident.arguments
    if let affiliation = arguments["affiliation"] {
      arguments["affiliation"] = format.localizer("affiliation.\(affiliation)")
    }
    // A topic may be as long as a page; /topic shows all of it.
    arguments["subject"] = arguments["subject"].map {
      ErrorText.oneLine($0, limit: TopicText.limit)
    }
    arguments["cause"] = Self.cause(
      actor: arguments["actor"], reason: arguments["reason"], format: format)
    return format.localizer("room.\(incident.kind.rawValue)", arguments)
  }

  /// Returns the state of a room that the user is not in; `nil` if there is nothing to report.
  /// - Parameter isHere: whether the text appears in the room's own conversation, where Enter opens
  ///   the room that replaces it.
  package static func absence(in room: Room, format: ItemFormat, isHere: Bool = false) -> String? {
    switch room.phase {
    case .inside: return nil
    case .entering where room.exit == nil: return nil
    case .entering, .outside:
      guard let exit = room.exit else {
        return format.localizer("exit.left", ["room": room.jid.description])
      }
      let hasMoved = exit.cause == .destroyed && exit.alternative != nil
      return format.localizer(
        hasMoved
          ? (isHere ? "exit.movedHere" : "exit.moved") : "exit.\(exit.cause.rawValue)",
        [
          "nick": People.nick(room.nick), "room": room.jid.description,
          "cause": cause(
            actor: exit.actor,
            // Without an actor, the room itself gives the reason.
            reason: exit.actor == nil
              ? exit.reason.map { format.localizer.said($0, by: room.jid.description) }
              : exit.reason, format: format),
          "reason": exit.reason ?? "", "alternative": exit.alternative?.description ?? "",
        ])
    }
  }

  /// Returns ` by bob (too loud)`: actor and reason, as far as they are known.
  private static func cause(actor: String?, reason: String?, format: ItemFormat) -> String {
    let actor = actor.map(ErrorText.oneLine) ?? ""
    let reason = reason.map(ErrorText.oneLine) ?? ""
    return (actor.isEmpty ? "" : format.localizer("room.by", ["name": actor]))
      + (reason.isEmpty ? "" : format.localizer("room.why", ["reason": reason]))
  }
}

/// The incidents of rooms since the program started.
nonisolated struct TimelineIncidents: Sendable {
  private static let limit = 200
  private var reported: [JID: [(number: Int, at: Date, incident: RoomIncident)]] = [:]
  private var count = 0

  mutating func append(_ incident: RoomIncident, at date: Date) {
    count += 1
    var list = reported[incident.room] ?? []
    list.append((count, date, incident))
    if list.count > Self.limit { list.removeFirst() }
    reported[incident.room] = list
  }

  /// Inserts earlier incidents before these.
  mutating func put(_ earlier: TimelineIncidents) {
    let new = reported.values.joined().sorted { $0.number < $1.number }
    self = earlier
    for one in new { append(one.incident, at: one.at) }
  }

  /// Returns the incidents within the loaded messages, oldest first.
  func shown(in conversation: JID?, _ window: TimelineWindow, format: ItemFormat)
    -> [TimelineIncident]
  {
    guard let conversation, let list = reported[conversation] else { return [] }
    return list.filter { _, at, _ in
      if window.hasOlder, let first = window.oldest?.position.time ?? window.clearedAt,
        at < first
      {
        return false
      }
      if window.hasNewer, let last = window.messages.last, at > last.position.time { return false }
      return true
    }.map { number, at, incident in
      TimelineIncident(
        number: number, at: at, text: TimelineIncident.text(of: incident, format: format))
    }
  }

  /// Returns the line at the end, while the user is not in the room.
  static func absence(in room: Room, format: ItemFormat) -> [TimelineItem] {
    guard let text = TimelineIncident.absence(in: room, format: format, isHere: true) else {
      return []
    }
    var item = TimelineItem(id: .absence, kind: .notice)
    item.body = text
    return [item]
  }
}

extension TimelineItem {
  /// Returns the line at the end if the peer's last message is encrypted: the reply is not. A
  /// deleted message says nothing about it.
  nonisolated static func encryptionNotice(
    below messages: [Message], format: ItemFormat
  ) -> [TimelineItem] {
    let last = messages.last { $0.direction == .incoming && !$0.isRetracted }
    guard last?.isEncrypted == true else { return [] }
    var item = TimelineItem(id: .unencrypted, kind: .notice)
    item.body = format.localizer("timeline.unencrypted")
    return [item]
  }

  /// The columns that the names of a list take.
  nonisolated static func senderWidth(of items: [TimelineItem]) -> Int {
    items.reduce(6) { width, item in
      item.kind == .message ? max(width, min(item.sender.count, 12)) : width
    }
  }

  /// Highlights the search terms in the body.
  nonisolated mutating func paint(_ words: [String]) {
    guard !words.isEmpty, !isDeleted else { return }
    spans = FoundText.painted(spans, of: body, words: words)
  }
}
