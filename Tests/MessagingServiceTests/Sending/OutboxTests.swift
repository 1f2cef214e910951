import Diagnostics
import Foundation
import NatterCore
import Synchronization
import TestSupport
import Testing
import XML
import XMPP

@testable import MessagingService

/// flows.md, "Sending", as far as it needs no archive.
@Suite struct OutboxTests {
  let store = MemoryMessageStore()
  let hub = EventHub()
  let channel = RecordingChannel()
  let alice = JID(local: "alice", domain: "example.org")
  let bob = JID(local: "bob", domain: "example.org")

  func outbox(now: @escaping @Sendable () -> Date = { Date(timeIntervalSince1970: 1000) })
    -> Outbox
  {
    Outbox(account: alice, store: store, hub: hub, log: .none, options: .fixture(now: now))
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

  @Test func `what was acknowledged right before the connection ended is not sent again`()
    async throws
  {
    let outbox = outbox()
    await outbox.sessionStarted(.fixture, over: channel)
    for number in 1...3 { try await outbox.send("text \(number)", to: bob) }
    // The task that passes acknowledgements on is cancelled when the stream ends.
    await Task {
      withUnsafeCurrentTask { $0?.cancel() }
      await outbox.serverAcknowledged(["m1", "m2", "m3"])
    }.value
    #expect(await store.all.map(\.delivery) == [.sent, .sent, .sent])
  }

  @Test func `acknowledged: delivered, by the recipient's receipt, and the screen hears of it`()
    async throws
  {
    let outbox = outbox()
    await outbox.sessionStarted(.fixture, over: channel)
    try await outbox.send("one", to: bob)
    try await outbox.send("two", to: bob)
    await outbox.serverAcknowledged(["m1", "m2"])
    let events = hub.events()
    await outbox.receive([
      .message(
        from: "bob@example.org/phone", Element("received", Namespace.receipts, ["id": "m1"]))
    ])
    #expect(await store.all.map(\.delivery) == [.delivered, .sent])
    let reported = await events.published(on: hub).flatMap { event -> [Delivery?] in
      guard case .messagesChanged(let messages) = event else { return [] }
      return messages.map(\.delivery)
    }
    #expect(reported == [.delivered])
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

  @Test func `timed out: no, it waits`() async throws {
    let clock = Mutex(Date(timeIntervalSince1970: 1000))
    let outbox = outbox { clock.withLock { $0 } }
    try await outbox.send("hello", to: bob)
    clock.withLock { $0 += 1799 }
    await Self.onePass(of: outbox)
    #expect(await store.all.map(\.delivery) == [.queued])
  }

  @Test func `timed out: yes, it is failed on the screen and not sent by itself`() async throws {
    let clock = Mutex(Date(timeIntervalSince1970: 1000))
    let outbox = outbox { clock.withLock { $0 } }
    try await outbox.send("hello", to: bob)
    clock.withLock { $0 += 1801 }
    let events = hub.events()
    await Self.onePass(of: outbox)
    let failed = try #require(await store.all.first)
    #expect(failed.delivery == .failed(reason: "timed out"))
    #expect(await events.published(on: hub).contains(.messagesChanged([failed])))
    await outbox.sessionStarted(.fixture, over: channel)
    #expect(await channel.sent.isEmpty)
  }

  @Test func `timed out, retry: its time begins anew, and it goes out under the same id`()
    async throws
  {
    let clock = Mutex(Date(timeIntervalSince1970: 1000))
    let outbox = outbox { clock.withLock { $0 } }
    try await outbox.send("hello", to: bob)
    clock.withLock { $0 += 1801 }
    await Self.onePass(of: outbox)
    try await outbox.retry(try #require(await store.all.first))
    clock.withLock { $0 += 1700 }
    await Self.onePass(of: outbox)
    #expect(await store.all.map(\.delivery) == [.queued])
    await outbox.sessionStarted(.fixture, over: channel)
    #expect(await channel.sent.map { $0["id"] } == ["m1"])
  }

  @Test func `timed out, cancel: it is gone`() async throws {
    let clock = Mutex(Date(timeIntervalSince1970: 1000))
    let outbox = outbox { clock.withLock { $0 } }
    try await outbox.send("hello", to: bob)
    clock.withLock { $0 += 1801 }
    await Self.onePass(of: outbox)
    try await outbox.cancel(try #require(await store.all.first))
    #expect(await store.all.isEmpty)
    await outbox.sessionStarted(.fixture, over: channel)
    #expect(await channel.sent.isEmpty)
  }

  @Test func `an acknowledgement does not undo a refusal that came before it`() async throws {
    let outbox = outbox()
    await outbox.sessionStarted(.fixture, over: channel)
    try await outbox.send("hello", to: bob)
    let error = Element(
      "error", Namespace.client, ["type": "cancel"],
      [Element("service-unavailable", Namespace.stanzaErrors)])
    await outbox.receive([.message(from: "bob@example.org", id: "m1", type: "error", error)])
    await outbox.serverAcknowledged(["m1"])
    guard case .failed = await store.all.first?.delivery else {
      Issue.record("a refused message is shown as sent")
      return
    }
  }

  @Test func `what an earlier run sent is acknowledged to this one, and not sent again`()
    async throws
  {
    let outbox = outbox()
    try await outbox.send("hello", to: bob)
    await outbox.serverAcknowledged(["m1"])
    await outbox.sessionStarted(.fixture, over: channel)
    #expect(await store.all.map(\.delivery) == [.sent])
    #expect(await channel.sent.isEmpty)
  }

  @Test func `what is being taken out of the outbox is not written meanwhile`() async throws {
    let outbox = outbox()
    let message = try await outbox.send("oops", to: bob)
    await store.hold("m1")
    async let cancelled: Void = outbox.cancel(message)
    await store.waitsForHold()
    await outbox.sessionStarted(.fixture, over: channel)
    await store.letGo()
    try await cancelled
    #expect(await channel.sent.isEmpty)
    #expect(await store.all.isEmpty)
  }

  @Test func `a disk that is full for a while costs no refusal`() async throws {
    let outbox = Outbox(
      account: alice, store: store, hub: hub, log: .none,
      options: OutboxOptions(
        identifiers: IdentifierSource { "m1" }, now: { Date(timeIntervalSince1970: 1000) },
        sleep: { [store] _ in await store.fail(with: nil) }))
    await outbox.sessionStarted(.fixture, over: channel)
    try await outbox.send("hello", to: bob)
    await outbox.serverAcknowledged(["m1"])
    await store.fail(with: NatterError(.storage, "error.storage.full"))
    await outbox.receive([
      .message(
        from: "bob@example.org", id: "m1", type: "error",
        StanzaError(.cancel, .serviceUnavailable).element)
    ])
    guard case .failed = await store.all.first?.delivery else {
      Issue.record("a message that was refused is shown as sent")
      return
    }
  }

  /// Lets it look once whether something has waited too long.
  private static func onePass(of outbox: Outbox) async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await outbox.run() }
      await group.next()
    }
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
    await outbox.flush()
    #expect(await channel.sent.count == 2)
    #expect(await store.all.map(\.delivery) == [.queued])
  }

  @Test func `a refusal or receipt from another sender changes nothing`() async throws {
    let outbox = outbox()
    await outbox.sessionStarted(.fixture, over: channel)
    try await outbox.send("hello", to: bob)
    let receipt = Element("received", Namespace.receipts, ["id": "m1"])
    await outbox.receive([.message(from: "mallory@example.org/x", receipt)])
    #expect(await store.all.map(\.delivery) == [.queued])
    await outbox.receive([.message(from: "bob@example.org/phone", receipt)])
    #expect(await store.all.map(\.delivery) == [.delivered])
  }

  @Test func `a receipt that comes while acknowledgements are stored is reported after them`()
    async throws
  {
    let outbox = outbox()
    await outbox.sessionStarted(.fixture, over: channel)
    try await outbox.send("one", to: bob)
    try await outbox.send("two", to: bob)
    let events = hub.events()
    await store.hold("m2")
    async let acknowledged: Void = outbox.serverAcknowledged(["m1", "m2"])
    await store.waitsForHold()
    async let received: Void = outbox.receive([
      .message(
        from: "bob@example.org/phone",
        Element("received", Namespace.receipts, ["id": "m1"]))
    ])
    for _ in 0..<100 { await Task.yield() }
    await store.letGo()
    _ = await (acknowledged, received)
    let reported = await events.published(on: hub).flatMap { event -> [Delivery?] in
      guard case .messagesChanged(let messages) = event else { return [] }
      return messages.filter { $0.originID == "m1" }.map(\.delivery)
    }
    #expect(reported == [.sent, .delivered])
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

  @Test func `a message that cannot be stored is not sent and the caller gets an error`() async {
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
