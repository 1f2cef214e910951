import Diagnostics
import NatterCore
import Synchronization
import TestSupport
import Testing
import XMPP

@testable import PeopleService

/// What people publish of themselves (FLOWS.md 3: group info, and commands of the kind "published").
@Suite struct ProfileKeeperTests {
  private final class Profiles: ProfileStoring {
    let kept = Mutex<[JID: Profile]>([:])
    func profile(of jid: JID) -> Profile? { kept.withLock { $0[jid] } }
    func save(_ profile: Profile, of jid: JID) { kept.withLock { $0[jid] = profile } }
  }

  private static let event = "http://jabber.org/protocol/pubsub#event"
  private let hub = EventHub()
  private let alice = JID(local: "alice", domain: "example.org")
  private let bob = JID(local: "bob", domain: "example.org")
  private let profiles = Profiles()

  private func keeper() -> ProfileKeeper {
    ProfileKeeper(
      account: alice, store: profiles,
      roster: MemoryRosterStore([Contact(jid: bob, subscription: .both)]), hub: hub, log: .none)
  }

  private func published(_ node: String, _ payload: Element) -> SyncCommand {
    let message = Element(
      "message", Namespace.client, ["from": "bob@example.org", "type": "headline"],
      [
        Element(
          "event", Self.event, [:],
          [
            Element(
              "items", Self.event, ["node": node], [Element("item", Self.event, [:], [payload])])
          ])
      ])
    return SyncCommand(id: "p", isKept: false, kind: .published, sender: bob, stanza: message)
  }

  private func nick(_ text: String) -> Element {
    Element("nick", ProfileKeeper.nicknames, text: text)
  }

  @Test func `nickname changed: it is stored, and lists and chats are told once`() async throws {
    let keeper = keeper()
    let events = hub.events()
    for _ in 0..<2 {
      try await keeper.apply(published(ProfileKeeper.nicknames, nick("Bobby")))
    }
    #expect(profiles.profile(of: bob)?.nickname == "Bobby")
    let told = await events.published(on: hub)
    #expect(told.count == 1)
    guard case .contactsChanged(let contacts) = told.first else { throw CancellationError() }
    #expect(contacts.map(\.nickname) == ["Bobby"])
    // Taken away again.
    try await keeper.apply(published(ProfileKeeper.nicknames, nick("  ")))
    #expect(profiles.profile(of: bob)?.nickname == nil)
  }

  @Test func `avatar changed: its id is stored, and what is none is not`() async throws {
    let keeper = keeper()
    func metadata(_ id: String) -> Element {
      Element(
        "metadata", ProfileKeeper.avatars, [:],
        [Element("info", ProfileKeeper.avatars, ["id": id, "type": "image/png"])])
    }
    let id = String(repeating: "aB", count: 20)
    try await keeper.apply(published(ProfileKeeper.avatars, metadata(id)))
    #expect(profiles.profile(of: bob)?.avatarID == id.lowercased())
    try await keeper.apply(published(ProfileKeeper.avatars, metadata("../../etc/passwd")))
    #expect(profiles.profile(of: bob)?.avatarID == nil)
  }

  @Test func `what is published elsewhere is others' to take`() async throws {
    try await keeper().apply(
      published("urn:xmpp:bookmarks:1", Element("conference", "urn:xmpp:bookmarks:1")))
    #expect(profiles.kept.withLock { $0.isEmpty })
  }

  @Test func `group info: who was never asked is asked once, and who keeps it to himself no more`()
    async throws
  {
    let keeper = keeper()
    let channel = RecordingChannel { iq in
      guard iq["to"] == "bob@example.org" else { throw StanzaError(.auth, .forbidden) }
      let node = iq.first("pubsub", Namespace.pubSub)?.first("items", Namespace.pubSub)?["node"]
      let item = Element(
        "item", Namespace.pubSub, [:],
        node == ProfileKeeper.nicknames
          ? [Element("nick", ProfileKeeper.nicknames, text: "Bobby")] : [])
      return Element(
        "iq", Namespace.client, ["type": "result"],
        [
          Element(
            "pubsub", Namespace.pubSub, [:],
            [Element("items", Namespace.pubSub, ["node": node ?? ""], [item])])
        ])
    }
    let carol = JID(local: "carol", domain: "example.org")
    for jid in [bob, carol, bob, carol] {
      try await keeper.describe(
        ListedConversation(jid: jid, kind: .direct, opens: false), over: channel)
    }
    #expect(profiles.profile(of: bob) == Profile(nickname: "Bobby"))
    #expect(profiles.profile(of: carol) == Profile())
    #expect(
      await channel.requests.map { $0["to"] } == [
        "bob@example.org", "bob@example.org", "carol@example.org",
      ])
    // Rooms are described by others.
    try await keeper.describe(
      ListedConversation(
        jid: JID(local: "den", domain: "rooms.example.org"), kind: .room, opens: true),
      over: channel)
    #expect(await channel.requests.count == 3)
  }
}

/// The block list (XEP-0191; FLOWS.md 3: commands of the kind "block list").
@Suite struct BlockListKeeperTests {
  private final class Blocked: BlockListStoring {
    let kept = Mutex<Set<JID>>([])
    func blocked() -> Set<JID> { kept.withLock { $0 } }
    func replaceBlocked(_ jids: Set<JID>) { kept.withLock { $0 = jids } }
  }

  private static let namespace = BlockListKeeper.namespace
  private let store = Blocked()

