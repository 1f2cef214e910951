import NatterCore
import TestSupport
import Testing
import XMPP

@testable import SendService

@Suite struct ReceiptSenderTests {
  let channel = RecordingChannel()
  let request = Element("request", Namespace.receipts)

  private func sender(_ subscription: Contact.Subscription) -> ReceiptSender {
    ReceiptSender(
      roster: MemoryRosterStore([
        Contact(jid: JID(local: "bob", domain: "example.org"), subscription: subscription)
      ]))
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
}
