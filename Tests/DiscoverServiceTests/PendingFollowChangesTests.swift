import Diagnostics
import NatterCore
import TestSupport
import Testing
import XML
import XMPP

@testable import DiscoverService

@Suite struct PendingFollowChangesTests {
  private let bob = JID(local: "bob", domain: "example.net")

  private let changes = PendingFollowChanges(
    of: .feed, account: JID(local: "alice", domain: "example.org"), store: MemoryPendingChanges(),
    hub: EventHub(), news: .feedsChanged, log: .none)

  @Test func `a source that is left while the request to follow it is sent is left in the end`()
    async throws
  {
    let isFollowed: Bool? = try await changes.follow(bob, "node", over: nil) { _ in
      true
    } forget: {
    }
    #expect(isFollowed == nil)
    let (channel, isForgotten) = (RecordingChannel(), Observed(false))
    await changes.submit(over: channel) { change, _ in
      try await changes.leave(change.service, change.node, over: nil) {}
    } forget: { _ in
      isForgotten.update { $0 = true }
    }
    #expect(isForgotten.value)
    #expect(try await changes.all() == [FollowChange(.feed, bob, "node", follows: false)])
    await changes.submit(over: channel) { _, _ in
    } forget: { _ in
    }
    #expect(try await changes.all() == [])
    #expect(await channel.requests.map { $0["to"] } == ["bob@example.net"])
  }

  @Test(arguments: [
    (FollowChange.Source.feed, ["follow feed a.example", "follow podcast a.example"]),
    (.calendar, ["follow calendar a.example"]), (.rooms, []),
  ])
  func `a request that cannot be read is reported by the service of its source`(
    source: FollowChange.Source, reported: [String]
  ) async {
    let (store, lines) = (MemoryPendingChanges(), LogLines())
    await store.put(
      ["feed", "podcast", "calendar"].map { UnreadableChange(.follow, of: [$0, "a.example"]) }
        + [UnreadableChange(.card, of: ["city"])])
    let changes = PendingFollowChanges(
      of: source, account: bob, store: store, hub: EventHub(), news: .feedsChanged, log: lines.log)
    await changes.reportUnreadable()
    #expect(
      lines.messages
        == reported.map { "a pending change cannot be read, and is not sent: \($0)" })
  }

  @Test func `a source that is left and followed again before its service answers is followed`()
    async throws
  {
    let (changes, bob) = (changes, bob)
    let asked = Observed<[String]>([])
    let saved = Observed<[Bool]>([])
    let held = HeldChannel { iq in
      asked.update { $0 += iq.elements.flatMap(\.elements).map(\.name) }
      return Element("iq", Namespace.client, ["type": "result"])
    }
    let follow: @Sendable () async throws -> Bool? = {
      try await changes.follow(bob, "node", over: held) {
        _ = try await $0.request(XEP0060.subscription(true, to: "node", at: bob, as: bob))
        saved.update { $0.append(true) }
        return true
      } forget: {
        saved.update { $0.append(false) }
      }
    }
    let first = Task { try await follow() }
    await held.waitsForRequest()
    let leaving = Task {
      try await changes.leave(bob, "node", over: held) { saved.update { $0.append(false) } }
    }
    #expect(await saved.waits { $0 == [false] })
    let second = Task { try await follow() }
    try await until { try await changes.all().map(\.follows) == [true] }
    await held.release()
    #expect(try await first.value == true)
    #expect(try await second.value == true)
    try await leaving.value
    #expect(saved.value == [false, true, true])
    #expect(asked.value == ["subscribe", "subscribe"])
    #expect(try await changes.all() == [])
  }
}
