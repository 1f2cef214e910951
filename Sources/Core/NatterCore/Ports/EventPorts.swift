import XMPP

/// The calendars that are known, followed or not.
package protocol CalendarStoring: Sendable {
  /// Returns all known calendars.
  func calendars() async throws -> [EventCalendar]
  /// Returns a known calendar; `nil` if it is unknown.
  func calendar(_ id: EventCalendar.ID) async throws -> EventCalendar?
  func save(_ calendar: EventCalendar) async throws
}

/// Stores calendars and events.
package protocol EventStoring: CalendarStoring {
  /// Returns the known calendars and their stored events.
  func listing() async throws -> EventListing
  /// Returns the stored events of a calendar, with their pending changes and without answers.
  func events(in calendar: EventCalendar.ID) async throws -> [CalendarEvent]
  /// Returns the events that have pending changes, without answers, the earliest first.
  func changedEvents() async throws -> [CalendarEvent]
  /// Returns a stored event; `nil` if there is none.
  func event(_ id: CalendarEvent.ID) async throws -> CalendarEvent?
  /// Adds or updates events of a known calendar, as received from there. Pending changes and
  /// answers are kept.
  /// - Returns: `true` if anything changed.
  func add(_ events: [CalendarEvent]) async throws -> Bool
  /// Stores an event with all its pending changes.
  func save(_ event: CalendarEvent) async throws
  func remove(_ ids: [CalendarEvent.ID]) async throws
  /// Stores the answers to an event.
  /// - Parameter isWhole: `true` if they are complete; otherwise other stored answers are kept.
  func saveAnswers(
    _ answers: [JID: CalendarEvent.Attendance], to id: CalendarEvent.ID, isWhole: Bool) async throws
}

/// Manages calendars of events, the user's own and others' (XEP-0471). The last state is available
/// without a connection, and changes are pending until there is one; they are published as
/// `.eventsChanged`. All methods throw `NatterError`.
package protocol EventPlanning: Sendable {
  /// Returns the known calendars and their events.
  func listing() async throws -> EventListing
  /// Reads all followed calendars again.
  func refresh() async throws
  /// Follows a calendar. Those of contacts are followed automatically.
  /// - Throws: if there is none, or it may not be read; `CancellationError` if the user left it
  ///   meanwhile.
  /// - Returns: `true` if it is followed; otherwise that is pending.
  @discardableResult func follow(_ id: EventCalendar.ID) async throws -> Bool
  /// Removes a calendar and its events.
  func leave(_ id: EventCalendar.ID) async throws
  /// Creates an event in the user's own calendar, or in their own for a room.
  /// - Parameter onStored: called once the event is stored, before it is sent; from then on it is
  ///   kept.
  /// - Returns: the stored event; `change` is `nil` if it is published.
  /// - Throws: if it cannot be stored, or the server refuses it; then the event is kept.
  func make(_ plan: EventPlan, onStored: @MainActor (CalendarEvent) async -> Void) async throws
    -> CalendarEvent
  /// Changes one of the user's events, like `make`.
  func change(
    _ id: CalendarEvent.ID, to plan: EventPlan, onStored: @MainActor (CalendarEvent) async -> Void
  ) async throws -> CalendarEvent
  /// Removes one of the user's events.
  func remove(_ id: CalendarEvent.ID) async throws
  /// Answers an event's invitation.
  /// - Returns: `true` if the answer is sent; otherwise it is pending.
  func answer(_ id: CalendarEvent.ID, _ attendance: CalendarEvent.Attendance) async throws -> Bool
  /// Queries the answers to an event.
  func readAnswers(to id: CalendarEvent.ID) async throws
  /// Retries a refused change.
  func retry(_ id: CalendarEvent.ID) async throws
}

extension EventPlanning {
  /// Creates an event.
  package func make(_ plan: EventPlan) async throws -> CalendarEvent {
    try await make(plan) { _ in }
  }
}
