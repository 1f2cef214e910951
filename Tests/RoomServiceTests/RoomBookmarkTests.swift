import Diagnostics
import Foundation
import NatterCore
import Synchronization
import TestSupport
import Testing
import XML
import XMPP

@testable import RoomService

// Bookmarks of the server, and what becomes of them there.
extension AccountRoomsTests {
  @Test func `bookmarked rooms are joined; older bookmarks count where there are no newer ones`()
    async throws
  {
    let store = MemoryBookmarkStore()
    let service = service(store)
    let channel = RoomChannel { iq in
      let result = Element("iq", Namespace.client, ["type": "result"])
      if iq.first("pubsub", Namespace.pubSub)?.first("items", Namespace.pubSub) != nil {
        let item = XEP0402Bookmark(
          room: RoomStanza.room, name: "Balcony", nick: "al", autojoins: true
        ).item
        var answer = result
        answer.append(
          Element(
            "pubsub", Namespace.pubSub, [:],
            [Element("items", Namespace.pubSub, ["node": XEP0402Bookmark.namespace], [item])]))
        return answer
      }
      if iq.first("query", XEP0402Bookmark.privateNamespace) != nil {
        let old = JID(local: "garden", domain: "rooms.example.org")
        var answer = result
        answer.append(
          Element(
            "query", XEP0402Bookmark.privateNamespace, [:],
            [
              Element(
                "storage", XEP0402Bookmark.storageNamespace, [:],
                [
                  XEP0402Bookmark(room: old, autojoins: true).legacy,
                  XEP0402Bookmark(room: RoomStanza.room, autojoins: false).legacy,
                ])
            ]))
        return answer
      }
      return nil
    }
    try await working(service) {
      await service.sessionStarted(.fixture, over: channel)
      try await until { await channel.sent.count == 2 }
      #expect(
        Set(await channel.sent.compactMap { $0["to"] })
          == ["\(room)/al", "garden@rooms.example.org/alice"])
      #expect(await store.stored[room]?.name == "Balcony")
    }
  }

  @Test func `bookmarks that others may read are closed to them, and then published`() async throws
  {
    let service = service(MemoryBookmarkStore())
    let isClosed = Mutex(false)
    let owner = "http://jabber.org/protocol/pubsub#owner"
    let channel = RoomChannel { iq in
      // This server does not report the node's configuration.
      if iq["type"] == "set", iq.first("pubsub", owner)?.first("configure", owner) != nil {
        isClosed.withLock { $0 = true }
      }
      let publishes =
        iq.first("pubsub", Namespace.pubSub)?.first("publish", Namespace.pubSub) != nil
      if publishes, !isClosed.withLock({ $0 }) { throw StanzaError(.cancel, .conflict) }
      return nil
    }
    try await working(service) {
      try await enter(service, channel)
      try await until {
        await channel.requests.count {
          $0.first("pubsub", Namespace.pubSub)?.first("publish", Namespace.pubSub) != nil
        } == 2
      }
      let form = await channel.requests.compactMap {
        $0.first("pubsub", owner)?.first("configure", owner)?
          .first("x", Namespace.dataForms)
      }.first.flatMap { XEP0004DataForm($0) }
      #expect(form?["pubsub#access_model"]?.values == ["whitelist"])
      #expect(form?["pubsub#max_items"]?.values == ["max"])
    }
  }

  @Test func `a bookmark is published privately, in a node that is made first`() async throws {
    let service = service(MemoryBookmarkStore())
    let channel = RoomChannel { iq in
      guard let items = iq.first("pubsub", Namespace.pubSub)?.first("items", Namespace.pubSub),
        items["node"] == XEP0402Bookmark.namespace
      else { return nil }
      throw StanzaError(.cancel, .itemNotFound)
    }
    try await working(service) {
      try await enter(service, channel)
      try await until {
        await channel.requests.contains {
          $0.first("pubsub", Namespace.pubSub)?.first("publish", Namespace.pubSub) != nil
        }
      }
      let steps = await channel.requests.compactMap { iq in
        iq.first("pubsub", Namespace.pubSub)?.elements.first?.name
      }
      #expect(steps.drop { $0 != "create" }.prefix(2) == ["create", "publish"])
      #expect(steps.firstIndex(of: "create") ?? .max < steps.firstIndex(of: "publish") ?? 0)
      let publication = await channel.requests.last {
        $0.first("pubsub", Namespace.pubSub)?.first("publish", Namespace.pubSub) != nil
      }
      let options = publication?.first("pubsub", Namespace.pubSub)?
        .first("publish-options", Namespace.pubSub)?.first("x", Namespace.dataForms)
        .flatMap { XEP0004DataForm($0) }
      #expect(options?["pubsub#access_model"]?.values == ["whitelist"])
      #expect(options?["pubsub#max_items"] == nil)
    }
  }

  @Test
  func
    `a room that was left without a connection is not entered again, and the bookmark hears of it`()
    async throws
  {
    let store = MemoryBookmarkStore(
      Bookmark(room: room, nick: "alice", autojoins: true, isPublished: true, isWanted: true))
    let service = service(store)
    try await service.leave(room)
    #expect(await store.stored[room]?.isChanged == true)
    // Another start, with a server that has not heard of it.
    let again = self.service(store)
    let bookmark = XEP0402Bookmark(room: room, nick: "alice", autojoins: true)
    let channel = RoomChannel { iq in
      guard iq.first("pubsub", Namespace.pubSub)?.first("items", Namespace.pubSub) != nil else {
        return nil
      }
      return Element(
        "iq", Namespace.client, ["type": "result"],
        [
          Element(
            "pubsub", Namespace.pubSub, [:],
            [
              Element(
                "items", Namespace.pubSub, ["node": XEP0402Bookmark.namespace], [bookmark.item])
            ])
        ])
    }
    try await working(again) {
      await again.sessionStarted(.fixture, over: channel)
      try await until { await store.stored[room]?.isChanged == false }
      let published = await channel.requests.compactMap {
        $0.first("pubsub", Namespace.pubSub)?.first("publish", Namespace.pubSub)
      }
      let item = published.first?.first("item", Namespace.pubSub)
      #expect(item.flatMap { XEP0402Bookmark(item: $0) }?.autojoins == false)
      #expect(await channel.sent.isEmpty)
      #expect(await again.rooms().first?.phase == .outside)
    }
  }

  @Test(arguments: [XEP0492Notification.onMention, nil])
  func
    `what of a room is told is published by the next run, where it was chosen without a connection`(
      setting: XEP0492Notification?
    ) async throws
  {
    let store = MemoryBookmarkStore(
      Bookmark(room: room, nick: "alice", autojoins: true, isPublished: true))
    try await service(store).keepNotification(setting, of: room)
    #expect(await store.stored[room]?.rule == PendingNotificationRule(setting))
    let again = self.service(store)
    // Another client has said something else meanwhile, and keeps something of its own beside it.
    let others = Element("mine", "urn:example:mine")
    var bookmark = XEP0402Bookmark(room: room, nick: "alice", autojoins: true)
    bookmark.extensions = XEP0492Notification.extensions(
      Element("extensions", XEP0402Bookmark.namespace, [:], [others]), with: .always)
    let item = bookmark.item
    let channel = RoomChannel { iq in
      guard iq.first("pubsub", Namespace.pubSub)?.first("items", Namespace.pubSub) != nil else {
        return nil
      }
      return Element(
        "iq", Namespace.client, ["type": "result"],
        [
          Element(
            "pubsub", Namespace.pubSub, [:],
            [Element("items", Namespace.pubSub, ["node": XEP0402Bookmark.namespace], [item])])
        ])
    }
    let events = hub.events()
    try await working(again) {
      await again.sessionStarted(.fixture, over: channel)
      try await until { await store.stored[room].map { $0.rule == nil } ?? false }
      let published = await channel.requests.compactMap {
        $0.first("pubsub", Namespace.pubSub)?.first("publish", Namespace.pubSub)?
          .first("item", Namespace.pubSub).flatMap { XEP0402Bookmark(item: $0) }
      }
      #expect(published.count == 1)
      #expect(XEP0492Notification(extensions: published.first?.extensions) == setting)
      #expect(published.first?.extensions?.first("mine", "urn:example:mine") != nil)
    }
    // The server's older word is not taken for news.
    hub.publish(.notice(StatusNotice(.info, "end")))
    for await event in events {
      if case .notice = event { break }
      if case .roomNotificationChanged = event { Issue.record("\(event)") }
    }
  }

  @Test(arguments: [true, false])
  func `a rule chosen while the connection was gone is published once it is back`(
    isSetUp: Bool
  ) async throws {
    let store = MemoryBookmarkStore(
      Bookmark(room: room, nick: "alice", autojoins: true, isPublished: true))
    let service = service(store)
    let isOffline = Mutex(false)
    let channel = RoomChannel { _ in
      if isOffline.withLock({ $0 }) { throw ChannelError.notConnected }
      return nil
    }
    try await working(service) {
      await service.sessionStarted(.fixture, over: channel)
      try await until { await service.session?.hasFetchedBookmarks == true }
      isOffline.withLock { $0 = true }
      try await service.keepNotification(.onMention, of: room)
      #expect(await store.stored[room]?.rule == PendingNotificationRule(.onMention))
      isOffline.withLock { $0 = false }
      // A connection that broke before all parts were set up begins the same session again.
      if isSetUp {
        await service.sessionResumed()
      } else {
        await service.sessionStarted(.fixture, over: channel)
      }
      try await until { await store.stored[room].map { $0.rule == nil } ?? false }
      try await service.keepNotification(.always, of: room)
      try await until { await store.stored[room].map { $0.rule == nil } ?? false }
    }
  }

  @Test func `a room that was left is published as such, even if its rule has to wait`()
    async throws
  {
    let store = MemoryBookmarkStore(
      Bookmark(
        room: room, nick: "alice", isChanged: true, rule: PendingNotificationRule(.onMention)))
    let service = service(store)
    try await working(service) {
      await service.sessionStarted(.fixture, over: RoomChannel())
      try await until { await store.stored[room]?.isChanged == false }
    }
  }

  @Test
  func `a bookmark that the server refuses is reported once, and each session tries it again`()
    async throws
  {
    var bookmark = Bookmark(room: room, nick: "alice", isPublished: true)
    bookmark.noteChange()
    let store = MemoryBookmarkStore(bookmark)
    let isRefused = Mutex(true)
    let channel = RoomChannel { iq in
      guard iq.first("pubsub", Namespace.pubSub)?.first("publish", Namespace.pubSub) != nil,
        isRefused.withLock({ $0 })
      else { return nil }
      throw StanzaError(.auth, .forbidden)
    }
    let events = hub.events()
    let first = service(store)
    try await working(first) {
      await first.sessionStarted(.fixture, over: channel)
      try await until { await store.stored[room]?.refusal != nil }
      #expect(await store.stored[room]?.isChanged == true)
    }
    // Another run.
    let next = service(store)
    try await working(next) {
      await next.sessionStarted(.fixture, over: channel)
      try await until {
        await channel.requests.count {
          $0.first("pubsub", Namespace.pubSub)?.first("publish", Namespace.pubSub) != nil
        } == 2
      }
      isRefused.withLock { $0 = false }
      await next.sessionEnded()
      await next.sessionStarted(.fixture, over: channel)
      try await until { await store.stored[room]?.isChanged == false }
      #expect(await store.stored[room].map { $0.refusal == nil } == true)
    }
    hub.publish(.notice(StatusNotice(.info, "end")))
    var reported: [String] = []
    for await event in events {
      guard case .notice(let notice) = event else { continue }
      guard notice.key != "end" else { break }
      reported.append(notice.key)
    }
    #expect(reported == [NatterError(answering: StanzaError(.auth, .forbidden)).key])
  }

  @Test func `bookmarks that a lost connection left unread are read once it is back`()
    async throws
  {
    let isOffline = Mutex(true)
    let service = service(MemoryBookmarkStore())
    let channel = RoomChannel { _ in
      if isOffline.withLock({ $0 }) { throw ChannelError.notConnected }
      return nil
    }
    try await working(service) {
      await service.sessionStarted(.fixture, over: channel)
      try await until { await service.session?.bookmarks.reading.isOver == true }
      isOffline.withLock { $0 = false }
      await service.sessionResumed()
      try await until { await service.session?.hasFetchedBookmarks == true }
    }
  }
}
