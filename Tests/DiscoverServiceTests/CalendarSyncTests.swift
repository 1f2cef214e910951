import Diagnostics
import Foundation
import NatterCore
import TestSupport
import Testing
import XML
import XMPP

@testable import DiscoverService

@Suite struct CalendarSyncTests {
  let hub = EventHub()
  let alice = JID(local: "alice", domain: "example.org")
  let bob = JID(local: "bob", domain: "example.net")
  let start = Date(timeIntervalSince1970: 1_795_183_200)

  static let done: @Sendable (Element) -> Element = { _ in
    Element("iq", Namespace.client, ["type": "result"])
  }

  let changes = MemoryPendingChanges()

  func keeper(
    _ store: MemoryEventStore, contacts: [Contact] = [],
    _ answer: @escaping @Sendable (Element) throws -> Element = done
  ) async -> (CalendarSync, RecordingChannel) {
    let start = start
    let keeper = CalendarSync(
      account: alice, store: store, roster: MemoryRosterStore(contacts), hub: hub, log: .none,
      changes: changes, identifiers: IdentifierSource { "new-id" }, now: { start })
    let channel = RecordingChannel(answer: answer)
    await keeper.sessionStarted(.fixture, over: channel)
    return (keeper, channel)
  }

  func item(_ id: String, _ name: String) -> Element {
    XEP0471Event(id: id, name: name, start: start, end: start).item
  }

  static func answer(_ items: [Element]) -> Element {
    Element(
      "iq", Namespace.client, ["type": "result"],
      [Element("pubsub", Namespace.pubSub, [:], [Element("items", Namespace.pubSub, [:], items)])])
  }

  /// Returns the event that the inbox makes of a notification.
  func news(
    _ children: [Element], in node: String = XEP0471Event.personalNode, from sender: JID
  ) -> AccountEvent {
    let items = children.map { child in
      var copy = Element(child.name, XEP0060.events)
      copy["id"] = child["id"]
      copy.children = child.children
      return copy
    }
    return published(Element("items", XEP0060.events, ["node": node], items), by: sender)
  }

  /// Returns the event that the inbox makes of a change of a node.
  func published(_ change: Element, by sender: JID) -> AccountEvent {
    let stanza = Element(
      "message", Namespace.client, ["from": sender.description, "type": "headline"],
      [Element("event", XEP0060.events, [:], [change])])
    return AccountEvent(id: "p", isKept: false, kind: .published, sender: sender, stanza: stanza)
  }

  /// The operations asked of nodes, in order: `create NODE`, `publish NODE`.
  private func operations(_ channel: RecordingChannel) async -> [String] {
    await channel.requests.compactMap {
      guard let first = $0.first("pubsub", Namespace.pubSub)?.elements.first else { return nil }
      return "\(first.name) \(first["node"] ?? "")"
    }
  }

  @Test func `what a contact publishes is taken, and what anybody else does is not`() async throws {
    let store = MemoryEventStore()
    let (keeper, _) = await keeper(store, contacts: [Contact(jid: bob, subscription: .to)])
    let events = hub.events()
    try await keeper.apply(news([item("1", "A walk")], from: bob))
    try await keeper.apply(news([item("1", "A walk")], from: bob))
    try await keeper.apply(
      news([item("1", "Trap")], from: JID(local: "eve", domain: "example.net")))
    try await keeper.apply(news([item("1", "x")], in: "urn:xmpp:other:0", from: bob))
    #expect(try await keeper.listing().events.map(\.name) == ["A walk"])
    #expect(try await keeper.listing().calendars.map(\.id) == [EventCalendar.ID(bob)])
    #expect(await events.published(on: hub) == [.eventsChanged])
    let retract = Element("retract", XEP0060.events, ["id": "1"])
    try await keeper.apply(news([retract], from: bob))
    #expect(try await keeper.listing().events.isEmpty)
  }

  @Test func `a contact cannot fill the list with calendars`() async throws {
    let store = MemoryEventStore()
    let kim = JID(local: "kim", domain: "example.org")
    let (keeper, _) = await keeper(
      store, contacts: [bob, kim].map { Contact(jid: $0, subscription: .to) })
    func node(_ number: Int) -> String { "\(XEP0471Event.personalNode)/\(number)" }
    for number in 0..<40 {
      try await keeper.apply(news([item("1", "A walk")], in: node(number), from: bob))
    }
    #expect(await store.calendars().count == 20)
    // The known ones and those of others go on.
    try await keeper.apply(news([item("2", "A run")], in: node(0), from: bob))
    try await keeper.apply(news([item("1", "A swim")], from: kim))
    let names = try await keeper.listing().events.map(\.name)
    #expect(names.count == 22 && names.contains("A run") && names.contains("A swim"))
  }

