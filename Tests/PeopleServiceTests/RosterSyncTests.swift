import Diagnostics
import NatterCore
import TestSupport
import Testing
import XML
import XMPP

@testable import PeopleService

@Suite struct RosterSyncTests {
  let hub = EventHub()
  let alice = JID(local: "alice", domain: "example.org")
  let bob = JID(local: "bob", domain: "example.org")
  let carol = JID(local: "carol", domain: "example.org")
  private let requests = OpenRequests()

  private func item(_ jid: String, _ subscription: String) -> Element {
    Element("item", Namespace.roster, ["jid": jid, "subscription": subscription])
  }

  private func result(_ items: Element..., version: String? = nil) -> Element {
    var query = Element("query", Namespace.roster, [:], items)
    query["ver"] = version
    return Element("iq", Namespace.client, ["type": "result"], [query])
  }

  private func query(_ items: Element...) -> Element {
    Element("query", Namespace.roster, [:], items)
  }

  @Test func `a full roster replaces the stored one and says what changed`() async {
    let store = MemoryRosterStore([
      Contact(jid: bob, subscription: .both), Contact(jid: carol, subscription: .both),
    ])
    let keeper = RosterSync(
      account: alice, store: store, hub: hub, log: .none, requests: requests)
    let events = hub.events()
    let answer = result(
      item("bob@example.org", "both"), item("dave@example.org", "to"), version: "7")
    await keeper.sessionStarted(.fixture, over: RecordingChannel { _ in answer })
    #expect(await store.contacts().map(\.jid.local) == ["bob", "dave"])
    #expect(await store.rosterVersion() == "7")
    let seen = await events.published(on: hub)
    #expect(seen.contains(.contactsRemoved([carol])))
    #expect(
      seen.contains(
        .contactsChanged([
          Contact(jid: JID(local: "dave", domain: "example.org"), subscription: .to)
        ])))
  }

  @Test func `with versioning an empty answer keeps what is stored`() async {
    let store = MemoryRosterStore([Contact(jid: bob, subscription: .both)], version: "5")
    let keeper = RosterSync(
      account: alice, store: store, hub: hub, log: .none, requests: requests)
    let channel = RecordingChannel()
    await keeper.sessionStarted(.fixture(features: .withRosterVersioning), over: channel)
    let asked = await channel.requests.first?.first("query", Namespace.roster)
    #expect(asked?["ver"] == "5")
    #expect(await store.contacts().count == 1)
  }

  @Test(arguments: [true, false])
  func `the version of a push counts only once the roster was fetched`(isFetched: Bool) async {
    let store = MemoryRosterStore([Contact(jid: bob, subscription: .both)], version: "5")
    let keeper = RosterSync(
      account: alice, store: store, hub: hub, log: .none, requests: requests)
    let channel = RecordingChannel { _ in
      guard isFetched else { throw ChannelError.timedOut }
      return Element("iq", Namespace.client, ["type": "result"])
    }
    await keeper.sessionStarted(.fixture(features: .withRosterVersioning), over: channel)
    var pushed = query(item("carol@example.org", "to"))
    pushed["ver"] = "9"
    await keeper.receive([.iq(from: nil, type: "set", id: "p1", pushed)])
    #expect(await store.contacts().count == 2)
    #expect(await store.rosterVersion() == (isFetched ? "9" : "5"))
  }

  @Test func `a push is stored, announced and answered`() async {
    let store = MemoryRosterStore()
    let keeper = RosterSync(
      account: alice, store: store, hub: hub, log: .none, requests: requests)
    let channel = RecordingChannel()
    await keeper.sessionStarted(.fixture, over: channel)
    await keeper.receive([
      .iq(from: nil, type: "set", id: "p1", query(item("bob@example.org", "both")))
    ])
    #expect(await store.contacts() == [Contact(jid: bob, subscription: .both)])
    #expect(await channel.sent.map { [$0["type"], $0["id"]] } == [["result", "p1"]])
    await keeper.receive([
      .iq(from: "alice@example.org", type: "set", query(item("bob@example.org", "remove")))
    ])
    #expect(await store.contacts().isEmpty)
  }

  @Test func `pushes that arrive together are stored and announced together, in their order`()
    async throws
  {
    let store = MemoryRosterStore([Contact(jid: carol, subscription: .both)])
    let keeper = RosterSync(
      account: alice, store: store, hub: hub, log: .none, requests: requests)
    let channel = RecordingChannel()
    await keeper.sessionStarted(.fixture, over: channel)
    let sent = await channel.sent.count
    let events = hub.events()
    let pushes = (0..<300).map { number in
      Stanza.iq(
        from: nil, type: "set", id: "p\(number)",
        query(item(number % 100 == 7 ? "bob@example.org" : "c\(number)@example.org", "to")))
    }
    await keeper.receive(
      pushes + [.iq(from: nil, type: "set", id: "last", query(item("carol@example.org", "remove")))]
    )
    #expect(await channel.sent.count - sent == 301)
    #expect(await store.contacts().count == 298)
    let changes = await events.published(on: hub)
    #expect(changes.count == 2 && changes.contains(.contactsRemoved([carol])))
  }

  @Test func `a push that cannot be stored is answered once it is, and the user is notified`()
    async throws
  {
    let store = MemoryRosterStore()
    await store.fail(with: NatterError(.storage, "error.storage.full"))
    let channel = RecordingChannel()
    let answered = Observed<[Int]>([])
    let keeper = RosterSync(
      account: alice, store: store, hub: hub, log: .none, requests: requests,
      sleep: { _ in
        let count = await channel.sent.count
        answered.update { $0.append(count) }
        await store.fail(with: nil)
      })
    await keeper.sessionStarted(.fixture, over: channel)
    let events = hub.events()
    await keeper.receive([
      .iq(from: nil, type: "set", id: "p1", query(item("bob@example.org", "both")))
    ])
    #expect(answered.value == [0])
    #expect(await store.contacts() == [Contact(jid: bob, subscription: .both)])
    #expect(await channel.sent.map { $0["type"] } == ["result"])
    let reported = await events.published(on: hub)
    #expect(reported.contains(.notice(StatusNotice(.error, "error.storage.full"))))
  }

  @Test func `a push that could not be stored before the end is not answered`() async throws {
    let store = MemoryRosterStore()
    await store.fail(with: NatterError(.storage, "error.storage.full"))
    let channel = RecordingChannel()
    let keeper = RosterSync(
      account: alice, store: store, hub: hub, log: .none, requests: requests,
      sleep: { _ in throw CancellationError() })
    await keeper.sessionStarted(.fixture, over: channel)
    await keeper.receive([
      .iq(from: nil, type: "set", id: "p1", query(item("bob@example.org", "both")))
    ])
    #expect(await channel.sent.isEmpty)
  }

  @Test func `about the conversation list itself? yes: the views of the list learn what changed`()
    async
  {
    let keeper = RosterSync(
      account: alice, store: MemoryRosterStore([Contact(jid: carol, subscription: .both)]),
      hub: hub, log: .none, requests: requests)
    let channel = RecordingChannel { _ in result(item("carol@example.org", "both")) }
    await keeper.sessionStarted(.fixture, over: channel)
    let events = hub.events()
    await keeper.receive([
      .iq(from: nil, type: "set", id: "p1", query(item("bob@example.org", "both"))),
      .iq(from: nil, type: "set", id: "p2", query(item("carol@example.org", "remove"))),
    ])
    let reported = await events.published(on: hub)
    #expect(reported.contains(.contactsChanged([Contact(jid: bob, subscription: .both)])))
    #expect(reported.contains(.contactsRemoved([carol])))
  }

  @Test func `a push from another address is refused and changes nothing`() async {
    let store = MemoryRosterStore()
    let keeper = RosterSync(
      account: alice, store: store, hub: hub, log: .none, requests: requests)
    let channel = RecordingChannel()
    await keeper.sessionStarted(.fixture, over: channel)
    await keeper.receive([
      .iq(from: "mallory@example.org/x", type: "set", query(item("mallory@example.org", "both")))
    ])
    #expect(await store.contacts().isEmpty)
    #expect(await channel.sent.map { $0["type"] } == ["error"])
  }

  @Test func `adding sets the entry and asks for the presence`() async throws {
    let keeper = RosterSync(
      account: alice, store: MemoryRosterStore(), hub: hub, log: .none, requests: requests)
    let channel = RecordingChannel()
    await keeper.sessionStarted(.fixture, over: channel)
    try await keeper.add(bob, name: "Bob")
    let item = await channel.requests.last { $0["type"] == "set" }?
      .first("query", Namespace.roster)?.first("item", Namespace.roster)
    #expect(item?["jid"] == "bob@example.org")
    #expect(item?["name"] == "Bob")
    #expect(await channel.sent.map { $0["type"] } == ["subscribe"])
  }

  @Test func `the token of an invitation and a message go with the request`() async throws {
    let keeper = RosterSync(
      account: alice, store: MemoryRosterStore(), hub: hub, log: .none, requests: requests)
    let channel = RecordingChannel()
    await keeper.sessionStarted(.fixture, over: channel)
    try await keeper.add(bob, name: nil, invitation: "T<1>", message: "It is <me>.")
    let sent = await channel.sent
    #expect(sent.first?.first("status", "jabber:client")?.text == "It is <me>.")
    #expect(sent.map { $0["type"] } == ["subscribe"])
    #expect(sent.first?.first("preauth", "urn:xmpp:pars:0")?["token"] == "T<1>")
  }

  @Test func `a change can be asked for before the session's work has come to the roster`()
    async throws
  {
    let keeper = RosterSync(
      account: alice, store: MemoryRosterStore(), hub: hub, log: .none, requests: requests)
    let channel = RecordingChannel()
    await keeper.channelOpened(channel)
    try await keeper.add(bob, name: nil)
    #expect(await channel.sent.map { $0["type"] } == ["subscribe"])
  }

  @Test func `what is pushed while the roster is fetched is not overwritten by it`() async {
    let store = MemoryRosterStore()
    let keeper = RosterSync(
      account: alice, store: store, hub: hub, log: .none, requests: requests)
    let channel = HeldChannel(answer: result(item("bob@example.org", "none")))
    async let session: Void = keeper.sessionStarted(.fixture, over: channel)
    await channel.waitsForRequest()
    let reader = Task {
      await keeper.receive([
        .iq(from: nil, type: "set", id: "p1", query(item("carol@example.org", "to"))),
        .iq(from: nil, type: "set", id: "p2", query(item("bob@example.org", "both"))),
      ])
    }
    await reader.value
    await channel.release()
    await session
    let contacts = await store.contacts()
    #expect(
      Set(contacts) == [
        Contact(jid: bob, subscription: .both), Contact(jid: carol, subscription: .to),
      ])
  }

  @Test func `adding a user who has asked answers that, too`() async throws {
    await requests.ask(bob)
    let keeper = RosterSync(
      account: alice, store: MemoryRosterStore(), hub: hub, log: .none, requests: requests)
    let channel = RecordingChannel()
    await keeper.sessionStarted(.fixture, over: channel)
    try await keeper.add(bob, name: nil)
    #expect(await channel.sent.map { $0["type"] } == ["subscribed", "subscribe"])
    #expect(await requests.subscriptionRequests().isEmpty)
  }

  @Test func `approving answers and asks back only where it is not known yet`() async throws {
    let store = MemoryRosterStore([Contact(jid: bob, subscription: .to)])
    let keeper = RosterSync(
      account: alice, store: store, hub: hub, log: .none, requests: requests)
    let channel = RecordingChannel()
    await keeper.sessionStarted(
      .fixture(features: .withRosterVersioning), over: channel)
    try await keeper.approve(bob)
    try await keeper.approve(carol)
    #expect(
      await channel.sent.map { $0["type"] } == ["subscribed", "subscribed", "subscribe"])
  }

  @Test func `a refusal of the server reaches the caller with the server's text`() async {
    let keeper = RosterSync(
      account: alice, store: MemoryRosterStore(), hub: hub, log: .none, requests: requests)
    await keeper.sessionStarted(
      .fixture, over: RecordingChannel { _ in throw StanzaError(.cancel, .notAllowed) })
    await #expect {
      try await keeper.add(bob, name: nil)
    } throws: { ($0 as? NatterError)?.key == "stanza.not-allowed" }
  }
}

/// Requests that the test makes.
actor OpenRequests: SubscriptionRequestKeeping {
  private var open: [JID] = []
  func ask(_ jid: JID) { open.append(jid) }
  func subscriptionRequests() -> [JID] { open }
  func settleRequest(from jid: JID) { open.removeAll { $0 == jid.bare } }
}

/// A connection whose one answer comes when the test says so.
