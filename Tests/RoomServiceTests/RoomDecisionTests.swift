import NatterCore
import Synchronization
import TestSupport
import Testing
import XML
import XMPP

@testable import RoomService

/// Nothing shows what the user does in rooms before it is stored: the program may be killed by
/// then, and the disk may be full.
@Suite struct RoomDecisionTests {
  private let hub = EventHub()
  private let room = RoomStanza.room
  private let invitation = RoomInvitation(
    room: RoomStanza.room, inviter: JID(local: "bob", domain: "example.org"), reason: nil,
    isMediated: false)
  private let failure = NatterError(.storage, "error.storage.write")
  /// The bookmark of the room, as the server has it.
  private let published = Bookmark(
    room: RoomStanza.room, nick: "alice", autojoins: true, isPublished: true, isWanted: true)

  /// Returns a service whose user is in the room.
  /// - Parameter stanzas: those that come together with the user's own presence.
  private func inside(
    _ store: MemoryBookmarkStore, over channel: RoomChannel = RoomChannel(), _ stanzas: Stanza...
  ) async -> AccountRooms {
    let service = AccountRooms.fixture(store, hub: hub)
    await service.sessionStarted(.fixture, over: channel)
    await service.receive([.presence(RoomStanza.presence("alice", codes: [110]))] + stanzas)
    return service
  }

  @Test func `an accepted invitation stays until the room is stored`() async throws {
    let store = MemoryBookmarkStore()
    let service = AccountRooms.fixture(store, hub: hub)
    try await store.save(invitation, password: "sesame")
    let events = hub.events()
    await store.during { [hub, room, failure] write in
      guard case .saving = write else { return }
      #expect(await store.invitations().count == 1)
      #expect(await events.published(on: hub).isEmpty)
      #expect(await !service.knows(room))
      throw failure
    }
    await #expect(throws: failure) { try await service.accept(invitation) }
    #expect(await service.invitations() == [invitation])
    #expect(await !service.knows(room))
    await store.during(nil)
    try await service.accept(invitation)
    #expect(await store.stored[room]?.isWanted == true)
    #expect(await store.stored[room]?.password == "sesame")
    #expect(await store.invitations().isEmpty)
    #expect(await events.published(on: hub).contains(.roomInvitationSettled(room)))
  }

  @Test func `an invitation to a room that the user is in is settled when it is accepted`()
    async throws
  {
    let store = MemoryBookmarkStore(Bookmark(room: room, nick: "alice", isWanted: true))
    try await store.save(invitation, password: nil)
    let service = await inside(store)
    #expect(await service.invitations() == [invitation])
    try await service.accept(invitation)
    #expect(await service.invitations().isEmpty)
    #expect(await store.invitations().isEmpty)
  }

  @Test func `a declined invitation waits for an answer until its removal is stored`()
    async throws
  {
    let store = MemoryBookmarkStore()
    let service = AccountRooms.fixture(store, hub: hub)
    try await store.save(invitation, password: "sesame")
    #expect(await service.invitations() == [invitation])
    let events = hub.events()
    await store.during { [hub, invitation, failure] write in
      guard case .removingInvitation = write else { return }
      #expect(await events.published(on: hub).isEmpty)
      #expect(await service.invitations() == [invitation])
      throw failure
    }
    await #expect(throws: failure) { try await service.decline(invitation) }
    #expect(await service.invitations() == [invitation])
    await store.during(nil)
    try await service.decline(invitation)
    #expect(await service.invitations().isEmpty)
    #expect(await store.invitations().isEmpty)
    #expect(await events.published(on: hub) == [.roomInvitationSettled(room)])
  }

  @Test func `a room is entered even if the answered invitation cannot be removed`() async throws {
    let store = MemoryBookmarkStore()
    let service = AccountRooms.fixture(store, hub: hub)
    try await store.save(invitation, password: "sesame")
    await store.during { [failure] write in
      if case .removingInvitation = write { throw failure }
    }
    let channel = RoomChannel()
    try await working(service) {
      await service.sessionStarted(.fixture, over: channel)
      try await service.accept(invitation)
      try await until { await channel.sent.contains { $0.name == "presence" } }
    }
    #expect(await service.invitations() == [invitation])
    #expect(await store.stored[room]?.isWanted == true)
  }

  @Test func `the user is inside until it is stored that they left`() async throws {
    let store = MemoryBookmarkStore(published)
    let channel = RoomChannel()
    let service = await inside(store, over: channel, .message(RoomStanza.subject("Night")))
    let events = hub.events()
    await store.during { [hub, room, failure] write in
      guard case .saving(let bookmark) = write else { return }
      #expect(!bookmark.isWanted && !bookmark.autojoins && bookmark.isChanged)
      #expect(await events.published(on: hub).isEmpty)
      #expect(await service.route(to: room) == .room)
      throw failure
    }
    await #expect(throws: failure) { try await service.leave(room) }
    #expect(await service.route(to: room) == .room)
    #expect(await service.occupants(of: room).count == 1)
    #expect(await service.state(of: room)?.bookmark.autojoins == true)
    #expect(await channel.sent.isEmpty)
    await store.during(nil)
    try await service.leave(room)
    #expect(await service.route(to: room) == .outside)
    #expect(await store.stored[room]?.isWanted == false)
    #expect(await channel.sent.map { $0["type"] } == ["unavailable"])
  }