  @Test func `an event that arrives does not have all events read`() async throws {
    let store = MemoryEventStore()
    let (keeper, _) = await keeper(store, contacts: [Contact(jid: bob, subscription: .to)])
    let before = await store.listings
    for number in 0..<20 {
      try await keeper.apply(news([item("\(number)", "A walk")], from: bob))
    }
    #expect(await store.listings == before)
    #expect(try await keeper.listing().events.count == 20)
  }

  @Test func `an event behind a full page stays, even if an item of the page is ignored`()
    async throws
  {
    let ids = [String(repeating: "x", count: 2000)] + (1..<200).map { "\($0)" }
    let items = Self.answer(ids.map { item($0, "A walk") })
    let calendar = EventCalendar.ID(bob)
    let (keeper, _) = await keeper(
      MemoryEventStore(calendar), contacts: [Contact(jid: bob, subscription: .both)]
    ) { _ in items }
    try await keeper.apply(news([item("old", "Dinner")], from: bob))
    try await keeper.refresh()
    let kept = try await keeper.listing().events.filter { $0.id.calendar == calendar }
    #expect(kept.count == 200)
    #expect(kept.contains { $0.id.item == "old" })
  }

  @Test
  func `a calendar that was left does not come back by itself, only when it is followed again`()
    async throws
  {
    let items = Self.answer([item("2", "Dinner")])
    let (keeper, _) = await keeper(
      MemoryEventStore(EventCalendar.ID(bob)), contacts: [Contact(jid: bob, subscription: .both)]
    ) { _ in items }
    try await keeper.apply(news([item("1", "A walk")], from: bob))
    try await keeper.leave(EventCalendar.ID(bob))
    #expect(try await keeper.listing().events.isEmpty)
    try await keeper.apply(news([item("1", "A walk")], from: bob))
    #expect(try await keeper.listing().events.isEmpty)
    try await keeper.follow(EventCalendar.ID(bob))
    #expect(try await keeper.listing().events.map(\.name) == ["Dinner"])
    #expect(try await keeper.listing().calendars.first?.readAt == start)
  }

