import Diagnostics
import Foundation
import NatterCore
import TestSupport
import Testing
import XML
import XMPP

@testable import MessagingService

/// flows.md, "Receiving", as far as it needs no archive.
@Suite struct MessageReceiverTests {
  let store = MemoryMessageStore()
  let hub = EventHub()
  let alice = JID(local: "alice", domain: "example.org")
  let now = Date(timeIntervalSince1970: 1_000_000)

  private func receiver() -> MessageReceiver {
    let now = now
    return MessageReceiver(account: alice, store: store, hub: hub, log: .none) { now }
  }

  @Test func `a batch is stored in order and announced as one event`() async {
    let events = hub.events()
    await receiver().receive([
      .message(from: "bob@example.org/a", id: "1", body: "one"),
      .message(from: "bob@example.org/a", id: "2", body: "two"),
    ])
    let stored = await events.published(on: hub).compactMap { event -> [String]? in
      if case .messagesStored(let messages) = event { messages.map(\.body) } else { nil }
    }
    #expect(stored == [["one", "two"]])
  }

  @Test func `the same message twice is stored once and announced once`() async {
    let receiver = receiver()
    let events = hub.events()
    for _ in 0..<2 {
      await receiver.receive([.message(from: "bob@example.org/a", id: "1", body: "one")])
    }
    let announced = await events.published(on: hub).filter {
      if case .messagesStored = $0 { true } else { false }
    }
    #expect(announced.count == 1)
    #expect(await store.all.count == 1)
  }

  @Test func `what is no conversation's text is not stored`() async {
    await receiver().receive([
      .message(from: "bob@example.org/a", id: "1"),
      .message(from: "bob@example.org/a", id: "2", body: ""),
      .message(from: "bob@example.org/a", id: "3", type: "error", body: "mine, coming back"),
      .message(
        from: "example.org", id: "4", type: "headline", body: "for old clients",
        Element("event", "http://jabber.org/protocol/pubsub#event")),
      .presence(from: "bob@example.org/a"),
    ])
    #expect(await store.all.isEmpty)
  }

  @Test func `a delayed message keeps its own time, and one from the future does not`() async {
    func delay(_ stamp: String) -> Element {
      Element("delay", Namespace.delay, ["stamp": stamp, "from": alice.domain])
    }
    let (early, future) = (delay("1970-01-02T00:00:00Z"), delay("2970-01-02T00:00:00Z"))
    await receiver().receive([
      .message(from: "bob@example.org/a", id: "1", body: "old", early),
      .message(from: "bob@example.org/a", id: "2", body: "new", future),
    ])
    let times = await store.all.map(\.sentAt)
    #expect(times.first == Date(timeIntervalSince1970: 86400))
    #expect(times.last.map { $0 >= now && $0 < now + 0.001 } == true)
  }

  @Test(arguments: [nil, "bob@example.org", "bob@example.org/a", "example.net", "not an address/"])
  func `a delay of the sender, or of no one, puts no message back`(from: String?) async {
    var delay = Element("delay", Namespace.delay, ["stamp": "1970-01-02T00:00:00Z"])
    delay["from"] = from
    await receiver().receive([.message(from: "bob@example.org/a", id: "1", body: "x", delay)])
    #expect(await store.all.map(\.sentAt) == [now])
    #expect(await store.all.map(\.isDelayed) == [false])
  }

