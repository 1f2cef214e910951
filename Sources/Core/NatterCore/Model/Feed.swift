import FoundationEssentials
import XMPP

/// A feed that the user follows, or the user's own: a node of posts (XEP-0472 over XEP-0060).
package struct Feed: Identifiable, Hashable, Sendable {
  /// The address of the feed.
  package struct ID: Hashable, Sendable {
    /// The bare address of its owner or of a feed service.
    package let service: JID
    package let node: String

    package init(_ service: JID, _ node: String = Feed.personalNode) {
      self.service = service.bare
      self.node = node
    }
  }

  /// The node of personal posts (XEP-0277 §3).
  package static let personalNode = "urn:xmpp:microblog:0"

  package let id: ID
  /// The title that it publishes; `nil`: none. Untrusted.
  package var title: String?
  /// The time when its posts were last read from the server; `nil`: never.
  package var readAt: Date?

  package init(id: ID, title: String? = nil, readAt: Date? = nil) {
    self.id = id
    self.title = title
    self.readAt = readAt
  }
}

/// A post of a feed. All texts are untrusted.
package struct FeedPost: Identifiable, Hashable, Sendable {
  /// The identity of a post, the same however it arrives.
  package struct ID: Hashable, Sendable {
    package let feed: Feed.ID
    package let item: String

    package init(feed: Feed.ID, item: String) {
      self.feed = feed
      self.item = item
    }
  }

  /// The publication state of a post.
  package enum PublishState: Hashable, Sendable {
    case published
    /// Written here, and waiting for a connection.
    case waiting
    /// The feed refused it, for this reason.
    case refused(StatusNotice)
  }

  package let id: ID
  package var author: String
  /// May be empty: then the text is shown instead.
  package var title: String
  package var text: String
  package var published: Date
  /// The URL of the post as a web page; `nil`: none.
  package var link: String?
  /// The node of its comments; `nil`: it accepts none.
  package var comments: Feed.ID?
  package var isRead: Bool
  package var publishState: PublishState

  package init(
    id: ID, author: String, title: String, text: String, published: Date, link: String? = nil,
    comments: Feed.ID? = nil, isRead: Bool = false, publishState: PublishState = .published
  ) {
    self.id = id
    self.author = author
    self.title = title
    self.text = text
    self.published = published
    self.link = link
    self.comments = comments
    self.isRead = isRead
    self.publishState = publishState
  }
}

/// A post or a comment that was written here and is not in its feed yet.
package struct FeedDraft: Identifiable, Hashable, Sendable {
  /// The target feed and item: the same at each attempt, so that repeated sending publishes it
  /// once.
  package let id: FeedPost.ID
  package let text: String
  package let written: Date
  package let isComment: Bool
  /// The reason why the feed refused it; `nil` if it waits.
  package var refusal: StatusNotice?

  package init(
    id: FeedPost.ID, text: String, written: Date, isComment: Bool, refusal: StatusNotice? = nil
  ) {
    self.id = id
    self.text = text
    self.written = written
    self.isComment = isComment
    self.refusal = refusal
  }
}

/// A followed feed and the number of its unread posts.
package struct FeedCount: Hashable, Sendable {
  package let feed: Feed
  /// The number of unread posts, at least 0.
  package let unread: Int

  package init(feed: Feed, unread: Int) { (self.feed, self.unread) = (feed, unread) }
}

/// The followed feeds and their known posts.
package struct FeedListing: Hashable, Sendable {
  package var feeds: [Feed]
  /// Newest first.
  package var posts: [FeedPost]
  /// The feeds to follow once there is a connection.
  package var waiting: [Feed.ID] = []

  package init(feeds: [Feed] = [], posts: [FeedPost] = []) {
    self.feeds = feeds
    self.posts = posts
  }
}
