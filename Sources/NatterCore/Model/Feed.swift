import FoundationEssentials
import XMPP

/// A feed that the person follows, or his own: a node of posts (XEP-0472 over XEP-0060).
package struct Feed: Identifiable, Hashable, Sendable {
  /// Where it is.
  package struct ID: Hashable, Sendable {
    /// Somebody's bare address, or that of a service of feeds.
    package let service: JID
    package let node: String

    package init(_ service: JID, _ node: String = Feed.personalNode) {
      self.service = service.bare
      self.node = node
    }
  }

  /// The node in which people post about themselves (XEP-0277 §3).
  package static let personalNode = "urn:xmpp:microblog:0"

  package let id: ID
  /// What it calls itself; `nil`: nothing. From outside.
  package var title: String?
  /// When its posts were last read from where it is; `nil`: never.
  package var readAt: Date?

  package init(id: ID, title: String? = nil, readAt: Date? = nil) {
    self.id = id
    self.title = title
    self.readAt = readAt
  }
}

/// A post of a feed. All texts are from outside.
package struct FeedPost: Identifiable, Hashable, Sendable {
  /// The same for the same post, however it comes.
  package struct ID: Hashable, Sendable {
    package let feed: Feed.ID
    package let item: String

    package init(feed: Feed.ID, item: String) {
      self.feed = feed
      self.item = item
    }
  }

  /// How far a post is on its way into its feed.
  package enum Standing: Hashable, Sendable {
    case published
    /// It was written here, and waits for a connection.
    case waiting
    /// The feed did not take it, and why.
    case refused(StatusNotice)
  }

  package let id: ID
  package var author: String
  /// May be empty: then the text has to do.
  package var title: String
  package var text: String
  package var published: Date
  /// A page that has it; `nil`: none.
  package var link: String?
  /// Where comments on it are; `nil`: it takes none.
  package var comments: Feed.ID?
  package var isRead: Bool
  package var standing: Standing

  package init(
    id: ID, author: String, title: String, text: String, published: Date, link: String? = nil,
    comments: Feed.ID? = nil, isRead: Bool = false, standing: Standing = .published
  ) {
    self.id = id
    self.author = author
    self.title = title
    self.text = text
    self.published = published
    self.link = link
    self.comments = comments
    self.isRead = isRead
    self.standing = standing
  }
}

/// A post or a comment that was written here and is not in its feed yet.
package struct FeedDraft: Identifiable, Hashable, Sendable {
  /// Where it goes, and under which item: the same at each attempt, so that it is there once however often it is sent.
  package let id: FeedPost.ID
  package let text: String
  package let written: Date
  package let isComment: Bool
  /// Why the feed did not take it; `nil`: it waits.
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

/// A feed that is followed, and how much there is to read in it.
package struct FeedCount: Hashable, Sendable {
  package let feed: Feed
  /// How many of its posts were not read; 0 or more.
  package let unread: Int

  package init(feed: Feed, unread: Int) { (self.feed, self.unread) = (feed, unread) }
}

/// The feeds that are followed, and their posts as far as they are known.
package struct FeedListing: Hashable, Sendable {
  package var feeds: [Feed]
  /// The newest first.
  package var posts: [FeedPost]
  /// What is to be followed once there is a connection.
  package var waiting: [Feed.ID] = []

  package init(feeds: [Feed] = [], posts: [FeedPost] = []) {
    self.feeds = feeds
    self.posts = posts
  }
}
