import Diagnostics
import NatterCore
import Storage
import TestSupport
import Testing
import XML
import XMPP

@testable import MessagingService

@Suite struct ReceiptSenderTests {
  let channel = RecordingChannel()
  let request = Element("request", Namespace.receipts)
  let database: AccountDatabase

  init() async throws { database = try await AccountDatabase.inMemory() }

  private func sender(
    _ subscription: Contact.Subscription, isOn: Bool = true, _ store: (any ReadStateStoring)? = nil,
    sleep: @escaping @Sendable (Duration) async throws -> Void = { _ in throw CancellationError() }
  ) -> ReceiptSender {
    ReceiptSender(
      account: JID(local: "alice", domain: "example.org"), store: store ?? database.readState,
      roster: MemoryRosterStore([
        Contact(jid: JID(local: "bob", domain: "example.org"), subscription: subscription)
      ]), hub: EventHub(), log: .none, isOn: isOn, sleep: sleep)
  }

  private func reported(over channel: RecordingChannel) async -> [String?] {
    await channel.sent.map { $0.first("received", Namespace.receipts)?["id"] }
  }

  @Test(arguments: [Contact.Subscription.from, .both])
  func `a contact who may see the user's presence gets the receipt`(
    subscription: Contact.Subscription
  )
    async throws
  {
    let sender = sender(subscription)
    await sender.sessionStarted(.fixture, over: channel)
    await sender.receive([.message(from: "bob@example.org/a", id: "7", body: "hi", request)])
    let receipt = try #require(await channel.sent.first)
    #expect(receipt["to"] == "bob@example.org/a")
    #expect(receipt.first("received", Namespace.receipts)?["id"] == "7")
    // server-quirks.md, "Both": ejabberd archives no receipt by itself.
    #expect(receipt.first("store", "urn:xmpp:hints") != nil)
  }

  @Test(arguments: [Contact.Subscription.none, .to])
  func `others get none, it would show that the user is there`(subscription: Contact.Subscription)
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

  @Test func `an id as long as a stanza is not repeated, now or in any session`() async throws {
    let long = String(repeating: "x", count: 131_500)
    let sender = sender(.both)
    await sender.sessionStarted(.fixture, over: channel)
    await sender.receive([.message(from: "bob@example.org/a", id: long, body: "hi", request)])
    #expect(await channel.sent.isEmpty)
    // What an earlier version has taken, too, goes.
    let bob = try #require(JID(parsing: "bob@example.org/a"))
    try await database.readState.addReceipts([
      ReceiptRequest(sender: bob, id: long), ReceiptRequest(sender: bob, id: "7"),
    ])
    await sender.sessionResumed()
    #expect(await reported(over: channel) == ["7"])
    #expect(try await database.readState.receiptsDue().map(\.id) == ["7"])
  }

  @Test func `the receipt of an id that begins with a combining mark is acknowledged`()
    async throws
  {
    let sender = sender(.both)
    await sender.sessionStarted(.fixture, over: channel)
    await sender.receive([
      .message(from: "bob@example.org/a", id: "\u{301}7", body: "hi", request)
    ])
    await sender.serverAcknowledged(await channel.sent.compactMap { $0["id"] })
    #expect(await reported(over: channel) == ["\u{301}7"])
    #expect(try await database.readState.receiptsDue().isEmpty)
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
    // A copy shows that another client has sent it.
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
    #expect(await reported(over: next) == ["7", "9"])
    await restarted.sessionResumed()
    #expect(await next.sent.count == 2)
  }

  @Test
  func `a connection that breaks between two receipts: what goes on in the session goes once`()
    async throws
  {
    let sender = sender(.both)
    await sender.receive(
      (1...3).map { .message(from: "bob@example.org/a", id: "\($0)", body: "hi", request) })
    await channel.breakDown(after: 2)
    await sender.sessionStarted(.fixture, over: channel)
    #expect(await reported(over: channel) == ["1", "2"])
    await channel.recover()
    await sender.sessionResumed()
    #expect(await reported(over: channel) == ["1", "2", "3"])
  }

  @Test func `a connection that dies with receipts that are not confirmed: those go again`()
    async throws
  {
    let sender = sender(.both)
    await sender.sessionStarted(.fixture, over: channel)
    await sender.receive(
      (1...3).map { .message(from: "bob@example.org/a", id: "\($0)", body: "hi", request) })
    #expect(await reported(over: channel) == ["1", "2", "3"])
    let ids = await channel.sent.compactMap { $0["id"] }
    #expect(Set(ids).count == 3)
    await sender.serverAcknowledged([ids[0], "m1"])
    await sender.sessionEnded()
    let next = RecordingChannel()
    await sender.sessionStarted(.fixture, over: next)
    #expect(await reported(over: next) == ["2", "3"])
    // In one session, each goes once, whatever else arrives.
    await sender.receive([.message(from: "bob@example.org/a", id: "4", body: "hi", request)])
    #expect(await reported(over: next) == ["2", "3", "4"])
    await sender.serverAcknowledged(await next.sent.compactMap { $0["id"] })
    #expect(try await database.readState.receiptsDue() == [])
  }

