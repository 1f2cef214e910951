import Diagnostics
import Foundation
import NatterCore
import Storage
import TestSupport
import Testing
import XML
import XMPP

@testable import MessagingService

@Suite struct ReadStateSyncTests {
  static let alice = JID(local: "alice", domain: "example.org")
  static let bob = JID(local: "bob", domain: "example.org")

  let database: AccountDatabase
  let hub = EventHub()
  let channel = RecordingChannel()

  init() async throws { database = try await AccountDatabase.inMemory() }

  func keeper(
    _ subscription: Contact.Subscription = .both, sendsMarkers: Bool = true, also others: JID...,
    store: (any ReadStateStoring)? = nil,
    sleep: @escaping @Sendable (Duration) async throws -> Void = { _ in throw CancellationError() }
  ) -> ReadStateSync {
    ReadStateSync(
      account: Self.alice, store: store ?? database.readState, deliveries: database.outbox,
      roster: MemoryRosterStore(
        ([Self.bob] + others).map { Contact(jid: $0, subscription: subscription) }), hub: hub,
      log: .none, sendsMarkers: sendsMarkers, sleep: sleep)
  }

  /// Stores messages of bob's as the receiver does, and has the keeper see them.
  func arrive(
    _ numbers: ClosedRange<Int>, from sender: JID = Self.bob, at keeper: ReadStateSync
  ) async throws {
    for number in numbers {
      _ = try await database.messages.insert([
        IncomingMessage(
          conversation: sender, sender: sender, body: "\(number)",
          sentAt: Date(timeIntervalSince1970: Double(number)), originID: "o\(number)",
          stanzaID: "s\(number)")
      ]) { _ in true }
      await keeper.receive([
        .message(
          from: "\(sender)/a", id: "o\(number)", body: "\(number)", XEP0333Marker.request)
      ])
    }
  }

  /// Runs the sync until all due markers were sent.
  /// - Parameter channel: what goes over it is confirmed.
  func run(
    _ keeper: ReadStateSync, _ channel: RecordingChannel? = nil,
    until condition: () async throws -> Bool
  ) async throws {
    let work = Task { await keeper.run() }
    defer { work.cancel() }
    try await waits {
      if let channel { await keeper.serverAcknowledged(channel.sent.compactMap { $0["id"] }) }
      return try await condition()
    }
  }

  func waits(until condition: () async throws -> Bool) async throws {
    let deadline = ContinuousClock.now + .seconds(60)
    while ContinuousClock.now < deadline {
      if try await condition() { return }
      // Other tests run at the same time: polling without a pause would delay them.
      try await Task.sleep(for: .milliseconds(1))
    }
    Issue.record("what was due was not told")
  }

  func isAllReported() async throws -> Bool {
    let markers = try await database.readState.markersDue()
    let positions = try await database.readState.positionsDue()
    return markers.isEmpty && positions.isEmpty
  }

