import Foundation
import NatterCore
import XMPP

/// Feeds in memory, with a record of what was asked.
package actor FakeFeedReader: FeedReading {
  package private(set) var calls: [String] = []
  private var current: FeedListing
  private let answers: [FeedPost]
  /// Indicates whether posts are published at once.
  private let isOnline: Bool
  private var failure: NatterError?
  private var next: FeedListing?

  /// - Parameter comments: those on any post.
  package init(
    _ listing: FeedListing = FeedListing(), comments: [FeedPost] = [], isOnline: Bool = true
  ) {
    current = listing
    self.isOnline = isOnline
    answers = comments
  }

  /// Has there be `listing` once the present one was published.
  package func becomes(_ listing: FeedListing) { next = listing }

  /// Has every later call but `listing` throw `error`, or work again.
  package func fail(with error: NatterError?) { failure = error }

  private func called(_ parts: String...) throws {
    calls.append(parts.joined(separator: " "))
    if let failure { throw failure }
  }

  package func listing() -> FeedListing {
    defer { if let next { (current, self.next) = (next, nil) } }
    return current
  }
  package func counts() -> [FeedCount] {
    current.feeds.map { feed in
      FeedCount(
        feed: feed, unread: current.posts.count { $0.id.feed == feed.id && !$0.isRead })
    }
  }
  package func refresh() throws { try called("refresh") }
  package func follow(_ id: Feed.ID) throws -> Bool {
    try called("follow", id.service.description, id.node)
    if !isOnline { current.waiting.append(id) }
    return isOnline
  }
  package func unfollow(_ id: Feed.ID) throws {
    try called("unfollow", id.service.description)
    current.feeds.removeAll { $0.id == id }
    current.waiting.removeAll { $0 == id }
    current.posts.removeAll { $0.id.feed == id }
  }
  package func markRead(_ id: FeedPost.ID, _ isRead: Bool) throws {
    try called("mark", id.item, "\(isRead)")
    current.posts = current.posts.map { post in
      var post = post
      if post.id == id { post.isRead = isRead }
      return post
    }
  }
  package func post(_ text: String, onStored: @MainActor () -> Void) async throws -> Bool {
    // A post that a server refuses is stored, too.
    if failure?.kind != .storage { await onStored() }
    try called("post", text)
    return isOnline
  }
  package func comments(on post: FeedPost) throws -> [FeedPost] {
    try called("comments", post.id.item)
    return answers
  }
  package func comment(
    _ text: String, on post: FeedPost, onStored: @MainActor () -> Void
  ) async throws -> Bool {
    if failure?.kind != .storage { await onStored() }
    try called("comment", post.id.item, text)
    return isOnline
  }
  package func retry(_ id: FeedDraft.ID) throws -> Bool {
    try called("retry", id.item)
    return isOnline
  }
  package func discard(_ id: FeedDraft.ID) throws { try called("discard", id.item) }
}

extension FeedListing {
  /// Two feeds with three posts.
  package static func wireframe(now: Date) -> FeedListing {
    let bob = Feed.ID(JID(local: "bob", domain: "example.net"))
    let news = Feed.ID(JID(local: nil, domain: "pubsub.example.org"), "news")
    func post(
      _ item: String, in feed: Feed.ID, _ author: String, _ title: String, _ text: String = "",
      minutes: Double, isRead: Bool = false, comments: Feed.ID? = nil, link: String? = nil
    ) -> FeedPost {
      FeedPost(
        id: FeedPost.ID(feed: feed, item: item), author: author, title: title, text: text,
        published: now.addingTimeInterval(minutes * 60), link: link, comments: comments,
        isRead: isRead)
    }
    return FeedListing(
      feeds: [Feed(id: bob, readAt: now), Feed(id: news, title: "News", readAt: now)],
      posts: [
        post(
          "p1", in: bob, "Bob", "Seen on the way", "A heron by the canal,\nstanding quite still.",
          minutes: -5, comments: Feed.ID(bob.service, "comments/p1")),
        post(
          "n1", in: news, "Editors", "Version 2 is out", "All of it.", minutes: -90, isRead: true,
          link: "https://example.org/2"),
        post("p0", in: bob, "Bob", "", "No title, only a text", minutes: -3000),
      ])
  }
}
