import Diagnostics
import NatterCore
import Synchronization
import TestSupport
import Testing
import XML
import XMPP

@testable import PeopleService

/// Published profiles of other users (flows.md, "Data sync": group info, and commands of the kind
/// "published").
@Suite struct ProfileFetcherTests {
  private final class Profiles: ProfileStoring {
    let kept = Mutex<[JID: Profile]>([:])
    func profile(of jid: JID) -> Profile? { kept.withLock { $0[jid] } }
    func addProfile(of jid: JID) { change(jid) { _ in } }
    func setNickname(_ nickname: String?, of jid: JID) { change(jid) { $0.nickname = nickname } }
    func setAvatarID(_ id: String?, of jid: JID) { change(jid) { $0.avatarID = id } }
    func addAvatarID(_ id: String, of jid: JID) -> String {
      change(jid) { $0.avatarID = $0.avatarID ?? id }
      return profile(of: jid)?.avatarID ?? id
    }
    private func change(_ jid: JID, _ change: (inout Profile) -> Void) {
      kept.withLock { change(&$0[jid, default: Profile()]) }
    }
  }

  private static let event = "http://jabber.org/protocol/pubsub#event"
  private let hub = EventHub()
  private let alice = JID(local: "alice", domain: "example.org")
  private let bob = JID(local: "bob", domain: "example.org")
  private let profiles = Profiles()

  private func keeper() -> ProfileFetcher {
    ProfileFetcher(
      account: alice, store: profiles,
      roster: MemoryRosterStore([Contact(jid: bob, subscription: .both)]), hub: hub, log: .none)
  }

  private func published(_ node: String, _ payload: Element, by sender: JID? = nil) -> AccountEvent
  {
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
    return AccountEvent(
      id: "p", isKept: false, kind: .published, sender: sender ?? bob, stanza: message)
  }

  private func nick(_ text: String) -> Element {
    Element("nick", ProfileFetcher.nicknames, text: text)
  }

  @Test func `what strangers publish, and occupants of a room, is not kept`() async throws {
    let keeper = keeper()
    let room = JID(local: "den", domain: "rooms.example.org", resource: "bob")
    for stranger in [JID(local: "mal", domain: "example.org"), room, bob.with(resource: "x")!] {
      try await keeper.apply(
        published(ProfileFetcher.nicknames, nick("Official Support"), by: stranger))
    }
    #expect(profiles.kept.withLock { $0.isEmpty })
    try await keeper.apply(published(ProfileFetcher.nicknames, nick("Me"), by: alice))
    #expect(profiles.profile(of: alice)?.nickname == "Me")
  }

  @Test func `nickname changed: it is stored, and lists and chats are notified once`() async throws
  {
    let keeper = keeper()
    let events = hub.events()
    for _ in 0..<2 {
      try await keeper.apply(published(ProfileFetcher.nicknames, nick("Bobby")))
    }
    #expect(profiles.profile(of: bob)?.nickname == "Bobby")
    let reported = await events.published(on: hub)
    #expect(reported.count == 1)
    guard case .contactsChanged(let contacts) = reported.first else { throw CancellationError() }
    #expect(contacts.map(\.nickname) == ["Bobby"])
    // Taken away again.
    try await keeper.apply(published(ProfileFetcher.nicknames, nick("  ")))
    #expect(profiles.profile(of: bob)?.nickname == nil)
  }

  @Test func `of thousands of contacts only those are looked up who have published something`()
    async throws
  {
    let roster = MemoryRosterStore([Contact(jid: bob, subscription: .both)])
    let keeper = ProfileFetcher(
      account: alice, store: profiles, roster: roster, hub: hub, log: .none)
    for name in ["Bob", "Bobby", "Rob"] {
      try await keeper.apply(published(ProfileFetcher.nicknames, nick(name)))
    }
    #expect(profiles.profile(of: bob)?.nickname == "Rob")
    #expect(await roster.listings == 0)
  }

  @Test func `avatar changed: its id is stored, and what is none is not`() async throws {
    let keeper = keeper()
    let id = String(repeating: "aB", count: 20)
    try await keeper.apply(published(ProfileFetcher.avatars, picture(id)))
    #expect(profiles.profile(of: bob)?.avatarID == id.lowercased())
    try await keeper.apply(published(ProfileFetcher.avatars, picture("../../etc/passwd")))
    #expect(profiles.profile(of: bob)?.avatarID == nil)
  }

  @Test func `what is published elsewhere is others' to take`() async throws {
    try await keeper().apply(
      published("urn:xmpp:bookmarks:1", Element("conference", "urn:xmpp:bookmarks:1")))
    #expect(profiles.kept.withLock { $0.isEmpty })
  }

