import XMPP

/// Calendars and events as the database holds them.
package protocol EventStoring: Sendable {
  func listing() async throws -> EventListing
  func save(_ calendar: EventCalendar) async throws
  /// Adds events of a calendar that is known, or changes them, as they came from there. What was done here and is not told
  /// yet stays, and so do answers.
  /// - Returns: whether anything is another than before.
  func add(_ events: [CalendarEvent]) async throws -> Bool
  /// Stores an event with all that was done to it here.
  func save(_ event: CalendarEvent) async throws
  func remove(_ ids: [CalendarEvent.ID]) async throws
  /// Stores who answered what.
  /// - Parameter isWhole: whether those are all; else the others stay.
  func saveAnswers(
    _ answers: [JID: CalendarEvent.Attendance], to id: CalendarEvent.ID, isWhole: Bool) async throws
}

/// Calendars of events, one's own and others' (XEP-0471). What was read last is there without a connection, and what is done
/// without one waits for it; changes are told as `.eventsChanged`. Everything throws `NatterError`.
package protocol EventPlanning: Sendable {
  func listing() async throws -> EventListing
  /// Reads all calendars anew that are followed.
  func refresh() async throws
  /// Begins to follow a calendar. Contacts' come by themselves.
  /// - Throws: when there is none, or it may not be read.
  /// - Returns: whether it is followed; otherwise that waits for a connection.
  @discardableResult func follow(_ id: EventCalendar.ID) async throws -> Bool
  /// Forgets a calendar and its events.
  func leave(_ id: EventCalendar.ID) async throws
  /// Makes an event in the own calendar, or in the person's own for a room.
  /// - Returns: as it is stored; `change` is `nil` when it is there.
  /// - Throws: when the server refuses; it is kept.
  func make(_ plan: EventPlan) async throws -> CalendarEvent
  /// Changes an event of one's own.
  func change(_ id: CalendarEvent.ID, to plan: EventPlan) async throws -> CalendarEvent
  /// Takes an event of one's own out.
  func remove(_ id: CalendarEvent.ID) async throws
  /// Says whether the person comes.
  /// - Returns: whether it is told.
  func answer(_ id: CalendarEvent.ID, _ attendance: CalendarEvent.Attendance) async throws -> Bool
  /// Asks who answered what.
  func readAnswers(to id: CalendarEvent.ID) async throws
  /// Tries once more with what was refused.
  func retry(_ id: CalendarEvent.ID) async throws
}
