import Diagnostics
import Foundation
import NatterCore
import Synchronization
import TestSupport
import Testing
import XMPP

@testable import RoomService

@Suite struct RoomKeeperTests {
  let hub = EventHub()
  let alice = JID(local: "alice", domain: "example.org")
  let room = RoomStanza.room

  func keeper(_ store: MemoryBookmarkStore, readsArchives: Bool = false) -> RoomKeeper {
    RoomKeeper(
      account: alice, store: store, hub: hub, log: .none, readsArchives: readsArchives,
      sleep: { _ in try await Task.sleep(for: .seconds(3600)) })
  }

  /// Has the keeper apply what the inbox of commands makes of an invitation.
  private func receiveInvitation(_ keeper: RoomKeeper, _ stanza: Stanza) async throws {
    guard case .message(let message) = stanza else { return }
    try await keeper.apply(
      SyncCommand(
        id: "i", isKept: true, kind: .roomInvitation, sender: message.from,
        stanza: message.element))
  }

  private var welcome: [Stanza] {
    [
      .presence(RoomStanza.presence("bob")),
      .presence(RoomStanza.presence("alice", codes: [110])),
      .message(RoomStanza.subject("Night")),
    ]
  }

  private func enter(_ keeper: RoomKeeper, _ channel: RoomChannel) async throws {
    await keeper.sessionStarted(.fixture, over: channel)
    try await keeper.join(room, nick: nil, password: nil)
    try await until { await channel.sent.contains { $0.name == "presence" } }
    await keeper.receive(welcome)
  }

  @Test func `entering asks what the room is, knocks, and tells that it is open`() async throws {
    let store = MemoryBookmarkStore()
    let keeper = keeper(store)
    let channel = RoomChannel(features: ["muc_membersonly", Namespace.archive])
    let events = hub.events()
    try await working(keeper) {
      await keeper.sessionStarted(.fixture, over: channel)
      try await keeper.join(room, nick: "al", password: "sesame")
      #expect(await keeper.route(to: room) == .held)
      try await until { await channel.sent.contains { $0.name == "presence" } }
      let knock = try #require(await channel.sent.first { $0.name == "presence" })
      #expect(knock["to"] == "\(room)/al")
      let x = try #require(knock.first("x", XEP0045.namespace))
      #expect(x.first("password", XEP0045.namespace)?.text == "sesame")
      #expect(x.first("history", XEP0045.namespace)?["maxstanzas"] == "20")
      await keeper.receive([
        .presence(RoomStanza.presence("al", codes: [110])),
        .message(RoomStanza.subject("Night")),
      ])
      #expect(await keeper.route(to: room) == .room)
      #expect(await keeper.views()[room]?.nick == "al")
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
      let keeper = keeper(store, readsArchives: readsArchives)
      let channel = RoomChannel(features: [Namespace.archive])
      try await working(keeper) {
        try await enter(keeper, channel)
        let history = await channel.sent.first { $0.name == "presence" }?
          .first("x", XEP0045.namespace)?.first("history", XEP0045.namespace)
        #expect(history?[expected] != nil)
        #expect(history?.attributes.count == 1)
      }
    }
  }

  @Test func `a new session goes back into the rooms that were not left`() async throws {
    let store = MemoryBookmarkStore()
    let keeper = keeper(store)
    let first = RoomChannel()
    let second = RoomChannel()
    try await working(keeper) {
      try await enter(keeper, first)
      await keeper.sessionEnded()
      #expect(await keeper.route(to: room) == .held)
      await keeper.sessionStarted(.fixture, over: second)
      try await until { await second.sent.contains { $0.name == "presence" } }
      await keeper.receive(welcome)
      #expect(await keeper.route(to: room) == .room)
      try await keeper.leave(room)
      #expect(await second.sent.last?["type"] == "unavailable")
      #expect(await keeper.route(to: room) == .outside)
      #expect(await store.stored[room]?.isWanted == false)
      let third = RoomChannel()
      await keeper.sessionEnded()
      await keeper.sessionStarted(.fixture, over: third)
      #expect(await third.sent.isEmpty)
    }
  }

