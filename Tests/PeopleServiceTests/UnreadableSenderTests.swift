import Diagnostics
import NatterCore
import TestSupport
import Testing
import XML
import XMPP

@testable import PeopleService

/// A sender that is there and cannot be read is not the own account.
@Suite struct UnreadableSenderTests {
  private let alice = JID(local: "alice", domain: "example.org")
  private let mallory = JID(local: "mallory", domain: "example.org")
  private let unreadable = "mallory@example.org/r\u{AD}"

  @Test func `pushes nothing into the roster, and its request is not granted`() async {
    let store = MemoryRosterStore()
    let hub = EventHub()
    let keeper = RosterSync(
      account: alice, store: store, hub: hub, log: .none, requests: OpenRequests())
    let channel = RecordingChannel()
    await keeper.sessionStarted(.fixture, over: channel)
    let item = Element(
      "item", Namespace.roster,
      ["jid": "\(mallory)", "subscription": "none", "ask": "subscribe"])
    await keeper.receive([
      .iq(from: unreadable, type: "set", Element("query", Namespace.roster, [:], [item]))
    ])
    #expect(await store.contacts().isEmpty)
    #expect(await channel.sent.allSatisfy { $0["type"] == "error" })
    let presence = PresenceTracker(
      account: alice, roster: store, hub: hub, log: .none, capabilities: { nil })
    let other = RecordingChannel()
    await presence.channelOpened(other)
    await presence.receive([.presence(from: unreadable, type: "subscribe")])
    #expect(await other.sent.isEmpty)
  }

  @Test func `an unblocking push that cannot be read unblocks no one`() async throws {
    let store = MemoryRosterStore()
    await store.replaceBlocked([mallory])
    let keeper = BlockListSync(account: alice, store: store, hub: EventHub(), log: .none)
    let space = BlockListSync.namespace
    func apply(_ items: [Element]) async throws {
      try await keeper.apply(
        AccountEvent(
          id: "b", isKept: false, kind: .blockList, sender: nil,
          stanza: Element(
            "iq", Namespace.client, ["type": "set", "id": "p"],
            [Element("unblock", space, [:], items)])))
    }
    try await apply([Element("item", space, ["jid": unreadable])])
    try await apply([Element("item", space)])
    #expect(await store.blocked() == [mallory])
    try await apply([])
    #expect(await store.blocked().isEmpty)
  }
}