  @Test func `reading sends one marker to the sender and one position to the account`()
    async throws
  {
    let channel = RecordingChannel { iq in
      if iq["type"] == "get" { throw StanzaError(.cancel, .itemNotFound) }
      return Element("iq", Namespace.client, ["type": "result"])
    }
    let keeper = keeper()
    try await arrive(1...3, at: keeper)
    await keeper.sessionStarted(.fixture, over: channel)
    #expect(await channel.sent.isEmpty)
    #expect(try await keeper.markRead(Self.bob)?.unread == 0)
    try await run(keeper, channel, until: isAllReported)
    let sent = await channel.sent
    #expect(sent.map { $0["to"] } == ["bob@example.org"])
    #expect(sent.first?.first("displayed", XEP0333Marker.namespace)?["id"] == "o3")
    // server-quirks.md, "Both": ejabberd archives no marker by itself.
    #expect(sent.first?.first("store", "urn:xmpp:hints") != nil)
    let requests = await channel.requests
    #expect(requests.map { $0["type"] } == ["get", "set", "set"])
    #expect(requests[1] == XEP0490Displayed.creation)
    #expect(
      requests[2]
        == XEP0490Displayed(conversation: Self.bob, stanzaID: "s3", by: Self.alice).publication)
  }

  @Test func `a connection that breaks between two markers: what is not confirmed goes again`()
    async throws
  {
    let carol = JID(local: "carol", domain: "example.org")
    let keeper = keeper(also: carol)
    try await arrive(1...1, at: keeper)
    try await arrive(2...2, from: carol, at: keeper)
    _ = try await keeper.markRead(Self.bob)
    _ = try await keeper.markRead(carol)
    let channel = RecordingChannel()
    await channel.breakDown(after: 1)
    let work = Task { await keeper.run() }
    defer { work.cancel() }
    await keeper.sessionStarted(.fixture, over: channel)
    try await waits { await channel.sent.count == 1 }
    await keeper.serverAcknowledged(await channel.sent.compactMap { $0["id"] })
    await keeper.sessionEnded()
    let next = RecordingChannel()
    await keeper.sessionStarted(.fixture, over: next)
    try await waits { await next.sent.count == 1 }
    // Nobody says that the server has that one.
    await keeper.sessionEnded()
    let last = RecordingChannel()
    await keeper.sessionStarted(.fixture, over: last)
    try await waits { await last.sent.count == 1 }
    await keeper.serverAcknowledged(await last.sent.compactMap { $0["id"] })
    try await waits(until: isAllReported)
    let sent = await (channel.sent + next.sent).map { $0["to"] ?? "" }
    #expect(sent.sorted() == ["bob@example.org", "carol@example.org"])
    #expect(await last.sent.map { $0["to"] } == next.sent.map { $0["to"] })
  }

  @Test func `a marker of an earlier run that is on its way once more is not sent again`()
    async throws
  {
    let carol = JID(local: "carol", domain: "example.org")
    let first = keeper()
    try await arrive(1...1, at: first)
    _ = try await first.markRead(Self.bob)
    await first.sessionStarted(.fixture, over: channel)
    try await run(first) { await channel.sent.count == 1 }
    let ids = await channel.sent.compactMap { $0["id"] }
    let restarted = keeper(also: carol)
    let next = RecordingChannel()
    try await arrive(2...2, from: carol, at: restarted)
    _ = try await restarted.markRead(carol)
    await restarted.sessionTakenUp(underWay: ids)
    await restarted.sessionStarted(.fixture, over: next)
    try await run(restarted) { await !next.sent.isEmpty }
    #expect(await next.sent.map { $0["to"] } == ["carol@example.org"])
    await restarted.serverAcknowledged(ids)
    #expect(
      try await database.readState.markersDue() == [ReadMarker(conversation: carol, id: "o2")])
  }

  @Test func `a disk that is full for a while costs nothing of what was read`() async throws {
    let store = RefusingReadStateStore(database.readState)
    let keeper = keeper(store: store, sleep: { _ in await store.refuse(false) })
    await store.refuse(true)
    try await arrive(1...2, at: keeper)
    // The marker to send for it, once it is read here.
    _ = try await keeper.markRead(Self.bob)
    #expect(
      try await database.readState.markersDue() == [ReadMarker(conversation: Self.bob, id: "o2")])
    _ = try await database.outbox.enqueue(
      body: "mine", to: Self.bob, from: Self.alice, originID: "m1",
      at: Date(timeIntervalSince1970: 9))
    await store.refuse(true)
    await keeper.receive([.message(from: "bob@example.org/x", XEP0333Marker.displayed("m1"))])
    #expect(try await database.timeline.latest(1, in: Self.bob).map(\.delivery) == [.read])
    try await arrive(3...3, at: keeper)
    await store.refuse(true)
    await keeper.receive([position("s3")])
    #expect(try await database.conversations.conversation(Self.bob)?.unread == 0)
  }

  /// Returns the notification that another client of the account has read up to the message with
  /// the archive's id `id`.
  func position(_ id: String, in conversation: JID = Self.bob) -> Stanza {
    .message(
      from: "alice@example.org", type: "headline",
      Element(
        "event", XEP0060.events, [:],
        [
          Element(
            "items", XEP0060.events, ["node": XEP0490Displayed.node],
            [item(XEP0060.events, id, in: conversation)])
        ]))
  }

  /// Returns a read position as an item of the node.
  func item(_ namespace: String, _ id: String, in conversation: JID) -> Element {
    let position = Element(
      "displayed", XEP0490Displayed.node, [:],
      [Element("stanza-id", Namespace.stanzaIDs, ["by": "alice@example.org", "id": id])])
    return Element("item", namespace, ["id": conversation.description], [position])
  }

  @Test func `what an occupant has got or read says nothing of the room`() async throws {
    let room = JID(local: "den", domain: "rooms.example.org")
    _ = try await database.conversations.open(room, kind: .room)
    _ = try await database.outbox.enqueue(
      body: "hello", to: room, from: Self.alice, originID: "m1", at: Date(timeIntervalSince1970: 1))
    _ = try await database.outbox.setDelivery(.sent, ofOriginID: "m1")
    let keeper = keeper()
    await keeper.receive([
      .message(
        from: "\(room)/mallory", Element("received", XEP0333Marker.namespace, ["id": "m1"])),
      .message(from: "\(room)/mallory", XEP0333Marker.displayed("m1")),
    ])
    #expect(try await database.timeline.latest(1, in: room).map(\.delivery) == [.sent])
  }

  @Test(arguments: [
    StanzaError(.auth, .forbidden),
    StanzaError(
      .auth, .notAuthorized,
      applicationCondition: Element(
        "presence-subscription-required", "http://jabber.org/protocol/pubsub#errors")),
  ])
  func `a node that is closed to this client is left alone, and markers go all the same`(
    refusal: StanzaError
  ) async throws {
    // Two servers say it in two ways.
    let channel = RecordingChannel { _ in throw refusal }
    let keeper = keeper()
    try await arrive(1...1, at: keeper)
    await keeper.sessionStarted(.fixture, over: channel)
    _ = try await keeper.markRead(Self.bob)
    let work = Task { await keeper.run() }
    defer { work.cancel() }
    try await waits { await channel.sent.count == 1 }
    await keeper.serverAcknowledged(await channel.sent.compactMap { $0["id"] })
    #expect(await channel.requests.count == 1)
    // In the next session it may be open.
    await keeper.sessionEnded()
    let open = RecordingChannel()
    await keeper.sessionStarted(.fixture, over: open)
    try await waits(until: isAllReported)
    #expect(await open.sent.isEmpty)
  }

  @Test func `a node that others may read is closed first`() async throws {
    let channel = RecordingChannel { iq in
      let closes = iq.first("pubsub", "http://jabber.org/protocol/pubsub#owner") != nil
      if iq["type"] == "set", !closes { throw StanzaError(.cancel, .conflict) }
      return Element("iq", Namespace.client, ["type": "result"])
    }
    let keeper = keeper()
    try await arrive(1...1, at: keeper)
    await keeper.sessionStarted(.fixture, over: channel)
    _ = try await keeper.markRead(Self.bob)
    try await run(keeper) {
      await channel.requests.contains { $0 == XEP0490Displayed.reconfiguration }
    }
  }

  @Test func `what was read without a connection is reported in the next session`() async throws {
    let keeper = keeper()
    try await arrive(1...1, at: keeper)
    _ = try await keeper.markRead(Self.bob)
    let channel = RecordingChannel()
    await keeper.sessionStarted(.fixture, over: channel)
    try await run(keeper, channel, until: isAllReported)
    #expect(await channel.sent.count == 1)
  }

  @Test(arguments: [(Contact.Subscription.none, true), (.to, true), (.both, false)])
  func `strangers get no marker, and none is sent where the user does not want it`(
    subscription: Contact.Subscription, sendsMarkers: Bool
  ) async throws {
    let channel = RecordingChannel()
    let keeper = keeper(subscription, sendsMarkers: sendsMarkers)
    try await arrive(1...1, at: keeper)
    await keeper.sessionStarted(.fixture, over: channel)
    _ = try await keeper.markRead(Self.bob)
    try await run(keeper, until: isAllReported)
    #expect(await channel.sent.isEmpty)
  }

  @Test func `a server without such a node is asked once`() async throws {
    let channel = RecordingChannel { _ in throw StanzaError(.cancel, .serviceUnavailable) }
    let keeper = keeper()
    try await arrive(1...1, at: keeper)
    await keeper.sessionStarted(.fixture, over: channel)
    _ = try await keeper.markRead(Self.bob)
    try await run(keeper) { await !channel.sent.isEmpty }
    #expect(await channel.requests.count == 1)
    #expect(try await database.readState.positionsDue().count == 1)
  }

  @Test func `what the server keeps, and what it sends later, is read here`() async throws {
    let space = "http://jabber.org/protocol/pubsub"
    let channel = RecordingChannel { _ in
      let item = Element(
        "item", space, ["id": "bob@example.org"],
        [
          Element(
            "displayed", XEP0490Displayed.node, [:],
            [Element("stanza-id", Namespace.stanzaIDs, ["by": "alice@example.org", "id": "s2"])])
        ])
      return Element(
        "iq", Namespace.client, ["type": "result"],
        [
          Element(
            "pubsub", space, [:],
            [Element("items", space, ["node": XEP0490Displayed.node], [item])])
        ])
    }
    let keeper = keeper()
    try await arrive(1...3, at: keeper)
    let events = hub.events()
    await keeper.sessionStarted(.fixture, over: channel)
    #expect(try await database.conversations.conversation(Self.bob)?.unread == 1)
    let published = await events.published(on: hub)
    guard case .conversationsChanged(let changed)? = published.first else {
      Issue.record("nothing was told")
      return
    }
    #expect(changed.map(\.unread) == [1])
    // Read positions of another client are notified, twice by some servers (server-quirks.md,
    // "ejabberd"), and applied here once.
    let position = Element(
      "displayed", XEP0490Displayed.node, [:],
      [Element("stanza-id", Namespace.stanzaIDs, ["by": "alice@example.org", "id": "s3"])])
    let event = Element(
      "event", space + "#event", [:],
      [
        Element(
          "items", space + "#event", ["node": XEP0490Displayed.node],
          [Element("item", space + "#event", ["id": "bob@example.org"], [position])])
      ])
    let addresses = Element(
      "addresses", "http://jabber.org/protocol/address", [:],
      [Element("address", "http://jabber.org/protocol/address", ["type": "replyto"])])
    let later = hub.events()
    await keeper.receive([.message(from: "eve@example.org", type: "headline", event)])
    #expect(try await database.conversations.conversation(Self.bob)?.unread == 1)
    await keeper.receive([.message(from: "alice@example.org", type: "headline", event)])
    await keeper.receive([.message(from: "alice@example.org", type: "headline", event, addresses)])
    #expect(try await database.conversations.conversation(Self.bob)?.unread == 0)
    let reported = await later.published(on: hub)
    #expect(reported.count == 1)
    guard case .conversationsChanged(let changed)? = reported.first else {
      Issue.record("nothing was told")
      return
    }
    #expect(changed.map(\.unread) == [0])
  }
}