  @Test func `a burst of people is one event`() async throws {
    let keeper = keeper(MemoryBookmarkStore())
    let channel = RoomChannel()
    try await working(keeper) {
      try await enter(keeper, channel)
      let events = hub.events()
      await keeper.receive(
        (0..<2000).map { .presence(RoomStanza.presence("n\($0)")) })
      let seen = await events.published(on: hub)
      let bursts = seen.compactMap { event -> OccupantChanges? in
        if case .occupantsChanged(let changes) = event { changes } else { nil }
      }
      #expect(bursts.map(\.changed.count) == [2000])
      #expect(await keeper.occupants(of: room).count == 2002)
    }
  }

  @Test func `after a resumption a room that forgot the person is entered again`() async throws {
    let keeper = keeper(MemoryBookmarkStore())
    let channel = RoomChannel { iq in
      if iq.first("ping", Namespace.ping) != nil { throw StanzaError(.cancel, .notAcceptable) }
      return nil
    }
    try await working(keeper) {
      try await enter(keeper, channel)
      await keeper.sessionResumed()
      try await until { await channel.sent.count { $0.name == "presence" } == 2 }
      #expect(await channel.requests.contains { $0["to"] == "\(room)/alice" })
    }
  }

  @Test(arguments: [
    StanzaError.Condition.serviceUnavailable, .featureNotImplemented, .itemNotFound,
  ])
  func `a room that passes the question on still has the person`(
    condition: StanzaError.Condition
  ) async throws {
    let keeper = keeper(MemoryBookmarkStore())
    let channel = RoomChannel { iq in
      if iq.first("ping", Namespace.ping) != nil { throw StanzaError(.cancel, condition) }
      return nil
    }
    try await working(keeper) {
      try await enter(keeper, channel)
      await keeper.ping(room)
      #expect(await keeper.route(to: room) == .room)
      #expect(await channel.sent.count { $0.name == "presence" } == 1)
    }
  }

  @Test func `a nick that is taken on the way back gets a tail`() async throws {
    let store = MemoryBookmarkStore(Bookmark(room: room, nick: "alice", isWanted: true))
    let keeper = keeper(store)
    let channel = RoomChannel()
    try await working(keeper) {
      await keeper.sessionStarted(.fixture, over: channel)
      try await until { await channel.sent.count == 1 }
      await keeper.receive([.presence(RoomStanza.refusal(.conflict))])
      try await until { await channel.sent.count == 2 }
      #expect(await channel.sent.last?["to"] == "\(room)/alice_")
    }
  }

