import Diagnostics
import Foundation
import NatterCore
import Storage
import Synchronization
import TestSupport
import Testing
import XML
import XMPP

@testable import MessagingService

/// Stanzas that were written into a connection that was dead, or about to be, and the server's
/// later reports of them (server-quirks.md, "Prosody" and "Both").
@Suite(.timeLimit(.minutes(6))) struct DeadConnectionTests {
  private let alice = JID(local: "alice", domain: "example.org")
  private let bob = JID(local: "bob", domain: "example.org")
  private let room = JID(local: "den", domain: "rooms.example.org")
  private let hub = EventHub()
  private let database: AccountDatabase

  init() async throws { database = try await .inMemory() }

  private final class Routes: MessageRouting {
    let current = Mutex(MessageRoute.direct)
    func route(to conversation: JID) async -> MessageRoute { current.withLock { $0 } }
  }

  private let routes = Routes()

  private func outbox() -> Outbox {
    Outbox(
      account: alice, store: database.outbox, routes: routes, hub: hub, log: .none,
      options: .fixture(now: { Date(timeIntervalSince1970: 1_700_000_000) }))
  }

  private func archived(_ id: String, to peer: JID) -> ScriptedArchive.Entry {
    let element = Element(
      "message", Namespace.client,
      ["from": "\(alice)/natter", "to": peer.description, "type": "chat", "id": id],
      [
        Element("body", Namespace.client, text: "text"),
        Element("origin-id", Namespace.stanzaIDs, ["id": id]),
      ])
    return .init(
      id: "s-\(id)", stamp: Date(timeIntervalSince1970: 1_700_000_000),
      message: MessageStanza(element))
  }

  private func deliveries(in peer: JID) async throws -> [Delivery?] {
    try await database.timeline.latest(1000, in: peer).map(\.delivery)
  }

  @Test func `without stream management what went into a dead connection is looked for, then sent`()
    async throws
  {
    let unmanaged = Session(
      jid: JID(local: "alice", domain: "example.org", resource: "x"), features: StreamFeatures(),
      hasStreamManagement: false)
    let outbox = outbox()
    await outbox.sessionStarted(unmanaged, over: RecordingChannel())
    for number in 1...3 { try await outbox.send("text \(number)", to: bob) }
    // A ping was answered behind the first one, none behind the others; the second one arrived all
    // the same.
    await outbox.serverAcknowledged(["m1"])
    await outbox.sessionEnded()
    let archive = ScriptedArchive(
      account: alice, entries: [archived("m1", to: bob), archived("m2", to: bob)])
    await outbox.sessionStarted(unmanaged, over: archive)
    #expect(await archive.sent.map { $0["id"] } == ["m3"])
    #expect(try await deliveries(in: bob) == [.sent, .sent, .queued])
    await outbox.serverAcknowledged(["m3"])
    #expect(try await deliveries(in: bob) == [.sent, .sent, .sent])
  }

  @Test func `one error for each of hundreds that a dead device had is no failure of any`()
    async throws
  {
    // server-quirks.md, "Prosody": Prosody ends a session with more than 500 unacknowledged
    // stanzas, and reports each to its sender.
    let outbox = outbox()
    await outbox.sessionStarted(.fixture, over: RecordingChannel())
    for number in 1...600 { try await outbox.send("text \(number)", to: bob) }
    await outbox.serverAcknowledged((1...600).map { "m\($0)" })
    await outbox.receive(
      (1...600).map {
        .message(
          from: bob.description, id: "m\($0)", type: "error",
          StanzaError(.wait, .recipientUnavailable).element)
      })
    #expect(Set(try await deliveries(in: bob)) == [.sent])
  }

  @Test(arguments: [true, false])
  func `after a clean stop what the server had is sent, and the rest is written again`(
    reportsCount: Bool
  ) async throws {
    // Prosody reports how many it had handled, ejabberd does not.
    let outbox = outbox()
    await outbox.sessionStarted(.fixture, over: RecordingChannel())
    for number in 1...3 { try await outbox.send("text \(number)", to: bob) }
    // The count of <failed h='2'/> is reported before the old session ends.
    if reportsCount { await outbox.serverAcknowledged(["m1", "m2"]) }
    await outbox.sessionEnded()
    let archive = ScriptedArchive(
      account: alice, entries: [archived("m1", to: bob), archived("m2", to: bob)])
    await outbox.sessionStarted(.fixture, over: archive)
    #expect(await archive.sent.map { $0["id"] } == ["m3"])
    #expect(try await deliveries(in: bob) == [.sent, .sent, .queued])
  }

  @Test(arguments: [true, false])
  func `a room without an archive that is entered again gets what it did not send back, once`(
    hadArrived: Bool
  ) async throws {
    _ = try await database.conversations.open(room, kind: .room)
    routes.current.withLock { $0 = .room }
    let outbox = outbox()
    await outbox.sessionStarted(.fixture, over: RecordingChannel())
    try await outbox.send("hello", to: room)
    // The server has it, which says nothing of the room.
    await outbox.serverAcknowledged(["m1"])
    await outbox.sessionEnded()
    routes.current.withLock { $0 = .held }
    let next = RecordingChannel()
    await outbox.sessionStarted(.fixture, over: next)
    #expect(await next.sent.isEmpty)
    if hadArrived {
      // The room's history comes before it is open.
      _ = try await database.messages.insert([reflection(isDelayed: true)]) { _ in true }
    }
    routes.current.withLock { $0 = .room }
    let (events, news) = AsyncStream<DomainEvent>.makeStream()
    news.yield(.roomEntered(room, hasArchive: false))
    news.finish()
    await outbox.follow(events)
    #expect(await next.sent.map { $0["id"] } == (hadArrived ? [] : ["m1"]))
    #expect(await next.sent.allSatisfy { $0["type"] == "groupchat" })
    if !hadArrived {
      _ = try await database.messages.insert([reflection(isDelayed: false)]) { _ in true }
    }
    #expect(try await deliveries(in: room) == [.sent])
  }

  private func reflection(isDelayed: Bool) -> IncomingMessage {
    IncomingMessage(
      conversation: room, sender: room.with(resource: "alice") ?? room, direction: .outgoing,
      body: "hello", sentAt: Date(timeIntervalSince1970: 1_700_000_001), originID: "m1",
      stanzaID: nil, isDelayed: isDelayed)
  }

  @Test func `an acknowledgement that the disk has no room for is stored when it has`()
    async throws
  {
    let store = MemoryMessageStore()
    let pauses = Mutex(0)
    let outbox = Outbox(
      account: alice, store: store, hub: hub, log: .none,
      options: OutboxOptions(
        identifiers: IdentifierSource { "m1" }, now: { Date(timeIntervalSince1970: 1000) },
        sleep: { _ in
          let count = pauses.withLock {
            $0 += 1
            return $0
          }
          if count == 3 { await store.fail(with: nil) }
        }))
    await outbox.sessionStarted(.fixture, over: RecordingChannel())
    try await outbox.send("hello", to: bob)
    await store.fail(with: NatterError(.storage, "error.storage.full"))
    await outbox.serverAcknowledged(["m1"])
    #expect(await store.all.map(\.delivery) == [.sent])
    #expect(pauses.withLock { $0 } == 3)
  }
}
