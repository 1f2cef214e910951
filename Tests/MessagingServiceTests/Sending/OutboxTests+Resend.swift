import Diagnostics
import Foundation
import NatterCore
import TestSupport
import Testing
import XML
import XMPP

@testable import MessagingService

/// Resend never duplicates.
extension OutboxTests {
  /// Returns the archive's entry of the outgoing message with `id`.
  private func archived(_ id: String, at seconds: Double = 1000) -> ScriptedArchive.Entry {
    var element = Element(
      "message", Namespace.client,
      ["from": "alice@example.org/natter", "to": "bob@example.org", "type": "chat", "id": id],
      [Element("body", Namespace.client, text: "text")])
    element.append(Element("origin-id", Namespace.stanzaIDs, ["id": id]))
    return .init(
      id: "s-\(id)", stamp: Date(timeIntervalSince1970: seconds), message: MessageStanza(element))
  }

  /// An outbox that wrote `count` messages to a connection that broke before any was acknowledged.
  private func interrupted(_ count: Int) async throws -> Outbox {
    let outbox = outbox()
    await outbox.sessionStarted(.fixture, over: channel)
    for number in 1...count { try await outbox.send("text \(number)", to: bob) }
    await outbox.sessionEnded()
    return outbox
  }

  @Test func `after a session that was lost, what the archive has is sent and not written again`()
    async throws
  {
    let outbox = try await interrupted(3)
    let archive = ScriptedArchive(account: alice, entries: [archived("m1"), archived("m3")])
    await outbox.sessionStarted(.fixture, over: archive)
    #expect(await archive.sent.map { $0["id"] } == ["m2"])
    #expect(await store.all.map(\.delivery) == [.sent, .queued, .sent])
  }

  @Test func `the archive is looked through page by page as far as needed, and only that peer's`()
    async throws
  {
    let outbox = try await interrupted(1)
    let others = (1...240).map { archived("other\($0)", at: 1001) }
    let archive = ScriptedArchive(account: alice, entries: [archived("m1")] + others)
    await outbox.sessionStarted(.fixture, over: archive)
    #expect(await archive.sent.isEmpty)
    #expect(await archive.queries.count == 5)
    #expect(await archive.queries.allSatisfy { $0.with == bob })
  }

  @Test func `in a busy room it is found behind thousands of others`() async throws {
    let outbox = try await interrupted(1)
    let others = (1...10_050).map { archived("other\($0)", at: 1001) }
    let archive = ScriptedArchive(
      account: alice, entries: [archived("m1")] + others, reportsCount: false)
    await outbox.sessionStarted(.fixture, over: archive)
    #expect(await archive.sent.isEmpty)
    #expect(await store.all.map(\.delivery) == [.sent])
  }

  @Test func `a server that gives the same page again ends the search`() async throws {
    let outbox = try await interrupted(1)
    let archive = EndlessArchive(page: archived("other"))
    await outbox.sessionStarted(.fixture, over: archive)
    #expect(await archive.asked == 2)
    #expect(await archive.sent.map { $0["id"] } == ["m1"])
  }

  @Test func `what was never written is not looked for`() async throws {
    let outbox = outbox()
    try await outbox.send("offline", to: bob)
    let archive = ScriptedArchive(account: alice)
    await outbox.sessionStarted(.fixture, over: archive)
    #expect(await archive.queries.isEmpty)
    #expect(await archive.sent.map { $0["id"] } == ["m1"])
  }

  @Test func `while it is not known whether it arrived, it is not sent, and nothing passes it`()
    async throws
  {
    let outbox = try await interrupted(1)
    let archive = ScriptedArchive(account: alice, entries: [archived("m1")])
    await archive.fail(with: ChannelError.timedOut)
    await outbox.sessionStarted(.fixture, over: archive)
    try await outbox.send("next", to: bob)
    #expect(await archive.sent.isEmpty)
    await archive.recover()
    try await outbox.send("and next", to: bob)
    await outbox.flush()
    #expect(await archive.sent.map { $0["id"] } == ["m2", "m3"])
  }

  @Test func `without an archive it is sent again with the same id`() async throws {
    let outbox = try await interrupted(2)
    let archive = ScriptedArchive(account: alice)
    await archive.fail(with: StanzaError(.cancel, .featureNotImplemented))
    await outbox.sessionStarted(.fixture, over: archive)
    #expect(await archive.sent.map { $0["id"] } == ["m1", "m2"])
  }

  @Test func `a message of another sender under the same id is not taken for ours`() async throws {
    let outbox = try await interrupted(1)
    var element = archived("m1").message.element
    element["from"] = "bob@example.org/x"
    let archive = ScriptedArchive(
      account: alice,
      entries: [
        .init(id: "s", stamp: Date(timeIntervalSince1970: 1000), message: MessageStanza(element))
      ])
    await outbox.sessionStarted(.fixture, over: archive)
    #expect(await archive.sent.map { $0["id"] } == ["m1"])
  }

  @Test func `it is marked as attempted before a byte of it is written`() async throws {
    let outbox = outbox()
    await outbox.sessionStarted(.fixture, over: channel)
    try await outbox.send("hello", to: bob)
    #expect(await store.attempted.keys.sorted() == ["m1"])
  }

  @Test func `a receipt for what another client sent counts when it comes as a copy`() async throws
  {
    let outbox = try await interrupted(1)
    var receipt = Element(
      "message", Namespace.client, ["from": "bob@example.org/x", "to": "alice@example.org/phone"])
    receipt.append(Element("received", Namespace.receipts, ["id": "m1"]))
    let copy = Element(
      "received", XEP0280Carbon.namespace, [:],
      [Element("forwarded", XEP0280Carbon.forwardNamespace, [:], [receipt])])
    await outbox.receive([.message(from: "mallory@example.org", copy)])
    #expect(await store.all.map(\.delivery) == [.queued])
    await outbox.receive([.message(from: "alice@example.org", copy)])
    #expect(await store.all.map(\.delivery) == [.delivered])
  }
}
