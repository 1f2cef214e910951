import Diagnostics
import Foundation
import NatterCore
import Synchronization
import TestSupport
import Testing
import XMPP

@testable import SendService

/// FLOWS.md 4, as far as it needs no archive.
@Suite struct OutboxTests {
  let store = MemoryMessageStore()
  let hub = EventHub()
  let channel = RecordingChannel()
  let alice = JID(local: "alice", domain: "example.org")
  let bob = JID(local: "bob", domain: "example.org")

  private func outbox(now: @escaping @Sendable () -> Date = { Date(timeIntervalSince1970: 1000) })
    -> Outbox
  {
    let counter = Mutex(0)
    return Outbox(
      account: alice, store: store, hub: hub, log: .none,
      identifiers: IdentifierSource {
        counter.withLock {
          $0 += 1
          return "m\($0)"
        }
      }, now: now)
  }

  @Test func `a message is stored and announced before a byte is sent`() async throws {
    let outbox = outbox()
    let events = hub.events()
    let message = try await outbox.send("hello", to: bob)
    #expect(message.delivery == .queued)
    #expect(await store.all.map(\.body) == ["hello"])
    #expect(await events.published(on: hub).contains(.messagesStored([message])))
    #expect(await channel.sent.isEmpty)
  }

  @Test func `connected: the stanza carries the body, its id as origin-id, and asks for a receipt`()
    async throws
  {
    let outbox = outbox()
    await outbox.sessionStarted(.fixture, over: channel)
    try await outbox.send("hello", to: bob)
    let stanza = try #require(await channel.sent.first)
    #expect(stanza["to"] == "bob@example.org")
    #expect(stanza["id"] == "m1")
    #expect(stanza.first("body", Namespace.client)?.text == "hello")
    #expect(stanza.first("origin-id", Namespace.stanzaIDs)?["id"] == "m1")
    #expect(stanza.first("request", Namespace.receipts) != nil)
    #expect(stanza.first("delay", Namespace.delay) == nil)
  }

  @Test func `not connected: it is sent by itself after reconnecting, in order, with its own time`()
    async throws
  {
    let clock = Mutex(Date(timeIntervalSince1970: 1000))
    let outbox = outbox { clock.withLock { $0 } }
    for text in ["one", "two", "three"] { try await outbox.send(text, to: bob) }
    clock.withLock { $0 = Date(timeIntervalSince1970: 2000) }
    await outbox.sessionStarted(.fixture, over: channel)
    let sent = await channel.sent
    #expect(sent.map { $0.first("body", Namespace.client)?.text } == ["one", "two", "three"])
    #expect(sent.allSatisfy { $0.first("delay", Namespace.delay) != nil })
  }

  @Test func `acknowledged: yes, the message becomes sent`() async throws {
    let outbox = outbox()
    await outbox.sessionStarted(.fixture, over: channel)
    try await outbox.send("hello", to: bob)
    await outbox.serverAcknowledged(["m1"])
    #expect(await store.all.map(\.delivery) == [.sent])
  }

  @Test func `a message without acknowledgement stays queued and is sent again with the same id`()
    async throws
  {
    let outbox = outbox()
    await outbox.sessionStarted(.fixture, over: channel)
    try await outbox.send("hello", to: bob)
    await outbox.sessionEnded()
    #expect(await store.all.map(\.delivery) == [.queued])
    let next = RecordingChannel()
    await outbox.sessionStarted(.fixture, over: next)
    #expect(await next.sent.map { $0["id"] } == ["m1"])
  }

  @Test func `within a session nothing is written twice`() async throws {
    let outbox = outbox()
    await outbox.sessionStarted(.fixture, over: channel)
    for text in ["one", "two", "three"] { try await outbox.send(text, to: bob) }
    #expect(await channel.sent.map { $0["id"] } == ["m1", "m2", "m3"])
  }

  @Test func `what the server refuses is failed, with the server's reason, and can be sent again`()
    async throws
  {
    let outbox = outbox()
    await outbox.sessionStarted(.fixture, over: channel)
    let message = try await outbox.send("hello", to: bob)
    let error = Element(
      "error", Namespace.client, ["type": "cancel"],
      [
        Element("service-unavailable", Namespace.stanzaErrors),
        Element("text", Namespace.stanzaErrors, text: "nobody here"),
      ])
    await outbox.receive([.message(from: "bob@example.org", id: "m1", type: "error", error)])
    guard case .failed(let reason) = await store.all.first?.delivery else {
      Issue.record("not failed")
      return
    }
    #expect(reason.contains("nobody here"))
    try await outbox.retry(message)
    #expect(await channel.sent.count == 2)
    #expect(await store.all.map(\.delivery) == [.queued])
  }

  @Test func `a refusal or receipt from somebody else changes nothing`() async throws {
    let outbox = outbox()
    await outbox.sessionStarted(.fixture, over: channel)
    try await outbox.send("hello", to: bob)
    let receipt = Element("received", Namespace.receipts, ["id": "m1"])
    await outbox.receive([.message(from: "mallory@example.org/x", receipt)])
    #expect(await store.all.map(\.delivery) == [.queued])
    await outbox.receive([.message(from: "bob@example.org/phone", receipt)])
    #expect(await store.all.map(\.delivery) == [.delivered])
  }

  @Test func `an error about one dead device of the recipient is no failure`() async throws {
    let outbox = outbox()
    await outbox.sessionStarted(.fixture, over: channel)
    try await outbox.send("hello", to: bob)
    await outbox.serverAcknowledged(["m1"])
    let error = Element(
      "error", Namespace.client, ["type": "wait"],
      [Element("recipient-unavailable", Namespace.stanzaErrors)])
    await outbox.receive([.message(from: "bob@example.org", id: "m1", type: "error", error)])
    #expect(await store.all.map(\.delivery) == [.sent])
  }

  @Test func `a message that cannot be stored is not sent and the caller is told`() async {
    let outbox = outbox()
    await outbox.sessionStarted(.fixture, over: channel)
    let full = NatterError(.storage, "error.storage.full")
    await store.fail(with: full)
    await #expect(throws: full) { try await outbox.send("hello", to: bob) }
    #expect(await channel.sent.isEmpty)
  }

  @Test func `a queued message can be taken back, a sent one cannot`() async throws {
    let outbox = outbox()
    let message = try await outbox.send("oops", to: bob)
    try await outbox.cancel(message)
    #expect(await store.all.isEmpty)
    let kept = try await outbox.send("fine", to: bob)
    await outbox.sessionStarted(.fixture, over: channel)
    await outbox.serverAcknowledged(["m2"])
    await #expect(throws: NatterError.self) { try await outbox.cancel(kept) }
  }
}
