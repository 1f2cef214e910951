import Foundation
import NatterCore
import SQLite
import Testing
import XMPP

@testable import Storage

@Suite struct FeedStoreTests {
  private let feed = Feed.ID(JID(local: "bob", domain: "example.net"))

  private func post(_ item: String, at seconds: Double, _ title: String = "t") -> FeedPost {
    FeedPost(
      id: .init(feed: feed, item: item), author: "Bob", title: title, text: "x\ny",
      published: Date(timeIntervalSince1970: seconds), link: "https://x/",
      comments: Feed.ID(feed.service, "c/\(item)"))
  }

  @Test func `posts come back, the newest first, and each is new once`() async throws {
    let store = try await AccountDatabase.inMemory().feeds
    #expect(try await store.listing() == FeedListing())
    let stored = Feed(id: feed, title: "Bob's", readAt: Date(timeIntervalSince1970: 3))
    try await store.save(stored)
    let posts = [post("b", at: 2), post("a", at: 1)]
    #expect(try await store.add(posts) == posts)
    #expect(try await store.listing() == FeedListing(feeds: [stored], posts: posts))
    #expect(
      try await store.add([post("a", at: 1, "changed"), post("c", at: 9)]).map(\.id.item) == ["c"])
    #expect(try await store.listing().posts.map(\.title) == ["t", "t", "changed"])
    // A reading that learns no title keeps the one there was.
    try await store.save(Feed(id: feed, readAt: Date(timeIntervalSince1970: 5)))
    #expect(try await store.listing().feeds.first?.title == "Bob's")
  }

  @Test func `what was read stays read over changes, until it is said otherwise`() async throws {
    let store = try await AccountDatabase.inMemory().feeds
    try await store.save(Feed(id: feed))
    _ = try await store.add([post("a", at: 1)])
    try await store.markRead(post("a", at: 1).id, true)
    _ = try await store.add([post("a", at: 1, "changed")])
    #expect(try await store.listing().posts.first?.isRead == true)
    try await store.markRead(post("a", at: 1).id, false)
    #expect(try await store.listing().posts.first?.isRead == false)
    try await store.remove([post("a", at: 1).id])
    #expect(try await store.listing().posts == [])
  }

  @Test func `what is unread of each feed is counted, and no post is read for it`() async throws {
    let account = try await AccountDatabase.inMemory()
    let store = account.feeds
    let quiet = Feed(id: Feed.ID(feed.service, "quiet"), title: "Quiet")
    try await store.save(Feed(id: feed, title: "Bob's"))
    try await store.save(quiet)
    _ = try await store.add([post("a", at: 1), post("b", at: 2), post("c", at: 3)])
    try await store.markRead(post("b", at: 2).id, true)
    #expect(
      try await store.counts()
        == [
          FeedCount(feed: quiet, unread: 0),
          FeedCount(feed: Feed(id: feed, title: "Bob's"), unread: 2),
        ].sorted { $0.feed.id.node < $1.feed.id.node })
    let plan = try await account.database.read { db in
      try db.rows("EXPLAIN QUERY PLAN " + FeedQuery.counts) { $0.string(3) }
    }
    #expect(
      plan.contains { $0.contains("COVERING INDEX feed_post_unread") && $0.hasPrefix("SEARCH") },
      "\(plan)")
  }

  @Test func `the posts of a feed are removed without it, and no others`() async throws {
    let store = try await AccountDatabase.inMemory().feeds
    let other = Feed(id: Feed.ID(feed.service, "other"))
    for feed in [Feed(id: feed), other] { try await store.save(feed) }
    let kept = FeedPost(
      id: .init(feed: other.id, item: "a"), author: "Bob", title: "t", text: "x",
      published: Date(timeIntervalSince1970: 1))
    _ = try await store.add([post("a", at: 1), post("b", at: 2), kept])
    #expect(try await store.removePosts(of: feed))
    #expect(try await store.listing().posts == [kept])
    #expect(try await store.listing().feeds.count == 2)
    #expect(try await store.removePosts(of: feed) == false)
  }

  @Test func `a feed that is left takes its posts with it`() async throws {
    let store = try await AccountDatabase.inMemory().feeds
    try await store.save(Feed(id: feed))
    _ = try await store.add([post("a", at: 1)])
    try await store.removeFeed(feed)
    #expect(try await store.listing() == FeedListing())
  }

  @Test func `what waits comes back as it was written, with why it was refused`() async throws {
    let store = try await AccountDatabase.inMemory().pendingChanges
    func draft(_ item: String, at seconds: Double, isComment: Bool) -> FeedDraft {
      FeedDraft(
        id: .init(feed: feed, item: item), text: "x\ny",
        written: Date(timeIntervalSince1970: seconds),
        isComment: isComment)
    }
    var (later, earlier) = (draft("a", at: 2, isComment: true), draft("b", at: 1, isComment: false))
    try await store.save(later)
    try await store.save(earlier)
    #expect(try await store.drafts() == [earlier, later])
    earlier.refusal = StatusNotice(.error, "stanza.forbidden", ["text": "Not here."])
    try await store.save(earlier)
    #expect(try await store.drafts() == [earlier, later])
    try await store.removeDraft(earlier.id)
    later.refusal = nil
    #expect(try await store.drafts() == [later])
  }
}
