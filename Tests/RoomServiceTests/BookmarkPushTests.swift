import Foundation
import NatterCore
import TestSupport
import Testing
import XML
import XMPP

@testable import RoomService

/// Changes of the bookmarks by other clients of the account, as servers announce them
/// (server-quirks.md, "Prosody" and "ejabberd").
@Suite struct BookmarkPushTests {
  let hub = EventHub()
  let alice = JID(local: "alice", domain: "example.org")
  let room = RoomStanza.room

  func event(
    _ payload: Element..., node: String = XEP0402Bookmark.namespace,
    from sender: String = "alice@example.org", more: Element...
  ) -> Stanza {
    .message(
      from: sender, type: "headline",
      Element(
        "event", XEP0060.events, [:], [Element("items", XEP0060.events, ["node": node], payload)]),
      more.first ?? Element("x", "urn:example:nothing"))
  }

  func item(_ bookmark: XEP0402Bookmark) -> Element { RoomStanza.item(bookmark) }

  @Test func `a bookmark that is sent twice, in two forms, is entered once; taken out, it is left`()
    async throws
  {
    let store = MemoryBookmarkStore()
    let channel = RoomChannel()
    let service = AccountRooms.fixture(store, hub: hub)
    let work = Task { await service.run() }
    defer { work.cancel() }
    let events = hub.events()
    await service.sessionStarted(.fixture, over: channel)
    let pushed = XEP0402Bookmark(room: room, name: "Balcony", nick: "al", autojoins: true)
    // Of somebody else it says nothing.
    await service.receive([event(item(pushed), from: "eve@example.org")])
    let addresses = "http://jabber.org/protocol/address"
    await service.receive([
      event(item(pushed)),
      // ejabberd: to the bare address, too.
      event(
        item(pushed),
        more: Element(
          "addresses", addresses, [:], [Element("address", addresses, ["type": "replyto"])])),
      // Prosody: the old form, beside the new one.
      event(
        Element(
          "item", XEP0060.events, ["id": "current"],
          [
            Element(
              "storage", XEP0402Bookmark.storageNamespace, [:], [pushed.legacy])
          ]), node: XEP0402Bookmark.storageNamespace),
    ])
    func knocks() async -> [String?] {
      await channel.sent.filter { $0.name == "presence" && $0["type"] == nil }.map { $0["to"] }
    }
    try await until("a knock") { await !knocks().isEmpty }
    await service.receive([
      .presence(RoomStanza.presence("al", codes: [110])), .message(RoomStanza.subject("Night")),
    ])
    // Sent once more, when everything is done.
    await service.receive([event(item(pushed))])
    let other = XEP0402Bookmark(
      room: JID(local: "attic", domain: "rooms.example.org"), autojoins: false)
    await service.receive([event(item(other))])
    try await until("the other bookmark") { await store.stored[other.room] != nil }
    #expect(await knocks() == ["\(room)/al"])
    #expect(await store.stored[room]?.name == "Balcony")
    // About the list itself: its views are notified.
    #expect(
      await events.published(on: hub).contains {
        guard case .conversationsChanged(let changed) = $0 else { return false }
        return changed.contains { $0.jid == room && $0.kind == .room }
      })
    await service.receive([
      event(Element("retract", XEP0060.events, ["id": room.description])),
      event(Element("retract", XEP0060.events, ["id": room.description])),
    ])
    try await until("the room is left") { await service.route(to: room) == .outside }
    try await until("it is not published") { await store.stored[room]?.isPublished == false }
    let farewells = await channel.sent.filter { $0["type"] == "unavailable" }.map { $0["to"] }
    #expect(farewells == ["\(room)/al"])
    #expect(await store.stored[room]?.isWanted == false)
  }

  @Test
  func `a password that was taken away elsewhere is forgotten, and not one that was just typed`()
    async throws
  {
    let store = MemoryBookmarkStore(
      Bookmark(room: room, nick: "al", password: "old", autojoins: false, isPublished: true))
    let service = AccountRooms.fixture(store, hub: hub)
    let work = Task { await service.run() }
    defer { work.cancel() }
    await service.sessionStarted(.fixture, over: RoomChannel())
    await service.receive([event(item(XEP0402Bookmark(room: room, nick: "al", autojoins: false)))])
    try await until("the password is gone") { await store.stored[room]?.password == nil }
    try await service.join(room, nick: "al", password: "typed")
    // The one of before, under another name.
    let renamed = XEP0402Bookmark(room: room, name: "Balcony", nick: "al", autojoins: true)
    await service.receive([event(item(renamed))])
    try await until("the name") { await store.stored[room]?.name == "Balcony" }
    #expect(await store.stored[room]?.password == "typed")
  }

  @Test func `what is pushed while the bookmarks are fetched is not overwritten by them`()
    async throws
  {
    let attic = JID(local: "attic", domain: "rooms.example.org")
    @Sendable func bookmark(_ room: JID, _ name: String) -> XEP0402Bookmark {
      XEP0402Bookmark(room: room, name: name, nick: "al", autojoins: false)
    }
    let channel = HeldChannel { [self] in
      isForNode($0)
    } answer: { [self] iq in
      guard isForNode(iq) else { return Element("iq", Namespace.client, ["type": "result"]) }
      return listing(bookmark(room, "Before"), bookmark(attic, "Before"))
    }
    let store = MemoryBookmarkStore()
    let service = AccountRooms.fixture(store, hub: hub)
    let work = Task { await service.run() }
    defer { work.cancel() }
    await service.sessionStarted(.fixture, over: channel)
    await channel.waitsForRequest()
    await service.receive([
      event(item(bookmark(room, "After"))),
      event(Element("retract", XEP0060.events, ["id": attic.description])),
    ])
    await channel.release()
    _ = try await service.list(over: channel)
    #expect(await store.stored[room]?.name == "After")
    #expect(await store.stored[attic] == nil)
  }

  @Test func `what was chosen here is published though an older bookmark comes back meanwhile`()
    async throws
  {
    let channel = RoomChannel()
    let bookmarks = ServerBookmarks(account: alice, channel: channel)
    let entrance = XEP0402Bookmark(room: room, nick: "al", autojoins: true)
    try await bookmarks.publish(entrance)
    await bookmarks.setNotification(.never, of: room)
    // A publication during the joining is sent to all clients, also to this one.
    await bookmarks.keep(entrance)
    try await bookmarks.publish(entrance)
    func published() async -> [Element?] {
      await channel.requests.compactMap {
        $0.first("pubsub", "http://jabber.org/protocol/pubsub")?.first(
          "publish", "http://jabber.org/protocol/pubsub")?.elements.first
      }.map { item in
        item.flatMap { XEP0402Bookmark(item: $0) }?.extensions?
          .first("notify", XEP0492Notification.namespace)
      }
    }
    let never = await published()
    #expect(never.count == 2 && never[0] == nil)
    #expect(never[1]?.elements.map(\.name) == ["never"])
    // Once it is there, what another client chooses is newer.
    var chosen = entrance
    chosen.extensions = XEP0492Notification.extensions(nil, with: .always)
    await bookmarks.keep(chosen)
    try await bookmarks.publish(entrance)
    #expect(await published().last??.elements.map(\.name) == ["always"])
  }
}
