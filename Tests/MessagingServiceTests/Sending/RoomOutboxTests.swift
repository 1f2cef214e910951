import Diagnostics
import Foundation
import NatterCore
import Synchronization
import TestSupport
import Testing
import XML
import XMPP

@testable import MessagingService

/// flows.md, "Sending", in rooms: the reflected message is the acknowledgement.
@Suite struct RoomOutboxTests {
  final class Routes: MessageRouting {
    let current: Mutex<MessageRoute>
    init(_ route: MessageRoute) { current = Mutex(route) }
    func route(to conversation: JID) async -> MessageRoute { current.withLock { $0 } }
  }

  let store = MemoryMessageStore()
  let hub = EventHub()
  let channel = RecordingChannel()
  let room = JID(local: "den", domain: "rooms.example.org")

  private func outbox(_ routes: Routes) -> Outbox {
    Outbox(
      account: JID(local: "alice", domain: "example.org"), store: store, routes: routes, hub: hub,
      log: .none, options: OutboxOptions(identifiers: IdentifierSource { "m1" }))
  }

  @Test func `a message for a room is a groupchat message, and the server's word is not enough`()
    async throws
  {
    let outbox = outbox(Routes(.room))
    await outbox.sessionStarted(.fixture, over: channel)
    try await outbox.send("hello", to: room)
    let stanza = try #require(await channel.sent.first)
    #expect(stanza["type"] == "groupchat" && stanza["to"] == room.description)
    #expect(stanza.first("request", Namespace.receipts) == nil)
    await outbox.serverAcknowledged(["m1"])
    #expect(await store.all.first?.delivery == .queued)
  }

  /// The room's answer to the message.
  private func refusal(_ error: StanzaError) -> Stanza {
    .message(from: room.description, id: "m1", type: "error", error.element)
  }

