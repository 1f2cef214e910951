import NatterCore
import TestSupport
import Testing
import XML
import XMPP

@testable import DiscoverService

// Nodes that are purged or deleted (XEP-0060 §8.4, §8.5).
extension CalendarSyncTests {
  private func emptied(
    _ change: String, _ node: String = XEP0471Event.personalNode, by sender: JID
  ) -> AccountEvent {
    published(Element(change, XEP0060.events, ["node": node]), by: sender)
  }

  @Test(arguments: ["purge", "delete"])
  func `a calendar that is purged or deleted loses its events, and stays followed`(
    change: String
  ) async throws {
    let bobs = EventCalendar.ID(bob)
    let (keeper, _) = await keeper(MemoryEventStore(bobs))
    let events = hub.events()
    try await keeper.apply(news([item("walk", "A walk")], from: bob))
    // Another node of the contact's, and the calendar of a stranger.
    try await keeper.apply(emptied(change, "urn:example:other", by: bob))
    try await keeper.apply(emptied(change, by: JID(local: "eve", domain: "example.net")))
    #expect(try await keeper.listing().events.map(\.name) == ["A walk"])
    for _ in 0..<2 { try await keeper.apply(emptied(change, by: bob)) }
    #expect(try await keeper.listing().events == [])
    #expect(try await keeper.listing().calendars.map(\.id) == [bobs])
    #expect(await events.published(on: hub).count { $0 == .eventsChanged } == 2)
    try await keeper.apply(news([item("picnic", "A picnic")], from: bob))
    #expect(try await keeper.listing().events.map(\.name) == ["A picnic"])
  }

  @Test func `what was read before its calendar was purged is not stored`() async throws {
    let bobs = EventCalendar.ID(bob)
    let (keeper, _) = await keeper(MemoryEventStore(bobs))
    let held = held([item("walk", "A walk")])
    await keeper.channelOpened(held)
    try await held.holds {
      try await keeper.refresh()
    } meanwhile: {
      try await keeper.apply(emptied("purge", by: bob))
      try await keeper.apply(news([item("picnic", "A picnic")], from: bob))
    }
    #expect(try await keeper.listing().events.map(\.name) == ["A picnic"])
  }

  @Test func `an event that waits to be published stays when another client purges the calendar`()
    async throws
  {
    let own = EventCalendar.ID(alice)
    let store = MemoryEventStore(own)
    let (keeper, _) = await keeper(store)
    try await keeper.apply(news([item("walk", "A walk")], from: alice))
    var waiting = CalendarEvent(
      id: CalendarEvent.ID(calendar: own, item: "tea"), name: "Tea", start: start, end: start)
    waiting.change = .put
    await store.save(waiting)
    try await keeper.apply(emptied("purge", by: alice))
    #expect(try await keeper.listing().events.map(\.name) == ["Tea"])
  }

  @Test func `the answers to an event go with the node that they are in`() async throws {
    let (keeper, _) = await keeper(MemoryEventStore(EventCalendar.ID(alice)))
    try await keeper.apply(news([item("tea", "Tea")], from: alice))
    let id = CalendarEvent.ID(calendar: EventCalendar.ID(alice), item: "tea")
    let node = CalendarSync.target(of: id).attachmentNode
    try await keeper.apply(
      news([XEP0471Answer(jid: bob, attendance: .yes).item], in: node, from: alice))
    #expect(try await keeper.listing().events.first?.answers == [bob: .yes])
    try await keeper.apply(emptied("delete", node, by: alice))
    #expect(try await keeper.listing().events.first?.answers == [:])
  }
}