  @Test func `an event is made with a node for answers, for contacts or for a room`() async throws {
    let (keeper, channel) = await keeper(MemoryEventStore())
    let room = JID(local: "walks", domain: "rooms.example.org")
    let made = try await keeper.make(
      EventPlan(name: "A walk", start: start, end: start.addingTimeInterval(60), room: room))
    let node = "urn:xmpp:calendar-events:0/walks@rooms.example.org"
    #expect(made.change == nil && made.id.calendar == EventCalendar.ID(alice, node))
    let answers = XEP0471Answer.Target(service: alice, node: node, item: "new-id").attachmentNode
    #expect(
      await operations(channel) == [
        "create \(node)", "create \(answers)", "subscribe \(answers)", "publish \(node)",
      ])
    let forms = await channel.requests.prefix(2).compactMap {
      $0.first("pubsub", Namespace.pubSub)?.first("configure", Namespace.pubSub)?
        .first("x", Namespace.dataForms).flatMap { XEP0004DataForm($0) }
    }
    #expect(forms.map { $0["pubsub#access_model"]?.values } == [["open"], ["open"]])
    #expect(forms.map { $0["pubsub#publish_model"]?.values } == [["publishers"], ["open"]])
    let own = try await keeper.make(EventPlan(name: "Tea", start: start, end: start))
    #expect(own.id.calendar == EventCalendar.ID(alice))
  }

  @Test func `an event is reported as stored before it is sent`() async throws {
    let store = MemoryEventStore()
    let (keeper, channel) = await keeper(store)
    let before = await channel.requests.count
    let seen = Observed<[Int]>([])
    let made = try await keeper.make(EventPlan(name: "Tea", start: start, end: start)) { event in
      let count = await channel.requests.count
      if event.change == .put { seen.update { $0.append(count) } }
    }
    let changed = try await keeper.change(
      made.id, to: EventPlan(name: "Coffee", start: start, end: start)
    ) { event in
      let count = await channel.requests.count
      if event.name == "Coffee", event.change == .put { seen.update { $0.append(count) } }
    }
    #expect(made.change == nil && changed.change == nil)
    #expect(seen.value.first == before && seen.value.count == 2)
  }

  @Test func `a change made offline waits, and is sent once there is a connection`() async throws {
    let store = MemoryEventStore(EventCalendar.ID(bob))
    let (keeper, first) = await keeper(store)
    try await keeper.apply(news([item("1", "A walk")], from: bob))
    let walk = CalendarEvent.ID(calendar: .init(bob), item: "1")
    await first.breakDown()
    let made = try await keeper.make(EventPlan(name: "Tea", start: start, end: start))
    #expect(made.change == .put && made.isWaiting)
    #expect(try await keeper.answer(walk, .maybe) == false)
    await keeper.sessionEnded()
    #expect(try await keeper.answer(walk, .yes) == false)

    let walks = Self.answer([item("1", "A walk")])
    let second = RecordingChannel { $0["type"] == "get" ? walks : Self.done($0) }
    await keeper.sessionStarted(.fixture, over: second)
    let reported = await operations(second).filter { $0.hasPrefix("publish") }
    let answers = XEP0471Answer.Target(service: bob, node: XEP0471Event.personalNode, item: "1")
    #expect(
      Set(reported) == [
        "publish \(XEP0471Event.personalNode)", "publish \(answers.attachmentNode)",
      ])
    let listing = try await keeper.listing()
    #expect(listing.events.allSatisfy { !$0.isWaiting })
    #expect(listing.events.first { $0.id == walk }?.answers == [alice: .yes])
    // Reported once: a resumed connection does not report it again.
    let count = await second.requests.count
    await keeper.sessionResumed()
    #expect(await second.requests.count == count)
  }

  @Test func `what is taken out goes when the server has it, and offline it is hidden until then`()
    async throws
  {
    let (keeper, first) = await keeper(MemoryEventStore())
    let made = try await keeper.make(EventPlan(name: "Tea", start: start, end: start))
    await first.breakDown()
    try await keeper.remove(made.id)
    #expect(try await keeper.listing().events.map(\.change) == [.take])
    let second = RecordingChannel { _ in throw StanzaError(.cancel, .itemNotFound) }
    await keeper.sessionStarted(.fixture, over: second)
    #expect(try await keeper.listing().events.isEmpty)
  }

  @Test
  func `what a server refuses is kept with its text, and tried again when the user says so`()
    async throws
  {
    let isOpen = Observed(false)
    let store = MemoryEventStore(EventCalendar.ID(bob))
    let (keeper, _) = await keeper(store) { iq in
      if iq.first("pubsub", Namespace.pubSub)?.first("publish", Namespace.pubSub) != nil,
        !isOpen.value
      {
        throw StanzaError(.auth, .forbidden, text: "Not here.")
      }
      return Self.done(iq)
    }
    let plan = EventPlan(name: "Tea", start: start, end: start)
    await #expect(throws: NatterError.self) { try await keeper.make(plan) }
    let refused = try #require(try await keeper.listing().events.first)
    await keeper.sessionResumed()
    #expect(
      refused.refusal == StatusNotice(.error, "stanza.forbidden", ["text": "Not here."])
        && !refused.isWaiting)
    isOpen.update { $0 = true }
    try await keeper.retry(refused.id)
    #expect(try await keeper.listing().events.map(\.change) == [nil])
    #expect(try await keeper.listing().events.map(\.refusal) == [nil])
    // An answer that nobody takes is none.
    isOpen.update { $0 = false }
    try await keeper.apply(news([item("1", "A walk")], from: bob))
    let walk = CalendarEvent.ID(calendar: .init(bob), item: "1")
    await #expect(throws: NatterError.self) { try await keeper.answer(walk, .yes) }
    let event = try await keeper.listing().events.first { $0.id == walk }
    #expect(event?.answer == nil && event?.answerWaits == false)
  }

  @Test func `answers are read, come by themselves, and those of another client are taken over`()
    async throws
  {
    let store = MemoryEventStore(EventCalendar.ID(alice))
    let kim = JID(local: "kim", domain: "example.org")
    let items = Self.answer([
      XEP0471Answer(jid: kim, attendance: .no).item,
      XEP0471Answer(jid: alice, attendance: .yes).item,
    ])
    let (keeper, _) = await keeper(store) { _ in items }
    try await keeper.apply(news([item("1", "Tea")], from: alice))
    let id = CalendarEvent.ID(calendar: .init(alice), item: "1")
    try await keeper.readAnswers(to: id)
    let event = try #require(try await keeper.listing().events.first)
    #expect(event.answers == [kim: .no, alice: .yes] && event.answer == .yes)
    let node = XEP0471Answer.Target(service: alice, node: XEP0471Event.personalNode, item: "1")
      .attachmentNode
    try await keeper.apply(
      news([XEP0471Answer(jid: bob, attendance: .maybe).item], in: node, from: alice))
    // Only the calendar's own service reports who answered.
    try await keeper.apply(
      news([XEP0471Answer(jid: kim, attendance: .yes).item], in: node, from: bob))
    #expect(
      try await keeper.listing().events.first?.answers == [kim: .no, alice: .yes, bob: .maybe])
  }

  @Test func `a refresh removes events that are gone, and none that were never sent`() async throws
  {
    let store = MemoryEventStore(EventCalendar.ID(bob), EventCalendar.ID(alice))
    let items = Self.answer([item("2", "Dinner")])
    let (keeper, first) = await keeper(store) { iq in
      if iq["to"] == "bob@example.net" { return items }
      throw StanzaError(.cancel, .itemNotFound)
    }
    try await keeper.apply(news([item("1", "A walk")], from: bob))
    await first.breakDown()
    _ = try await keeper.make(EventPlan(name: "Tea", start: start, end: start))
    await #expect(throws: NatterError(.offline, "error.offline")) { try await keeper.refresh() }
    await keeper.channelOpened(
      RecordingChannel { iq in
        if iq["to"] == "bob@example.net" { return items }
        throw StanzaError(.cancel, .itemNotFound)
      })
    try await keeper.refresh()
    let listing = try await keeper.listing()
    #expect(Set(listing.events.map(\.name)) == ["Dinner", "Tea"])
    #expect(listing.calendars.allSatisfy { $0.readAt == start })
    await #expect(
      throws: NatterError(.refused, "error.discover.noCalendar", ["address": "nobody@example.org"])
    ) { try await keeper.follow(.init(JID(local: "nobody", domain: "example.org"))) }
  }

  @Test func `a calendar is followed offline, and read with the next connection`() async throws {
    let items = Self.answer([item("2", "Dinner")])
    let store = MemoryEventStore()
    let (keeper, _) = await keeper(store) { _ in items }
    await keeper.sessionEnded()
    #expect(try await !keeper.follow(EventCalendar.ID(bob)))
    #expect(try await keeper.listing().waiting == [EventCalendar.ID(bob)])
    let (later, _) = await self.keeper(store) { _ in items }
    #expect(try await later.listing().waiting == [])
    #expect(try await later.listing().events.map(\.name) == ["Dinner"])
  }

  @Test(arguments: [true, false])
  func `a calendar that is left while its service has not answered stays left`(startsSession: Bool)
    async throws
  {
    let (items, asked) = (Self.answer([item("2", "Dinner")]), Observed<[String]>([]))
    let contact = Contact(jid: bob, subscription: .both)
    let (keeper, _) = await keeper(MemoryEventStore(), contacts: [contact])
    let held = HeldChannel { iq in
      asked.update { $0 += iq.first("pubsub", Namespace.pubSub)?.elements.map(\.name) ?? [] }
      return items
    }
    let calendar = EventCalendar.ID(bob)
    if startsSession {
      await keeper.sessionEnded()
      try await keeper.follow(calendar)
    } else {
      await keeper.channelOpened(held)
    }
    let following = Task {
      guard startsSession else { return try await keeper.follow(calendar) }
      await keeper.sessionStarted(.fixture, over: held)
      throw CancellationError()
    }
    await held.waitsForRequest()
    let leaving = Task { try await keeper.leave(calendar) }
    try await until { await changes.pending(FollowChange.self).map(\.change.follows) == [false] }
    await held.release()
    await #expect(throws: CancellationError.self) { try await following.value }
    try await leaving.value
    try await keeper.apply(news([item("1", "A walk")], from: bob))
    #expect(try await keeper.listing().events.isEmpty)
    #expect(try await keeper.listing().calendars.allSatisfy { !$0.isFollowed })
    #expect(asked.value == ["subscribe", "items", "unsubscribe"])
    #expect(await changes.pending(FollowChange.self).isEmpty)
  }

  @Test func `a calendar that is left while it is read again stays left`() async throws {
    let (items, calendar) = (Self.answer([item("2", "Dinner")]), EventCalendar.ID(bob))
    let (keeper, _) = await keeper(MemoryEventStore(calendar, EventCalendar.ID(alice)))
    let held = HeldChannel(holding: { $0["type"] == "get" }) { _ in items }
    await keeper.channelOpened(held)
    let reading = Task { try await keeper.refresh() }
    await held.waitsForRequest()
    try await keeper.leave(calendar)
    await held.release()
    try await reading.value
    #expect(try await keeper.listing().events.allSatisfy { $0.id.calendar != calendar })
    #expect(try await keeper.calendar(calendar)?.isFollowed == false)
  }
}
