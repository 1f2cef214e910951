import NatterCore
import TestSupport
import Testing
import XML
import XMPP

@testable import RoomService

// Changes of bookmarks while older ones are read, stored or published.
extension BookmarkPushTests {
  /// Returns whether a request reads the node of bookmarks.
  func isForNode(_ iq: Element) -> Bool {
    iq.first("pubsub", Namespace.pubSub)?.first("items", Namespace.pubSub) != nil
  }

  /// Returns the answer to it.
  func listing(_ bookmarks: XEP0402Bookmark...) -> Element {
    let items = Element(
      "items", Namespace.pubSub, ["node": XEP0402Bookmark.namespace], bookmarks.map(\.item))
    return Element(
      "iq", Namespace.client, ["type": "result"],
      [Element("pubsub", Namespace.pubSub, [:], [items])])
  }

  /// Runs `body` in a session of a service whose room has a published bookmark.
  private func whilePublished(
    over channel: HeldChannel, _ body: (AccountRooms, MemoryBookmarkStore) async throws -> Void
  ) async throws {
    let store = MemoryBookmarkStore(
      Bookmark(room: room, nick: "al", autojoins: true, isPublished: true))
    let service = AccountRooms.fixture(store, hub: hub)
    try await working(service) {
      await service.sessionStarted(.fixture, over: channel)
      try await body(service, store)
    }
  }

  @Test func `a room that another client switches off while its bookmark is stored is not entered`()
    async throws
  {
    let isStoring = Observed(false)
    let isFull = Observed(true)
    let clock = RoomClock(sleep: { _ in
      isStoring.update { $0 = true }
      _ = await isFull.waits { !$0 }
    })
    let store = MemoryBookmarkStore()
    await store.refuse(1)
    let service = AccountRooms.fixture(store, hub: hub, clock: clock)
    let channel = RoomChannel { [self] iq in
      guard isForNode(iq) else { return nil }
      return listing(XEP0402Bookmark(room: room, nick: "al", autojoins: true))
    }
    await service.sessionStarted(.fixture, over: channel)
    let reading = Task { try await service.list(over: channel) }
    #expect(await isStoring.waits { $0 })
    await service.receive([event(item(XEP0402Bookmark(room: room, nick: "al", autojoins: false)))])
    isFull.update { $0 = false }
    _ = try await reading.value
    #expect(await service.route(to: room) == .outside)
    #expect(await store.stored[room]?.isWanted == false)
  }

  @Test func `a room that is left while the bookmarks are read stays left`() async throws {
    // The node is read, and private storage is not yet.
    let channel = HeldChannel {
      $0.first("query", XEP0402Bookmark.privateNamespace) != nil
    } answer: { [self] iq in
      guard isForNode(iq) else { return Element("iq", Namespace.client, ["type": "result"]) }
      return listing(XEP0402Bookmark(room: room, nick: "al", autojoins: true))
    }
    try await whilePublished(over: channel) { service, store in
      await channel.waitsForRequest()
      try await service.leave(room)
      try await until("the bookmark is published") { await store.stored[room]?.isChanged == false }
      await channel.release()
      _ = try await service.list(over: channel)
      #expect(await service.route(to: room) == .outside)
      #expect(await store.stored[room]?.autojoins == false)
    }
  }

  @Test func `a removal by another client does not undo a join that is not published yet`()
    async throws
  {
    let store = MemoryBookmarkStore(
      Bookmark(
        room: room, nick: "al", autojoins: true, isPublished: true, isChanged: true,
        isWanted: true))
    let service = AccountRooms.fixture(store, hub: hub)
    await service.sessionStarted(.fixture, over: RoomChannel())
    await service.receive([event(Element("retract", XEP0060.events, ["id": room.description]))])
    #expect(await service.route(to: room) == .held)
    let stored = try #require(await store.stored[room])
    #expect(stored.isWanted && stored.autojoins && stored.isChanged && !stored.isPublished)
  }

  @Test(arguments: [true, false])
  func `what another client does after a change counts, though the change is not accepted yet`(
    isRemoval: Bool
  ) async throws {
    let channel = HeldChannel {
      $0.first("pubsub", Namespace.pubSub)?.first("publish", Namespace.pubSub) != nil
    } answer: { _ in
      Element("iq", Namespace.client, ["type": "result"])
    }
    try await whilePublished(over: channel) { service, store in
      _ = try await service.list(over: channel)
      try await service.leave(room)
      await channel.waitsForRequest()
      func announced(_ name: String?) -> Element {
        item(XEP0402Bookmark(room: room, name: name, nick: "al", autojoins: false))
      }
      await service.receive([event(announced("Older")), event(announced(nil))])
      await service.receive([
        event(
          isRemoval
            ? Element("retract", XEP0060.events, ["id": room.description]) : announced("Newer"))
      ])
      await channel.release()
      try await until("the change is accepted") { await store.stored[room]?.isChanged == false }
      let stored = try #require(await store.stored[room])
      #expect(stored.name == (isRemoval ? nil : "Newer"))
      #expect(stored.isPublished == !isRemoval && !stored.autojoins)
    }
  }
}
