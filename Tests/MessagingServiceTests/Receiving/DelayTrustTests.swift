import Diagnostics
import Foundation
import NatterCore
import Synchronization
import TestSupport
import Testing
import XML
import XMPP

@testable import MessagingService

/// Delays that senders write in the name of servers and rooms.
@Suite struct DelayTrustTests {
  private let alice = JID(local: "alice", domain: "example.org")
  private let room = JID(local: "den", domain: "rooms.example.org")
  private let start = Date(timeIntervalSince1970: 1_000_000)

  private func delay(_ stamp: Date, from: JID) -> Element {
    XEP0203Delay(stamp: stamp, from: from).element
  }

  @Test func `delays of any age are believed at the beginning of a session, and later of a day`()
    async
  {
    let clock = Mutex(start)
    let store = MemoryMessageStore()
    let receiver = MessageReceiver(account: alice, store: store, hub: EventHub(), log: .none) {
      clock.withLock { $0 }
    }
    await receiver.connectionOpened()
    let server = JID(local: nil, domain: alice.domain)
    let (old, recent) = (Date(timeIntervalSince1970: 86_400), start - 3600)
    await receiver.receive([
      .message(from: "bob@example.org/a", id: "1", body: "waited", delay(old, from: server))
    ])
    clock.withLock { $0 += 601 }
    await receiver.receive([
      .message(from: "bob@example.org/a", id: "2", body: "forged", delay(old, from: server)),
      .message(from: "bob@example.org/a", id: "3", body: "forged too", delay(old, from: alice)),
      .message(from: "bob@example.org/a", id: "4", body: "late", delay(recent, from: server)),
    ])
    let stored = await store.all
    #expect(stored.map(\.isDelayed) == [true, false, false, true])
    #expect(stored.first?.sentAt == old && stored.last?.sentAt == recent)
    #expect(stored.dropFirst().prefix(2).allSatisfy { $0.sentAt >= start + 601 })
  }

  @Test func `a room sends its past when it is entered`() {
    var trust = DelayTrust()
    let seat = room.with(resource: "bob")
    func earliest(at date: Date) -> Date {
      trust.earliest(from: seat, connected: start, at: date).room
    }
    trust.observe([room: RoomMembership(nick: "al")], at: start)
    #expect(earliest(at: start + 7200) == .distantPast)
    trust.observe([room: RoomMembership(nick: "al", visit: 1)], at: start)
    trust.observe([room: RoomMembership(nick: "al", visit: 1)], at: start + 7200)
    #expect(earliest(at: start + 60) == .distantPast)
    #expect(earliest(at: start + 7200) == start - 86_400)
    // The next visit has a history, too.
    trust.observe([room: RoomMembership(nick: "al", visit: 2)], at: start + 7200)
    #expect(earliest(at: start + 7201) == .distantPast)
    trust.observe([:], at: start + 9000)
    #expect(earliest(at: start + 9000) == .distantPast)
  }

  @Test func `of several delays the first that can be genuine counts, in copies as well`() {
    let server = JID(local: nil, domain: alice.domain)
    let (forged, own) = (start - 9000, start - 60)
    func message(_ from: String) -> Element {
      Element(
        "message", Namespace.client, ["from": from, "to": alice.description, "type": "chat"],
        [delay(forged, from: server), delay(own, from: server)])
    }
    let direct = MessageStanza(message("bob@example.org/a"))
    #expect(direct.heldBack(by: alice)?.stamp == forged)
    let limited = direct.believingDelays(since: EarliestDelays(server: start - 3600))
    #expect(limited.heldBack(by: alice)?.stamp == own)
    let forwarded = Element(
      "forwarded", XEP0280Carbon.forwardNamespace, [:], [message("bob@example.org/a")])
    let copy = MessageStanza(
      Element(
        "message", Namespace.client, ["from": alice.description],
        [Element("received", XEP0280Carbon.namespace, [:], [forwarded])]))
    let trusted = copy.believingDelays(since: EarliestDelays(server: start - 3600))
    #expect(XEP0280Carbon(trusted, of: alice)?.message.heldBack(by: alice)?.stamp == own)
    let late = copy.believingDelays(since: EarliestDelays(server: start))
    #expect(XEP0280Carbon(late, of: alice)?.message.heldBack(by: alice) == nil)
  }
}
