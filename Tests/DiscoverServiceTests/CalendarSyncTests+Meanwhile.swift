import NatterCore
import TestSupport
import Testing
import XML
import XMPP

@testable import DiscoverService

// Notifications that come while a calendar is read, and before the answer, which is older.
extension CalendarSyncTests {
  /// Returns a channel that holds the answers to reads back until the test releases them.
  /// - Parameters:
  ///   - old: the items in the first answer.
  ///   - new: the items in later ones.
  func held(_ old: [Element], then new: [Element] = []) -> HeldChannel {
    .reads(first: Self.answer(old), then: Self.answer(new))
  }

  private func retraction(of id: String) -> Element {
    Element("retract", XEP0060.events, ["id": id])
  }

  @Test func `a notification that comes while a calendar is read counts, not the answer`()
    async throws
  {
    let bobs = EventCalendar.ID(bob)
    let (keeper, _) = await keeper(MemoryEventStore(bobs)) { [self] _ in
      Self.answer([item("walk", "A walk"), item("talk", "A talk"), item("tea", "Tea")])
    }
    let held = held([item("walk", "A walk"), item("talk", "A talk")])
    await keeper.channelOpened(held)
    try await held.holds {
      try await keeper.refresh()
    } meanwhile: {
      try await keeper.apply(news([item("picnic", "A picnic")], from: bob))
      try await keeper.apply(news([item("walk", "A longer walk")], from: bob))
      try await keeper.apply(news([retraction(of: "talk")], from: bob))
    }
    let names = try await keeper.listing().events.map(\.name)
    #expect(names.sorted() == ["A longer walk", "A picnic"])
  }

  @Test func `an event that is published or taken out while its calendar is read stays so`()
    async throws
  {
    let own = EventCalendar.ID(alice)
    let (keeper, _) = await keeper(MemoryEventStore(own)) { [self] _ in
      Self.answer([item("walk", "A walk")])
    }
    let held = held([item("walk", "A walk")])
    await keeper.channelOpened(held)
    try await held.holds {
      try await keeper.refresh()
    } meanwhile: {
      let made = try await keeper.make(EventPlan(name: "Tea", start: start, end: start))
      #expect(made.change == nil)
      try await keeper.remove(CalendarEvent.ID(calendar: own, item: "walk"))
    }
    #expect(try await keeper.listing().events.map(\.name) == ["Tea"])
  }

  @Test func `an event that is published while its calendar is being followed is not missed`()
    async throws
  {
    let bobs = EventCalendar.ID(bob)
    let (keeper, _) = await keeper(MemoryEventStore())
    let held = held(
      [item("walk", "A walk")], then: [item("walk", "A walk"), item("picnic", "A picnic")])
    await keeper.channelOpened(held)
    let isFollowed = try await held.holds {
      try await keeper.follow(bobs)
    } meanwhile: {
      try await keeper.apply(news([item("picnic", "A picnic")], from: bob))
    }
    #expect(isFollowed)
    #expect(try await keeper.listing().events.map(\.name).sorted() == ["A picnic", "A walk"])
  }

  @Test func `a calendar whose service keeps no events is followed all the same`() async throws {
    let bobs = EventCalendar.ID(bob)
    let (keeper, _) = await keeper(MemoryEventStore()) { iq in
      if iq["type"] == "get" { throw StanzaError(.cancel, .featureNotImplemented) }
      return Element("iq", Namespace.client, ["type": "result"])
    }
    #expect(try await keeper.follow(bobs))
    #expect(try await keeper.listing().calendars == [EventCalendar(id: bobs, readAt: start)])
    try await keeper.apply(news([item("picnic", "A picnic")], from: bob))
    #expect(try await keeper.listing().events.map(\.name) == ["A picnic"])
  }

  @Test func `an answer to an event that comes while the answers are read counts`() async throws {
    let kim = JID(local: "kim", domain: "example.org")
    let (keeper, _) = await keeper(MemoryEventStore(EventCalendar.ID(alice)))
    try await keeper.apply(news([item("tea", "Tea")], from: alice))
    let id = CalendarEvent.ID(calendar: EventCalendar.ID(alice), item: "tea")
    let held = held([XEP0471Answer(jid: kim, attendance: .no).item])
    await keeper.channelOpened(held)
    try await held.holds {
      try await keeper.readAnswers(to: id)
    } meanwhile: {
      let node = CalendarSync.target(of: id).attachmentNode
      try await keeper.apply(
        news(
          [
            XEP0471Answer(jid: kim, attendance: .yes).item,
            XEP0471Answer(jid: bob, attendance: .maybe).item,
          ], in: node, from: alice))
      #expect(try await keeper.answer(id, .yes))
    }
    let event = try #require(try await keeper.listing().events.first)
    #expect(event.answers == [kim: .yes, bob: .maybe, alice: .yes] && event.answer == .yes)
  }

  @Test func `a calendar that may not be read is not followed, and its subscription ends`()
    async throws
  {
    let bobs = EventCalendar.ID(bob)
    let (keeper, channel) = await keeper(MemoryEventStore()) { iq in
      if iq["type"] == "get" { throw StanzaError(.auth, .forbidden) }
      return Element("iq", Namespace.client, ["type": "result"])
    }
    await #expect(throws: NatterError.self) { try await keeper.follow(bobs) }
    #expect(try await keeper.listing().calendars.isEmpty)
    let asked = await channel.requests.compactMap {
      $0.first("pubsub", Namespace.pubSub)?.elements.first?.name
    }
    #expect(asked == ["subscribe", "items", "unsubscribe"])
  }
}
