import Foundation
import NatterCore
import Synchronization
import TestSupport
import Testing
import XML
import XMPP

@testable import RoomService

/// Rooms that lose the user, and rooms that are left while there is no connection.
@Suite(.timeLimit(.minutes(6))) struct LostRoomTests {
  private let hub = EventHub()
  private let room = RoomStanza.room

  /// - Parameter pauses: what was waited before the way back, and nothing else, in seconds.
  private func service(
    _ pauses: PauseLog, _ store: MemoryBookmarkStore = MemoryBookmarkStore()
  ) -> AccountRooms {
    AccountRooms.fixture(
      store, hub: hub,
      clock: RoomClock(
        now: { Date(timeIntervalSince1970: 1_000_000) },
        sleep: { duration in
          // The other clocks here: of an answer, and of silence.
          if duration == .seconds(5) || duration == .seconds(300) {
            return try await Pause.endless(.zero)
          }
          pauses.note(duration)
        }))
  }

  private final class PauseLog: Sendable {
    private let noted = Mutex<[Duration]>([])
    func note(_ duration: Duration) { noted.withLock { $0.append(duration) } }
    var all: [Duration] { noted.withLock { $0 } }
  }

  /// Begins a session, and to enter the room.
  private func joins(_ service: AccountRooms, over channel: any StanzaChannel) async throws {
    await service.sessionStarted(.fixture, over: channel)
    try await service.join(room, nick: "alice", password: nil)
  }

  private var entered: [Stanza] {
    [.presence(RoomStanza.presence("alice", codes: [110]))]
  }

  @Test func `a room that is for members only is tried again in each session, and not made anew`()
    async throws
  {
    let store = MemoryBookmarkStore(
      Bookmark(room: room, nick: "alice", exit: RoomExit(.notMember)))
    let service = service(PauseLog(), store)
    let channel = RecordingChannel()
    try await working(service) {
      await service.sessionStarted(.fixture, over: channel)
      try await until { await channel.entrances == 1 }
      await service.receive([.presence(RoomStanza.refusal(.registrationRequired))])
      #expect(await service.rooms().first?.exit == RoomExit(.notMember))
      #expect(await store.stored[room]?.isWanted == false)
      await service.sessionEnded()
      // An owner has made the user a member meanwhile.
      await service.sessionStarted(.fixture, over: channel)
      try await until { await channel.entrances == 2 }
      await service.receive(entered)
      #expect(await service.rooms().first?.phase == .inside)
      #expect(await store.stored[room]?.isWanted == true)
    }
  }

  @Test
  func `a room whose service stops is entered again by itself, after longer and longer pauses`()
    async throws
  {
    let pauses = PauseLog()
    let service = service(pauses)
    let channel = RecordingChannel()
    try await working(service) {
      try await joins(service, over: channel)
      try await until { await channel.entrances == 1 }
      await service.receive(entered)
      await service.receive([
        .presence(
          RoomStanza.presence("alice", type: "unavailable", role: "none", codes: [110, 332]))
      ])
      for tries in 2...4 {
        try await until { await channel.entrances == tries }
        await service.receive([.presence(RoomStanza.refusal(.serviceUnavailable))])
        // It is sent all the time.
        #expect(await service.rooms().first?.exit?.cause == .full)
      }
      try await until { await channel.entrances == 5 }
      #expect(pauses.all == [1, 2, 4, 8].map { .seconds($0) })
      await service.receive(entered)
      #expect(await service.rooms().first?.phase == .inside)
    }
  }

  @Test func `a room whose server does not answer yet is asked again, and is not made anew`()
    async throws
  {
    let pauses = PauseLog()
    let service = service(pauses)
    let asked = Mutex(0)
    let channel = RoomChannel { iq in
      guard iq.first("query", Namespace.discoInfo) != nil else { return nil }
      let time = asked.withLock {
        $0 += 1
        return $0
      }
      throw StanzaError(.cancel, time < 3 ? .remoteServerNotFound : .itemNotFound)
    }
    try await working(service) {
      try await joins(service, over: channel)
      // Somebody else's room that is gone by then: it was tried again by itself, and nobody asked
      // for a new one.
      try await until { await service.rooms().first?.exit?.cause == .notFound }
      #expect(await channel.entrances == 0)
      #expect(pauses.all.prefix(2) == [.seconds(1), .seconds(2)])
      try await service.leave(room)
    }
  }

  @Test func `a room that has banned the user is not tried again`() async throws {
    let store = MemoryBookmarkStore(Bookmark(room: room, exit: RoomExit(.isBanned)))
    let service = service(PauseLog(), store)
    await service.sessionStarted(.fixture, over: RecordingChannel())
    #expect(await service.rooms().first?.phase == .outside)
  }

  @Test func `a room that throws everybody out without a word is not entered without end`()
    async throws
  {
    let pauses = PauseLog()
    let service = service(pauses)
    let channel = RecordingChannel()
    try await working(service) {
      try await joins(service, over: channel)
      for time in 1...5 {
        try await until { await channel.entrances == time }
        await service.receive(entered)
        await service.receive([
          .presence(RoomStanza.presence("alice", type: "unavailable", codes: [110]))
        ])
      }
      try await until { await channel.entrances == 6 }
    }
    #expect(pauses.all == [.seconds(1), .seconds(2), .seconds(4), .seconds(8), .seconds(16)])
  }

  @Test func `a room that was left without a connection is left when the session goes on`()
    async throws
  {
    let service = service(PauseLog())
    let channel = RecordingChannel()
    try await working(service) {
      try await joins(service, over: channel)
      try await until { await channel.entrances == 1 }
      await service.receive(entered)
      try await until { await channel.published == 1 }
      await channel.breakDown()
      let before = await channel.published
      try await service.leave(room)
      #expect(await channel.farewells == [])
      await channel.recover()
      await service.sessionResumed()
      #expect(await channel.farewells == ["\(room)/alice"])
      // Once.
      await service.sessionResumed()
      #expect(await channel.farewells.count == 1)
      // That the room must not be joined automatically any more is sent as well.
      try await until { await channel.published > before }
    }
  }

  /// A server that has no such room.
  private var emptyServer: RecordingChannel {
    RecordingChannel { request in
      if request.first("query", Namespace.discoInfo) != nil {
        throw StanzaError(.cancel, .itemNotFound)
      }
      return Element("iq", Namespace.client, ["type": "result"])
    }
  }

  @Test func `a room that has gone is not made anew by a guest, but is when the user asks for it`()
    async throws
  {
    let store = MemoryBookmarkStore(
      Bookmark(room: room, nick: "alice", autojoins: true, isPublished: true, isWanted: true))
    let service = service(PauseLog(), store)
    let channel = emptyServer
    try await working(service) {
      await service.sessionStarted(.fixture, over: channel)
      try await until { await store.stored[room]?.exit?.cause == .notFound }
      #expect(await channel.entrances == 0)
      // The next session looks whether it is there again.
      #expect(await store.stored[room]?.isWanted == true)
      try await service.join(room, nick: nil, password: nil)
      try await until { await channel.entrances == 1 }
    }
  }

  @Test func `who owns a room no more does not make it anew`() async throws {
    let store = MemoryBookmarkStore()
    let own = JID(local: "alice", domain: "example.org")
    let other = RoomMember(jid: JID(local: "bob", domain: "example.org"), affiliation: .owner)
    await store.replaceMembers(
      of: room, with: [other, RoomMember(jid: own, affiliation: .owner)])
    let service = service(PauseLog(), store)
    let channel = RecordingChannel()
    try await working(service) {
      try await joins(service, over: channel)
      try await until { await channel.entrances == 1 }
      await service.receive([
        .presence(RoomStanza.presence("alice", affiliation: "member", codes: [110]))
      ])
      try await until { await store.members(of: room) == [other] }
    }
  }

  @Test func `a room of one's own that its server has lost is made anew`() async throws {
    let store = MemoryBookmarkStore()
    let own = JID(local: "alice", domain: "example.org")
    do {
      let service = service(PauseLog(), store)
      let channel = RecordingChannel()
      try await working(service) {
        await service.sessionStarted(.fixture, over: channel)
        try await service.join(room, nick: "alice", password: nil)
        try await until { await channel.entrances == 1 }
        await service.receive([
          .presence(RoomStanza.presence("alice", affiliation: "owner", codes: [110]))
        ])
        try await until { await store.members(of: room).contains { $0.affiliation == .owner } }
      }
    }
    #expect(await store.members(of: room) == [RoomMember(jid: own, affiliation: .owner)])
    let service = service(PauseLog(), store)
    let channel = emptyServer
    try await working(service) {
      await service.sessionStarted(.fixture, over: channel)
      try await until { await channel.entrances == 1 }
    }
  }

  @Test func `an occupant who rejoins before the session is resumed stays`() async throws {
    let service = service(PauseLog())
    let channel = RecordingChannel()
    try await working(service) {
      try await joins(service, over: channel)
      try await until { await channel.entrances == 1 }
      await service.receive(entered)
      await channel.breakDown()
      try await service.leave(room)
      try await service.join(room, nick: "alice", password: nil)
      await channel.recover()
      await service.sessionResumed()
      try await until { await channel.entrances == 2 }
      #expect(await channel.farewells == [])
    }
  }
}

extension RecordingChannel {
  /// The number of requests to enter a room.
  fileprivate var entrances: Int { sent.count { $0.first("x", XEP0045.namespace) != nil } }
  /// The number of published bookmarks.
  fileprivate var published: Int {
    requests.count { $0["type"] == "set" && $0.first("pubsub", Namespace.pubSub) != nil }
  }
  /// The occupant JIDs that were left.
  fileprivate var farewells: [String?] {
    sent.filter { $0["type"] == "unavailable" }.map { $0["to"] }
  }
}