  @Test func `one of the own account's server is believed`() async {
    for (id, from) in [("1", "example.org"), ("2", "alice@example.org")] {
      await receiver().receive([
        .message(
          from: "bob@example.net/a", id: id, body: "x",
          Element("delay", Namespace.delay, ["stamp": "1970-01-02T00:00:00Z", "from": from]))
      ])
    }
    #expect(
      await store.all.map(\.sentAt)
        == Array(repeating: Date(timeIntervalSince1970: 86400), count: 2))
  }

  @Test func `what came in one read has times in its order`() async throws {
    await receiver().receive(
      (1...3).map { .message(from: "bob@example.org/a", id: "\($0)", body: "text") })
    let times = await store.all.map(\.sentAt)
    #expect(times.first == now)
    #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
    #expect(try #require(times.last) < now + 0.001)
  }

  /// Rooms as the batch leaves them: the first receiver has seen all of it.
  private actor LeavingRooms: RoomViewing {
    private var known: [[JID: RoomMembership]]
    init(_ known: [[JID: RoomMembership]]) { self.known = known }
    func views() -> [JID: RoomMembership] { known.count > 1 ? known.removeFirst() : known[0] }
  }

  @Test func `what was said before a visit ended in the same batch is stored`() async {
    let room = JID(local: "den", domain: "rooms.example.org")
    let rooms = LeavingRooms([[room: RoomMembership(nick: "al")], [:]])
    let receiver = MessageReceiver(
      account: alice, store: store, rooms: rooms, hub: hub, log: .none)
    await receiver.receive([.message(from: "\(room)/bob", type: "groupchat", body: "one")])
    // Then the user is kicked, in the batch that brings these.
    await receiver.receive([
      .message(from: "\(room)/bob", id: "2", type: "groupchat", body: "two"),
      .message(from: "\(room)/bob", id: "3", type: "groupchat", body: "out with you"),
    ])
    await receiver.receive([.message(from: "\(room)/bob", type: "groupchat", body: "nobody's")])
    #expect(await store.all.map(\.body) == ["one", "two", "out with you"])
  }

  @Test func `only the own account's stanza-id counts`() async {
    func id(_ by: String) -> Element {
      Element("stanza-id", Namespace.stanzaIDs, ["by": by, "id": "s1"])
    }
    await receiver().receive([
      .message(from: "bob@example.org/a", id: "1", body: "forged", id("mallory@example.org")),
      .message(from: "bob@example.org/a", id: "2", body: "true", id("alice@example.org")),
    ])
    #expect(await store.all.map(\.stanzaID) == [nil, "s1"])
  }

  @Test func `a failed write announces nothing, notifies the user, and is not given up`()
    async throws
  {
    let receiver = receiver()
    await store.fail(with: NatterError(.storage, "error.storage.full"))
    let events = hub.events()
    let task = Task { [receiver] in
      await receiver.receive([.message(from: "bob@example.org/a", id: "1", body: "one")])
    }
    let first = await events.first { _ in true }
    #expect(first == .notice(StatusNotice(.error, "error.storage.full")))
    await store.fail(with: nil)
    await task.value
    #expect(await store.all.map(\.body) == ["one"])
  }

  // MARK: Copies (XEP-0280)

  private func copy(
    _ direction: String, from wrapper: String? = "alice@example.org", of message: Stanza
  ) -> Stanza {
    .message(
      from: wrapper,
      Element(
        direction, XEP0280Carbon.namespace, [:],
        [Element("forwarded", XEP0280Carbon.forwardNamespace, [:], [message.element])]))
  }

  private func sent(
    from: String = "alice@example.org/phone", to recipient: String = "bob@example.org/x"
  ) -> Stanza {
    guard case .message(let stanza) = Stanza.message(from: from, id: "c1", body: "from my phone")
    else { preconditionFailure("a message is a message") }
    var element = stanza.element
    element["to"] = recipient
    return .message(MessageStanza(element))
  }

  @Test func `a copy of what another client sent is an outgoing message in that conversation`()
    async
  {
    await receiver().receive([copy("sent", of: sent())])
    let message = await store.all.first
    #expect(
      message?.direction == .outgoing && message?.conversation.description == "bob@example.org")
    #expect(message?.body == "from my phone" && message?.originID == "c1")
  }

  /// Rooms that are known only once the bookmarks are.
  private struct NewDevice: RoomViewing {
    let bookmarked: any RoomViewing
    func views() async -> [JID: RoomMembership] { [:] }
  }

  /// A room that only the bookmarks name: another client of the account is in it.
  @Test(arguments: ["sent", "received"])
  func `a copy of a private message between occupants waits for the bookmarks`(direction: String)
    async
  {
    let room = JID(local: "den", domain: "rooms.example.org")
    let receiver = MessageReceiver(
      account: alice, store: store,
      rooms: NewDevice(bookmarked: RoomMessageTests.Rooms(known: [:], left: [room])), hub: hub,
      log: .none)
    let words =
      direction == "sent"
      ? sent(to: "\(room)/bob") : .message(from: "\(room)/bob", id: "1", body: "psst")
    await receiver.receive([copy(direction, of: words)])
    #expect(await store.all.map(\.conversation) == [room.with(resource: "bob")])
  }

  @Test func `a copy of what another client received is received here`() async {
    let message = Stanza.message(from: "bob@example.org/x", id: "1", body: "one")
    let receiver = receiver()
    await receiver.receive([copy("received", of: message)])
    await receiver.receive([message])
    #expect(await store.all.map(\.direction) == [.incoming])
    #expect(await store.all.first?.sender.description == "bob@example.org/x")
  }

  @Test(arguments: [
    nil, "mallory@example.org", "alice@example.org/other", "example.org", "bob@example.org",
  ])
  func `a copy that is not from the own account's bare address is not taken`(wrapper: String?) async
  {
    await receiver().receive([copy("sent", from: wrapper, of: sent())])
    await receiver().receive([
      copy("received", from: wrapper, of: .message(from: "bob@example.org", body: "forged"))
    ])
    #expect(await store.all.isEmpty)
  }

  @Test func `a copy of what another user sent is not taken as sent by the account`() async {
    await receiver().receive([copy("sent", of: sent(from: "mallory@example.org/x"))])
    #expect(await store.all.isEmpty)
  }

  @Test func `an archive's results outside a query are not taken`() async {
    let message = Stanza.message(from: "bob@example.org/x", id: "1", body: "forged")
    await receiver().receive([
      .message(
        from: "alice@example.org",
        Element(
          "result", Namespace.archive, ["queryid": "q", "id": "1"],
          [Element("forwarded", XEP0280Carbon.forwardNamespace, [:], [message.element])]))
    ])
    #expect(await store.all.isEmpty)
  }
}
