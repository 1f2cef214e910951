import Diagnostics
import NatterCore
import TestSupport
import Testing
import XML
import XMPP

@testable import DiscoverService

@Suite struct PendingFollowChangesTests {
  private let bob = JID(local: "bob", domain: "example.net")

  @Test func `a source that is left while the request to follow it is sent is left in the end`()
    async throws
  {
    let changes = PendingFollowChanges(
      of: .feed, account: JID(local: "alice", domain: "example.org"),
      store: MemoryPendingChanges(), hub: EventHub(), news: .feedsChanged, log: .none)
    let isFollowed: Bool? = try await changes.follow(bob, "node", over: nil) { _ in true }
    #expect(isFollowed == nil)
    let channel = RecordingChannel()
    await changes.submit(over: channel) { change, _ in
      try await changes.leave(change.service, change.node)
    }
    #expect(try await changes.all() == [FollowChange(.feed, bob, "node", follows: false)])
    await changes.submit(over: channel) { _, _ in }
    #expect(try await changes.all() == [])
    #expect(await channel.requests.map { $0["to"] } == ["bob@example.net"])
  }
}
