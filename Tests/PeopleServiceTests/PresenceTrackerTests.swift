import Diagnostics
import Foundation
import NatterCore
import TestSupport
import Testing
import XML
import XMPP

@testable import PeopleService

@Suite struct PresenceTrackerTests {
  let hub = EventHub()
  let alice = JID(local: "alice", domain: "example.org")
  let bob = JID(local: "bob", domain: "example.org")
  private static let both = ["bob", "carol"].map {
    Contact(jid: JID(local: $0, domain: "example.org"))
  }

  private func keeper(_ contacts: [Contact] = []) -> PresenceTracker {
    PresenceTracker(
      account: alice, roster: MemoryRosterStore(contacts), hub: hub, log: .none,
      capabilities: { nil })
  }

  /// Has the keeper apply what the inbox of commands makes of a request.
  private func asked(_ keeper: PresenceTracker) async {
    let stanza = Element(
      "presence", Namespace.client, ["from": "bob@example.org", "type": "subscribe"])
    // Its errors are ignored: it reports them itself.
    try? await keeper.apply(
      AccountEvent(
        id: "contact-request/bob@example.org", isKept: false, kind: .contactRequest, sender: bob,
        stanza: stanza))
  }

  @Test(arguments: [
    (Contact.Subscription.none, true), (.to, false), (.both, false), (.to, true),
  ])
  func `whom the account asked itself is answered without a question`(
    subscription: Contact.Subscription, isPending: Bool
  ) async {
    let keeper = keeper([Contact(jid: bob, subscription: subscription, isPending: isPending)])
    let channel = RecordingChannel()
    await keeper.channelOpened(channel)
    let events = hub.events()
    await asked(keeper)
    #expect(
      await channel.sent.map { [$0["type"], $0["to"]] } == [["subscribed", "bob@example.org"]])
    #expect(await keeper.subscriptionRequests().isEmpty)
    #expect(await events.published(on: hub).isEmpty)
  }

  @Test func `a request that another client has granted is neither kept nor answered`() async {
    let memory = MemoryPresence()
    await asked(keeper(memory))
    let keeper = PresenceTracker(
      account: alice, roster: MemoryRosterStore([Contact(jid: bob, subscription: .from)]), hub: hub,
      log: .none, capabilities: { nil }, memory: memory)
    let channel = RecordingChannel()
    await keeper.channelOpened(channel)
    await asked(keeper)
    #expect(await keeper.subscriptionRequests().isEmpty)
    #expect(await memory.isEmpty)
    #expect(await channel.sent.isEmpty)
  }

  @Test func `a request from a user whom the account did not ask is reported, once`() async {
    let keeper = keeper([Contact(jid: bob, subscription: .none)])
    let channel = RecordingChannel()
    await keeper.channelOpened(channel)
    let events = hub.events()
    for _ in 0..<2 {
      await asked(keeper)
    }
    #expect(await channel.sent.isEmpty)
    #expect(await keeper.subscriptionRequests() == [bob])
    #expect(await events.published(on: hub) == [.subscriptionRequested(bob)])
  }

  @Test func `an answer that cannot be sent leaves the question to the user`() async {
    let keeper = keeper([Contact(jid: bob, subscription: .to)])
    let channel = RecordingChannel()
    await keeper.channelOpened(channel)
    await channel.breakDown()
    await asked(keeper)
    #expect(await keeper.subscriptionRequests() == [bob])
  }

  @Test func `presence that is set while offline is sent when the session goes on`()
    async throws
  {
    let keeper = keeper()
    let channel = RecordingChannel()
    await keeper.sessionStarted(.fixture, over: channel)
    await channel.breakDown()
    try await keeper.setPresence(.busy, status: "in a meeting")
    await channel.recover()
    await keeper.sessionResumed()
    #expect(
      await channel.sent.map { $0.first("show", Namespace.client)?.text } == [nil, "dnd"])
    // Once.
    await keeper.sessionResumed()
    #expect(await channel.sent.count == 2)
  }

  @Test func `the resource with the highest priority speaks for a contact`() async {
    let keeper = keeper(Self.both)
    await keeper.receive([
      .presence(from: "bob@example.org/phone", show: "away", priority: 5),
      .presence(from: "bob@example.org/desk", priority: 0),
    ])
    #expect(await keeper.presence() == [ContactPresence(jid: bob, availability: .away)])
    await keeper.receive([.presence(from: "bob@example.org/phone", type: "unavailable")])
    #expect(await keeper.presence() == [ContactPresence(jid: bob, availability: .online)])
  }

  @Test func `when the last resource has gone the contact is offline`() async {
    let keeper = keeper(Self.both)
    let events = hub.events()
    await keeper.receive([
      .presence(from: "bob@example.org/desk"),
      .presence(from: "bob@example.org/desk", type: "unavailable"),
    ])
    #expect(
      await events.published(on: hub)
        == [.presenceChanged([ContactPresence(jid: bob, availability: .offline)])])
  }

  @Test func `the end of the session leaves no one online`() async {
    let keeper = keeper(Self.both)
    await keeper.receive([.presence(from: "bob@example.org/desk")])
    let events = hub.events()
    await keeper.sessionEnded()
    #expect(await keeper.presence().isEmpty)
    #expect(
      await events.published(on: hub)
        == [.presenceChanged([ContactPresence(jid: bob, availability: .offline)])])
  }

  @Test func `who was there before the connection broke is there again when the session goes on`()
    async
  {
    let keeper = keeper(Self.both)
    await keeper.receive([
      .presence(from: "bob@example.org/desk", show: "away"),
      .presence(from: "carol@example.org/desk"),
      .presence(from: "carol@example.org/desk", type: "unavailable"),
    ])
    let events = hub.events()
    await keeper.sessionResumed()
    let reported = await events.published(on: hub).flatMap { event -> [ContactPresence] in
      guard case .presenceChanged(let changed) = event else { return [] }
      return changed
    }
    #expect(
      reported.filter { $0.availability != .offline } == [
        ContactPresence(jid: bob, availability: .away)
      ])
  }

  @Test func `a request is announced once and forgotten when answered`() async {
    let keeper = keeper()
    let events = hub.events()
    for _ in 0..<2 { await asked(keeper) }
    #expect(await events.published(on: hub) == [.subscriptionRequested(bob)])
    #expect(await keeper.subscriptionRequests() == [bob])
    await keeper.settleRequest(from: bob)
    #expect(await keeper.subscriptionRequests().isEmpty)
  }

  private func keeper(_ memory: MemoryPresence, _ store: MemoryRosterStore = .init())
    -> PresenceTracker
  {
    PresenceTracker(
      account: alice, roster: store, hub: hub, log: .none, capabilities: { nil }, memory: memory)
  }

  @Test func `a request that was not answered is there after a restart, once`() async {
    let memory = MemoryPresence()
    await asked(keeper(memory))
    let later = keeper(memory)
    #expect(await later.subscriptionRequests() == [bob])
    // The session ends, a new one begins, and the server reports it again.
    await later.sessionEnded()
    let events = hub.events()
    await asked(later)
    #expect(await later.subscriptionRequests() == [bob])
    #expect(await events.published(on: hub).isEmpty)
    await later.settleRequest(from: bob)
    #expect(await memory.isEmpty)
    #expect(await keeper(memory).subscriptionRequests().isEmpty)
  }

  /// Says when it keeps something, between what else is said.
  private struct ReportingMemory: PresenceStoring {
    let hub: EventHub
    func unreadableChanges(of kinds: Set<PendingChangeKind>) -> [UnreadableChange] { [] }
    func storedPresence() -> StoredPresence { StoredPresence() }
    func keep(_ presence: OwnPresence) { hub.publish(.presenceChanged([])) }
    func keepRequest(from jid: JID, at date: Date) { hub.publish(.presenceChanged([])) }
    func removeRequest(from jid: JID) { hub.publish(.presenceChanged([])) }
  }

  @Test func `a request is kept before it is seen`() async {
    let keeper = PresenceTracker(
      account: alice, roster: MemoryRosterStore([]), hub: hub, log: .none, capabilities: { nil },
      memory: ReportingMemory(hub: hub))
    let events = hub.events()
    await asked(keeper)
    #expect(
      await events.published(on: hub) == [.presenceChanged([]), .subscriptionRequested(bob)])
  }

  @Test func `a request that is taken back is off the list, whichever of the two is heard first`()
    async
  {
    let memory = MemoryPresence()
    let keeper = keeper(memory)
    await asked(keeper)
    let events = hub.events()
    let back = Stanza.presence(from: "bob@example.org", type: "unsubscribe")
    await keeper.receive([back])
    #expect(await keeper.subscriptionRequests().isEmpty)
    #expect(await memory.isEmpty)
    // Both in one batch: presence is seen before the command is.
    let request = Stanza.presence(from: "bob@example.org", type: "subscribe")
    await keeper.receive([request, back])
    await asked(keeper)
    #expect(await keeper.subscriptionRequests().isEmpty)
    await keeper.receive([back, request])
    await asked(keeper)
    #expect(await keeper.subscriptionRequests() == [bob])
    #expect(
      await events.published(on: hub) == [.subscriptionAnswered(bob), .subscriptionRequested(bob)])
  }

  /// Sets up a session as far as contact requests are concerned.
  private func begin(_ keeper: PresenceTracker, over channel: any StanzaChannel) async {
    await keeper.sessionStarted(.fixture, over: channel)
    await WithdrawnRequests(keeper).sessionStarted(.fixture, over: channel)
  }

  @Test func `a request that the server does not repeat in a new session is dropped`()
    async
  {
    let memory = MemoryPresence()
    await asked(keeper(memory))
    let cut = keeper(memory)
    await begin(cut, over: RecordingChannel { _ in throw ChannelError.timedOut })
    #expect(await cut.subscriptionRequests() == [bob])
    let reported = keeper(memory)
    await asked(reported)
    await begin(reported, over: RecordingChannel())
    #expect(await reported.subscriptionRequests() == [bob])
    let events = hub.events()
    let later = keeper(memory)
    await begin(later, over: RecordingChannel())
    #expect(await later.subscriptionRequests().isEmpty)
    #expect(await events.published(on: hub) == [.subscriptionAnswered(bob)])
    #expect(await memory.isEmpty)
  }

  /// A connection on which an answer comes before the consumers have handled what came before it.
  private struct LaggingChannel: StanzaChannel {
    /// Has the consumers handle it.
    let handle: @Sendable () async -> Void

    func send(_ stanza: Element) {}
    func request(_ iq: Element, timeout: Duration) -> Element {
      Element("iq", Namespace.client, ["type": "result"])
    }
    func settle(timeout: Duration) async { await handle() }
  }

  @Test func `a repeated request that is handled after the answer to a ping is not dropped`()
    async
  {
    let memory = MemoryPresence()
    await asked(keeper(memory))
    let events = hub.events()
    let later = keeper(memory)
    await begin(later, over: LaggingChannel { await asked(later) })
    #expect(await later.subscriptionRequests() == [bob])
    #expect(await events.published(on: hub).isEmpty)
  }

  @Test(arguments: [(Availability.offline, 0), (.online, -1)])
  func `a client that gets no requests keeps those that are known`(
    availability: Availability, priority: Int
  ) async throws {
    let memory = MemoryPresence()
    let keeper = keeper(memory)
    await asked(keeper)
    try await keeper.setPresence(availability, status: nil)
    try await keeper.setPriority(priority)
    await keeper.sessionEnded()
    await begin(keeper, over: RecordingChannel())
    #expect(await keeper.subscriptionRequests() == [bob])
  }

  @Test func `a request whose answer waits is not asked about again`() async {
    let store = MemoryRosterStore()
    let deny = await store.keep(.deny, of: bob)
    let keeper = keeper(MemoryPresence(), store)
    await asked(keeper)
    #expect(await keeper.subscriptionRequests().isEmpty)
    await store.mark([deny], refusal: StatusNotice(.error, "stanza.not-allowed"))
    await asked(keeper)
    #expect(await keeper.subscriptionRequests() == [bob])
  }

  @Test func `strangers cannot fill the list of requests for ever`() async throws {
    let keeper = keeper(MemoryPresence())
    for number in 0..<600 {
      let jid = JID(local: "stranger\(number)", domain: "example.org")
      try await keeper.apply(
        AccountEvent(
          id: "contact-request/\(jid)", isKept: false, kind: .contactRequest, sender: jid,
          stanza: Element("presence", Namespace.client)))
    }
    let requests = await keeper.subscriptionRequests()
    #expect(requests.count == 500)
    // Nor what is remembered of this session.
    #expect(await keeper.repeated == Set(requests))
  }

  @Test func `one's own presence goes out with each session`() async throws {
    let keeper = keeper()
    try await keeper.setPresence(.busy, status: "writing")
    let channel = RecordingChannel()
    await keeper.sessionStarted(.fixture, over: channel)
    let presence = try #require(await channel.sent.first)
    #expect(presence.first("show", Namespace.client)?.text == "dnd")
    #expect(presence.first("status", Namespace.client)?.text == "writing")
  }

  @Test func `resources are listed the best first, with since when they are idle`() async throws {
    let keeper = keeper([Contact(jid: bob, subscription: .both)])
    func presence(_ resource: String, _ priority: String, _ children: Element...) -> Stanza {
      .presence(
        PresenceStanza(
          Element(
            "presence", Namespace.client, ["from": "bob@example.org/\(resource)"],
            [Element("priority", Namespace.client, text: priority)] + children)))
    }
    let idle = Element("idle", XEP0319Idle.namespace, ["since": "2026-11-20T12:00:00Z"])
    let broken = Element("idle", XEP0319Idle.namespace, ["since": "yesterday"])
    await keeper.receive([presence("laptop", "0", idle), presence("phone", "7", broken)])
    let resources = await keeper.resources(of: bob)
    #expect(resources.map(\.resource) == ["phone", "laptop"])
    #expect(resources[0].idleSince == nil)
    #expect(resources[1].idleSince == XEP0082DateTime.date(from: "2026-11-20T12:00:00Z"))
    #expect(await keeper.resources(of: alice).isEmpty)
  }

  @Test func `the priority goes out with presence, within its bounds`() async throws {
    let keeper = keeper()
    let channel = RecordingChannel()
    try await keeper.setPriority(5)
    await keeper.sessionStarted(.fixture, over: channel)
    try await keeper.setPresence(.away, status: "tea")
    try await keeper.setPriority(-500)
    try await keeper.setPriority(0)
    #expect(
      await channel.sent.map { $0.first("priority", Namespace.client)?.text } == [
        "5", "5", "-128", nil,
      ])
    #expect(await keeper.ownPresence() == OwnPresence(availability: .away, status: "tea"))
  }
}
