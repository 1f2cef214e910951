import Foundation
import NatterCore
import Synchronization
import TestSupport
import Testing
import XML
import XMPP

@testable import RoomService

/// Stanzas count as handled when `receive` returns (XEP-0198 §4): by then their effects are in the
/// database. No test here runs the service's tasks.
@Suite struct RoomArrivalTests {
  private let room = RoomStanza.room
  private static let attic = JID(local: "attic", domain: "rooms.example.org")
  private let store = MemoryBookmarkStore(
    Bookmark(
      room: RoomStanza.room, nick: "alice", autojoins: true, isPublished: true, isWanted: true))
  private let pauses = Pauses()

  /// The number of times that storing was put off.
  private final class Pauses: Sendable {
    let count = Mutex(0)
  }

  private func service() -> AccountRooms {
    AccountRooms.fixture(
      store,
      clock: RoomClock(sleep: { [pauses] duration in
        // As long as it is until storing is tried again.
        guard duration == .seconds(2) else { return try await Pause.endless(duration) }
        pauses.count.withLock { $0 += 1 }
      }))
  }

  struct Arrival: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let stanza: Stanza
    let isStored: @Sendable ([JID: Bookmark]) -> Bool
  }

  private static let arrivals = [
    Arrival(
      testDescription: "exit",
      stanza: .presence(
        RoomStanza.presence("alice", type: "unavailable", role: "none", codes: [110, 307]))
    ) { $0[RoomStanza.room]?.exit?.cause == .kicked && $0[RoomStanza.room]?.isWanted == false },
    Arrival(testDescription: "subject", stanza: .message(RoomStanza.subject("Noon"))) {
      $0[RoomStanza.room]?.subject == "Noon"
    },
    Arrival(
      testDescription: "bookmark",
      stanza: RoomStanza.bookmarkEvent(
        RoomStanza.item(XEP0402Bookmark(room: attic, nick: "al", autojoins: true)))
    ) { $0[attic]?.isPublished == true && $0[attic]?.isWanted == true },
    Arrival(
      testDescription: "bookmark of a room that is not to be entered any more",
      stanza: RoomStanza.bookmarkEvent(
        RoomStanza.item(XEP0402Bookmark(room: RoomStanza.room, nick: "alice", autojoins: false)))
    ) { $0[RoomStanza.room]?.autojoins == false && $0[RoomStanza.room]?.isWanted == false },
    Arrival(
      testDescription: "retraction",
      stanza: RoomStanza.bookmarkEvent(
        Element("retract", XEP0060.events, ["id": RoomStanza.room.description]))
    ) {
      $0[RoomStanza.room]?.isPublished == false && $0[RoomStanza.room]?.autojoins == false
        && $0[RoomStanza.room]?.isWanted == false && $0[RoomStanza.room]?.isChanged == false
    },
  ]

  private func enter(_ service: AccountRooms, over channel: RoomChannel = RoomChannel()) async {
    await service.sessionStarted(.fixture, over: channel)
    await service.receive([
      .presence(RoomStanza.presence("alice", codes: [110])),
      .message(RoomStanza.subject("Night")),
    ])
    #expect(await service.route(to: room) == .room)
  }

  @Test(arguments: arrivals)
  func `what a room or another client did is handled only once it is stored`(arrival: Arrival)
    async throws
  {
    let service = service()
    await enter(service)
    await store.refuse(3)
    await service.receive([arrival.stanza])
    #expect(arrival.isStored(await store.stored))
    #expect(pauses.count.withLock { $0 } == 3)
  }

  @Test func `a retraction is stored as things are by then: who came back meanwhile stays`()
    async throws
  {
    let channel = RoomChannel()
    let turn = Mutex<AccountRooms?>(nil)
    let service = AccountRooms.fixture(
      store,
      clock: RoomClock(sleep: { [room] _ in
        try await turn.withLock { $0 }?.join(room, nick: "alice", password: nil)
      }))
    turn.withLock { $0 = service }
    await enter(service, over: channel)
    await store.refuse(1)
    await service.receive([
      RoomStanza.bookmarkEvent(Element("retract", XEP0060.events, ["id": room.description]))
    ])
    #expect(await service.route(to: room) == .held)
    #expect(await store.stored[room]?.isWanted == true)
    #expect(await channel.sent.isEmpty)
  }

  @Test(arguments: [307, 301])
  func `a user removed before the program was killed is notified again, and stays outside`(
    code: Int
  ) async throws {
    let service = service()
    let channel = RoomChannel()
    await service.channelOpened(channel)
    // The session goes on: what was not acknowledged comes before anything else is done.
    await service.receive([
      .presence(
        RoomStanza.presence("alice", type: "unavailable", role: "none", codes: [110, code]))
    ])
    #expect(await store.stored[room]?.exit != nil)
    #expect(await store.stored[room]?.isWanted == false)
    try await working(service) {
      await service.sessionStarted(.fixture, over: channel)
      _ = try await service.list(over: channel)
      #expect(await service.route(to: room) == .outside)
      #expect(await channel.sent.isEmpty)
    }
  }

  @Test func `a user who is kicked on the way in leaves again`() async throws {
    let service = service()
    let channel = RoomChannel()
    try await working(service) {
      await service.sessionStarted(.fixture, over: channel)
      try await until("a knock") { await !channel.sent.isEmpty }
      // The room reports again by itself an occupant that was only lost.
      await service.receive([
        .presence(
          RoomStanza.presence("alice", type: "unavailable", role: "none", codes: [110, 333, 307]))
      ])
      #expect(await service.route(to: room) == .held)
      await service.receive([
        .presence(
          RoomStanza.presence("alice", type: "unavailable", role: "none", codes: [110, 307]))
      ])
      #expect(await service.route(to: room) == .outside)
      try await until("a farewell") {
        await channel.sent.last.map { $0["type"] == "unavailable" && $0["to"] == "\(room)/alice" }
          == true
      }
    }
  }
}