  @Test
  func
    `group info: a contact who was never asked is asked once, and one who keeps it private no more`()
    async throws
  {
    let keeper = keeper()
    let channel = RecordingChannel { iq in
      guard iq["to"] == "bob@example.org" else { throw StanzaError(.auth, .forbidden) }
      let node = iq.first("pubsub", Namespace.pubSub)?.first("items", Namespace.pubSub)?["node"]
      let item = Element(
        "item", Namespace.pubSub, [:],
        node == ProfileFetcher.nicknames
          ? [Element("nick", ProfileFetcher.nicknames, text: "Bobby")] : [])
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
        "bob@example.org", "bob@example.org", "carol@example.org", "carol@example.org",
      ])
    // Rooms are described by others.
    try await keeper.describe(
      ListedConversation(
        jid: JID(local: "den", domain: "rooms.example.org"), kind: .room, opens: true),
      over: channel)
    #expect(await channel.requests.count == 4)
  }

  @Test func `group info: a contact whose server does not answer is asked again the next time`()
    async throws
  {
    let keeper = keeper()
    let entry = ListedConversation(jid: bob, kind: .direct, opens: false)
    let away = RecordingChannel { _ in throw StanzaError(.wait, .remoteServerTimeout) }
    await #expect(throws: StanzaError.self) { try await keeper.describe(entry, over: away) }
    #expect(profiles.profile(of: bob) == nil)
    let back = RecordingChannel { _ in throw StanzaError(.cancel, .itemNotFound) }
    try await keeper.describe(entry, over: back)
    #expect(profiles.profile(of: bob) == Profile())
    // A contact without a nickname may have a picture.
    #expect(await back.requests.count == 2)
  }

  /// Describes Bob, and applies `pushes` while the answer about `node` is on its way.
  /// - Parameter answers: the published payload by node; others do not exist.
  private func describe(
    holding node: String, publishing pushes: [AccountEvent], answers: [String: Element]
  ) async throws {
    let keeper = keeper()
    let held = HeldChannel(holding: { CardServer.node(of: $0) == node }) { iq in
      guard let asked = CardServer.node(of: iq), let payload = answers[asked] else {
        throw StanzaError(.cancel, .itemNotFound)
      }
      let item = Element("item", Namespace.pubSub, [:], [payload])
      return Element(
        "iq", Namespace.client, ["type": "result"],
        [
          Element(
            "pubsub", Namespace.pubSub, [:],
            [Element("items", Namespace.pubSub, ["node": asked], [item])])
        ])
    }
    let entry = ListedConversation(jid: bob, kind: .direct, opens: false)
    try await held.holds {
      try await keeper.describe(entry, over: held)
    } meanwhile: {
      for push in pushes { try await keeper.apply(push) }
    }
  }

  private func picture(_ id: String) -> Element {
    Element(
      "metadata", ProfileFetcher.avatars, [:],
      [Element("info", ProfileFetcher.avatars, ["id": id, "type": "image/png"])])
  }

  @Test func `a picture that is announced while the nickname is asked for stays`() async throws {
    let id = String(repeating: "ab", count: 20)
    try await describe(
      holding: ProfileFetcher.nicknames,
      publishing: [published(ProfileFetcher.avatars, picture(id))], answers: [:])
    #expect(profiles.profile(of: bob) == Profile(avatarID: id))
  }

  @Test func `what is published during a query counts, not the older answers`() async throws {
    let (old, new) = (String(repeating: "ab", count: 20), String(repeating: "cd", count: 20))
    let answers = [
      ProfileFetcher.nicknames: nick("Bob"), ProfileFetcher.avatars: picture(old),
    ]
    try await describe(
      holding: ProfileFetcher.avatars,
      publishing: [
        published(ProfileFetcher.nicknames, nick("Bobby")),
        published(ProfileFetcher.avatars, picture(new)),
      ], answers: answers)
    #expect(profiles.profile(of: bob) == Profile(nickname: "Bobby", avatarID: new))
  }

  @Test func `a nickname that is taken away during a query stays away`() async throws {
    let old = String(repeating: "ab", count: 20)
    try await describe(
      holding: ProfileFetcher.avatars,
      publishing: [published(ProfileFetcher.nicknames, nick(" "))],
      answers: [ProfileFetcher.nicknames: nick("Bob"), ProfileFetcher.avatars: picture(old)])
    #expect(profiles.profile(of: bob) == Profile(avatarID: old))
  }

  @Test func `a contact without a nickname is asked for the picture`() async throws {
    let id = String(repeating: "ab", count: 20)
    try await describe(
      holding: ProfileFetcher.avatars, publishing: [],
      answers: [ProfileFetcher.avatars: picture(id)])
    #expect(profiles.profile(of: bob) == Profile(avatarID: id))
  }
}