  // MARK: Arrivals

  private static let arrivals: [Stanza] = [
    .presence(RoomStanza.presence("alice", type: "unavailable", role: "none", codes: [110, 307])),
    .presence(RoomStanza.presence("alice", type: "unavailable", codes: [110, 303], newNick: "al")),
    .message(RoomStanza.subject("Noon")),
  ]

  @Test(arguments: arrivals.indices)
  func `what a room did with the user, and its subject, is shown once it is stored`(
    index: Int
  ) async throws {
    let store = MemoryBookmarkStore(published)
    let service = await inside(store, .message(RoomStanza.subject("Night")))
    let events = hub.events()
    let writes = Mutex(0)
    await store.during { [hub] write in
      guard case .saving = write else { return }
      writes.withLock { $0 += 1 }
      #expect(await events.published(on: hub).isEmpty)
    }
    await service.receive([Self.arrivals[index]])
    #expect(writes.withLock { $0 } == 1)
    #expect(
      await events.published(on: hub).contains {
        if case .roomsChanged = $0 { true } else { false }
      })
  }

  // MARK: The bookmark

  @Test func `a room that an earlier run was to enter is bookmarked once it is entered`()
    async throws
  {
    let store = MemoryBookmarkStore()
    try await AccountRooms.fixture(store, hub: hub).join(room, nick: nil, password: nil)
    let next = AccountRooms.fixture(store, hub: hub)
    await next.sessionStarted(.fixture, over: RoomChannel())
    #expect(await store.stored[room]?.autojoins == false)
    // No task runs: the server has not accepted the bookmark when the program is killed.
    await next.receive([.presence(RoomStanza.presence("alice", codes: [110]))])
    #expect(await store.stored[room]?.autojoins == true)
    #expect(await store.stored[room]?.isChanged == true)
    let last = AccountRooms.fixture(store, hub: hub)
    try await working(last) {
      await last.sessionStarted(.fixture, over: RoomChannel())
      try await until { await store.stored[room]?.isChanged == false }
      #expect(await store.stored[room]?.isPublished == true)
    }
  }

  private static let changes = [
    Element("retract", XEP0060.events, ["id": RoomStanza.room.description]),
    RoomStanza.item(XEP0402Bookmark(room: RoomStanza.room, nick: "alice", autojoins: false)),
  ]

  @Test(arguments: changes.indices)
  func `a bookmark that another client has removed or changed is not published again`(
    index: Int
  ) async throws {
    let store = MemoryBookmarkStore(published)
    _ = await inside(store, RoomStanza.bookmarkEvent(Self.changes[index]))
    #expect(await store.stored[room]?.autojoins == false)
    #expect(await store.stored[room]?.isChanged == false)
  }

  @Test func `a room whose bookmark says not to enter it keeps that when it is entered again`()
    async throws
  {
    let store = MemoryBookmarkStore(
      Bookmark(room: room, nick: "alice", isPublished: true, isWanted: true))
    let service = await inside(store)
    #expect(await service.rooms().first?.phase == .inside)
    #expect(await service.state(of: room)?.bookmark.autojoins == false)
    #expect(await service.state(of: room)?.bookmark.isChanged == false)
  }

  @Test func `a notification rule that cannot be stored is not chosen`() async throws {
    let store = MemoryBookmarkStore(
      Bookmark(room: room, nick: "alice", autojoins: true, isPublished: true))
    let service = AccountRooms.fixture(store, hub: hub)
    await store.refuse(1)
    await #expect(throws: failure) { try await service.keepNotification(.never, of: room) }
    #expect(await service.state(of: room).map { $0.bookmark.rule == nil } == true)
    try await service.keepNotification(.never, of: room)
    #expect(await store.stored[room]?.rule == .set(.never))
  }

  @Test func `a room that is stored for another reason meanwhile keeps what the user decided`()
    async throws
  {
    let store = MemoryBookmarkStore(Bookmark(room: room, nick: "alice"))
    let service = AccountRooms.fixture(store, hub: hub)
    let isFirst = Mutex(true)
    await store.during { [room] write in
      guard case .saved = write, isFirst.withLock({ exchange(&$0, with: false) }) else { return }
      await service.run(.store(room))
      #expect(await store.stored[room]?.isWanted == false)
    }
    try await service.join(room, nick: nil, password: nil)
    #expect(await store.stored[room]?.isWanted == true)
    #expect(await service.route(to: room) == .held)
  }
}
