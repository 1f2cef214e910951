import Diagnostics
import Foundation
import NatterCore
import Storage
import TestSupport
import Testing
import XML
import XMPP

@testable import MessagingService

/// A message that the server answers by ending the connection holds up nothing that is behind it.
@Suite struct SuspectMessageTests {
  let alice = JID(local: "alice", domain: "example.org")
  let bob = JID(local: "bob", domain: "example.org")
  let hub = EventHub()
  let database: AccountDatabase
  let identifiers: IdentifierSource
  let outbox: Outbox
  let tooBig = StreamError(.policyViolation, text: "XML stanza is too big")

  init() async throws {
    database = try await .inMemory()
    identifiers = .numbered()
    outbox = Self.outbox(of: alice, database, hub, identifiers)
  }

  private static func outbox(
    of account: JID, _ database: AccountDatabase, _ hub: EventHub, _ identifiers: IdentifierSource
  ) -> Outbox {
    Outbox(
      account: account, store: database.outbox, hub: hub, log: .none,
      texts: OutboxTexts(
        rejection: { "ended: \($0.text ?? "")" }, oversize: { "over \($0.bytes)" }),
      options: OutboxOptions(identifiers: identifiers))
  }

  /// A session that ends over what was sent in it.
  private func refuse() async {
    await outbox.sessionRefused(tooBig)
    await outbox.sessionEnded()
  }

  private func deliveries() async throws -> [Delivery?] {
    try await database.timeline.latest(9, in: bob).map(\.delivery)
  }

  @Test func `one at a time is sent after such an end, and what it happens to alone is failed`()
    async throws
  {
    for text in ["one", "big", "three"] { try await outbox.send(text, to: bob) }
    let first = ScriptedArchive(account: alice)
    await outbox.sessionStarted(.fixture, over: first)
    #expect(await first.sent.map { $0["id"] } == ["m1", "m2", "m3"])
    await refuse()
    #expect(try await deliveries() == [.queued, .queued, .queued])

    let second = ScriptedArchive(account: alice)
    await outbox.sessionStarted(.fixture, over: second)
    #expect(await second.sent.map { $0["id"] } == ["m1"])
    await outbox.serverAcknowledged(["m1"])
    #expect(await second.sent.map { $0["id"] } == ["m1", "m2"])
    await refuse()
    #expect(
      try await deliveries()
        == [.sent, .failed(reason: "ended: XML stanza is too big"), .queued])

