import NatterCore
import Storage
import TestSupport
import Testing
import XML
import XMPP

@testable import MessagingService

// What is read, here or in another client, while positions are fetched or published.
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
}
