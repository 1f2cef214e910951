import Foundation
import NatterCore
import Synchronization
import TestSupport
import Testing
import XML
import XMPP

@testable import RoomService

/// The storage of bookmarks at servers, and changes of it (server-quirks.md, "Both").
@Suite(.timeLimit(.minutes(6))) struct BookmarkNodeTests {
  private let account = JID(local: "alice", domain: "example.org")
  let room = RoomStanza.room
  let attic = JID(local: "attic", domain: "rooms.example.org")

  /// A server that knows private storage alone, which is written as a whole.
  private actor PrivateStorage: StanzaChannel {
    private(set) var storage: Element
    private var reads = 0

    init(_ storage: Element) { self.storage = storage }

    func send(_ stanza: Element) {}

    func request(_ iq: Element, timeout: Duration) async throws -> Element {
      let query = iq.first("query", XEP0402Bookmark.privateNamespace)
      guard let query else { throw StanzaError(.cancel, .serviceUnavailable) }
      if iq["type"] == "set" {
        if let new = query.first("storage", XEP0402Bookmark.storageNamespace) { storage = new }
        return Element("iq", Namespace.client, ["type": "result"])
      }
      reads += 1
      let (answer, before) = (storage, reads)
      // Another reader reads it now, before this answer is there.
      for _ in 0..<500 where reads == before { await Task.yield() }
      return Element(
        "iq", Namespace.client, ["type": "result"],
        [Element("query", XEP0402Bookmark.privateNamespace, [:], [answer])])
    }

    var rooms: [String] {
      storage.all("conference", XEP0402Bookmark.storageNamespace).compactMap { $0["jid"] }
    }
  }

  @Test func `private storage is replaced as a whole: what other clients keep there stays`()
    async throws
  {
    let space = XEP0402Bookmark.storageNamespace
    let page = Element("url", space, ["name": "a page", "url": "https://example.org/"])
    let theirs = Element(
      "conference", space, ["jid": attic.description, "name": "Theirs", "autojoin": "true"])
    let channel = PrivateStorage(
      Element(
        "storage", space, [:],
        [page, theirs, XEP0402Bookmark(room: room, nick: "old", autojoins: false).legacy]))
    let bookmarks = ServerBookmarks(account: account, channel: channel)
    try await bookmarks.publish(XEP0402Bookmark(room: room, nick: "new", autojoins: true))
    let stored = await channel.storage
    #expect(stored.first("url", space) == page)
    #expect(stored.all("conference", space).first == theirs)
    #expect(await channel.rooms == [attic.description, room.description])
    #expect(
      stored.all("conference", space).last.flatMap { XEP0402Bookmark(legacy: $0) }?.nick == "new")
  }

  @Test func `a bookmark that is published while the bookmarks are read waits for them`()
    async throws
  {
    let channel = RoomChannel()
    let bookmarks = ServerBookmarks(account: account, channel: channel)
    #expect(await bookmarks.reading.begin())
    let publishing = Task { [room] in
      try await bookmarks.publish(XEP0402Bookmark(room: room, autojoins: true))
    }
    try await until("the bookmark waits") { await bookmarks.reading.readers.count == 1 }
    _ = try await bookmarks.fetch()
    await bookmarks.reading.end(isRead: true)
    #expect(try await publishing.value)
    let reads = await channel.requests.filter {
      $0.first("pubsub", Namespace.pubSub)?.first("items", Namespace.pubSub) != nil
    }
    #expect(reads.count == 1)
  }

  @Test(arguments: [true, false])
  func `bookmarks that could not be read are read by the next caller, others are not`(isRead: Bool)
    async throws
  {
    let reading = BookmarkReading()
    #expect(await reading.begin())
    let next = Task { await reading.begin() }
    try await until("the next one waits") { await reading.readers.count == 1 }
    await reading.end(isRead: isRead)
    #expect(await next.value == !isRead)
  }

  @Test func `two bookmarks that go into private storage at once are both there`() async throws {
    let channel = PrivateStorage(Element("storage", XEP0402Bookmark.storageNamespace))
    let bookmarks = ServerBookmarks(account: account, channel: channel)
    _ = try await bookmarks.fetch()
    async let one = bookmarks.publish(XEP0402Bookmark(room: room, autojoins: true))
    async let two = bookmarks.publish(XEP0402Bookmark(room: attic, autojoins: true))
    _ = try await (one, two)
    #expect(Set(await channel.rooms) == [room.description, attic.description])
  }

  @Test(arguments: [
    StanzaError(.wait, .resourceConstraint), StanzaError(.cancel, .resourceConstraint),
    StanzaError(.wait, .internalServerError), StanzaError(.cancel, .internalServerError),
    StanzaError(.wait, .remoteServerTimeout), StanzaError(.wait, .itemNotFound),
    StanzaError(.wait, .serviceUnavailable), StanzaError(.auth, .forbidden),
  ])
  func `an error that does not say where the bookmarks are leaves that open`(error: StanzaError)
    async throws
  {
    let isBusy = Mutex(true)
    let channel = RoomChannel { iq in
      let isForNode = iq.first("pubsub", Namespace.pubSub)?.first("items", Namespace.pubSub) != nil
      if isForNode, isBusy.withLock({ $0 }) { throw error }
      return nil
    }
    let bookmarks = ServerBookmarks(account: account, channel: channel)
    await #expect(throws: error) { _ = try await bookmarks.fetch() }
    await #expect(throws: error) {
      try await bookmarks.publish(XEP0402Bookmark(room: room, autojoins: true))
    }
    isBusy.withLock { $0 = false }
    try await bookmarks.publish(XEP0402Bookmark(room: room, autojoins: true))
    #expect(await channel.taken.map(\.room) == [room])
    #expect(
      await !channel.requests.contains {
        $0["type"] == "set" && $0.first("query", XEP0402Bookmark.privateNamespace) != nil
      })
  }

  @Test(arguments: [StanzaError(.wait, .resourceConstraint), .answerTooLarge])
  func `private storage that cannot be read for now is still where the bookmarks are`(
    error: StanzaError
  ) async throws {
    let isBusy = Mutex(true)
    let channel = RoomChannel { iq in
      guard iq.first("query", XEP0402Bookmark.privateNamespace) != nil else {
        throw StanzaError(.cancel, .serviceUnavailable)
      }
      if isBusy.withLock({ $0 }) { throw error }
      return nil
    }
    let bookmarks = ServerBookmarks(account: account, channel: channel)
    await #expect(throws: StanzaError.self) { _ = try await bookmarks.fetch() }
    isBusy.withLock { $0 = false }
    #expect(try await bookmarks.publish(XEP0402Bookmark(room: room, autojoins: true)) == false)
    #expect(await channel.requests.last?["type"] == "set")
  }

  @Test(arguments: [10, 100_000])
  func `what other clients keep with a bookmark survives a change, however large it is`(
    length: Int
  ) async throws {
    var theirs = XEP0402Bookmark(room: room, name: "Theirs", autojoins: false)
    theirs.extensions = Element(
      "extensions", XEP0402Bookmark.namespace, [:],
      [Element("note", "urn:example:note", text: String(repeating: "n", count: length))])
    let channel = channel([XEP0402Bookmark(room: attic).item, theirs.item])
    let bookmarks = ServerBookmarks(account: account, channel: channel)
    _ = try await bookmarks.fetch()
    try await bookmarks.publish(XEP0402Bookmark(room: room, name: "Mine", autojoins: true))
    let published = try #require(await channel.taken.last)
    #expect(published.name == "Mine" && published.extensions == theirs.extensions)
  }

  @Test func `what other clients keep with a bookmark survives announcements in another order`()
    async throws
  {
    var theirs = XEP0402Bookmark(room: room, name: "Theirs", autojoins: true)
    theirs.extensions = Element(
      "extensions", XEP0402Bookmark.namespace, [:], [Element("note", "urn:example:note")])
    let channel = channel([theirs.item])
    let bookmarks = ServerBookmarks(account: account, channel: channel)
    await bookmarks.announce([room])
    await bookmarks.keep(theirs)
    // The one that was published here just before it.
    await bookmarks.keep(XEP0402Bookmark(room: room, name: "Mine", autojoins: true))
    try await bookmarks.publish(XEP0402Bookmark(room: room, name: "Mine", autojoins: true))
    #expect(await channel.taken.last?.extensions == theirs.extensions)
  }

  @Test func `a server that returns no single bookmark still takes a change of one`()
    async throws
  {
    var theirs = XEP0402Bookmark(room: room, name: "Theirs", autojoins: true)
    theirs.extensions = Element(
      "extensions", XEP0402Bookmark.namespace, [:], [Element("note", "urn:example:note")])
    let channel = RoomChannel { iq in
      let items = iq.first("pubsub", Namespace.pubSub)?.first("items", Namespace.pubSub)
      guard items?.first("item", Namespace.pubSub) == nil else {
        throw StanzaError(.cancel, .featureNotImplemented)
      }
      return nil
    }
    let bookmarks = ServerBookmarks(account: account, channel: channel)
    await bookmarks.announce([room])
    await bookmarks.keep(theirs)
    try await bookmarks.publish(XEP0402Bookmark(room: room, name: "Mine", autojoins: true))
    #expect(await channel.taken.last?.extensions == theirs.extensions)
  }

  func service(_ store: MemoryBookmarkStore) -> AccountRooms {
    AccountRooms.fixture(store)
  }

  /// A node with these bookmarks, set up like this; `nil`: there is no such node.
  func channel(
    _ items: [Element]?, settings: [String: String] = ["max_items": "max"], more: [Element] = [],
    old: [Element] = []
  ) -> RoomChannel {
    let isThere = Mutex(items != nil)
    return RoomChannel { iq in
      if iq["type"] == "get",
        iq.first("pubsub", Self.owner)?.first("configure", Self.owner) != nil
      {
        return Self.answer(
          "pubsub", Self.owner,
          [
            Element(
              "configure", Self.owner, [:],
              [
                XEP0004DataForm(
                  .form, fields: settings.map { .init("pubsub#\($0.key)", values: [$0.value]) }
                ).element
              ])
          ])
      }
      if iq["type"] == "get", iq.first("query", XEP0402Bookmark.privateNamespace) != nil {
        return Self.answer(
          "query", XEP0402Bookmark.privateNamespace,
          [Element("storage", XEP0402Bookmark.storageNamespace, [:], old)])
      }
      let action = iq.first("pubsub", Namespace.pubSub)?.elements.first
      switch action?.name {
      case "create": isThere.withLock { $0 = true }
      case "items" where !isThere.withLock({ $0 }), "publish" where !isThere.withLock({ $0 }):
        throw StanzaError(.cancel, .itemNotFound)
      case "items":
        return Self.answer(
          "pubsub", Namespace.pubSub,
          [
            Element("items", Namespace.pubSub, ["node": XEP0402Bookmark.namespace], items ?? [])
          ] + more)
      default: break
      }
      return nil
    }
  }

  private static let owner = "http://jabber.org/protocol/pubsub#owner"

  private static func answer(_ name: String, _ namespace: String, _ payload: [Element]) -> Element {
    Element(
      "iq", Namespace.client, ["type": "result"], [Element(name, namespace, [:], payload)])
  }

  @Test func `bookmarks that a server has lost take no one out of a room, and are put back there`()
    async throws
  {
    // server-quirks.md, "ejabberd": what was published right before ejabberd is killed is gone,
    // node and all.
    let kept = Bookmark(
      room: room, nick: "ali", autojoins: true, isPublished: true, isWanted: true)
    let other = Bookmark(room: attic, name: "Attic", isPublished: true)
    let never = Bookmark(room: JID(local: "cellar", domain: "rooms.example.org"))
    let store = MemoryBookmarkStore(kept, other, never)
    let service = service(store)
    let channel = channel(nil)
    try await working(service) {
      await service.sessionStarted(.fixture, over: channel)
      try await until { await channel.taken.count == 2 }
      #expect(
        Set(await channel.taken.map(\.room)) == [room, attic],
        "what the server never had is not published")
      let mine = await channel.taken.first { $0.room == room }
      #expect(mine?.autojoins == true && mine?.nick == "ali")
      #expect(await service.route(to: room) == .held)
      #expect(await store.stored[room]?.isWanted == true)
    }
  }

  @Test
  func `a bookmark that the server keeps no more is no retraction: 256 are all that one keeps`()
    async throws
  {
    // server-quirks.md, "Both": Prosody's nodes have 256 items at most, and the eldest goes. An
    // empty answer is one, too.
    let kept = Bookmark(
      room: room, nick: "ali", autojoins: true, isPublished: true, isWanted: true)
    let store = MemoryBookmarkStore(kept)
    let service = service(store)
    let others = (1...256).map {
      XEP0402Bookmark(
        room: JID(local: "r\($0)", domain: "rooms.example.org"), autojoins: false
      ).item
    }
    try await working(service) {
      for items in [others, []] {
        let channel = channel(items)
        await service.sessionStarted(.fixture, over: channel)
        try await until { await channel.sent.contains { $0["to"] == "\(room)/ali" } }
        // The answer to this comes after what the list has brought about.
        _ = try await service.list(over: channel)
        #expect(await service.route(to: room) == .held)
        #expect(await store.stored[room]?.autojoins == true)
        await service.sessionEnded()
      }
    }
  }
}

extension RoomChannel {
  /// The bookmarks that were published and that the server took.
  var taken: [XEP0402Bookmark] {
    requests.compactMap {
      $0.first("pubsub", Namespace.pubSub)?.first("publish", Namespace.pubSub)?
        .first("item", Namespace.pubSub).flatMap { XEP0402Bookmark(item: $0) }
    }
  }
}
