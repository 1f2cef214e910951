import FoundationEssentials
import NatterCore
import SQLite
import XMPP

/// The subscribed feeds, and their posts.
package struct FeedStore: Sendable {
  private let database: Database
  init(_ database: Database) { self.database = database }

  private static let columns = """
    service, node, item, author, title, body, published_at, link, comments_service, comments_node,
    is_read
    """

  private static func feed(_ row: Row) -> Feed {
    Feed(
      id: Feed.ID(ColumnCoding.jid(row.string(0)), row.string(1)), title: row.optionalString(2),
      readAt: row.optionalInt64(3).map(ColumnCoding.date))
  }

  private static func post(_ row: Row) -> FeedPost {
    FeedPost(
      id: FeedPost.ID(
        feed: Feed.ID(ColumnCoding.jid(row.string(0)), row.string(1)), item: row.string(2)),
      author: row.string(3), title: row.string(4), text: row.string(5),
      published: ColumnCoding.date(row.int64(6)), link: row.optionalString(7),
      comments: row.optionalString(8).map {
        Feed.ID(ColumnCoding.jid($0), row.optionalString(9) ?? "")
      }, isRead: row.bool(10))
  }
}

extension FeedStore: FeedStoring {
  package func listing() async throws -> FeedListing {
    try await database.storing { database in
      try await database.read { db in
        FeedListing(
          feeds: try db.rows(
            "SELECT service, node, title, read_at FROM feed ORDER BY service, node", map: Self.feed),
          posts: try db.rows(
            """
            SELECT \(Self.columns) FROM feed_post
            ORDER BY published_at DESC, service, node, item LIMIT 10000
            """, map: Self.post))
      }
    }
  }

  package func counts() async throws -> [FeedCount] {
    try await database.storing { database in
      try await database.read { db in
        try db.rows(FeedQuery.counts) { FeedCount(feed: Self.feed($0), unread: $0.int(4)) }
      }
    }
  }

  package func save(_ feed: Feed) async throws {
    try await database.storing { database in
      try await database.write { db in
        try db.run(
          """
          INSERT INTO feed (service, node, title, read_at) VALUES (?, ?, ?, ?)
          ON CONFLICT (service, node) DO UPDATE SET title = coalesce(excluded.title, title),
            read_at = excluded.read_at
          """, feed.id.service.description, feed.id.node, feed.title,
          feed.readAt.map(ColumnCoding.microseconds))
      }
    }
  }

  package func removeFeed(_ id: Feed.ID) async throws {
    try await database.storing { database in
      try await database.write { db in
        try db.run(
          "DELETE FROM feed WHERE service = ? AND node = ?", id.service.description, id.node)
      }
    }
  }

  package func add(_ posts: [FeedPost]) async throws -> [FeedPost] {
    guard !posts.isEmpty else { return [] }
    return try await database.storing { database in
      try await database.write { db in
        var new: [FeedPost] = []
        for post in posts {
          let (service, node) = (post.id.feed.service.description, post.id.feed.node)
          let isKnown = try db.firstRow(
            "SELECT 1 FROM feed_post WHERE service = ? AND node = ? AND item = ?", service, node,
            post.id.item
          ) { _ in true }
          if isKnown == nil { new.append(post) }
          try db.run(
            """
            INSERT INTO feed_post (\(Self.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (service, node, item) DO UPDATE SET author = excluded.author,
              title = excluded.title, body = excluded.body, link = excluded.link,
              comments_service = excluded.comments_service, comments_node = excluded.comments_node
            """, service, node, post.id.item, post.author, post.title, post.text,
            ColumnCoding.microseconds(post.published), post.link,
            post.comments?.service.description, post.comments?.node, post.isRead)
        }
        return new
      }
    }
  }

  package func remove(_ posts: [FeedPost.ID]) async throws {
    try await database.storing { database in
      try await database.write { db in
        for id in posts {
          try db.run(
            "DELETE FROM feed_post WHERE service = ? AND node = ? AND item = ?",
            id.feed.service.description, id.feed.node, id.item)
        }
      }
    }
  }

  package func removePosts(of feed: Feed.ID) async throws -> Bool {
    try await database.storing { database in
      try await database.write { db in
        try db.run(
          "DELETE FROM feed_post WHERE service = ? AND node = ?", feed.service.description,
          feed.node)
        return db.changes > 0
      }
    }
  }

  package func markRead(_ id: FeedPost.ID, _ isRead: Bool) async throws {
    try await database.storing { database in
      try await database.write { db in
        try db.run(
          "UPDATE feed_post SET is_read = ? WHERE service = ? AND node = ? AND item = ?", isRead,
          id.feed.service.description, id.feed.node, id.item)
      }
    }
  }
}

/// The statements of the feeds.
package enum FeedQuery {
  /// Each feed with its number of unread posts.
  package static let counts = """
    SELECT service, node, title, read_at,
      (SELECT COUNT(*) FROM feed_post INDEXED BY feed_post_unread
        WHERE feed_post.service = feed.service AND feed_post.node = feed.node AND is_read = 0)
    FROM feed ORDER BY service, node
    """
}
