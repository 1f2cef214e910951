import Diagnostics
import Foundation
import TestSupport
import Testing
import XML
import XMPP

@testable import NatterCore
@testable import PeopleService

/// Changes of contacts without a connection.
@Suite struct RosterChangeTests {
  private let hub = EventHub()
  private let alice = JID(local: "alice", domain: "example.org")
  private let bob = JID(local: "bob", domain: "example.org")
  private let carol = JID(local: "carol", domain: "example.org")
  private let requests = OpenRequests()
  private let store = MemoryRosterStore([
    Contact(
      jid: JID(local: "carol", domain: "example.org"), name: "Carol", subscription: .both,
      groups: ["Work"])
  ])

  private func keeper(now: Date = Date(timeIntervalSince1970: 0)) -> RosterSync {
    RosterSync(
      account: alice, store: store, hub: hub, log: .none, requests: requests, now: { now })
  }

  /// A server whose roster is what is stored, so that only the changes are asked.
  private func channel(refusing refused: StanzaError? = nil) -> RecordingChannel {
    RecordingChannel { iq in
      if iq["type"] == "set", let refused { throw refused }
      return Element("iq", Namespace.client, ["type": "result"])
    }
  }

  /// The entries that were sent to the server, as text.
  private func reported(_ channel: RecordingChannel) async -> [String] {
    entries(await channel.requests)
  }

  private func entries(_ requests: [Element]) -> [String] {
    requests.filter { $0["type"] == "set" }.compactMap {
      guard let item = $0.first("query", Namespace.roster)?.first("item", Namespace.roster) else {
        return nil
      }
      let groups = item.all("group", Namespace.roster).map(\.text).joined(separator: "+")
      return [item["jid"], item["name"], item["subscription"], groups].compactMap { $0 }
        .filter { !$0.isEmpty }.joined(separator: " ")
    }
  }

  @Test func `a contact added offline is there at once, and sent in the next session`() async throws
  {
    let keeper = keeper()
    let events = hub.events()
    #expect(try await !keeper.add(bob, name: "Bob"))
    let contact = try #require(await store.contact(bob))
    #expect(contact.name == "Bob" && contact.changes.map(\.isWaiting) == [true])
    #expect(await events.published(on: hub) == [.contactsChanged([contact])])

    // Another run of the program.
    let later = self.keeper()
    let channel = channel()
    await later.sessionStarted(.fixture, over: channel)
    #expect(await reported(channel) == ["bob@example.org Bob"])
    #expect(await channel.sent.map { $0["type"] } == ["subscribe"])
    #expect(await store.contact(bob)?.changes == [])
    #expect(await store.contactChanges().isEmpty)
  }

  @Test func `of several names the last one is sent, with the groups as they are to be`()
    async throws
  {
    let keeper = keeper()
    try await keeper.rename(carol, to: "Caro")
    try await keeper.regroup(carol, into: ["Friends"])
    try await keeper.rename(carol, to: "C.")
    let contact = await store.contact(carol)
    #expect(contact?.name == "C." && contact?.groups == ["Friends"])
    let channel = channel()
    await keeper.sessionStarted(.fixture, over: channel)
    #expect(await reported(channel) == ["carol@example.org C. Friends"])
    #expect(await store.contact(carol)?.subscription == .both)
  }

  @Test func `changes are sent in the order in which they were made`() async throws {
    let keeper = keeper()
    try await keeper.remove(carol)
    try await keeper.add(bob, name: nil)
    let channel = channel()
    await keeper.sessionStarted(.fixture, over: channel)
    #expect(await reported(channel) == ["carol@example.org remove", "bob@example.org"])
    #expect(await store.contacts().map(\.jid) == [bob])
  }

