import NatterCore
import Storage
import TestSupport
import Testing
import XML
import XMPP

@testable import MessagingService

// Messages that are read, in this client or another one, while positions are fetched or published.
extension ReadStateSyncTests {
  private func listing(_ id: String) -> Element {
    let items = Element(
      "items", Namespace.pubSub, ["node": XEP0490Displayed.node],
      [item(Namespace.pubSub, id, in: Self.bob)])
    return Element(
      "iq", Namespace.client, ["type": "result"],
      [Element("pubsub", Namespace.pubSub, [:], [items])])
  }

  @Test func `a position that is announced while the positions are fetched counts`() async throws {
    let keeper = keeper()
    try await arrive(1...2, at: keeper)
    let channel = HeldChannel(answer: listing("s1"))
    async let session: Void = keeper.sessionStarted(.fixture, over: channel)
    await channel.waitsForRequest()
    // Of a message that comes later.
    await keeper.receive([position("s3")])
    await channel.release()
    await session
    try await arrive(3...3, at: keeper)
    #expect(try await database.conversations.conversation(Self.bob)?.unread == 0)
  }

  @Test func `a position that another client has passed meanwhile is not published`()
    async throws
  {
    let carol = JID(local: "carol", domain: "example.org")
    let dave = JID(local: "dave", domain: "example.org")
    let published = Observed<[String]>([])
    let channel = HeldChannel(holding: { $0["type"] == "set" }) { iq in
      let publication = iq.first("pubsub", Namespace.pubSub)?.first("publish", Namespace.pubSub)
      if let id = publication?.first("item", Namespace.pubSub)?["id"] {
        published.update { $0.append(id) }
      }
      return Element("iq", Namespace.client, ["type": "result"])
    }
    let keeper = keeper(also: carol, dave)
    try await arrive(1...1, at: keeper)
    try await arrive(2...2, from: carol, at: keeper)
    _ = try await keeper.markRead(Self.bob)
    _ = try await keeper.markRead(carol)
    try await arrive(3...3, at: keeper)
    try await arrive(4...4, from: carol, at: keeper)
    let work = Task { await keeper.run() }
    defer { work.cancel() }
    await keeper.sessionStarted(.fixture, over: channel)
    await channel.waitsForRequest()
    await keeper.receive([position("s3"), position("s4", in: carol)])
    try await arrive(5...5, from: dave, at: keeper)
    _ = try await keeper.markRead(dave)
    await channel.release()
    #expect(await published.waits { $0.contains("\(dave)") })
    #expect(published.value.count == 2)
  }

  @Test func `reading while the positions are fetched publishes none that may be passed`()
    async throws
  {
    let keeper = keeper()
    // Of a message that is not here.
    await keeper.receive([position("s9")])
    try await arrive(1...2, at: keeper)
    let channel = HeldChannel(answer: listing("s9"))
    async let session: Void = keeper.sessionStarted(.fixture, over: channel)
    await channel.waitsForRequest()
    #expect(try await keeper.markRead(Self.bob)?.unread == 0)
    #expect(try await database.readState.positionsDue().isEmpty)
    await channel.release()
    await session
    #expect(try await database.readState.positionsDue().isEmpty)
  }

  @Test func `a message that may not be stored when the program ends gets no read marker`()
    async throws
  {
    let keeper = keeper()
    try await arrive(1...1, at: keeper)
    #expect(try await keeper.markRead(Self.bob)?.unread == 0)
    let due = try await database.readState.markersDue()
    let message = Stanza.message(
      from: "\(Self.bob)/a", id: "o2", body: "2", XEP0333Marker.request)
    await Task {
      withUnsafeCurrentTask { $0?.cancel() }
      await keeper.receive([message])
    }.value
    #expect(try await database.readState.markersDue() == due)
  }
}