  @Test func `what a room that is busy does not take is failed`() async throws {
    let outbox = outbox(Routes(.room))
    await outbox.sessionStarted(.fixture, over: channel)
    try await outbox.send("hello", to: room)
    await outbox.receive([refusal(StanzaError(.wait, .resourceConstraint, text: "too fast"))])
    #expect(
      await store.all.map(\.delivery) == [.failed(reason: "too fast (resource constraint)")])
  }

  @Test func `what is written before the room is entered waits for it`() async throws {
    let routes = Routes(.held)
    let outbox = outbox(routes)
    let events = hub.events()
    let work = Task { await outbox.follow(events) }
    defer { work.cancel() }
    await outbox.sessionStarted(.fixture, over: channel)
    try await outbox.send("hello", to: room)
    #expect(await channel.sent.isEmpty)
    #expect(await store.attempts().isEmpty)
    routes.current.withLock { $0 = .room }
    hub.publish(.roomEntered(room, hasArchive: false))
    let deadline = ContinuousClock.now + .seconds(20)
    while await channel.sent.isEmpty, ContinuousClock.now < deadline { await Task.yield() }
    #expect(await channel.sent.count == 1)
  }

  @Test(arguments: [RoomExit.Cause.banned, .passwordWrong, .notMember, .shutdown])
  func `what waits for a room fails as soon as that does not let the user in`(
    cause: RoomExit.Cause
  ) async throws {
    let routes = Routes(.held)
    let outbox = outbox(routes)
    await outbox.sessionStarted(.fixture, over: channel)
    try await outbox.send("hello", to: room)
    #expect(await store.all.first?.delivery == .queued)
    routes.current.withLock { $0 = .outside }
    let (events, news) = AsyncStream<DomainEvent>.makeStream()
    news.yield(.roomsChanged([Room(jid: room, nick: "alice", exit: RoomExit(cause))]))
    news.finish()
    await outbox.follow(events)
    // One that is down is entered again by itself.
    let waits = await store.all.first?.delivery == .queued
    #expect(waits == (cause == .shutdown))
    #expect(await channel.sent.isEmpty)
  }

  @Test
  func `what waits for a room fails as soon as the user leaves it, also without a connection`()
    async throws
  {
    let routes = Routes(.held)
    let outbox = outbox(routes)
    try await outbox.send("hello", to: room)
    routes.current.withLock { $0 = .outside }
    let (events, news) = AsyncStream<DomainEvent>.makeStream()
    news.yield(.roomsChanged([Room(jid: room, nick: "alice", exit: nil)]))
    news.finish()
    let reported = hub.events()
    await outbox.follow(events)
    let failed = try #require(await store.all.first)
    #expect(failed.delivery == .failed(reason: "not in the room"))
    #expect(await reported.published(on: hub).contains(.messagesChanged([failed])))
    // In the room again, it is sent at the user's request.
    routes.current.withLock { $0 = .room }
    await outbox.sessionStarted(.fixture, over: channel)
    #expect(await channel.sent.isEmpty)
    try await outbox.retry(failed)
    await outbox.flush()
    #expect(await channel.sent.map { $0["id"] } == ["m1"])
  }

  @Test
  func `what may have reached a room before it was left is looked for before it is sent again`()
    async throws
  {
    let routes = Routes(.room)
    let outbox = outbox(routes)
    let archive = ScriptedArchive(account: JID(local: "alice", domain: "example.org"))
    await outbox.sessionStarted(.fixture, over: archive)
    try await outbox.send("hello", to: room)
    #expect(await archive.sent.count == 1)
    let copy = Element(
      "message", Namespace.client, ["from": "\(room)/alice", "type": "groupchat", "id": "m1"],
      [Element("body", Namespace.client, text: "hello")])
    await archive.setEntries(
      [.init(id: "a1", stamp: Date(), message: MessageStanza(copy))], of: room)
    await outbox.sessionEnded()
    routes.current.withLock { $0 = .outside }
    await outbox.sessionStarted(.fixture, over: archive)
    let failed = try #require(await store.all.first)
    #expect(failed.delivery == .failed(reason: "not in the room"))
    #expect(await store.refusals().isEmpty)
    routes.current.withLock { $0 = .room }
    #expect(await archive.asked.isEmpty)
    try await outbox.retry(failed)
    await outbox.flush()
    #expect(await archive.asked == [room])
    #expect(await archive.sent.count == 1)
    #expect(await store.all.first?.delivery == .sent)
  }

  @Test func `a room that the user left takes nothing`() async throws {
    let outbox = outbox(Routes(.outside))
    await outbox.sessionStarted(.fixture, over: channel)
    try await outbox.send("hello", to: room)
    guard case .failed = await store.all.first?.delivery else {
      Issue.record("it did not fail")
      return
    }
    #expect(await channel.sent.isEmpty)
  }

  @Test func `a room that had lost this client does not fail the message`() async throws {
    let outbox = outbox(Routes(.room))
    await outbox.sessionStarted(.fixture, over: channel)
    try await outbox.send("hello", to: room)
    await outbox.receive([refusal(StanzaError(.cancel, .notAcceptable))])
    #expect(await store.all.first?.delivery == .queued)
    await outbox.receive([refusal(StanzaError(.auth, .forbidden))])
    guard case .failed = await store.all.first?.delivery else {
      Issue.record("it did not fail")
      return
    }
  }

  @Test(arguments: [false, true])
  func `nor where the session was cut off meanwhile, and is taken up`(isAnotherRun: Bool)
    async throws
  {
    var outbox = outbox(Routes(.room))
    await outbox.sessionStarted(.fixture, over: channel)
    try await outbox.send("hello", to: room)
    await outbox.serverAcknowledged(["m1"])
    await outbox.sessionEnded()
    if isAnotherRun { outbox = self.outbox(Routes(.room)) }
    // Before the session begins the server reports what it had received; whether the room has it is
    // another question.
    await outbox.serverAcknowledged(["m1"])
    #expect(await store.all.map(\.delivery) == [.queued])
    await outbox.sessionTakenUp(underWay: [])
    await outbox.receive([refusal(StanzaError(.cancel, .notAcceptable))])
    #expect(await store.all.map(\.delivery) == [.queued])
  }

  @Test
  func `what comes back in a session that is taken up, from a room that was left, has arrived`()
    async throws
  {
    let routes = Routes(.room)
    let outbox = outbox(routes)
    await outbox.sessionStarted(.fixture, over: channel)
    try await outbox.send("hello", to: room)
    await outbox.sessionEnded()
    routes.current.withLock { $0 = .outside }
    await outbox.sessionTakenUp(underWay: [])
    await outbox.receive([
      .message(from: "\(room)/alice", id: "m1", type: "groupchat", body: "hello")
    ])
    #expect(await store.all.map(\.delivery) == [.sent])
  }

  @Test func `what was written and did not arrive before the user was kicked fails`()
    async throws
  {
    let routes = Routes(.room)
    let outbox = outbox(routes)
    await outbox.sessionStarted(.fixture, over: channel)
    try await outbox.send("hello", to: room)
    routes.current.withLock { $0 = .outside }
    await outbox.receive([refusal(StanzaError(.cancel, .notAcceptable))])
    #expect(await store.all.map(\.delivery) == [.failed(reason: "not in the room")])
  }

  @Test func `what comes back after the room was left has arrived`() async throws {
    let routes = Routes(.room)
    let outbox = outbox(routes)
    await outbox.sessionStarted(.fixture, over: channel)
    try await outbox.send("hello", to: room)
    routes.current.withLock { $0 = .outside }
    func said(in occupant: String) -> Stanza {
      .message(from: occupant, id: "m1", type: "groupchat", body: "hello")
    }
    await outbox.receive([said(in: "other@rooms.example.org/alice")])
    #expect(await store.all.map(\.delivery) == [.queued])
    await outbox.receive([said(in: "\(room)/alice")])
    #expect(await store.all.map(\.delivery) == [.sent])
  }

  @Test func `private messages carry the room's mark and go to one occupant`() async throws {
    let outbox = outbox(Routes(.occupant))
    await outbox.sessionStarted(.fixture, over: channel)
    let bob = JID(local: "den", domain: "rooms.example.org", resource: "bob")
    try await outbox.send("psst", to: bob)
    let stanza = try #require(await channel.sent.first)
    #expect(stanza["type"] == "chat" && stanza["to"] == "\(room)/bob")
    #expect(stanza.first("x", XEP0045.user) != nil)
  }
}
