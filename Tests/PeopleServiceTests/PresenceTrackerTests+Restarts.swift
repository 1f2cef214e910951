import Diagnostics
import Foundation
import NatterCore
import TestSupport
import Testing
import XML
import XMPP

@testable import PeopleService

/// The own presence after a restart, and while the user is idle.
extension PresenceTrackerTests {
  private func keeper(_ memory: MemoryPresence, contacts: [Contact] = [], sendsIdle: Bool = true)
    -> PresenceTracker
  {
    PresenceTracker(
      account: alice, roster: MemoryRosterStore(contacts), hub: hub, log: .none,
      capabilities: { nil }, memory: memory, sendsIdle: sendsIdle,
      now: { Date(timeIntervalSince1970: 1_000) })
  }

  @Test func `what one says of oneself is there again at the next start, and goes out with it`()
    async throws
  {
    let memory = MemoryPresence()
    let first = keeper(memory)
    try await first.setPresence(.away, status: "tea")
    try await first.setPriority(-3)
    let second = keeper(memory)
    let channel = RecordingChannel()
    await second.sessionStarted(.fixture, over: channel)
    let presence = try #require(await channel.sent.first)
    #expect(presence.first("show", Namespace.client)?.text == "away")
    #expect(presence.first("status", Namespace.client)?.text == "tea")
    #expect(presence.first("priority", Namespace.client)?.text == "-3")
    // A change of one thing leaves the others as they were kept.
    let third = keeper(memory)
    try await third.setPriority(0)
    #expect(await keeper(memory).ownPresence() == OwnPresence(availability: .away, status: "tea"))
    try await third.setPresence(.offline, status: nil)
    #expect(await keeper(memory).ownPresence() == OwnPresence())
    #expect(await memory.isEmpty)
  }

  @Test func `a presence that cannot be stored does not change`() async throws {
    let memory = MemoryPresence()
    let keeper = keeper(memory)
    let channel = RecordingChannel()
    await keeper.sessionStarted(.fixture, over: channel)
    let count = await channel.sent.count
    await memory.fail(with: NatterError(.storage, "error.storage.full"))
    await #expect(throws: NatterError.self) { try await keeper.setPresence(.away, status: "tea") }
    await #expect(throws: NatterError.self) { try await keeper.setPriority(5) }
    #expect(await keeper.ownPresence() == OwnPresence())
    #expect(await channel.sent.count == count)
    await memory.fail(with: nil)
    try await keeper.setPriority(5)
    #expect(await keeper.ownPresence() == OwnPresence(priority: 5))
    #expect(await channel.sent.count == count + 1)
  }

  @Test func `the idle time is sent with presence, and withdrawn afterwards`() async throws {
    let keeper = keeper(MemoryPresence())
    let channel = RecordingChannel()
    await keeper.sessionStarted(.fixture, over: channel)
    let since = Date(timeIntervalSince1970: 700)
    await keeper.setIdle(since: since)
    await keeper.setIdle(since: since)
    await keeper.setIdle(since: nil)
    let reported = await channel.sent.map { $0.first("idle", XEP0319Idle.namespace)?["since"] }
    #expect(
      reported == [nil, "1970-01-01T00:11:40.000Z", nil]
        || reported == [nil, "1970-01-01T00:11:40Z", nil])
  }

  @Test func `a contact who sees one's presence learns since when one is away, and no one else`()
    async
  {
    let contacts = [
      Contact(jid: bob, subscription: .from),
      Contact(jid: JID(local: "kim", domain: "example.org"), subscription: .to),
    ]
    let keeper = keeper(MemoryPresence(), contacts: contacts)
    #expect(await keeper.lastActivity(askedBy: bob)?.seconds == 0)
    await keeper.setIdle(since: Date(timeIntervalSince1970: 700))
    #expect(await keeper.lastActivity(askedBy: bob)?.seconds == 300)
    #expect(await keeper.lastActivity(askedBy: alice)?.seconds == 300)
    for other in [contacts[1].jid, JID(local: "eve", domain: "example.org"), nil] {
      #expect(await keeper.lastActivity(askedBy: other) == nil)
    }
    let silent = self.keeper(MemoryPresence(), contacts: contacts, sendsIdle: false)
    #expect(await silent.lastActivity(askedBy: bob) == nil)
    let channel = RecordingChannel()
    await silent.channelOpened(channel)
    await silent.setIdle(since: Date(timeIntervalSince1970: 700))
    #expect(await channel.sent.isEmpty)
  }
}