  @Test func `what an earlier run sent is not sent again while it is on its way once more`()
    async throws
  {
    let sender = sender(.both)
    await sender.sessionStarted(.fixture, over: channel)
    await sender.receive(
      ["1", "2"].map { .message(from: "bob@example.org/a", id: $0, body: "hi", request) })
    let ids = await channel.sent.compactMap { $0["id"] }
    let restarted = self.sender(.both)
    let next = RecordingChannel()
    // The server had the first one, and gets the second one again.
    await restarted.serverAcknowledged([ids[0]])
    await restarted.sessionTakenUp(underWay: [ids[1], "m1"])
    await restarted.sessionStarted(.fixture, over: next)
    #expect(await next.sent.isEmpty)
    await restarted.serverAcknowledged([ids[1]])
    #expect(try await database.readState.receiptsDue() == [])
  }

  @Test func `a disk that is full for a while costs no receipt`() async throws {
    let store = RefusingReadStateStore(database.readState)
    await store.refuse(true)
    let sender = sender(.both, store, sleep: { _ in await store.refuse(false) })
    await sender.sessionStarted(.fixture, over: channel)
    await sender.receive([.message(from: "bob@example.org/a", id: "7", body: "hi", request)])
    #expect(await reported(over: channel) == ["7"])
  }

  @Test func `a message that may not be stored when the program ends is not received yet`()
    async throws
  {
    let sender = sender(.both)
    let message = Stanza.message(from: "bob@example.org/a", id: "7", body: "hi", request)
    await Task {
      withUnsafeCurrentTask { $0?.cancel() }
      await sender.receive([message])
    }.value
    #expect(try await database.readState.receiptsDue() == [])
    // It is once it has come again.
    await sender.receive([message])
    #expect(try await database.readState.receiptsDue().map(\.id) == ["7"])
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

  @Test func `none is sent where the user does not want it`() async throws {
    let sender = sender(.both, isOn: false)
    await sender.sessionStarted(.fixture, over: channel)
    await sender.receive([.message(from: "bob@example.org/a", id: "7", body: "hi", request)])
    #expect(await channel.sent.isEmpty)
    #expect(try await database.readState.receiptsDue() == [])
  }

  @Test func `neither a whole room nor an occupant gets a receipt for a message`() async throws {
    let sender = sender(.both)
    await sender.sessionStarted(.fixture, over: channel)
    await sender.receive([
      .message(from: "hill@rooms.example.org/bob", id: "7", type: "groupchat", body: "hi", request),
      .message(from: "hill@rooms.example.org/bob", id: "8", body: "psst", request),
      .message(from: "bob@example.org/a", id: "9", type: "groupchat", body: "hi", request),
    ])
    #expect(await channel.sent.isEmpty)
    #expect(try await database.readState.receiptsDue() == [])
  }

  @Test func `a receipt that is asked for once is sent once, whatever comes after it`() async throws
  {
    let sender = sender(.both)
    await sender.sessionStarted(.fixture, over: channel)
    let message = Stanza.message(from: "bob@example.org/a", id: "7", body: "hi", request)
    await sender.receive([message])
    // The server delivers it anew after a resumption, and the archive has it as well.
    await sender.sessionResumed()
    await sender.receive([message])
    if case .message(let stanza) = message { await sender.archiving([stanza], areNews: true) }
    await sender.receive([])
    #expect(await reported(over: channel) == ["7"])
  }

  @Test func `a receipt that is due while the store is read is sent once`() async throws {
    let store = RefusingReadStateStore(database.readState)
    let sender = sender(.both, store)
    let channel = AcknowledgingChannel(sender)
    let message = Stanza.message(from: "bob@example.org/a", id: "7", body: "hi", request)
    // It comes when what is due is about to be read, which has it then; and the server has the
    // receipt at once.
    await store.before(.reading) { await sender.receive([message]) }
    await sender.sessionStarted(.fixture, over: channel)
    #expect(await channel.reported == ["7"])
    #expect(try await database.readState.receiptsDue() == [])
  }

  @Test func `a receipt that is read while it is being stored is sent once`() async throws {
    let store = RefusingReadStateStore(database.readState)
    let sender = sender(.both, store)
    let channel = AcknowledgingChannel(sender)
    // It is on the disk, and its writer does not know it yet, when all due entries are read.
    await store.before(.removing) { await sender.sessionStarted(.fixture, over: channel) }
    await sender.receive([.message(from: "bob@example.org/a", id: "7", body: "hi", request)])
    #expect(await channel.reported == ["7"])
    #expect(try await database.readState.receiptsDue() == [])
  }
}

/// A connection whose server has each receipt as soon as it is written.
private actor AcknowledgingChannel: StanzaChannel {
  private let sender: ReceiptSender
  private(set) var reported: [String?] = []

  init(_ sender: ReceiptSender) { self.sender = sender }

  func send(_ stanza: Element) async {
    reported.append(stanza.first("received", Namespace.receipts)?["id"])
    await sender.serverAcknowledged([stanza["id"]].compactMap { $0 })
  }

  func request(_ iq: Element, timeout: Duration) -> Element {
    Element("iq", Namespace.client, ["type": "result"])
  }
}
