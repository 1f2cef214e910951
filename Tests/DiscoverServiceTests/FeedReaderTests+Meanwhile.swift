import NatterCore
import TestSupport
import Testing
import XML
import XMPP

@testable import DiscoverService

// What the user does while something is on its way.
extension FeedReaderTests {
  @Test func `a draft that is discarded while it is sent is not stored again by a refusal`()
    async throws
  {
    let isPublication: @Sendable (Element) -> Bool = { iq in
      iq.first("pubsub", Namespace.pubSub)?.first("publish", Namespace.pubSub) != nil
    }
    let (reader, _) = await reader(MemoryFeedStore()) { $0 }
    let held = HeldChannel(holding: isPublication) { iq in
      if isPublication(iq) { throw StanzaError(.auth, .forbidden) }
      return Element("iq", Namespace.client, ["type": "result"])
    }
    await reader.channelOpened(held)
    let posting = Task { try await reader.post("Hello") }
    await held.waitsForRequest()
    try await reader.discard(try #require(try await changes.drafts().first).id)
    await held.release()
    await #expect(throws: NatterError.self) { try await posting.value }
    #expect(try await changes.drafts().isEmpty)
  }

  @Test func `a feed that is left while it is stored again stays left, with its posts`()
    async throws
  {
    let feed = Feed.ID(bob)
    let store = MemoryFeedStore(feed)
    let (reader, _) = await reader(store) { [self] _ in answer([item("one", "One")]) }
    await store.afterSaving {
      await #expect(throws: Never.self) { try await reader.unfollow(feed) }
    }
    try await reader.refresh()
    #expect(await store.listing() == FeedListing())
    #expect(await store.orphans.isEmpty)
  }
}