  private func list(_ name: String, _ addresses: [String]) -> Element {
    Element(
      name, Self.namespace, [:],
      addresses.map { Element("item", Self.namespace, ["jid": $0]) })
  }

  private func push(_ payload: Element) -> SyncCommand {
    SyncCommand(
      id: "block-list", isKept: false, kind: .blockList, sender: nil,
      stanza: Element("iq", Namespace.client, ["type": "set", "id": "p1"], [payload]))
  }

  private func addresses() -> [String] { store.blocked().map(\.description).sorted() }

  @Test func `block list changed: the list is read at login, and each push changes it`()
    async throws
  {
    let keeper = BlockListKeeper(
      account: JID(local: "alice", domain: "example.org"), store: store, hub: EventHub(), log: .none
    )
    let list = list("blocklist", ["eve@example.org", "spam.example"])
    let channel = RecordingChannel { _ in
      Element("iq", Namespace.client, ["type": "result"], [list])
    }
    await keeper.sessionStarted(.fixture, over: channel)
    #expect(addresses() == ["eve@example.org", "spam.example"])
    try await keeper.apply(push(self.list("block", ["mallory@example.org", "not an address@"])))
    #expect(addresses() == ["eve@example.org", "mallory@example.org", "spam.example"])
    try await keeper.apply(push(self.list("unblock", ["spam.example"])))
    #expect(addresses() == ["eve@example.org", "mallory@example.org"])
    try await keeper.apply(push(self.list("unblock", [])))
    #expect(addresses() == [])
    // The server hears that each push was taken.
    #expect(
      await channel.sent.map { [$0["type"], $0["id"]] }
        == Array(
          repeating: ["result", "p1"], count: 3))
  }

  @Test func `a server without block lists leaves the list as it was`() async throws {
    store.replaceBlocked([JID(local: "eve", domain: "example.org")])
    let keeper = BlockListKeeper(
      account: JID(local: "alice", domain: "example.org"), store: store, hub: EventHub(), log: .none
    )
    await keeper.sessionStarted(
      .fixture,
      over: RecordingChannel { _ in throw StanzaError(.cancel, .serviceUnavailable) })
    #expect(addresses() == ["eve@example.org"])
  }

  // MARK: The person's changes

  private func blockingServer(features: Set<String>, refuses: Bool = false) -> RecordingChannel {
    RecordingChannel { iq in
      if iq["type"] == "set", refuses { throw StanzaError(.cancel, .notAllowed) }
      let info = XEP0030Discovery(features: features).element()
      return Element("iq", Namespace.client, ["type": "result"], iq["type"] == "get" ? [info] : [])
    }
  }

  private func online(_ channel: RecordingChannel, _ hub: EventHub = EventHub()) async
    -> BlockListKeeper
  {
    let keeper = BlockListKeeper(
      account: JID(local: "alice", domain: "example.org"), store: store, hub: hub, log: .none)
    await keeper.sessionStarted(.fixture, over: channel)
    return keeper
  }

  @Test func `somebody is blocked and let in again, and whoever shows it is told`() async throws {
    let channel = blockingServer(features: [])
    let hub = EventHub()
    let keeper = await online(channel, hub)
    let events = hub.events()
    let eve = JID(local: "eve", domain: "example.org")
    #expect(try await !keeper.block(eve, report: nil))
    #expect(try await keeper.blocked() == [eve])
    try await keeper.unblock(eve)
    #expect(try await keeper.blocked() == [])
    #expect(await events.published(on: hub) == [.blockListChanged, .blockListChanged])
    #expect(
      await channel.requests.compactMap { $0.elements.first?.name }.suffix(2) == [
        "block", "unblock",
      ])
  }

  @Test func `who is online can block, before the list was read`() async throws {
    let keeper = BlockListKeeper(
      account: JID(local: "alice", domain: "example.org"), store: store, hub: EventHub(), log: .none
    )
    let consumer: any SessionConsuming = keeper
    await consumer.channelOpened(blockingServer(features: []))
    let eve = JID(local: "eve", domain: "example.org")
    _ = try await keeper.block(eve, report: nil)
    #expect(try await keeper.blocked() == [eve])
  }

  @Test func `a report goes along where the server takes one, and is not claimed elsewhere`()
    async throws
  {
    let eve = JID(local: "eve", domain: "example.org")
    let report = AbuseReport(reason: .spam, words: "buy now")
    let deaf = blockingServer(features: [])
    #expect(try await !online(deaf).block(eve, report: report))
    #expect(await deaf.requests.last?.elements[0].elements[0].elements == [])
    let open = blockingServer(features: ["urn:xmpp:reporting:1"])
    #expect(try await online(open).block(eve, report: report))
    let item = await open.requests.last?.elements[0].elements[0]
    let told = item?.first("report", "urn:xmpp:reporting:1")
    #expect(told?["reason"] == "urn:xmpp:reporting:spam")
    #expect(told?.elements.map(\.text) == ["buy now"])
  }

  @Test func `what the server refuses changes nothing, nor can one block oneself`() async throws {
    let keeper = await online(blockingServer(features: [], refuses: true))
    let eve = JID(local: "eve", domain: "example.org")
    await #expect(throws: NatterError(.refused, "stanza.not-allowed", ["text": ""])) {
      _ = try await keeper.block(eve, report: nil)
    }
    await #expect(throws: NatterError.self) {
      _ = try await keeper.block(JID(local: "alice", domain: "example.org"), report: nil)
    }
    #expect(addresses() == [])
    await keeper.sessionEnded()
    await #expect(throws: NatterError(.offline, "error.offline")) { try await keeper.unblock(eve) }
  }
}
