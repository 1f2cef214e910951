import Diagnostics
import Foundation
import NatterCore
import TestSupport
import Testing
import XML
import XMPP

@testable import PeopleService

/// The block list (XEP-0191; flows.md, "Data sync": commands of the kind "block list").
@Suite struct BlockListSyncTests {
  private static let namespace = BlockListSync.namespace
  private let store = MemoryRosterStore()
  private let eve = JID(local: "eve", domain: "example.org")

  private func list(_ name: String, _ addresses: [String]) -> Element {
    Element(
      name, Self.namespace, [:],
      addresses.map { Element("item", Self.namespace, ["jid": $0]) })
  }

  private func push(_ payload: Element) -> AccountEvent {
    AccountEvent(
      id: "block-list", isKept: false, kind: .blockList, sender: nil,
      stanza: Element("iq", Namespace.client, ["type": "set", "id": "p1"], [payload]))
  }

  private func addresses() async -> [String] { await store.blocked().map(\.description).sorted() }

  @Test func `block list changed: the list is read at login, and each push changes it`()
    async throws
  {
    let keeper = BlockListSync(
      account: JID(local: "alice", domain: "example.org"), store: store, hub: EventHub(), log: .none
    )
    let list = list("blocklist", ["eve@example.org", "spam.example"])
    let channel = RecordingChannel { _ in
      Element("iq", Namespace.client, ["type": "result"], [list])
    }
    await keeper.sessionStarted(.fixture, over: channel)
    #expect(await addresses() == ["eve@example.org", "spam.example"])
    try await keeper.apply(push(self.list("block", ["mallory@example.org", "not an address@"])))
    #expect(await addresses() == ["eve@example.org", "mallory@example.org", "spam.example"])
    try await keeper.apply(push(self.list("unblock", ["spam.example"])))
    #expect(await addresses() == ["eve@example.org", "mallory@example.org"])
    try await keeper.apply(push(self.list("unblock", [])))
    #expect(await addresses() == [])
    // The server hears that each push was taken.
    #expect(
      await channel.sent.map { [$0["type"], $0["id"]] }
        == Array(
          repeating: ["result", "p1"], count: 3))
  }

  @Test func `what is pushed while the list is fetched is not overwritten by it`() async throws {
    await store.replaceBlocked([eve])
    let keeper = BlockListSync(
      account: JID(local: "alice", domain: "example.org"), store: store, hub: EventHub(), log: .none
    )
    let channel = HeldChannel(
      answer: Element(
        "iq", Namespace.client, ["type": "result"], [list("blocklist", ["spam.example"])]))
    async let session: Void = keeper.sessionStarted(.fixture, over: channel)
    await channel.waitsForRequest()
    try await keeper.apply(push(list("block", ["mallory@example.org"])))
    try await keeper.apply(push(list("unblock", ["spam.example"])))
    await channel.release()
    await session
    #expect(await addresses() == ["mallory@example.org"])
  }

  @Test func `the end of an earlier session does not end the wait of the next for its list`()
    async throws
  {
    let keeper = BlockListSync(
      account: JID(local: "alice", domain: "example.org"), store: store, hub: EventHub(), log: .none
    )
    let answer = Element(
      "iq", Namespace.client, ["type": "result"], [list("blocklist", ["spam.example"])])
    let (first, second) = (HeldChannel(answer: answer), HeldChannel(answer: answer))
    async let earlier: Void = keeper.sessionStarted(.fixture, over: first)
    await first.waitsForRequest()
    async let later: Void = keeper.sessionStarted(.fixture, over: second)
    await second.waitsForRequest()
    await first.release()
    await earlier
    try await keeper.apply(push(list("block", ["mallory@example.org"])))
    await second.release()
    await later
    #expect(await addresses() == ["mallory@example.org", "spam.example"])
  }

  @Test func `what is pushed while the list is fetched is stored before it is answered`()
    async throws
  {
    let keeper = BlockListSync(
      account: JID(local: "alice", domain: "example.org"), store: store, hub: EventHub(), log: .none
    )
    let channel = HeldChannel(
      answer: Element("iq", Namespace.client, ["type": "result"], [list("blocklist", [])]))
    async let session: Void = keeper.sessionStarted(.fixture, over: channel)
    await channel.waitsForRequest()
    try await keeper.apply(push(list("block", ["mallory@example.org"])))
    #expect(await addresses() == ["mallory@example.org"])
    await channel.release()
    await session
    #expect(await addresses() == ["mallory@example.org"])
  }

  @Test func `a server without block lists leaves the list as it was`() async throws {
    await store.replaceBlocked([eve])
    let keeper = BlockListSync(
      account: JID(local: "alice", domain: "example.org"), store: store, hub: EventHub(), log: .none
    )
    await keeper.sessionStarted(
      .fixture,
      over: RecordingChannel { _ in throw StanzaError(.cancel, .serviceUnavailable) })
    #expect(await addresses() == ["eve@example.org"])
  }

  @Test func `an address that another client unblocks stays so, though the answer is due`()
    async throws
  {
    let keeper = BlockListSync(
      account: JID(local: "alice", domain: "example.org"), store: store, hub: EventHub(), log: .none
    )
    let channel = HeldChannel(holding: { $0["type"] == "set" }) { _ in
      Element("iq", Namespace.client, ["type": "result"])
    }
    await keeper.channelOpened(channel)
    let outcome = try await channel.holds {
      try await keeper.block(eve, report: nil)
    } meanwhile: {
      try await keeper.apply(push(list("block", [eve.description])))
      try await keeper.apply(push(list("unblock", [eve.description])))
    }
    #expect(outcome == .blocked)
    #expect(await addresses() == [])
    #expect(await store.contactChanges().isEmpty)
  }

  // MARK: The user's changes

  private func blockingServer(features: Set<String>, refuses: Bool = false) -> RecordingChannel {
    RecordingChannel { iq in
      if iq["type"] == "set", refuses { throw StanzaError(.cancel, .notAllowed) }
      let info = XEP0030Discovery(features: features).element()
      return Element("iq", Namespace.client, ["type": "result"], iq["type"] == "get" ? [info] : [])
    }
  }

  private func online(_ channel: RecordingChannel, _ hub: EventHub = EventHub()) async
    -> BlockListSync
  {
    let keeper = BlockListSync(
      account: JID(local: "alice", domain: "example.org"), store: store, hub: hub, log: .none)
    await keeper.sessionStarted(.fixture, over: channel)
    return keeper
  }

  @Test func `a contact is blocked and unblocked again, and the views of the list are notified`()
    async throws
  {
    let channel = blockingServer(features: [])
    let hub = EventHub()
    let keeper = await online(channel, hub)
    let events = hub.events()
    #expect(try await keeper.block(eve, report: nil) == .blocked)
    #expect(try await keeper.blocked() == [BlockedAddress(jid: eve)])
    #expect(try await keeper.unblock(eve))
    #expect(try await keeper.blocked() == [])
    #expect(await events.published(on: hub) == [.blockListChanged, .blockListChanged])
    #expect(
      await channel.requests.compactMap { $0.elements.first?.name }.suffix(2) == [
        "block", "unblock",
      ])
  }

  @Test func `who is online can block, before the list was read`() async throws {
    let keeper = BlockListSync(
      account: JID(local: "alice", domain: "example.org"), store: store, hub: EventHub(), log: .none
    )
    let consumer: any SessionConsuming = keeper
    await consumer.channelOpened(blockingServer(features: []))
    _ = try await keeper.block(eve, report: nil)
    #expect(try await keeper.blocked() == [BlockedAddress(jid: eve)])
  }

  @Test func `a report goes along where the server takes one, and is not claimed elsewhere`()
    async throws
  {
    let report = AbuseReport(reason: .spam, text: "buy now")
    let deaf = blockingServer(features: [])
    #expect(try await online(deaf).block(eve, report: report) == .blocked)
    #expect(await deaf.requests.last?.elements[0].elements[0].elements == [])
    let open = blockingServer(features: ["urn:xmpp:reporting:1"])
    #expect(try await online(open).block(eve, report: report) == .reported)
    let item = await open.requests.last?.elements[0].elements[0]
    let reported = item?.first("report", "urn:xmpp:reporting:1")
    #expect(reported?["reason"] == "urn:xmpp:reporting:spam")
    #expect(reported?.elements.map(\.text) == ["buy now"])
  }

  @Test func `what the server refuses changes nothing, nor can one block oneself`() async throws {
    let keeper = await online(blockingServer(features: [], refuses: true))
    await #expect(throws: NatterError(.refused, "stanza.not-allowed", ["text": ""])) {
      _ = try await keeper.block(eve, report: nil)
    }
    await #expect(throws: NatterError.self) {
      _ = try await keeper.block(JID(local: "alice", domain: "example.org"), report: nil)
    }
    #expect(await addresses() == [])
  }

  // MARK: Without a connection

  private func offline(_ hub: EventHub = EventHub()) -> BlockListSync {
    BlockListSync(
      account: JID(local: "alice", domain: "example.org"), store: store, hub: hub, log: .none,
      now: { Date(timeIntervalSince1970: 70) })
  }

  private func begin(_ keeper: BlockListSync, _ channel: RecordingChannel) async {
    await keeper.channelOpened(channel)
    await PendingBlocks(keeper).sessionStarted(.fixture, over: channel)
  }

  @Test func `who is blocked offline is shown so, and the server hears of it first of all`()
    async throws
  {
    let hub = EventHub()
    let keeper = offline(hub)
    let events = hub.events()
    let report = AbuseReport(reason: .spam, text: "buy now")
    #expect(try await keeper.block(eve, report: report) == .waiting)
    #expect(await events.published(on: hub) == [.blockListChanged])
    let shown = try await keeper.blocked()
    #expect(shown.map(\.isBlocked) == [true] && shown.first?.change?.isWaiting == true)

    // Another run of the program.
    let later = offline(hub)
    let laterEvents = hub.events()
    let channel = blockingServer(features: ["urn:xmpp:reporting:1"])
    await begin(later, channel)
    let item = await channel.requests.last?.elements[0].elements[0]
    #expect(item?["jid"] == "eve@example.org")
    #expect(item?.first("report", "urn:xmpp:reporting:1")?.elements.map(\.text) == ["buy now"])
    #expect(try await later.blocked() == [BlockedAddress(jid: eve)])
    let notice = StatusNotice(.info, "status.reported", ["address": "eve@example.org"])
    #expect(await laterEvents.published(on: hub).contains(.notice(notice)))
  }

  @Test func `of blocking and unblocking only the last one is sent`() async throws {
    await store.replaceBlocked([eve])
    let keeper = offline()
    #expect(try await !keeper.unblock(eve))
    #expect(try await keeper.blocked().map(\.isBlocked) == [false])
    #expect(try await keeper.block(eve, report: nil) == .waiting)
    #expect(try await !keeper.unblock(eve))
    let channel = blockingServer(features: [])
    await begin(keeper, channel)
    #expect(await channel.requests.compactMap { $0.elements.first?.name } == ["unblock"])
    #expect(await addresses() == [])
  }

  @Test func `a change refused later is shown with the server's text, and can be taken back`()
    async throws
  {
    let keeper = offline()
    _ = try await keeper.block(eve, report: nil)
    await begin(
      keeper,
      RecordingChannel { _ in throw StanzaError(.cancel, .notAllowed, text: "she is the admin") })
    let shown = try await keeper.blocked()
    #expect(
      shown.map(\.change?.refusal) == [
        StatusNotice(.error, "stanza.not-allowed", ["text": "she is the admin"])
      ])
    #expect(shown.map(\.isBlocked) == [false])
    try await keeper.discardBlocking(of: eve)
    #expect(try await keeper.blocked() == [])
  }

  @Test func `a connection that breaks keeps it for later`() async throws {
    let channel = blockingServer(features: [])
    let keeper = await online(channel)
    await channel.breakDown()
    #expect(try await keeper.block(eve, report: nil) == .waiting)
    let next = blockingServer(features: [])
    await keeper.channelOpened(next)
    await keeper.sessionResumed()
    #expect(await addresses() == ["eve@example.org"])
  }

  @Test func `the list's age is that of the session that read it`() async throws {
    let keeper = offline()
    #expect(try await keeper.blockListConfirmedAt() == nil)
    let list = list("blocklist", [])
    await keeper.sessionStarted(
      .fixture,
      over: RecordingChannel { _ in
        Element("iq", Namespace.client, ["type": "result"], [list])
      })
    #expect(try await keeper.blockListConfirmedAt() == Date(timeIntervalSince1970: 70))
  }
}
