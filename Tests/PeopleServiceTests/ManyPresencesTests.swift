import Diagnostics
import FoundationEssentials
import NatterCore
import TestSupport
import Testing
import XML
import XMPP

@testable import PeopleService
@testable import Storage

/// Presences of any number of clients and strangers: what is kept of them is bounded.
@Suite struct ManyPresencesTests {
  let hub = EventHub()
  let alice = JID(local: "alice", domain: "example.org")
  let bob = JID(local: "bob", domain: "example.org")

  private func keeper() -> PresenceTracker {
    PresenceTracker(
      account: alice, roster: MemoryRosterStore([Contact(jid: bob, subscription: .both)]),
      hub: hub, log: .none, capabilities: { nil })
  }

  @Test
  func `of one contact's clients those with the highest priority are kept, the newest of them`()
    async
  {
    let keeper = keeper()
    await keeper.receive([.presence(from: "bob@example.org/desk", show: "away", priority: 5)])
    await keeper.receive((0..<2000).map { .presence(from: "bob@example.org/r\($0)", priority: 1) })
    await keeper.receive([.presence(from: "bob@example.org/low", priority: 0)])
    let kept = await keeper.resources(of: bob)
    #expect(kept.count == ContactResources.limit)
    #expect(kept.first?.resource == "desk")
    let newest = (0..<2000).suffix(ContactResources.limit - 1).map { "r\($0)" }
    #expect(Set(kept.dropFirst().map(\.resource)) == Set(newest))
    #expect(await keeper.presence() == [ContactPresence(jid: bob, availability: .away)])
    // Those that were not kept may go as they came.
    await keeper.receive(
      (0..<2000).map { .presence(from: "bob@example.org/r\($0)", type: "unavailable") })
    #expect(await keeper.resources(of: bob).map(\.resource) == ["desk"])
  }

  /// A presence with a long status.
  private func reported(by jid: String) -> Stanza {
    let status = Element(
      "status", Namespace.client, text: String(repeating: "s", count: 1000))
    return .presence(
      PresenceStanza(Element("presence", Namespace.client, ["from": jid], [status])))
  }

  @Test func `presences of peers who are not contacts take bounded memory`() async throws {
    let database = try await AccountDatabase.inMemory()
    _ = try await database.roster.apply([
      RosterPush(Contact(jid: bob, subscription: .both), version: nil)
    ])
    let peers = (0..<1000).map { JID(local: "s\($0)", domain: "evil.test") }
    _ = try await database.messages.insert(
      peers.map {
        IncomingMessage(conversation: $0, sender: $0, body: "hi", sentAt: .now, originID: nil)
      }
    ) { _ in true }
    let keeper = PresenceTracker(
      account: alice, roster: database.roster, hub: hub, log: .none, capabilities: { nil })
    for peer in peers { await keeper.receive((0..<32).map { reported(by: "\(peer)/r\($0)") }) }
    let kept = await keeper.presence().count
    #expect((100..<400).contains(kept), "\(kept)")
    // Contacts and other clients of the account still count.
    await keeper.receive([
      .presence(from: "bob@example.org/desk"), .presence(from: "alice@example.org/other"),
    ])
    #expect(await keeper.resources(of: bob).map(\.resource) == ["desk"])
    #expect(await keeper.resources(of: alice).map(\.resource) == ["other"])
    // What is not kept any more is not out of date either, and leaves room for others.
    await keeper.receive([reported(by: "\(peers[0])/r0")])
    #expect(await keeper.resources(of: peers[0]).count == 31)
    await keeper.receive(peers.map { .presence(from: "\($0)", type: "unavailable") })
    await keeper.receive([reported(by: "\(peers[999])/r0")])
    #expect(await keeper.resources(of: peers[999]).count == 1)
  }

  @Test func `of strangers nothing is kept or announced`() async {
    let keeper = keeper()
    let events = hub.events()
    await keeper.receive(
      (0..<500).map { .presence(from: "s\($0)@evil.test/r", show: "away") }
        + [.presence(from: "bob@example.org/desk"), .presence(from: "alice@example.org/other")])
    #expect(Set(await keeper.presence().map(\.jid)) == [bob, alice])
    let announced = await events.published(on: hub).flatMap { event -> [JID] in
      if case .presenceChanged(let changed) = event { changed.map(\.jid) } else { [] }
    }
    #expect(Set(announced) == [bob, alice])
  }
}
