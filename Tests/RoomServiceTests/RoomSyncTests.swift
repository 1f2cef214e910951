import Diagnostics
import Foundation
import NatterCore
import Synchronization
import TestSupport
import Testing
import XML
import XMPP

@testable import RoomService

// What the synchronisation of data asks of rooms, and what the inbox of commands has them do.
extension AccountRoomsTests {
  @Test func `data sync: bookmarks are a list of conversations, each once`() async throws {
    let other = JID(local: "attic", domain: "rooms.example.org")
    let service = service(
      MemoryBookmarkStore(Bookmark(room: room, autojoins: true), Bookmark(room: other)))
    let channel = RoomChannel()
    await service.sessionStarted(.fixture, over: channel)
    let listed = try await service.list(over: channel)
    #expect(
      Set(listed) == [
        ListedConversation(jid: room, kind: .room, opens: true),
        ListedConversation(jid: other, kind: .room, opens: false),
      ])
  }

  @Test func `data sync: the bookmarks are read once at a login`() async throws {
    let reads = Mutex(0)
    let service = service(MemoryBookmarkStore())
    let channel = HeldChannel {
      $0.first("pubsub", Namespace.pubSub)?.first("items", Namespace.pubSub) != nil
    } answer: {
      if $0.first("pubsub", Namespace.pubSub)?.first("items", Namespace.pubSub) != nil {
        reads.withLock { $0 += 1 }
      }
      return Element("iq", Namespace.client, ["type": "result"])
    }
    try await working(service) {
      await service.sessionStarted(.fixture, over: channel)
      await channel.waitsForRequest()
      let listing = Task { try await service.list(over: channel) }
      try await until("the list waits for the bookmarks that are being read") {
        await service.session?.bookmarks.reading.readers.count == 1
      }
      await channel.release()
      #expect(try await listing.value.isEmpty)
      _ = try await service.list(over: channel)
      #expect(reads.withLock { $0 } == 1)
      // The next session reads them again.
      await service.sessionEnded()
      await service.sessionStarted(.fixture, over: channel)
      _ = try await service.list(over: channel)
      #expect(reads.withLock { $0 } == 2)
    }
  }

  @Test func `group info: who belongs to a room is stored, and what a room does not list stays`()
    async throws
  {
    let store = MemoryBookmarkStore()
    let service = service(store)
    let lists = ["owner": "bob@example.org", "member": "carol@example.org"]
    let channel = RoomChannel { iq in
      guard
        let asked = iq.first("query", XEP0045.admin)?.first("item", XEP0045.admin)?["affiliation"]
      else { return nil }
      let items = lists[asked].map {
        [Element("item", XEP0045.admin, ["jid": $0, "affiliation": asked])]
      }
      return Element(
        "iq", Namespace.client, ["type": "result"],
        [Element("query", XEP0045.admin, [:], items ?? [])])
    }
    let listed = ListedConversation(jid: room, kind: .room, opens: true)
    try await working(service) {
      try await enter(service, channel)
      try await service.describe(listed, over: channel)
      let members = await store.members(of: room)
      #expect(members.map(\.jid.description) == ["bob@example.org", "carol@example.org"])
      #expect(members.map(\.affiliation) == [.owner, .member])
      let closed = RoomChannel { iq in
        guard iq.first("query", XEP0045.admin) != nil else { return nil }
        throw StanzaError(.auth, .forbidden)
      }
      try await service.describe(listed, over: closed)
      #expect(await store.members(of: room).count == 2)
    }
  }

  @Test func `group info: a member who becomes an owner while the lists are read is not lost`()
    async throws
  {
    let bob = JID(local: "bob", domain: "example.org")
    let store = MemoryBookmarkStore()
    await store.replaceMembers(
      of: room, with: [RoomMember(jid: bob, affiliation: .member, nick: nil)])
    let service = service(store)
    let isOwner = Mutex(false)
    let channel = RoomChannel { iq in
      guard
        let asked = iq.first("query", XEP0045.admin)?.first("item", XEP0045.admin)?["affiliation"]
      else { return nil }
      // Right after the first list of owners was sent.
      let listed = isOwner.withLock { isOwner in
        defer { isOwner = true }
        return (isOwner ? "owner" : "member") == asked
      }
      let item = Element("item", XEP0045.admin, ["jid": bob.description, "affiliation": asked])
      return Element(
        "iq", Namespace.client, ["type": "result"],
        [Element("query", XEP0045.admin, [:], listed ? [item] : [])])
    }
    try await working(service) {
      try await enter(service, channel)
      try await service.describe(
        ListedConversation(jid: room, kind: .room, opens: true), over: channel)
      let members = await store.members(of: room)
      #expect(members.map(\.jid) == [bob] && members.map(\.affiliation) == [.owner])
    }
  }

  @Test func `command room renamed: what the room is now is asked for, and its name is shown`()
    async throws
  {
    let service = service(MemoryBookmarkStore())
    let channel = RoomChannel { iq in
      guard iq.first("query", Namespace.discoInfo) != nil else { return nil }
      return Element(
        "iq", Namespace.client, ["type": "result"],
        [
          Element(
            "query", Namespace.discoInfo, [:],
            [
              Element(
                "identity", Namespace.discoInfo,
                ["category": "conference", "type": "text", "name": "The new name"])
            ])
        ])
    }
    try await working(service) {
      try await enter(service, RoomChannel())
      await service.sessionEnded()
      try await enter(service, channel)
      try await service.apply(
        AccountEvent(
          id: "c", isKept: false, kind: .roomChanged, sender: room,
          stanza: Element("message", Namespace.client, ["type": "groupchat"])))
      try await until { await service.rooms().first?.name == "The new name" }
    }
  }

  @Test(arguments: [ChannelError.notConnected, .timedOut])
  func
    `command room renamed: what the connection took with it is asked again when the session goes on`(
      error: ChannelError
    ) async throws
  {
    let service = service(MemoryBookmarkStore())
    let isCut = Mutex(false)
    let asked = Mutex(0)
    let channel = RoomChannel { iq in
      guard iq.first("query", Namespace.discoInfo) != nil else { return nil }
      asked.withLock { $0 += 1 }
      if isCut.withLock({ $0 }) { throw error }
      return nil
    }
    try await working(service) {
      try await enter(service, channel)
      isCut.withLock { $0 = true }
      asked.withLock { $0 = 0 }
      try await service.apply(
        AccountEvent(
          id: "c", isKept: false, kind: .roomChanged, sender: room,
          stanza: Element("message", Namespace.client, ["type": "groupchat"])))
      try await until("it is cut off") {
        await service.session?.changed == [room] && asked.withLock({ $0 }) == 1
      }
      isCut.withLock { $0 = false }
      await service.sessionResumed()
      try await until("it is asked again") {
        await service.session?.changed.isEmpty == true && asked.withLock({ $0 }) == 2
      }
      await service.sessionResumed()
      await service.sessionEnded()
      #expect(asked.withLock({ $0 }) == 2)
    }
  }

  @Test(arguments: [(307, RoomExit.Cause.kicked), (301, .banned)])
  func `command removed from a room: the database knows that the user is outside`(
    code: Int, cause: RoomExit.Cause
  ) async throws {
    let store = MemoryBookmarkStore()
    let service = service(store)
    let channel = RoomChannel()
    try await working(service) {
      try await enter(service, channel)
      let exit = RoomStanza.presence("alice", type: "unavailable", codes: [110, code])
      await service.receive([.presence(exit)])
      let command = try #require(AccountEvent.exit(exit.element, of: room))
      try await service.apply(command)
      try await service.apply(command)
      #expect(await store.stored[room]?.exit?.cause == cause)
      #expect(await store.stored[room]?.isWanted == false)
    }
  }

  @Test func `command banned from a room: nothing sends the user back in, also not the bookmark`()
    async throws
  {
    let store = MemoryBookmarkStore()
    let service = service(store)
    try await working(service) {
      try await enter(service, RoomChannel())
      let exit = RoomStanza.presence("alice", type: "unavailable", codes: [110, 301])
      await service.receive([.presence(exit)])
      try await service.apply(try #require(AccountEvent.exit(exit.element, of: room)))
      await service.sessionEnded()
      let item = XEP0402Bookmark(room: room, nick: "alice", autojoins: true).item
      let next = RoomChannel { iq in
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
      await service.sessionStarted(.fixture, over: next)
      // When this is there, what the bookmark says was looked at.
      _ = try await service.list(over: next)
      await service.sessionResumed()
      #expect(await next.sent.isEmpty)
      #expect(await service.route(to: room) == .outside)
      #expect(await store.stored[room]?.exit?.cause == .banned)
    }
  }

  @Test func `group info: the room's name is kept in its conversation, and its features are known`()
    async throws
  {
    let service = service(MemoryBookmarkStore())
    let channel = RoomChannel { iq in
      guard iq.first("query", Namespace.discoInfo) != nil else { return nil }
      return Element(
        "iq", Namespace.client, ["type": "result"],
        [
          Element(
            "query", Namespace.discoInfo, [:],
            [
              Element(
                "identity", Namespace.discoInfo,
                ["category": "conference", "type": "text", "name": "The Balcony"])
            ]
              + [
                "muc_membersonly", "muc_passwordprotected", "muc_nonanonymous", "muc_moderated",
                Namespace.archive, "urn:xmpp:occupant-id:0",
              ].map { Element("feature", Namespace.discoInfo, ["var": $0]) })
        ])
    }
    let events = hub.events()
    try await working(service) {
      try await enter(service, channel)
      let known = await service.rooms().first
      #expect(known?.name == "The Balcony")
      #expect(
        known?.traits == [
          .membersOnly, .passwordProtected, .nonAnonymous, .moderated, .archive, .occupantIDs,
        ])
    }
    let stored = await events.published(on: hub).flatMap { event -> [Conversation] in
      if case .conversationsChanged(let changed) = event { changed } else { [] }
    }
    #expect(stored.last?.jid == room && stored.last?.name == "The Balcony")
  }

  @Test func `a room that was hidden is entered and stays off the list of conversations`()
    async throws
  {
    let store = MemoryBookmarkStore(Bookmark(room: room, nick: "al", isPublished: true))
    await store.hide(room)
    let service = service(store)
    let events = hub.events()
    let bookmark = XEP0402Bookmark(room: room, name: "Balcony", nick: "al", autojoins: true)
    let pushed = RoomStanza.bookmarkEvent(RoomStanza.item(bookmark))
    let channel = RoomChannel()
    try await working(service) {
      await service.sessionStarted(.fixture, over: channel)
      await service.receive([pushed])
      // What it says of itself is asked for before.
      try await until("a knock") { await channel.sent.contains { $0.name == "presence" } }
      await service.receive(welcome)
    }
    #expect(
      !(await events.published(on: hub)).contains {
        if case .conversationsChanged = $0 { true } else { false }
      })
  }
}

extension AccountEvent {
  /// The command that the inbox makes of the presence of an occupant who has left.
  fileprivate static func exit(_ presence: Element, of room: JID) -> AccountEvent? {
    guard presence["type"] == "unavailable" else { return nil }
    return AccountEvent(
      id: "e", isKept: false, kind: .roomExit, sender: room.with(resource: "alice"),
      stanza: presence)
  }
}
