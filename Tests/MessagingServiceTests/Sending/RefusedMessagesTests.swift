import Diagnostics
import Foundation
import NatterCore
import TestSupport
import Testing
import XML
import XMPP

@testable import MessagingService

/// Some servers archive a message and then refuse it (server-quirks.md, "Both"): the copy does not
/// show that a later attempt arrived.
@Suite struct RefusedMessagesTests {
  let store = MemoryMessageStore()
  let alice = JID(local: "alice", domain: "example.org")
  let bob = JID(local: "bob", domain: "example.org")

  private func outbox(
    over store: (any OutboxStoring & DeliveryStoring & AttemptStoring)? = nil
  ) -> Outbox {
    Outbox(
      account: alice, store: store ?? self.store, hub: EventHub(), log: .none,
      options: .fixture())
  }

  /// Returns the archive's entry of attempt `number` to send the message `id`.
  private func copy(_ number: Int, of id: String = "m1") -> ScriptedArchive.Entry {
    let element = Element(
      "message", Namespace.client,
      ["from": alice.description, "to": bob.description, "type": "chat", "id": id],
      [Element("body", Namespace.client, text: "text")])
    return .init(
      id: "c\(number)", stamp: Date(timeIntervalSince1970: 1000), message: MessageStanza(element))
  }

  private func refuse(_ id: String, at outbox: Outbox) async {
    let error = Element(
      "error", Namespace.client, ["type": "cancel"],
      [Element("service-unavailable", Namespace.stanzaErrors)])
    await outbox.receive([.message(from: "bob@example.org", id: id, type: "error", error)])
  }

  /// Returns ejabberd's answer when it stores no more for a user who is away (server-quirks.md,
  /// "ejabberd").
  private func refusal(by sender: String, _ condition: StanzaError.Condition, archived: Bool)
    -> Stanza
  {
    var message = Element(
      "message", Namespace.client,
      ["from": sender, "to": alice.description, "type": "error", "id": "m1"],
      [Element("body", Namespace.client, text: "text")])
    if archived {
      message.append(
        Element("stanza-id", Namespace.stanzaIDs, ["by": bob.description, "id": "a1"]))
    }
    message.append(StanzaError(.wait, condition, text: "queue is full").element)
    return .message(MessageStanza(message))
  }

  @Test
  func `what the recipient finds in their archive is sent, though nothing more is stored for them`()
    async throws
  {
    let outbox = outbox()
    await outbox.sessionStarted(.fixture, over: ScriptedArchive(account: alice))
    try await outbox.send("text", to: bob)
    await outbox.receive([refusal(by: "bob@example.org", .resourceConstraint, archived: true)])
    #expect(await store.all.map(\.delivery) == [.queued])
    await outbox.serverAcknowledged(["m1"])
    #expect(await store.all.map(\.delivery) == [.sent])
  }

