import FoundationEssentials
import NatterCore
import SQLite
import XMPP

/// Calendars, their events, and the answers of their participants.
package struct EventStore: Sendable {
  private let database: Database
  init(_ database: Database) { self.database = database }

  private static let columns = """
    service, node, item, name, starts_at, ends_at, body, place, room, takes_answers, is_cancelled,
    answer
    """

  private static let calendarColumns = "service, node, read_at, is_followed"

  private static func calendar(_ row: Row) -> EventCalendar {
    EventCalendar(
      id: EventCalendar.ID(ColumnCoding.jid(row.string(0)), row.string(1)),
      readAt: row.optionalInt64(2).map(ColumnCoding.date), isFollowed: row.bool(3))
  }

  private static func id(_ row: Row) -> CalendarEvent.ID {
    CalendarEvent.ID(
      calendar: EventCalendar.ID(ColumnCoding.jid(row.string(0)), row.string(1)),
      item: row.string(2))
  }

  private static func event(_ row: Row) -> CalendarEvent {
    var event = CalendarEvent(
      id: id(row), name: row.string(3), start: ColumnCoding.date(row.int64(4)),
      end: ColumnCoding.date(row.int64(5)), text: row.string(6), place: row.string(7),
      room: row.optionalString(8).map(ColumnCoding.jid), takesAnswers: row.bool(9),
      isCancelled: row.bool(10))
    event.answer = row.optionalString(11).flatMap { CalendarEvent.Attendance(rawValue: $0) }
    return event
  }

  /// Returns an event with its pending changes, without answers; `nil` if there is none.
  private static func stored(_ id: CalendarEvent.ID, in db: DatabaseConnection) throws
    -> CalendarEvent?
  {
    let event = try db.firstRow(
      "SELECT \(columns) FROM event WHERE service = ? AND node = ? AND item = ?",
      id.calendar.service.description, id.calendar.node, id.item, map: event)
    return try event.map { try EventChanges(of: id, in: db).applied(to: $0) }
  }

  /// Writes an event; `update` is the clause for a conflict.
  private static func write(_ event: CalendarEvent, update: String, in db: DatabaseConnection)
    throws
  {
    try db.run(
      """
      INSERT INTO event (\(columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (service, node, item) DO UPDATE SET name = excluded.name,
        starts_at = excluded.starts_at, ends_at = excluded.ends_at, body = excluded.body,
        place = excluded.place, room = excluded.room, takes_answers = excluded.takes_answers,
        is_cancelled = excluded.is_cancelled \(update)
      """, event.id.calendar.service.description, event.id.calendar.node, event.id.item, event.name,
      ColumnCoding.microseconds(event.start), ColumnCoding.microseconds(event.end), event.text,
      event.place, event.room?.description, event.takesAnswers, event.isCancelled,
      event.answer?.rawValue)
  }
}

extension EventStore: EventStoring {
  package func listing() async throws -> EventListing {
    try await database.storing { database in
      try await database.read { db in
        var answers: [CalendarEvent.ID: [JID: CalendarEvent.Attendance]] = [:]
        _ = try db.rows(
          "SELECT service, node, item, jid, attendance FROM event_answer"
        ) { row in
          answers[Self.id(row), default: [:]][ColumnCoding.jid(row.string(3))] =
            CalendarEvent.Attendance(rawValue: row.string(4))
        }
        let changes = try EventChanges(in: db)
        return EventListing(
          calendars: try db.rows(
            "SELECT \(Self.calendarColumns) FROM calendar ORDER BY service, node",
            map: Self.calendar),
          events: try db.rows(
            """
            SELECT \(Self.columns) FROM event ORDER BY starts_at, service, node, item LIMIT 10000
            """
          ) { row in
            var event = changes.applied(to: Self.event(row))
            event.answers = answers[event.id] ?? [:]
            return event
          })
      }
    }
  }

  package func events(in calendar: EventCalendar.ID) async throws -> [CalendarEvent] {
    try await database.storing { database in
      try await database.read { db in
        let changes = try EventChanges(in: db)
        return try db.rows(
          "SELECT \(Self.columns) FROM event WHERE service = ? AND node = ?",
          calendar.service.description, calendar.node
        ) { changes.applied(to: Self.event($0)) }
      }
    }
  }

