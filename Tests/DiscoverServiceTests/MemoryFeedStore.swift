import NatterCore

/// Feeds and posts in memory.
actor MemoryFeedStore: FeedStoring {
  private var feeds: [Feed.ID: Feed] = [:]
  private var posts: [FeedPost.ID: FeedPost] = [:]
  /// The posts whose feed was not there: the database refuses them.
  private(set) var orphans: [FeedPost.ID] = []
  private var afterSaving: (@Sendable () async -> Void)?

  init(_ followed: Feed.ID...) {
    for id in followed { feeds[id] = Feed(id: id) }
  }

  func listing() -> FeedListing {
    FeedListing(
      feeds: Array(feeds.values), posts: posts.values.sorted { $0.published > $1.published })
  }
  func counts() -> [FeedCount] {
    feeds.values.map { feed in
      FeedCount(feed: feed, unread: posts.values.count { $0.id.feed == feed.id && !$0.isRead })
    }
  }
  /// Has `body` run once, after a feed is saved and before `save` returns.
  func afterSaving(_ body: @escaping @Sendable () async -> Void) { afterSaving = body }
  func save(_ feed: Feed) async {
    feeds[feed.id] = feed
    let body = afterSaving
    afterSaving = nil
    await body?()
  }
  func removeFeed(_ id: Feed.ID) {
    feeds[id] = nil
    posts = posts.filter { $0.key.feed != id }
  }
  func add(_ added: [FeedPost]) -> [FeedPost] {
    let new = added.filter { posts[$0.id] == nil }
    orphans += added.map(\.id).filter { feeds[$0.feed] == nil }
    for post in added {
      var post = post
      post.isRead = posts[post.id]?.isRead ?? post.isRead
      posts[post.id] = post
    }
    return new
  }
  func remove(_ ids: [FeedPost.ID]) { for id in ids { posts[id] = nil } }
  func removePosts(of feed: Feed.ID) -> Bool {
    let count = posts.count
    posts = posts.filter { $0.key.feed != feed }
    return posts.count < count
  }
  func markRead(_ id: FeedPost.ID, _ isRead: Bool) { posts[id]?.isRead = isRead }
}