  @Test(
    arguments: [
      // The recipient's server names no archive that has it.
      ("bob@example.org", .resourceConstraint, false),
      ("bob@example.org", .policyViolation, true),
      // One of the recipient's devices.
      ("bob@example.org/phone", .resourceConstraint, true),
    ] as [(String, StanzaError.Condition, Bool)])
  func `what nothing more is stored of is failed where it is in no archive of the recipient's`(
    sender: String, condition: StanzaError.Condition, archived: Bool
  ) async throws {
    let outbox = outbox()
    await outbox.sessionStarted(.fixture, over: ScriptedArchive(account: alice))
    try await outbox.send("text", to: bob)
    await outbox.serverAcknowledged(["m1"])
    await outbox.receive([refusal(by: sender, condition, archived: archived)])
    #expect(
      await store.all.map(\.delivery) == [
        .failed(reason: "queue is full (\(condition.rawValue.replacing("-", with: " ")))")
      ])
  }

  @Test func `it is sent again though its copy is there, and looked for among the later ones`()
    async throws
  {
    let outbox = outbox()
    let archive = ScriptedArchive(account: alice, pageLimit: 1)
    await outbox.sessionStarted(.fixture, over: archive)
    let message = try await outbox.send("text", to: bob)
    await archive.append([copy(1)])
    await refuse("m1", at: outbox)
    try await outbox.retry(message)
    await outbox.flush()
    #expect(await archive.sent.map { $0["id"] } == ["m1", "m1"])
    #expect(await store.all.map(\.delivery) == [.queued])
    // Refused once more, and the user does not give up: both copies are old now.
    await archive.append([copy(2)])
    await refuse("m1", at: outbox)
    try await outbox.retry(message)
    await outbox.flush()
    #expect(await archive.sent.count == 3)
    // The connection broke before the server said that it had the third: it is not in the archive,
    // so it goes again.
    await outbox.sessionEnded()
    await outbox.sessionStarted(.fixture, over: archive)
    #expect(await archive.sent.count == 4)
    // The archive has the fourth.
    await archive.append([copy(3)])
    await outbox.sessionEnded()
    await outbox.sessionStarted(.fixture, over: archive)
    #expect(await archive.sent.count == 4)
    #expect(await store.all.map(\.delivery) == [.sent])
  }

  @Test func `one that is retried while nothing is connected is not taken for sent either`()
    async throws
  {
    let outbox = outbox()
    let archive = ScriptedArchive(account: alice)
    await outbox.sessionStarted(.fixture, over: archive)
    let message = try await outbox.send("text", to: bob)
    await archive.append([copy(1)])
    await refuse("m1", at: outbox)
    await outbox.sessionEnded()
    try await outbox.retry(message)
    let other = try await outbox.send("another", to: bob)
    await outbox.sessionStarted(.fixture, over: archive)
    #expect(await archive.sent.map { $0["id"] } == ["m1", "m1", other.originID])
  }

  @Test func `what another program sent in vain is here as refused, and is not sent by itself`()
    async throws
  {
    let outbox = outbox()
    let archive = ScriptedArchive(account: alice)
    await outbox.sessionStarted(.fixture, over: archive)
    try await outbox.takeOver(
      "text", originID: "o1", to: bob, typedAt: Date(timeIntervalSince1970: 900),
      refusedFor: "nobody is there")
    await outbox.run()
    #expect(await archive.sent.isEmpty)
    let message = try #require(await store.all.first)
    #expect(message.delivery == .failed(reason: "nobody is there"))
    // Its copy in the archive does not show that it arrived.
    await archive.append([copy(1, of: "o1")])
    try await outbox.retry(message)
    await outbox.flush()
    #expect(await archive.sent.map { $0["id"] } == ["o1"])
  }

  @Test func `where what became of it could not be stored, nothing of it is, and it is not sent`()
    async throws
  {
    let outbox = outbox(over: HalfStore(store))
    let archive = ScriptedArchive(account: alice)
    await outbox.sessionStarted(.fixture, over: archive)
    await #expect(throws: NatterError.self) {
      try await outbox.takeOver(
        "text", originID: "o1", to: bob, typedAt: Date(timeIntervalSince1970: 900),
        refusedFor: "nobody is there")
    }
    #expect(await store.all.isEmpty)
    // What is typed next takes along what waits.
    _ = try await outbox.send("another", to: bob)
    #expect(await archive.sent.map { $0["id"] } == ["m1"])
  }

  @Test func `while the archive cannot be read it waits`() async throws {
    let outbox = outbox()
    let archive = ScriptedArchive(account: alice)
    await outbox.sessionStarted(.fixture, over: archive)
    let message = try await outbox.send("text", to: bob)
    await refuse("m1", at: outbox)
    await archive.fail(with: StanzaError(.wait, .resourceConstraint))
    try await outbox.retry(message)
    await outbox.flush()
    #expect(await archive.sent.count == 1)
    await archive.recover()
    await outbox.run()
    #expect(await archive.sent.count == 2)
  }
}
