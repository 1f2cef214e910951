import NatterCore
import SQLite
import XMPP

/// A pending change of an event of the user's own. The event itself is stored as they want it.
struct EventChangeRecord: PendingChange {
  static let kind = PendingChangeKind.event

  let service: JID
  let node: String
  let item: String
  let change: CalendarEvent.Change

  var subject: [String] { [service.description, node, item] }
}

/// A pending answer to an event. The answer itself is stored with the event.
struct EventAnswerRecord: PendingChange {
  static let kind = PendingChangeKind.answer

  let service: JID
  let node: String
  let item: String

  var subject: [String] { [service.description, node, item] }
}

/// The pending changes of the events of an account.
struct EventChanges {
  private let changes: [[String]: PendingChangeRecord.Row<EventChangeRecord>]
  private let answers: Set<[String]>

  init(in db: DatabaseConnection) throws {
    changes = Dictionary(
      try PendingChangeRecord.all(EventChangeRecord.self, in: db).map { ($0.change.subject, $0) },
      uniquingKeysWith: { $1 })
    answers = Set(
      try PendingChangeRecord.all(EventAnswerRecord.self, in: db).map(\.change.subject))
  }

  /// The service, node and item of each event that has a change.
  var subjects: Set<[String]> { answers.union(changes.keys) }

  /// Reads those of one event.
  init(of id: CalendarEvent.ID, in db: DatabaseConnection) throws {
    let subject = Self.subject(of: id)
    let change = try PendingChangeRecord.one(EventChangeRecord.self, of: subject, in: db)
    let answer = try PendingChangeRecord.one(EventAnswerRecord.self, of: subject, in: db)
    changes = change.map { [subject: $0] } ?? [:]
    answers = answer == nil ? [] : [subject]
  }

  /// Returns a stored event with its pending changes.
  func applied(to event: CalendarEvent) -> CalendarEvent {
    var event = event
    let subject = Self.subject(of: event.id)
    if let row = changes[subject] {
      (event.change, event.refusal) = (row.change.change, row.refusal)
    }
    event.answerWaits = answers.contains(subject)
    return event
  }

  /// Stores the pending changes of an event, instead of those that were stored; those that cannot
  /// be read stay, unless there is one of the same kind.
  static func save(_ event: CalendarEvent, in db: DatabaseConnection) throws {
    let subject = subject(of: event.id)
    let (calendar, item) = (event.id.calendar, event.id.item)
    if let change = event.change {
      try PendingChangeRecord.keep(
        EventChangeRecord(
          service: calendar.service, node: calendar.node, item: item, change: change),
        refusal: event.refusal, in: db)
    } else {
      try PendingChangeRecord.clear(EventChangeRecord.self, of: subject, in: db)
    }
    if event.answerWaits {
      try PendingChangeRecord.keep(
        EventAnswerRecord(service: calendar.service, node: calendar.node, item: item), in: db)
    } else {
      try PendingChangeRecord.clear(EventAnswerRecord.self, of: subject, in: db)
    }
  }

  private static func subject(of id: CalendarEvent.ID) -> [String] {
    [id.calendar.service.description, id.calendar.node, id.item]
  }
}