  package func changedEvents() async throws -> [CalendarEvent] {
    try await database.storing { database in
      try await database.read { db in
        let changes = try EventChanges(in: db)
        return try changes.subjects.flatMap { subject in
          try db.rows(
            "SELECT \(Self.columns) FROM event WHERE service = ? AND node = ? AND item = ?",
            arguments: subject, map: Self.event)
        }
        .map(changes.applied).sorted { ($0.start, $0.id.item) < ($1.start, $1.id.item) }
      }
    }
  }

  package func calendars() async throws -> [EventCalendar] {
    try await database.storing { database in
      try await database.read { db in
        try db.rows(
          "SELECT \(Self.calendarColumns) FROM calendar ORDER BY service, node",
          map: Self.calendar)
      }
    }
  }

  package func calendar(_ id: EventCalendar.ID) async throws -> EventCalendar? {
    try await database.storing { database in
      try await database.read { db in
        try db.firstRow(
          "SELECT \(Self.calendarColumns) FROM calendar WHERE service = ? AND node = ?",
          id.service.description, id.node, map: Self.calendar)
      }
    }
  }

  package func event(_ id: CalendarEvent.ID) async throws -> CalendarEvent? {
    let (service, node) = (id.calendar.service.description, id.calendar.node)
    return try await database.storing { database in
      try await database.read { db in
        var event = try Self.stored(id, in: db)
        guard event != nil else { return nil }
        _ = try db.rows(
          """
          SELECT jid, attendance FROM event_answer WHERE service = ? AND node = ? AND item = ?
          """, service, node, id.item
        ) { row in
          event?.answers[ColumnCoding.jid(row.string(0))] =
            CalendarEvent.Attendance(rawValue: row.string(1))
        }
        return event
      }
    }
  }

  package func save(_ calendar: EventCalendar) async throws {
    try await database.storing { database in
      try await database.write { db in
        try db.run(
          """
          INSERT INTO calendar (service, node, read_at, is_followed) VALUES (?, ?, ?, ?)
          ON CONFLICT (service, node) DO UPDATE SET read_at = excluded.read_at,
            is_followed = excluded.is_followed
          """, calendar.id.service.description, calendar.id.node,
          calendar.readAt.map(ColumnCoding.microseconds), calendar.isFollowed)
      }
    }
  }

  package func add(_ events: [CalendarEvent]) async throws -> Bool {
    guard !events.isEmpty else { return false }
    return try await database.storing { database in
      try await database.write { db in
        var isOther = false
        for event in events {
          if let known = try Self.stored(event.id, in: db) {
            // A local change counts until the server has it.
            guard known.change == nil else { continue }
            var same = event
            (same.answer, same.answerWaits) = (known.answer, known.answerWaits)
            if same == known { continue }
          }
          isOther = true
          try Self.write(event, update: "", in: db)
        }
        return isOther
      }
    }
  }

  package func save(_ event: CalendarEvent) async throws {
    try await database.storing { database in
      try await database.write { db in
        try Self.write(event, update: ", answer = excluded.answer", in: db)
        try EventChanges.save(event, in: db)
      }
    }
  }

  package func remove(_ ids: [CalendarEvent.ID]) async throws {
    try await database.storing { database in
      try await database.write { db in
        for id in ids {
          try db.run(
            "DELETE FROM event WHERE service = ? AND node = ? AND item = ?",
            id.calendar.service.description, id.calendar.node, id.item)
        }
      }
    }
  }

  package func saveAnswers(
    _ answers: [JID: CalendarEvent.Attendance], to id: CalendarEvent.ID, isWhole: Bool
  ) async throws {
    try await database.storing { database in
      try await database.write { db in
        let (service, node) = (id.calendar.service.description, id.calendar.node)
        let isKnown = try db.firstRow(
          "SELECT 1 FROM event WHERE service = ? AND node = ? AND item = ?", service, node, id.item
        ) { _ in true }
        guard isKnown != nil else { return }
        if isWhole {
          try db.run(
            "DELETE FROM event_answer WHERE service = ? AND node = ? AND item = ?", service, node,
            id.item)
        }
        for (jid, attendance) in answers {
          try db.run(
            "INSERT OR REPLACE INTO event_answer VALUES (?, ?, ?, ?, ?)", service, node, id.item,
            jid.description, attendance.rawValue)
        }
      }
    }
  }
}
