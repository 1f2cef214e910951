import Foundation
import NatterCore
import Synchronization
import TestSupport
import Testing
import XML
import XMPP

@testable import RoomService

@Suite struct AccountRoomsTests {
  let hub = EventHub()
  let room = RoomStanza.room
  let alice = JID(local: "alice", domain: "example.org")

  func service(_ store: MemoryBookmarkStore, readsArchives: Bool = false) -> AccountRooms {
    AccountRooms.fixture(store, hub: hub, readsArchives: readsArchives)
  }

  var welcome: [Stanza] {
    [
      .presence(RoomStanza.presence("bob")),
      .presence(RoomStanza.presence("alice", codes: [110])),
      .message(RoomStanza.subject("Night")),
    ]
  }

  /// The incidents in rooms that were reported.
  func incidents(in events: AsyncStream<DomainEvent>) async -> [RoomIncident] {
    await events.published(on: hub).compactMap {
      if case .roomIncident(let incident) = $0 { incident } else { nil }
    }
  }

  func enter(_ service: AccountRooms, _ channel: RoomChannel) async throws {
    await service.sessionStarted(.fixture, over: channel)
    try await service.join(room, nick: nil, password: nil)
    try await until { await channel.sent.contains { $0.name == "presence" } }
    await service.receive(welcome)
  }

