import Diagnostics
import NatterCore
import Storage
import TestSupport
import Testing
import XMPP

@testable import SendService

@Suite struct ReceiptSenderTests {
  let channel = RecordingChannel()
  let request = Element("request", Namespace.receipts)
  let database: AccountDatabase

  init() async throws { database = try await AccountDatabase.inMemory() }

  private func sender(_ subscription: Contact.Subscription, isOn: Bool = true) -> ReceiptSender {
    ReceiptSender(
      account: JID(local: "alice", domain: "example.org"), store: database.readState,
      roster: MemoryRosterStore([
        Contact(jid: JID(local: "bob", domain: "example.org"), subscription: subscription)
      ]), log: .none, isOn: isOn)
  }

  @Test(arguments: [Contact.Subscription.from, .both])
  func `a contact who may see one's presence gets the receipt`(subscription: Contact.Subscription)
    async throws
  {
    let sender = sender(subscription)
    await sender.sessionStarted(.fixture, over: channel)
    await sender.receive([.message(from: "bob@example.org/a", id: "7", body: "hi", request)])
    let receipt = try #require(await channel.sent.first)
    #expect(receipt["to"] == "bob@example.org/a")
    #expect(receipt.first("received", Namespace.receipts)?["id"] == "7")
    // FACTS.md 5: ejabberd archives no receipt by itself.
    #expect(receipt.first("store", "urn:xmpp:hints") != nil)
  }

  @Test(arguments: [Contact.Subscription.none, .to])
  func `others get none, it would tell that somebody is there`(subscription: Contact.Subscription)
    async
  {
    let sender = sender(subscription)
    await sender.sessionStarted(.fixture, over: channel)
    await sender.receive([
      .message(from: "bob@example.org/a", id: "7", body: "hi", request),
      .message(from: "eve@example.org/a", id: "8", body: "hi", request),
    ])
    #expect(await channel.sent.isEmpty)
  }

  @Test func `who does not ask gets none`() async {
    let sender = sender(.both)
    await sender.sessionStarted(.fixture, over: channel)
    await sender.receive([
      .message(from: "bob@example.org/a", id: "7", body: "hi"),
      .message(from: "bob@example.org/a", id: "8", type: "error", body: "hi", request),
    ])
    #expect(await channel.sent.isEmpty)
  }

  @Test func `a copy of what another client received is that client's to answer`() async {
    let sender = sender(.both)
    await sender.sessionStarted(.fixture, over: channel)
    let message = Stanza.message(from: "bob@example.org/a", id: "7", body: "hi", request)
    await sender.receive([
      .message(
        from: "alice@example.org",
        Element(
          "received", XEP0280Carbon.namespace, [:],
          [Element("forwarded", XEP0280Carbon.forwardNamespace, [:], [message.element])]))
    ])
    #expect(await channel.sent.isEmpty)
  }

  @Test func `receipts wait until the archive was caught up with, and for the next session`()
    async throws
  {
    let sender = sender(.both)
    await sender.receive([.message(from: "bob@example.org/a", id: "7", body: "hi", request)])
    #expect(await channel.sent.isEmpty)
    // A copy says that another client has told it.
    await sender.receive([.message(from: "bob@example.org/a", id: "8", body: "hi", request)])
    let answer = Element(
      "message", Namespace.client, ["from": "alice@example.org/phone", "to": "bob@example.org/a"],
      [Element("received", Namespace.receipts, ["id": "8"])])
    await sender.receive([
      .message(
        from: "alice@example.org",
        Element(
          "sent", XEP0280Carbon.namespace, [:],
          [Element("forwarded", XEP0280Carbon.forwardNamespace, [:], [answer])]))
    ])
    await sender.archiving(
      [
        MessageStanza(
          Element(
            "message", Namespace.client, ["from": "bob@example.org/b", "id": "9", "type": "chat"],
            [Element("body", Namespace.client, text: "late"), request]))
      ], areNews: true)
    await channel.breakDown()
    await sender.sessionStarted(.fixture, over: channel)
    await sender.sessionEnded()

    let next = RecordingChannel()
    let restarted = self.sender(.both)
    await restarted.sessionStarted(.fixture, over: next)
    #expect(
      await next.sent.map { $0.first("received", Namespace.receipts)?["id"] } == ["7", "9"])
    await restarted.sessionResumed()
    #expect(await next.sent.count == 2)
  }

  @Test func `a connection that breaks between two receipts: neither is sent twice`() async throws {
    let sender = sender(.both)
    await sender.receive(
      (1...3).map { .message(from: "bob@example.org/a", id: "\($0)", body: "hi", request) })
    await channel.breakDown(after: 2)
    await sender.sessionStarted(.fixture, over: channel)
    await sender.sessionEnded()
    #expect(await channel.sent.count == 2)
    let next = RecordingChannel()
    await sender.sessionStarted(.fixture, over: next)
    let ids = await (channel.sent + next.sent).map {
      $0.first("received", Namespace.receipts)?["id"]
    }
    #expect(ids == ["1", "2", "3"])
  }

  @Test func `history asks for nothing any more`() async {
    let sender = sender(.both)
    await sender.sessionStarted(.fixture, over: channel)
    await sender.archiving(
      [
        MessageStanza(
          Element(
            "message", Namespace.client, ["from": "bob@example.org/b", "id": "9", "type": "chat"],
            [Element("body", Namespace.client, text: "old"), request]))
      ], areNews: false)
    await sender.receive([])
    #expect(await channel.sent.isEmpty)
  }

  @Test func `nobody gets any where the person does not want it`() async throws {
    let sender = sender(.both, isOn: false)
    await sender.sessionStarted(.fixture, over: channel)
    await sender.receive([.message(from: "bob@example.org/a", id: "7", body: "hi", request)])
    #expect(await channel.sent.isEmpty)
    #expect(try await database.readState.receiptsDue() == [])
  }
}
