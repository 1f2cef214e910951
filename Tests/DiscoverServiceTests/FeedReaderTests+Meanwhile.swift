import NatterCore
import TestSupport
import Testing
import XML
import XMPP

@testable import DiscoverService

// Changes by the user, and notifications, while a feed is read, stored or sent.
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
    let leaving = Observed<Task<Void, any Error>?>(nil)
    await store.afterSaving {
      leaving.update { $0 = Task { try await reader.unfollow(feed) } }
      await #expect(throws: Never.self) {
        try await until { await reader.followed?.isEmpty == true }
      }
    }
    try await reader.refresh()
    try await leaving.value?.value
    #expect(await store.listing() == FeedListing())
    #expect(await store.orphans.isEmpty)
  }

  @Test func `a notification that comes while a feed is read counts, not the answer`()
    async throws
  {
    let posts = [item("one", "One"), item("two", "Two")]
    let (reader, _) = await reader(MemoryFeedStore(Feed.ID(bob))) { [self] _ in answer(posts) }
    try await reader.refresh()
    let held = HeldChannel(answer: answer(posts))
    await reader.channelOpened(held)
    try await held.holds {
      try await reader.refresh()
    } meanwhile: {
      await reader.receive([
        news(of: item("one", "One, changed"), from: bob), news(of: item("new", "New"), from: bob),
        news(of: Element("retract", XEP0060.events, ["id": "two"]), from: bob),
      ])
    }
    #expect(try await reader.listing().posts.map(\.title).sorted() == ["New", "One, changed"])
  }

  @Test func `a post that is published while its feed is being followed is not missed`()
    async throws
  {
    let (one, new) = (item("one", "One"), item("new", "New"))
    let (reader, _) = await reader(MemoryFeedStore()) { $0 }
    let held = HeldChannel.reads(first: answer([one]), then: answer([one, new]))
    await reader.channelOpened(held)
    let isFollowed = try await held.holds {
      try await reader.follow(Feed.ID(bob))
    } meanwhile: {
      await reader.receive([news(of: new, from: bob)])
    }
    #expect(isFollowed)
    #expect(try await reader.listing().posts.map(\.title).sorted() == ["New", "One"])
  }

  @Test(arguments: ["purge", "delete"])
  func `a feed that is purged or deleted loses its posts, also those being read`(change: String)
    async throws
  {
    func emptied(by sender: JID) -> Stanza {
      .message(
        from: sender.description, type: "headline",
        Element(
          "event", XEP0060.events, [:],
          [Element(change, XEP0060.events, ["node": Feed.personalNode])]))
    }
    let feed = Feed.ID(bob)
    let posts = [item("one", "One")]
    let (reader, _) = await reader(MemoryFeedStore(feed)) { [self] _ in answer(posts) }
    try await reader.refresh()
    await reader.receive([emptied(by: JID(local: "eve", domain: "example.net"))])
    #expect(try await reader.listing().posts.map(\.title) == ["One"])
    let held = HeldChannel(answer: answer(posts))
    await reader.channelOpened(held)
    try await held.holds {
      try await reader.refresh()
    } meanwhile: {
      await reader.receive([emptied(by: bob), news(of: item("new", "New"), from: bob)])
    }
    #expect(try await reader.listing().posts.map(\.title) == ["New"])
    #expect(try await reader.listing().feeds.map(\.id) == [feed])
  }

  @Test func `a feed that may not be read is not followed, one that keeps no posts is`()
    async throws
  {
    let condition = Observed(StanzaError.Condition.forbidden)
    let (reader, _) = await reader(MemoryFeedStore()) { iq in
      if iq["type"] == "get" { throw StanzaError(.cancel, condition.value) }
      return Element("iq", Namespace.client, ["type": "result"])
    }
    await #expect(throws: NatterError.self) { try await reader.follow(Feed.ID(bob)) }
    #expect(try await reader.listing().feeds.isEmpty)
    condition.update { $0 = .featureNotImplemented }
    #expect(try await reader.follow(Feed.ID(bob)))
    #expect(try await reader.listing().feeds.map(\.id) == [Feed.ID(bob)])
  }
}
