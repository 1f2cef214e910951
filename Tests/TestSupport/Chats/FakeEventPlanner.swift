import Foundation
import NatterCore
import XMPP

/// Calendars in memory, with a record of what was asked.
package actor FakeEventPlanner: EventPlanning {
  package private(set) var calls: [String] = []
  /// The created and changed plans.
  package private(set) var plans: [EventPlan] = []
  private var current: EventListing
  /// Indicates whether changes are sent at once.
  private let isOnline: Bool
  private var failure: NatterError?

  package init(_ listing: EventListing = EventListing(), isOnline: Bool = true) {
    current = listing
    self.isOnline = isOnline
  }

  private func called(_ parts: String...) { calls.append(parts.joined(separator: " ")) }

  package func listing() -> EventListing { current }
  package func refresh() { called("refresh") }
  package func follow(_ id: EventCalendar.ID) -> Bool {
    called("follow", id.service.description, id.node)
    return true
  }
  package func leave(_ id: EventCalendar.ID) { called("leave", id.service.description) }
  /// Has every later call of `make` and `change` throw `error`, or work again.
  package func fail(with error: NatterError?) { failure = error }

  package func make(
    _ plan: EventPlan, onStored: @MainActor (CalendarEvent) async -> Void
  ) async throws -> CalendarEvent {
    called("make", plan.name)
    return try await stored(event(plan, "made"), onStored)
  }
  package func change(
    _ id: CalendarEvent.ID, to plan: EventPlan, onStored: @MainActor (CalendarEvent) async -> Void
  ) async throws -> CalendarEvent {
    called("change", id.item)
    return try await stored(event(plan, id.item), onStored)
  }
  private func stored(
    _ event: CalendarEvent, _ onStored: @MainActor (CalendarEvent) async -> Void
  ) async throws -> CalendarEvent {
    // An event that a server refuses is stored, too.
    if failure?.kind != .storage { await onStored(event) }
    if let failure { throw failure }
    return event
  }
  private func event(_ plan: EventPlan, _ item: String) -> CalendarEvent {
    plans.append(plan)
    var event = CalendarEvent(
      id: .init(calendar: .init(JID(local: "alice", domain: "example.org")), item: item),
      name: plan.name, start: plan.start, end: plan.end, room: plan.room)
    if !isOnline { event.change = .put }
    return event
  }
  package func remove(_ id: CalendarEvent.ID) { called("remove", id.item) }
  package func answer(_ id: CalendarEvent.ID, _ attendance: CalendarEvent.Attendance) -> Bool {
    called("answer", id.item, attendance.rawValue)
    return isOnline
  }
  package func readAnswers(to id: CalendarEvent.ID) { called("answers", id.item) }
  package func retry(_ id: CalendarEvent.ID) { called("retry", id.item) }
}

extension EventListing {
  /// Two calendars with four events, one of them over.
  package static func wireframe(now: Date) -> EventListing {
    let own = EventCalendar.ID(JID(local: "alice", domain: "example.org"))
    let bob = EventCalendar.ID(JID(local: "bob", domain: "example.net"))
    func event(
      _ item: String, in calendar: EventCalendar.ID, _ name: String, hours: Double,
      place: String = "", text: String = ""
    ) -> CalendarEvent {
      let start = now.addingTimeInterval(hours * 3600)
      return CalendarEvent(
        id: .init(calendar: calendar, item: item), name: name, start: start,
        end: start.addingTimeInterval(7200), text: text, place: place)
    }
    var walk = event("walk", in: bob, "A walk", hours: 24, place: "By the canal")
    walk.answer = .yes
    walk.answers = [
      JID(local: "kim", domain: "example.org"): .maybe, own.service: .yes, bob.service: .yes,
    ]
    var dinner = event("dinner", in: own, "Dinner", hours: 28, text: "Bring something.\nOr not.")
    dinner.change = .put
    var talk = event("talk", in: bob, "A talk", hours: 24 * 12)
    talk.isCancelled = true
    return EventListing(
      calendars: [
        EventCalendar(id: own, readAt: now), EventCalendar(id: bob, readAt: now),
        EventCalendar(id: .init(JID(local: "eve", domain: "example.net")), isFollowed: false),
      ],
      events: [event("past", in: bob, "Long ago", hours: -200), walk, dinner, talk])
  }
}
