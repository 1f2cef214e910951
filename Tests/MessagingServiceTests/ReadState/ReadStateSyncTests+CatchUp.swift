import Foundation
import NatterCore
import Storage
import TestSupport
import Testing
import XML
import XMPP

@testable import MessagingService

/// Read positions that change during the catch-up with the archive, in all the nodes that servers
/// have for them.
extension ReadStateSyncTests {
  @Test(arguments: [true, false])
  func
    `markers wait until the archive was caught up with, which may say that another client sent them`(
      hasBeenSent: Bool
    ) async throws
  {
    let keeper = keeper()
    let work = Task { await keeper.run() }
    defer { work.cancel() }
    // Live, and read at once, while the archive is being read.
    await keeper.channelOpened(channel)
    try await arrive(1...3, at: keeper)
    _ = try await keeper.markRead(Self.bob)
    for _ in 0..<200 { await Task.yield() }
    #expect(await channel.sent.isEmpty)
    #expect(await channel.requests.isEmpty)
    #expect(try await database.readState.markersDue().map(\.id) == ["o3"])
    if hasBeenSent {
      let marker = Element(
        "message", Namespace.client,
        ["from": "\(Self.alice)/phone", "to": Self.bob.description, "type": "chat"],
        [XEP0333Marker.displayed("o3")])
      await keeper.archived([MessageStanza(marker)], areNews: true)
    }
    await keeper.sessionStarted(.fixture, over: channel)
    // The position goes after the markers.
    try await waits { await channel.requests.contains { $0["type"] == "set" } }
    #expect(
      await channel.sent.compactMap { $0.first("displayed", XEP0333Marker.namespace)?["id"] }
        == (hasBeenSent ? [] : ["o3"]))
  }

  private static let space = "http://jabber.org/protocol/pubsub"

  @Test func `positions that wait are looked at when a message of their conversation comes`()
    async throws
  {
    let store = RefusingReadStateStore(database.readState)
    let keeper = keeper(store: store)
    let items = (1...100).map { number in
      Element(
        "item", Self.space + "#event",
        ["id": number == 1 ? "\(Self.bob)" : "c\(number)@example.org"],
        [
          Element(
            "displayed", XEP0490Displayed.node, [:],
            [Element("stanza-id", Namespace.stanzaIDs, ["by": "\(Self.alice)", "id": "s2"])])
        ])
    }
    await keeper.receive([
      .message(
        from: "\(Self.alice)", type: "headline",
        Element(
          "event", Self.space + "#event", [:],
          [Element("items", Self.space + "#event", ["node": XEP0490Displayed.node], items)]))
    ])
    #expect(await store.applied.count == 100)
    let carol = JID(local: "carol", domain: "example.org")
    try await arrive(1...3, from: carol, at: keeper)
    #expect(await store.applied.count == 100)
    // The first message is not the one that was read.
    try await arrive(1...2, at: keeper)
    #expect(await store.applied.suffix(from: 100) == [Self.bob, Self.bob])
    #expect(try await database.conversations.conversation(Self.bob)?.unread == 0)
    try await arrive(3...3, at: keeper)
    #expect(await store.applied.count == 102)
  }

  @Test func `a node without positions says nothing, and is not made again`() async throws {
    // No such item is an empty result.
    let channel = RecordingChannel { _ in
      Element(
        "iq", Namespace.client, ["type": "result"],
        [
          Element(
            "pubsub", Self.space, [:],
            [Element("items", Self.space, ["node": XEP0490Displayed.node])])
        ])
    }
    let keeper = keeper()
    try await arrive(1...2, at: keeper)
    await keeper.sessionStarted(.fixture, over: channel)
    #expect(try await database.conversations.conversation(Self.bob)?.unread == 2)
    _ = try await keeper.markRead(Self.bob)
    try await run(keeper, channel, until: isAllReported)
    #expect(await channel.requests.map { $0["type"] } == ["get", "set"])
    #expect(await !channel.requests.contains(XEP0490Displayed.creation))
  }

  @Test func `a list of positions that is too large to be read still takes new ones`()
    async throws
  {
    let channel = RecordingChannel { iq in
      if iq["type"] == "get" { throw StanzaError.answerTooLarge }
      return Element("iq", Namespace.client, ["type": "result"])
    }
    let keeper = keeper()
    try await arrive(1...1, at: keeper)
    await keeper.sessionStarted(.fixture, over: channel)
    _ = try await keeper.markRead(Self.bob)
    try await run(keeper, channel, until: isAllReported)
    #expect(await channel.requests.map { $0["type"] } == ["get", "set"])
    #expect(await !channel.requests.contains(XEP0490Displayed.creation))
  }

  @Test func `a node that the server has lost leaves read what was read, and is made again`()
    async throws
  {
    // server-quirks.md, "ejabberd": ejabberd, killed, forgets what was published a moment before.
    let kept = RecordingChannel()
    let keeper = keeper()
    let work = Task { await keeper.run() }
    defer { work.cancel() }
    try await arrive(1...2, at: keeper)
    await keeper.sessionStarted(.fixture, over: kept)
    _ = try await keeper.markRead(Self.bob)
    try await waits {
      await keeper.serverAcknowledged(kept.sent.compactMap { $0["id"] })
      return try await isAllReported()
    }
    await keeper.sessionEnded()
    let empty = RecordingChannel { iq in
      if iq["type"] == "get" { throw StanzaError(.cancel, .itemNotFound) }
      return Element("iq", Namespace.client, ["type": "result"])
    }
    await keeper.sessionStarted(.fixture, over: empty)
    #expect(try await database.conversations.conversation(Self.bob)?.unread == 0)
    try await arrive(3...3, at: keeper)
    _ = try await keeper.markRead(Self.bob)
    try await waits {
      await keeper.serverAcknowledged(empty.sent.compactMap { $0["id"] })
      return try await isAllReported()
    }
    let requests = await empty.requests
    #expect(requests.map { $0["type"] } == ["get", "set", "set"])
    #expect(requests[1] == XEP0490Displayed.creation)
    #expect(
      requests[2]
        == XEP0490Displayed(conversation: Self.bob, stanzaID: "s3", by: Self.alice).publication)
  }
}
