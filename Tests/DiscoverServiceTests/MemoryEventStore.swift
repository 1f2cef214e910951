import Foundation
import NatterCore
import XMPP

/// Calendars and events in memory.
actor MemoryEventStore: EventStoring {
  private var stored: [EventCalendar.ID: EventCalendar] = [:]
  private var events: [CalendarEvent.ID: CalendarEvent] = [:]

  init(_ followed: EventCalendar.ID...) {
    for id in followed { stored[id] = EventCalendar(id: id) }
  }

  /// The number of times that everything was read.
  private(set) var listings = 0

  func calendar(_ id: EventCalendar.ID) -> EventCalendar? { stored[id] }
  func event(_ id: CalendarEvent.ID) -> CalendarEvent? { events[id] }
  func listing() -> EventListing {
    listings += 1
    return EventListing(
      calendars: calendars(), events: events.values.sorted { $0.start < $1.start })
  }
  func calendars() -> [EventCalendar] { Array(stored.values) }
  func events(in calendar: EventCalendar.ID) -> [CalendarEvent] {
    events.values.filter { $0.id.calendar == calendar }
  }
  func changedEvents() -> [CalendarEvent] {
    events.values.filter { $0.change != nil || $0.answerWaits }.sorted { $0.start < $1.start }
  }
  func save(_ calendar: EventCalendar) { stored[calendar.id] = calendar }
  func add(_ added: [CalendarEvent]) -> Bool {
    var isOther = false
    for var event in added where events[event.id]?.change == nil {
      if let known = events[event.id] {
        (event.answer, event.answerWaits, event.answers) =
          (known.answer, known.answerWaits, known.answers)
        event.refusal = known.refusal
      }
      if events[event.id] != event { isOther = true }
      events[event.id] = event
    }
    return isOther
  }
  func save(_ event: CalendarEvent) {
    var event = event
    event.answers = events[event.id]?.answers ?? [:]
    events[event.id] = event
  }
  func remove(_ ids: [CalendarEvent.ID]) { for id in ids { events[id] = nil } }
  func saveAnswers(
    _ answers: [JID: CalendarEvent.Attendance], to id: CalendarEvent.ID, isWhole: Bool
  ) {
    if isWhole { events[id]?.answers = [:] }
    events[id]?.answers.merge(answers) { $1 }
  }
}