  @Test func `entering asks what the room is, knocks, and reports that it is open`() async throws {
    let store = MemoryBookmarkStore()
    let service = service(store)
    let channel = RoomChannel(features: ["muc_membersonly", Namespace.archive])
    let events = hub.events()
    try await working(service) {
      await service.sessionStarted(.fixture, over: channel)
      try await service.join(room, nick: "al", password: "sesame")
      #expect(await service.route(to: room) == .held)
      try await until { await channel.sent.contains { $0.name == "presence" } }
      let knock = try #require(await channel.sent.first { $0.name == "presence" })
      #expect(knock["to"] == "\(room)/al")
      let x = try #require(knock.first("x", XEP0045.namespace))
      #expect(x.first("password", XEP0045.namespace)?.text == "sesame")
      #expect(x.first("history", XEP0045.namespace)?["maxstanzas"] == "20")
      await service.receive([
        .presence(RoomStanza.presence("al", codes: [110])),
        .message(RoomStanza.subject("Night")),
      ])
      #expect(await service.route(to: room) == .room)
      #expect(await service.views()[room]?.nick == "al")
      let seen = await events.published(on: hub)
      #expect(seen.contains(.roomEntered(room, hasArchive: true)))
      #expect(
        seen.contains {
          if case .roomsChanged(let rooms) = $0 {
            rooms.first?.traits.contains(.membersOnly) == true
          } else {
            false
          }
        })
      #expect(await store.stored[room]?.isWanted == true)
    }
  }

  @Test func `the past is asked from the last known message on, or not at all`() async throws {
    for (readsArchives, expected) in [(false, "seconds"), (true, "maxstanzas")] {
      let store = MemoryBookmarkStore(newest: Date(timeIntervalSince1970: 1_000_000))
      let service = service(store, readsArchives: readsArchives)
      let channel = RoomChannel(features: [Namespace.archive])
      try await working(service) {
        try await enter(service, channel)
        let history = await channel.sent.first { $0.name == "presence" }?
          .first("x", XEP0045.namespace)?.first("history", XEP0045.namespace)
        #expect(history?[expected] != nil)
        #expect(history?.attributes.count == 1)
      }
    }
  }

  @Test(arguments: [(332, MessageRoute.held), (301, .outside)])
  func `messages for a room that is retried automatically wait, as no one put the user out`(
    code: Int, route: MessageRoute
  ) async throws {
    let service = service(MemoryBookmarkStore())
    try await working(service) {
      try await enter(service, RoomChannel())
      await service.receive([
        .presence(
          RoomStanza.presence("alice", type: "unavailable", role: "none", codes: [110, code]))
      ])
      #expect(await service.rooms().first?.phase == .outside)
      #expect(await service.route(to: room) == route)
    }
  }

  @Test func `a new session goes back into the rooms that were not left`() async throws {
    let store = MemoryBookmarkStore()
    let service = service(store)
    let first = RoomChannel()
    let second = RoomChannel()
    try await working(service) {
      try await enter(service, first)
      await service.sessionEnded()
      #expect(await service.route(to: room) == .held)
      await service.sessionStarted(.fixture, over: second)
      try await until { await second.sent.contains { $0.name == "presence" } }
      await service.receive(welcome)
      #expect(await service.route(to: room) == .room)
      try await service.leave(room)
      #expect(await second.sent.last?["type"] == "unavailable")
      #expect(await service.route(to: room) == .outside)
      #expect(await store.stored[room]?.isWanted == false)
      let third = RoomChannel()
      await service.sessionEnded()
      await service.sessionStarted(.fixture, over: third)
      #expect(await third.sent.isEmpty)
    }
  }

  @Test func `a burst of people is one event`() async throws {
    let service = service(MemoryBookmarkStore())
    let channel = RoomChannel()
    try await working(service) {
      try await enter(service, channel)
      let events = hub.events()
      await service.receive(
        (0..<2000).map { .presence(RoomStanza.presence("n\($0)")) })
      let seen = await events.published(on: hub)
      let bursts = seen.compactMap { event -> OccupantChanges? in
        if case .occupantsChanged(let changes) = event { changes } else { nil }
      }
      #expect(bursts.map(\.changed.count) == [2000])
      #expect(await service.occupants(of: room).count == 2002)
    }
  }

  @Test func `after a resumption a room that forgot the user is joined again`() async throws {
    let service = service(MemoryBookmarkStore())
    let channel = RoomChannel { iq in
      if iq.first("ping", Namespace.ping) != nil { throw StanzaError(.cancel, .notAcceptable) }
      return nil
    }
    try await working(service) {
      try await enter(service, channel)
      await service.sessionResumed()
      try await until { await channel.sent.count { $0.name == "presence" } == 2 }
      #expect(await channel.requests.contains { $0["to"] == "\(room)/alice" })
    }
  }

  @Test(arguments: [
    StanzaError.Condition.serviceUnavailable, .featureNotImplemented, .itemNotFound,
  ])
  func `a room that passes the question on still has the user`(
    condition: StanzaError.Condition
  ) async throws {
    let service = service(MemoryBookmarkStore())
    let channel = RoomChannel { iq in
      if iq.first("ping", Namespace.ping) != nil { throw StanzaError(.cancel, condition) }
      return nil
    }
    try await working(service) {
      try await enter(service, channel)
      await service.run(.ping(room))
      #expect(await service.route(to: room) == .room)
      #expect(await channel.sent.count { $0.name == "presence" } == 1)
    }
  }

  /// Runs `body` when another occupant has the nick on the way back into the room.
  private func losingNick(
    _ body: (AccountRooms, MemoryBookmarkStore, RoomChannel) async throws -> Void
  ) async throws {
    let store = MemoryBookmarkStore(Bookmark(room: room, nick: "alice", isWanted: true))
    let (service, channel) = (service(store), RoomChannel())
    try await working(service) {
      await service.sessionStarted(.fixture, over: channel)
      try await until { await channel.sent.count == 1 }
      await service.receive([.presence(RoomStanza.refusal(.conflict))])
      try await until { await channel.sent.count == 2 }
      try await body(service, store, channel)
    }
  }

  @Test func `a nick that is taken on the way back gets a tail`() async throws {
    try await losingNick { _, _, channel in
      #expect(await channel.sent.last?["to"] == "\(room)/alice_")
    }
  }

  @Test func `a nick made up for a taken one is reported, and worn in that visit only`()
    async throws
  {
    let events = hub.events()
    try await losingNick { service, store, channel in
      await service.receive([
        .presence(RoomStanza.presence("alice_", codes: [110])),
        .message(RoomStanza.subject("Night")),
        // Sent again, as when an occupant is made a moderator.
        .presence(RoomStanza.presence("alice_", role: "moderator", codes: [110])),
      ])
      #expect(await service.rooms().first?.nick == "alice_")
      #expect(await store.stored[room]?.nick == "alice")
      await service.sessionEnded()
      await service.sessionStarted(.fixture, over: channel)
      try await until { await channel.sent.count == 3 }
      #expect(await channel.sent.last?["to"] == "\(room)/alice")
    }
    let seen = await events.published(on: hub)
    #expect(
      seen.contains(
        .roomIncident(
          RoomIncident(room: room, .youGotOtherNick, ["nick": "alice", "name": "alice_"]))))
  }

  @Test func `a nick made up for a taken one is the user's own once they ask for it`() async throws
  {
    try await losingNick { service, store, _ in
      await service.receive([.presence(RoomStanza.presence("alice_", codes: [110]))])
      try await service.changeNick("alice_", in: room)
      #expect(await store.stored[room]?.nick == "alice_")
    }
  }

  @Test func `moderation goes by nick for roles and by address for affiliations`() async throws {
    let service = service(MemoryBookmarkStore())
    let channel = RoomChannel()
    try await working(service) {
      try await enter(service, channel)
      await service.receive([
        .presence(RoomStanza.presence("carol", jid: "carol@example.org/x"))
      ])
      try await service.setRole(.none, of: "bob", in: room, reason: "noise")
      let kick = await channel.requests.compactMap { $0.first("query", XEP0045.admin) }.last?
        .elements.first
      #expect(kick?["nick"] == "bob" && kick?["role"] == "none")
      try await service.setAffiliation(.outcast, of: "carol", in: room, reason: nil)
      let ban = await channel.requests.compactMap { $0.first("query", XEP0045.admin) }.last?
        .elements.first
      #expect(ban?["jid"] == "carol@example.org" && ban?["affiliation"] == "outcast")
      await #expect(throws: NatterError.self) {
        try await service.setAffiliation(.outcast, of: "bob", in: room, reason: nil)
      }
      await #expect(throws: NatterError.self) {
        try await service.setRole(.none, of: "nobody", in: room, reason: nil)
      }
    }
  }

  @Test func `settings that the user did not change go back as the room has them now`() async throws
  {
    let form = XEP0004DataForm(
      .form,
      fields: [
        .init("FORM_TYPE", kind: .hidden, values: [XEP0045.configuration]),
        .init("muc#roomconfig_roomname", label: "Name", values: ["old"]),
        .init("muc#roomconfig_persistentroom", kind: .boolean, values: ["1"]),
      ])
    let service = service(MemoryBookmarkStore())
    let channel = RoomChannel { iq in
      guard iq["type"] == "get", iq.first("query", XEP0045.owner) != nil else { return nil }
      return XEP0045.ownership("result", room: RoomStanza.room, form.element)
    }
    try await working(service) {
      try await enter(service, channel)
      let settings = try await service.configuration(of: room)
      #expect(settings.fields.map(\.label) == ["Name", "muc#roomconfig_persistentroom"])
      try await service.configure(room, with: ["muc#roomconfig_roomname": ["new"]])
      // The bookmark may be on its way, too.
      let answer = await channel.requests.filter { $0["type"] == "set" }
        .compactMap { $0.first("query", XEP0045.owner) }.last?
        .first("x", Namespace.dataForms).flatMap { XEP0004DataForm($0) }
      #expect(answer?["muc#roomconfig_roomname"]?.values == ["new"])
      #expect(answer?["muc#roomconfig_persistentroom"]?.values == ["1"])
      #expect(answer?.formType == XEP0045.configuration)
    }
  }
}
