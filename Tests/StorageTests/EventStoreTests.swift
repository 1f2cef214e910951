import Foundation
import NatterCore
import Testing
import XMPP

@testable import Storage

@Suite struct EventStoreTests {
  private let calendar = EventCalendar.ID(JID(local: "bob", domain: "example.net"))

  private func event(_ item: String, at seconds: Double, _ name: String = "n") -> CalendarEvent {
    CalendarEvent(
      id: .init(calendar: calendar, item: item), name: name,
      start: Date(timeIntervalSince1970: seconds), end: Date(timeIntervalSince1970: seconds + 60),
      text: "x\ny", place: "here", room: JID(local: "r", domain: "rooms.example.net"))
  }

  private func store() async throws -> EventStore {
    let store = try await AccountDatabase.inMemory().events
    try await store.save(EventCalendar(id: calendar))
    return store
  }

  @Test func `events come back, the earliest first, and are reported when they change`()
    async throws
  {
    let store = try await store()
    #expect(try await store.add([event("b", at: 2), event("a", at: 1)]))
    #expect(try await store.add([event("b", at: 2), event("a", at: 1)]) == false)
    #expect(try await store.listing().events == [event("a", at: 1), event("b", at: 2)])
    #expect(try await store.add([event("a", at: 3, "later")]))
    #expect(try await store.listing().events.map(\.name) == ["n", "later"])
    try await store.remove([event("a", at: 3).id])
    #expect(try await store.listing().events.map(\.id.item) == ["b"])
    let read = EventCalendar(
      id: calendar, readAt: Date(timeIntervalSince1970: 9), isFollowed: false)
    try await store.save(read)
    #expect(try await store.listing().calendars == [read])
  }

  @Test func `a calendar and an event are found alone as among all`() async throws {
    let store = try await store()
    _ = try await store.add([event("a", at: 1), event("b", at: 2)])
    try await store.saveAnswers([calendar.service: .maybe], to: event("b", at: 2).id, isWhole: true)
    let all = try await store.listing()
    for event in all.events { #expect(try await store.event(event.id) == event) }
    #expect(try await store.event(event("b", at: 2).id)?.answers == [calendar.service: .maybe])
    #expect(try await store.event(event("c", at: 2).id) == nil)
    #expect(try await store.calendar(calendar) == all.calendars.first)
    #expect(try await store.calendar(EventCalendar.ID(calendar.service, "other")) == nil)
  }

  @Test func `the events of a calendar, and the changed ones, are read without the others`()
    async throws
  {
    let store = try await store()
    let other = EventCalendar.ID(calendar.service, "other")
    try await store.save(EventCalendar(id: other, isFollowed: false))
    let there = CalendarEvent(
      id: .init(calendar: other, item: "a"), name: "there", start: Date(timeIntervalSince1970: 9),
      end: Date(timeIntervalSince1970: 10))
    _ = try await store.add([event("a", at: 1), there])
    var (late, answered) = (event("b", at: 7), event("c", at: 3))
    late.change = .put
    (answered.answer, answered.answerWaits) = (.yes, true)
    try await store.save(late)
    try await store.save(answered)
    let here = try await store.events(in: calendar)
    #expect(Set(here) == [event("a", at: 1), late, answered])
    #expect(try await store.events(in: other) == [there])
    #expect(try await store.changedEvents() == [answered, late])
    #expect(try await store.calendars().map(\.isFollowed) == [false, true])
  }

  @Test func `what was done here stays until it is sent, whatever comes from there`() async throws {
    let store = try await store()
    var changed = event("a", at: 1, "mine")
    changed.change = .put
    changed.refusal = StatusNotice(.error, "stanza.forbidden", ["text": "No."])
    changed.answer = .maybe
    changed.answerWaits = true
    try await store.save(changed)
    #expect(try await store.add([event("a", at: 1, "theirs")]) == false)
    #expect(try await store.listing().events == [changed])
    changed.change = nil
    changed.refusal = nil
    try await store.save(changed)
    #expect(try await store.add([event("a", at: 1, "theirs")]))
    let now = try #require(try await store.listing().events.first)
    #expect(now.name == "theirs" && now.answer == .maybe && now.answerWaits)
  }

  @Test func `with an event its pending changes go`() async throws {
    let account = try await AccountDatabase.inMemory()
    let store = account.events
    try await store.save(EventCalendar(id: calendar))
    for item in ["a", "b"] {
      var changed = event(item, at: 1)
      (changed.change, changed.answer, changed.answerWaits) = (.put, .yes, true)
      try await store.save(changed)
    }
    try await store.remove([event("a", at: 1).id])
    #expect(try await store.add([event("a", at: 1)]))
    #expect(try await store.listing().events.map(\.change) == [nil, .put])
    #expect(try await account.pendingChanges.pending(EventAnswerRecord.self).count == 1)
  }

  @Test func `answers belong to an event and go with it`() async throws {
    let store = try await store()
    let kim = JID(local: "kim", domain: "example.org")
    let id = event("a", at: 1).id
    // Nobody answers to what there is not.
    try await store.saveAnswers([kim: .yes], to: id, isWhole: true)
    _ = try await store.add([event("a", at: 1)])
    #expect(try await store.listing().events.first?.answers == [:])
    try await store.saveAnswers([kim: .yes], to: id, isWhole: false)
    try await store.saveAnswers([calendar.service: .no], to: id, isWhole: false)
    #expect(
      try await store.listing().events.first?.answers == [kim: .yes, calendar.service: .no])
    try await store.saveAnswers([kim: .maybe], to: id, isWhole: true)
    #expect(try await store.listing().events.first?.answers == [kim: .maybe])
    try await store.remove([id])
    _ = try await store.add([event("a", at: 1)])
    #expect(try await store.listing().events.first?.answers == [:])
  }
}