    let third = ScriptedArchive(account: alice)
    await outbox.sessionStarted(.fixture, over: third)
    #expect(await third.sent.map { $0["id"] } == ["m3"])
    await outbox.serverAcknowledged(["m3"])
    // All is as before: what is typed goes at once.
    try await outbox.send("four", to: bob)
    try await outbox.send("five", to: bob)
    #expect(await third.sent.map { $0["id"] } == ["m3", "m4", "m5"])
    #expect(
      try await deliveries()
        == [.sent, .failed(reason: "ended: XML stanza is too big"), .sent, .queued, .queued])
  }

  @Test func `one such end alone fails nothing, and another end is not held against a message`()
    async throws
  {
    try await outbox.send("one", to: bob)
    await outbox.sessionStarted(.fixture, over: ScriptedArchive(account: alice))
    await refuse()
    // The connection is lost.
    await outbox.sessionStarted(.fixture, over: ScriptedArchive(account: alice))
    await outbox.sessionEnded()
    #expect(try await deliveries() == [.queued])
    let last = ScriptedArchive(account: alice)
    await outbox.sessionStarted(.fixture, over: last)
    await outbox.serverAcknowledged(["m1"])
    #expect(try await deliveries() == [.sent])
  }

  @Test func `a program that was killed goes on with what was under way alone`() async throws {
    for text in ["one", "big", "three"] { try await outbox.send(text, to: bob) }
    await outbox.sessionStarted(.fixture, over: ScriptedArchive(account: alice))
    await outbox.sessionRefused(tooBig)

    // Each of these is a run of its own.
    let second = Self.outbox(of: alice, database, hub, identifiers)
    let channel = ScriptedArchive(account: alice)
    await second.sessionStarted(.fixture, over: channel)
    #expect(await channel.sent.map { $0["id"] } == ["m1"])
    await second.serverAcknowledged(["m1"])
    #expect(await channel.sent.map { $0["id"] } == ["m1", "m2"])

    let third = Self.outbox(of: alice, database, hub, identifiers)
    await third.sessionStarted(.fixture, over: ScriptedArchive(account: alice))
    await third.sessionRefused(tooBig)
    await third.sessionEnded()
    #expect(
      try await deliveries()
        == [.sent, .failed(reason: "ended: XML stanza is too big"), .queued])

    let last = Self.outbox(of: alice, database, hub, identifiers)
    let free = ScriptedArchive(account: alice)
    await last.sessionStarted(.fixture, over: free)
    #expect(await free.sent.map { $0["id"] } == ["m3"])
    await last.serverAcknowledged(["m3"])
    // Nothing is left of it.
    #expect(try await database.outbox.suspects().isEmpty)
    #expect(try await database.settings.values().isEmpty)
  }

  @Test func `what was cancelled holds up nothing`() async throws {
    for text in ["big", "two", "three"] { try await outbox.send(text, to: bob) }
    await outbox.sessionStarted(.fixture, over: ScriptedArchive(account: alice))
    await refuse()
    // What may have arrived is cancelled once it has waited too long.
    for message in try await database.timeline.latest(3, in: bob) {
      let failed = try await database.outbox.setDelivery(
        .failed(reason: "timed out"), ofOriginID: message.originID ?? "")
      try await outbox.cancel(try #require(failed))
    }
    let next = ScriptedArchive(account: alice)
    await outbox.sessionStarted(.fixture, over: next)
    try await outbox.send("four", to: bob)
    try await outbox.send("five", to: bob)
    #expect(await next.sent.map { $0["id"] } == ["m4", "m5"])
  }

  @Test func `a message above the server's size limit fails before a byte of it is sent`()
    async throws
  {
    let limits = Element(
      "features", Namespace.streams, [:],
      [
        Element(
          "limits", Namespace.streamLimits, [:],
          [Element("max-bytes", Namespace.streamLimits, text: " 10000 ")])
      ])
    let channel = ScriptedArchive(account: alice)
    await outbox.sessionStarted(.fixture(features: StreamFeatures(limits)), over: channel)
    try await outbox.send(String(repeating: "x", count: 10_000), to: bob)
    try await outbox.send("small", to: bob)
    #expect(await channel.sent.map { $0["id"] } == ["m2"])
    #expect(try await deliveries() == [.failed(reason: "over 10000"), .queued])
  }

  @Test
  func
    `where no limit is named, what most servers do not take is failed, also from an earlier run`()
    async throws
  {
    let over = String(repeating: "x", count: 1 << 18)
    let big = try await outbox.send(over, to: bob)
    try await outbox.send(String(over.dropLast(1_000)), to: bob)
    _ = try await database.outbox.markAttempted(["m1"], at: Date())
    let channel = ScriptedArchive(account: alice)
    await outbox.sessionStarted(.fixture, over: channel)
    #expect(await channel.sent.compactMap { $0.first("body", Namespace.client) }.count == 1)
    #expect(await channel.sent.last?["id"] == "m2")
    #expect(try await deliveries() == [.failed(reason: "over 262144"), .queued])
    #expect(await outbox.isOversized(big))
    // Tried again it is failed again, and holds up nothing.
    try await outbox.retry(
      try #require(try await database.timeline.storedMessage(big.id)))
    await outbox.flush()
    try await outbox.send("small", to: bob)
    #expect(await channel.sent.last?["id"] == "m3")
    #expect(try await deliveries() == [.failed(reason: "over 262144"), .queued, .queued])
  }
}