  @Test func `bookmarks of the server are entered, those of the old place where nothing is known`()
    async throws
  {
    let store = MemoryBookmarkStore()
    let keeper = keeper(store)
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
    try await working(keeper) {
      await keeper.sessionStarted(.fixture, over: channel)
      try await until { await channel.sent.count == 2 }
      #expect(
        Set(await channel.sent.compactMap { $0["to"] })
          == ["\(room)/al", "garden@rooms.example.org/alice"])
      #expect(await store.stored[room]?.name == "Balcony")
    }
  }

  @Test func `bookmarks that others may read are closed to them, and then published`() async throws
  {
    let keeper = keeper(MemoryBookmarkStore())
    let isClosed = Mutex(false)
    let owner = "http://jabber.org/protocol/pubsub#owner"
    let channel = RoomChannel { iq in
      if iq.first("pubsub", owner)?.first("configure", owner) != nil {
        isClosed.withLock { $0 = true }
      }
      let publishes =
        iq.first("pubsub", Namespace.pubSub)?.first("publish", Namespace.pubSub) != nil
      if publishes, !isClosed.withLock({ $0 }) { throw StanzaError(.cancel, .conflict) }
      return nil
    }
    try await working(keeper) {
      try await enter(keeper, channel)
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
    let keeper = keeper(MemoryBookmarkStore())
    let channel = RoomChannel { iq in
      guard let items = iq.first("pubsub", Namespace.pubSub)?.first("items", Namespace.pubSub),
        items["node"] == XEP0402Bookmark.namespace
      else { return nil }
      throw StanzaError(.cancel, .itemNotFound)
    }
    try await working(keeper) {
      try await enter(keeper, channel)
      try await until {
        await channel.requests.contains {
          $0.first("pubsub", Namespace.pubSub)?.first("publish", Namespace.pubSub) != nil
        }
      }
      let steps = await channel.requests.compactMap { iq in
        iq.first("pubsub", Namespace.pubSub)?.elements.first?.name
      }
      #expect(Array(steps.suffix(2)) == ["create", "publish"])
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

  @Test func `an invitation waits for an answer, and is declined through the room`() async throws {
    let keeper = keeper(MemoryBookmarkStore())
    let channel = RoomChannel()
    let events = hub.events()
    await keeper.sessionStarted(.fixture, over: channel)
    let invite = Element(
      "invite", XEP0045.user, ["from": "bob@example.org/x"],
      [Element("reason", XEP0045.user, text: "come")])
    try await receiveInvitation(
      keeper,
      .message(
        from: room.description, type: "normal", Element("x", XEP0045.user, [:], [invite])))
    let pending = await keeper.invitations()
    #expect(pending.map(\.reason) == ["come"] && pending.first?.isMediated == true)
    #expect(await events.published(on: hub).contains(.roomInvitation(pending[0])))
    try await keeper.decline(pending[0])
    let answer = await channel.sent.last?.first("x", XEP0045.user)?.first("decline", XEP0045.user)
    #expect(answer?["to"] == "bob@example.org")
    #expect(await keeper.invitations().isEmpty)
  }

  @Test func `a direct invitation brings its password along`() async throws {
    let keeper = keeper(MemoryBookmarkStore())
    let channel = RoomChannel()
    try await working(keeper) {
      await keeper.sessionStarted(.fixture, over: channel)
      try await receiveInvitation(
        keeper,
        .message(
          from: "bob@example.org/x", type: "normal",
          Element("x", XEP0249.namespace, ["jid": room.description, "password": "sesame"])))
      let pending = try #require(await keeper.invitations().first)
      #expect(pending.isMediated == false)
      try await keeper.accept(pending)
      try await until { await channel.sent.contains { $0.name == "presence" } }
      let x = await channel.sent.last?.first("x", XEP0045.namespace)
      #expect(x?.first("password", XEP0045.namespace)?.text == "sesame")
      #expect(await keeper.invitations().isEmpty)
    }
  }

  @Test func `whoever floods with invitations takes nobody's place`() async throws {
    let keeper = keeper(MemoryBookmarkStore())
    await keeper.sessionStarted(.fixture, over: RoomChannel())
    func invite(to room: String, from sender: String) -> Stanza {
      .message(from: sender, Element("x", XEP0249.namespace, ["jid": "\(room)@rooms.example.org"]))
    }
    for number in 1...200 {
      try await receiveInvitation(keeper, invite(to: "r\(number)", from: "mal@example.org/x"))
    }
    #expect(await keeper.invitations().count < 100)
    try await receiveInvitation(keeper, invite(to: "real", from: "bob@example.org/x"))
    #expect(await keeper.invitations().last?.room.local == "real")
  }

  @Test func `an invitation is there after a new start, until it is answered`() async throws {
    let store = MemoryBookmarkStore()
    let first = keeper(store)
    let invitation = Stanza.message(
      from: "bob@example.org/x", type: "normal",
      Element("x", XEP0249.namespace, ["jid": room.description, "password": "sesame"]))
    try await receiveInvitation(first, invitation)
    // The same by another road.
    try await receiveInvitation(first, invitation)
    let second = keeper(store)
    #expect(await second.invitations().map(\.room) == [room])
    let channel = RoomChannel()
    try await working(second) {
      await second.sessionStarted(.fixture, over: channel)
      try await second.accept(try #require(await second.invitations().first))
      try await until { await channel.sent.contains { $0.name == "presence" } }
      let x = await channel.sent.last?.first("x", XEP0045.namespace)
      #expect(x?.first("password", XEP0045.namespace)?.text == "sesame")
    }
    #expect(await keeper(store).invitations().isEmpty)
  }

  @Test
  func
    `a room that was left without a connection is not entered again, and the bookmark hears of it`()
    async throws
  {
    let store = MemoryBookmarkStore(
      Bookmark(room: room, nick: "alice", autojoins: true, isPublished: true, isWanted: true))
    let keeper = keeper(store)
    try await keeper.leave(room)
    #expect(await store.stored[room]?.isChanged == true)
    // Another start, with a server that has not heard of it.
    let again = self.keeper(store)
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
    await keeper(store).keepNotification(setting, of: room)
    #expect(await store.stored[room]?.wish == NotificationWish(setting))
    let again = self.keeper(store)
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
      try await until { await store.stored[room].map { $0.wish == nil } ?? false }
      let published = await channel.requests.compactMap {
        $0.first("pubsub", Namespace.pubSub)?.first("publish", Namespace.pubSub)?
          .first("item", Namespace.pubSub).flatMap { XEP0402Bookmark(item: $0) }
      }
      #expect(published.count == 1)
      #expect(XEP0492Notification(extensions: published.first?.extensions) == setting)
      #expect(published.first?.extensions?.first("mine", "urn:example:mine") != nil)
    }
    // The server's older word is not taken for news.
    hub.publish(.notice(Notice(.info, "end")))
    for await event in events {
      if case .notice = event { break }
      if case .roomNotificationChanged = event { Issue.record("\(event)") }
    }
  }

  @Test func `data sync: bookmarks are a list of conversations, each once`() async throws {
    let other = JID(local: "attic", domain: "rooms.example.org")
    let keeper = keeper(
      MemoryBookmarkStore(Bookmark(room: room, autojoins: true), Bookmark(room: other)))
    let channel = RoomChannel()
    await keeper.sessionStarted(.fixture, over: channel)
    let listed = try await keeper.list(over: channel)
    #expect(
      Set(listed) == [
        ListedConversation(jid: room, kind: .room, opens: true),
        ListedConversation(jid: other, kind: .room, opens: false),
      ])
  }

  @Test func `group info: who belongs to a room is stored, and what a room does not tell stays`()
    async throws
  {
    let store = MemoryBookmarkStore()
    let keeper = keeper(store)
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
    try await working(keeper) {
      try await enter(keeper, channel)
      try await keeper.describe(listed, over: channel)
      let members = await store.members(of: room)
      #expect(members.map(\.jid.description) == ["bob@example.org", "carol@example.org"])
      #expect(members.map(\.affiliation) == [.owner, .member])
      let closed = RoomChannel { iq in
        guard iq.first("query", XEP0045.admin) != nil else { return nil }
        throw StanzaError(.auth, .forbidden)
      }
      try await keeper.describe(listed, over: closed)
      #expect(await store.members(of: room).count == 2)
    }
  }

  @Test func `command room renamed: what the room is now is asked for, and its name is shown`()
    async throws
  {
    let keeper = keeper(MemoryBookmarkStore())
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
    try await working(keeper) {
      try await enter(keeper, RoomChannel())
      await keeper.sessionEnded()
      try await enter(keeper, channel)
      try await keeper.apply(
        SyncCommand(
          id: "c", isKept: false, kind: .roomChanged, sender: room,
          stanza: Element("message", Namespace.client, ["type": "groupchat"])))
      try await until { await keeper.rooms().first?.name == "The new name" }
    }
  }

  @Test(arguments: [(307, RoomExit.Cause.kicked), (301, .banned)])
  func `command removed from a room: the database knows that the person is outside`(
    code: Int, cause: RoomExit.Cause
  ) async throws {
    let store = MemoryBookmarkStore()
    let keeper = keeper(store)
    let channel = RoomChannel()
    try await working(keeper) {
      try await enter(keeper, channel)
      let exit = RoomStanza.presence("alice", type: "unavailable", codes: [110, code])
      await keeper.receive([.presence(exit)])
      let command = try #require(SyncCommand.exit(exit.element, of: room))
      try await keeper.apply(command)
      try await keeper.apply(command)
      #expect(await store.stored[room]?.exit?.cause == cause)
      #expect(await store.stored[room]?.isWanted == false)
    }
  }

  @Test func `command banned from a room: nothing sends the person back in, also not the bookmark`()
    async throws
  {
    let store = MemoryBookmarkStore()
    let keeper = keeper(store)
    try await working(keeper) {
      try await enter(keeper, RoomChannel())
      let exit = RoomStanza.presence("alice", type: "unavailable", codes: [110, 301])
      await keeper.receive([.presence(exit)])
      try await keeper.apply(try #require(SyncCommand.exit(exit.element, of: room)))
      await keeper.sessionEnded()
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
      await keeper.sessionStarted(.fixture, over: next)
      // When this is there, what the bookmark says was looked at.
      _ = try await keeper.list(over: next)
      await keeper.sessionResumed()
      #expect(await next.sent.isEmpty)
      #expect(await keeper.route(to: room) == .outside)
      #expect(await store.stored[room]?.exit?.cause == .banned)
    }
  }

  @Test func `group info: the room's name is kept in its conversation, and its features are known`()
    async throws
  {
    let keeper = keeper(MemoryBookmarkStore())
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
    try await working(keeper) {
      try await enter(keeper, channel)
      let known = await keeper.rooms().first
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

  @Test func `moderation goes by nick for roles and by address for affiliations`() async throws {
    let keeper = keeper(MemoryBookmarkStore())
    let channel = RoomChannel()
    try await working(keeper) {
      try await enter(keeper, channel)
      await keeper.receive([
        .presence(RoomStanza.presence("carol", jid: "carol@example.org/x"))
      ])
      try await keeper.setRole(.none, of: "bob", in: room, reason: "noise")
      let kick = await channel.requests.compactMap { $0.first("query", XEP0045.admin) }.last?
        .elements.first
      #expect(kick?["nick"] == "bob" && kick?["role"] == "none")
      try await keeper.setAffiliation(.outcast, of: "carol", in: room, reason: nil)
      let ban = await channel.requests.compactMap { $0.first("query", XEP0045.admin) }.last?
        .elements.first
      #expect(ban?["jid"] == "carol@example.org" && ban?["affiliation"] == "outcast")
      await #expect(throws: NatterError.self) {
        try await keeper.setAffiliation(.outcast, of: "bob", in: room, reason: nil)
      }
      await #expect(throws: NatterError.self) {
        try await keeper.setRole(.none, of: "nobody", in: room, reason: nil)
      }
    }
  }

  @Test func `settings that nobody changed go back as the room has them now`() async throws {
    let form = XEP0004DataForm(
      .form,
      fields: [
        .init("FORM_TYPE", kind: .hidden, values: [XEP0045.configuration]),
        .init("muc#roomconfig_roomname", label: "Name", values: ["old"]),
        .init("muc#roomconfig_persistentroom", kind: .boolean, values: ["1"]),
      ])
    let keeper = keeper(MemoryBookmarkStore())
    let channel = RoomChannel { iq in
      guard iq["type"] == "get", iq.first("query", XEP0045.owner) != nil else { return nil }
      return XEP0045.ownership("result", room: RoomStanza.room, form.element)
    }
    try await working(keeper) {
      try await enter(keeper, channel)
      let settings = try await keeper.configuration(of: room)
      #expect(settings.fields.map(\.label) == ["Name", "muc#roomconfig_persistentroom"])
      try await keeper.configure(room, with: ["muc#roomconfig_roomname": ["new"]])
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

extension SyncCommand {
  /// What the inbox makes of the presence that says that somebody is not in a room any more.
  fileprivate static func exit(_ presence: Element, of room: JID) -> SyncCommand? {
    guard presence["type"] == "unavailable" else { return nil }
    return SyncCommand(
      id: "e", isKept: false, kind: .roomExit, sender: room.with(resource: "alice"),
      stanza: presence)
  }
}