  @Test func `who is removed and added again stays, and the other way round goes`() async throws {
    let keeper = keeper()
    try await keeper.remove(carol)
    try await keeper.add(carol, name: "Carol")
    try await keeper.add(bob, name: nil)
    try await keeper.remove(bob)
    let channel = channel()
    await keeper.sessionStarted(.fixture, over: channel)
    #expect(
      await reported(channel) == ["carol@example.org Carol Work", "bob@example.org remove"])
    #expect(await store.contacts().map(\.jid) == [carol])
  }

  @Test func `a removal of who is gone already is done`() async throws {
    let keeper = keeper()
    try await keeper.remove(carol)
    await keeper.sessionStarted(
      .fixture, over: channel(refusing: StanzaError(.cancel, .itemNotFound)))
    #expect(await store.contactChanges().isEmpty)
    #expect(await store.contacts().isEmpty)
  }

  @Test func `requests are answered later, the last answer counting`() async throws {
    await requests.ask(bob)
    await requests.ask(carol)
    let keeper = keeper()
    #expect(try await !keeper.deny(bob))
    #expect(try await !keeper.approve(bob))
    #expect(try await !keeper.deny(carol))
    #expect(await requests.subscriptionRequests().isEmpty)
    let channel = channel()
    await keeper.sessionStarted(.fixture, over: channel)
    #expect(
      await channel.sent.map { [$0["to"], $0["type"]] } == [
        ["bob@example.org", "subscribed"], ["bob@example.org", "subscribe"],
        ["carol@example.org", "unsubscribed"],
      ])
    #expect(await store.contactChanges().isEmpty)
  }

  @Test func `an answer counts as delivered when the server has it, not when it was sent`()
    async throws
  {
    await requests.ask(bob)
    let keeper = keeper()
    // It is sent, and the connection ends before the server says anything.
    let lost = RecordingChannel { iq in
      if iq.first("ping", Namespace.ping) != nil { throw ChannelError.timedOut }
      return Element("iq", Namespace.client, ["type": "result"])
    }
    await keeper.sessionStarted(.fixture, over: lost)
    #expect(try await !keeper.approve(bob))
    #expect(try await !keeper.requestPresence(of: carol))
    #expect(await lost.sent.map { $0["type"] } == ["subscribed", "subscribe", "subscribe"])
    #expect(await store.contactChanges().map(\.operation) == [.approve, .ask])
    // A server that does not know pings has had it all the same.
    let channel = RecordingChannel { iq in
      if iq.first("ping", Namespace.ping) != nil { throw StanzaError(.cancel, .serviceUnavailable) }
      return Element("iq", Namespace.client, ["type": "result"])
    }
    await keeper.channelOpened(channel)
    await keeper.sessionResumed()
    #expect(await channel.sent.map { $0["type"] } == ["subscribed", "subscribe", "subscribe"])
    #expect(await store.contactChanges().isEmpty)
  }

  @Test func `an answer that another client gave takes the request off the list`() async throws {
    await requests.ask(bob)
    await requests.ask(carol)
    let keeper = keeper()
    await keeper.sessionStarted(.fixture, over: channel())
    let item = Element(
      "item", Namespace.roster, ["jid": bob.description, "subscription": "from"])
    await keeper.receive([
      .iq(
        IQ(
          Element(
            "iq", Namespace.client, ["type": "set", "id": "p"],
            [Element("query", Namespace.roster, [:], [item])])))
    ])
    #expect(await requests.subscriptionRequests() == [carol])
  }

  @Test func `a change refused later keeps the server's text, until it is retried or taken back`()
    async throws
  {
    let keeper = keeper()
    let events = hub.events()
    try await keeper.add(bob, name: "Bob")
    try await keeper.rename(carol, to: "Caro")
    await keeper.sessionStarted(
      .fixture, over: channel(refusing: StanzaError(.cancel, .notAllowed, text: "no more friends")))
    // What it is called is as it was.
    #expect(await store.contact(carol)?.name == "Carol")
    let notice = StatusNotice(.error, "stanza.not-allowed", ["text": "no more friends"])
    #expect(await store.contact(bob)?.changes.map(\.refusal) == [notice])
    #expect(await events.published(on: hub).count { $0 == .notice(notice) } == 2)

    // Nothing is sent a second time automatically.
    let channel = channel()
    await keeper.sessionStarted(.fixture, over: channel)
    #expect(await reported(channel) == [])
    #expect(try await keeper.retryChanges(of: carol))
    #expect(await reported(channel) == ["carol@example.org Caro Work"])
    try await keeper.discardChanges(of: bob)
    #expect(await store.contact(bob) == nil)
    #expect(await store.contactChanges().isEmpty)
  }

  @Test func `what is refused at once is as it was, and said`() async throws {
    let keeper = keeper()
    await keeper.sessionStarted(
      .fixture, over: channel(refusing: StanzaError(.cancel, .notAllowed)))
    await #expect(throws: NatterError(.refused, "stanza.not-allowed", ["text": ""])) {
      try await keeper.rename(carol, to: "Caro")
    }
    #expect(await store.contact(carol)?.name == "Carol")
    #expect(await store.contactChanges().isEmpty)
  }

  @Test func `a connection that breaks, and a server that is busy, keep it for later`()
    async throws
  {
    let keeper = keeper()
    let broken = RecordingChannel()
    await keeper.sessionStarted(.fixture, over: broken)
    await broken.breakDown()
    #expect(try await !keeper.rename(carol, to: "Caro"))
    await keeper.sessionStarted(
      .fixture, over: channel(refusing: StanzaError(.wait, .internalServerError)))
    #expect(await store.contactChanges().map(\.isWaiting) == [true])
    let channel = channel()
    await keeper.channelOpened(channel)
    await keeper.sessionResumed()
    #expect(await reported(channel) == ["carol@example.org Caro Work"])
  }

  @Test func `a change that is made while the roster is fetched keeps what others have changed`()
    async throws
  {
    let carolsItem = Element(
      "item", Namespace.roster,
      ["jid": carol.description, "name": "Carol", "subscription": "both"],
      [Element("group", Namespace.roster, text: "Friends")])
    let sent = Observed<[Element]>([])
    let channel = HeldChannel(holding: { $0["type"] == "get" }) { iq in
      if iq["type"] == "set" { sent.update { $0.append(iq) } }
      let query = Element("query", Namespace.roster, [:], iq["type"] == "get" ? [carolsItem] : [])
      return Element("iq", Namespace.client, ["type": "result"], [query])
    }
    let keeper = keeper()
    await keeper.channelOpened(channel)
    async let session: Void = keeper.sessionStarted(.fixture, over: channel)
    await channel.waitsForRequest()
    let renaming = Task { try await keeper.rename(carol, to: "Caro") }
    try await until("the change waits, or is sent") {
      await keeper.inbox.waiting(in: .only) == 1 || !sent.value.isEmpty
    }
    await channel.release()
    await session
    #expect(try await renaming.value)
    #expect(entries(sent.value) == ["carol@example.org Caro Friends"])
    #expect(await store.contact(carol)?.groups == ["Friends"])
    #expect(await store.contactChanges().isEmpty)
  }

  @Test func `what another client makes of a changed contact counts, though the answer is due`()
    async throws
  {
    let keeper = keeper()
    let channel = HeldChannel(holding: { $0["type"] == "set" }) { _ in
      Element("iq", Namespace.client, ["type": "result"])
    }
    await keeper.sessionStarted(.fixture, over: channel)
    let renaming = Task { try await keeper.rename(carol, to: "Caro") }
    await channel.waitsForRequest()
    let pushes = ["Caro", "Carolina"].map { name in
      let item = Element(
        "item", Namespace.roster,
        ["jid": carol.description, "name": name, "subscription": "both"])
      return Stanza.iq(
        from: nil, type: "set", id: name, Element("query", Namespace.roster, [:], [item]))
    }
    await keeper.receive(pushes)
    await channel.release()
    #expect(try await renaming.value)
    #expect(await store.contact(carol)?.name == "Carolina")
    #expect(await store.contactChanges().isEmpty)
  }

  @Test func `a push about a contact does not undo what waits`() async throws {
    let keeper = keeper()
    let channel = channel()
    await keeper.sessionStarted(.fixture, over: channel)
    await channel.breakDown()
    #expect(try await !keeper.rename(carol, to: "Caro"))
    let item = Element(
      "item", Namespace.roster,
      ["jid": "carol@example.org", "name": "Carolina", "subscription": "to"])
    await keeper.receive([
      .iq(from: nil, type: "set", id: "p1", Element("query", Namespace.roster, [:], [item]))
    ])
    let contact = await store.contact(carol)
    #expect(contact?.name == "Caro" && contact?.subscription == .to)
  }

  @Test func `the list's age is that of the session that kept it`() async throws {
    #expect(await store.rosterConfirmedAt() == nil)
    let keeper = keeper(now: Date(timeIntervalSince1970: 50))
    await keeper.sessionStarted(.fixture, over: channel())
    #expect(await store.rosterConfirmedAt() == Date(timeIntervalSince1970: 50))
    let later = self.keeper(now: Date(timeIntervalSince1970: 60))
    await later.sessionStarted(
      .fixture, over: RecordingChannel { _ in throw StanzaError(.cancel, .serviceUnavailable) })
    await later.sessionEnded()
    #expect(await store.rosterConfirmedAt() == Date(timeIntervalSince1970: 50))
  }
}
