import Diagnostics
import FoundationEssentials
import NatterCore
import XML
import XMPP

/// Reads the followed feeds, stores what is published in them, and writes posts and comments.
package actor FeedReader: ChannelHolding, FeedReading {
  /// The maximum number of posts that are fetched from one feed.
  private static let postLimit = 50
  /// The longest text of a post that is kept, in bytes.
  private static let textLimit = 80_000
  /// The longest title and the longest name of an author that are kept, in bytes.
  private static let (titleLimit, authorLimit) = (2000, 1000)
  /// The longest identifiers and links, in bytes. A cut one would mean another post or page, so a
  /// longer one is ignored.
  private static let (idLimit, linkLimit) = (1000, 2000)

  let account: JID
  let store: any FeedStoring
  let changes: any PendingChangeStoring
  let hub: EventHub
  let log: Log
  let identifiers: IdentifierSource
  let now: @Sendable () -> Date
  package var channel: (any StanzaChannel)?
  /// The followed feeds; `nil` until they are loaded from the database.
  var followed: Set<Feed.ID>?
  /// The drafts that are being sent.
  var underWay: Set<FeedDraft.ID> = []
  private let followChanges: PendingFollowChanges
  let queue: PendingChangeSender
  private var reads = OpenReads<Feed.ID, String>()
  /// The changes of the stored state of a feed, one after the other.
  private let inbox = SerialInbox<Feed.ID>()

  package init(
    account: JID, store: any FeedStoring, hub: EventHub, log: Log,
    changes: any PendingChangeStoring,
    identifiers: IdentifierSource = IdentifierSource(),
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.account = account.bare
    self.store = store
    self.changes = changes
    self.hub = hub
    self.log = log
    self.identifiers = identifiers
    self.now = now
    followChanges = PendingFollowChanges(
      of: .feed, account: account, store: changes, hub: hub, news: .feedsChanged, log: log)
    queue = PendingChangeSender("a post", hub: hub) { log.warning("\($0)") }
  }

  package func sessionStarted(_ session: Session, over channel: any StanzaChannel) async {
    self.channel = channel
    await followChanges.reportUnreadable()
    await queue.reportUnreadable([.post], in: changes)
    await submitFollowChanges()
    await submitDrafts()
  }
  package func sessionResumed() async {
    await submitFollowChanges()
    await submitDrafts()
  }

  func followedFeeds() async throws -> Set<Feed.ID> {
    if let followed { return followed }
    let stored = Set(try await store.listing().feeds.map(\.id))
    followed = followed ?? stored
    return followed ?? stored
  }

  // MARK: - What arrives by itself

  package func receive(_ stanzas: [Stanza]) async {
    for case .message(let message) in stanzas {
      guard let event = XEP0060Event(message), let sender = message.from?.bare else { continue }
      do {
        try await take(event, to: Feed.ID(sender, event.node))
      } catch {
        // The next refresh reads the post again.
        log.warning("a post could not be stored: \(error)")
      }
    }
  }

  private func take(_ event: XEP0060Event, to feed: Feed.ID) async throws {
    guard !event.isEmptied else { return try await empty(feed) }
    let items = event.items.compactMap { $0["id"] } + event.retracted
    reads.note(items.filter { $0.utf8.count <= Self.idLimit }, of: feed)
    guard try await followedFeeds().contains(feed) else { return }
    let isOther = try await inbox.run(in: feed) {
      guard followed?.contains(feed) == true else { return false }
      // The same event may arrive more than once: a server may repeat it to the bare address.
      let new = try await store.add(event.items.compactMap { post($0, in: feed) })
      let gone = event.retracted.map { FeedPost.ID(feed: feed, item: $0) }
      if !gone.isEmpty { try await store.remove(gone) }
      return !new.isEmpty || !gone.isEmpty
    }
    if isOther { hub.publish(.feedsChanged) }
  }

  /// Removes the posts of a feed that was purged or deleted. A deleted one stays followed: it may
  /// be created again.
  private func empty(_ feed: Feed.ID) async throws {
    reads.noteAll(of: feed)
    guard try await followedFeeds().contains(feed) else { return }
    let isOther = try await inbox.run(in: feed) { try await store.removePosts(of: feed) }
    if isOther { hub.publish(.feedsChanged) }
  }

  func post(_ item: Element, in feed: Feed.ID) -> FeedPost? {
    guard let entry = XEP0277Entry(item: item), entry.id.utf8.count <= Self.idLimit else {
      return nil
    }
    let comments = entry.comments.flatMap { $0.node.utf8.count <= Self.idLimit ? $0 : nil }
    return FeedPost(
      id: FeedPost.ID(feed: feed, item: entry.id),
      author: (entry.author ?? feed.service.description).beginning(bytes: Self.authorLimit),
      title: entry.title.beginning(bytes: Self.titleLimit),
      text: entry.text.beginning(bytes: Self.textLimit),
      // A post without a date gets the time when it was first seen.
      published: XEP0082DateTime.date(from: entry.published) ?? now(),
      link: entry.link.flatMap { $0.utf8.count <= Self.linkLimit ? $0 : nil },
      comments: comments.map { Feed.ID($0.service, $0.node) },
      isRead: feed.service == account)
  }

  // MARK: - Reading

  /// Returns the stored feeds and posts, the pending drafts among them.
  package func listing() async throws -> FeedListing {
    var listing = try await store.listing()
    // A draft whose acknowledgement was lost is in the feed already.
    let known = Set(listing.posts.map(\.id))
    let waiting = try await changes.drafts().filter { !$0.isComment && !known.contains($0.id) }
    if !waiting.isEmpty {
      listing.posts = (listing.posts + waiting.map(shown)).sorted { $0.published > $1.published }
    }
    listing.waiting = try await followChanges.all().filter(\.follows).map {
      Feed.ID($0.service, $0.node)
    }
    return listing
  }

  /// Returns the number of unread posts of each followed feed.
  package func counts() async throws -> [FeedCount] { try await store.counts() }

  /// Reads all followed feeds.
  /// - Throws: `NatterError`, also without a connection.
  package func refresh() async throws {
    let channel = try openChannel()
    do {
      for feed in try await followedFeeds() {
        try await read(feed, over: channel)
      }
      hub.publish(.feedsChanged)
    } catch {
      throw NatterError(answering: error)
    }
  }

  private func read(_ feed: Feed.ID, over channel: any StanzaChannel) async throws {
    let read = reads.begin(feed)
    defer { reads.end(read) }
    do {
      try await keep(try await items(of: feed, over: channel), by: read)
    } catch let error as StanzaError {
      // A feed that is gone does not hide the others from the user. It stays followed, and is read
      // again with the next refresh.
      log.info("a feed cannot be read: \(error.condition.rawValue)")
    }
  }

  /// Stores what was read of a feed, unless the user has left it meanwhile.
  private func keep(_ posts: [FeedPost], by read: OpenReads<Feed.ID, String>.Read) async throws {
    let feed = read.node
    try await inbox.run(in: feed) {
      guard try await followedFeeds().contains(feed) else { return }
      // What is noted from now on is stored after this.
      let changes = reads.changes(during: read)
      try await store.save(Feed(id: feed, readAt: changes == .countless ? nil : now()))
      _ = try await store.add(posts.filter { changes.accept($0.id.item) })
    }
  }

  /// Stores a post that was published from here.
  func keepPublished(_ post: FeedPost) async throws {
    let feed = post.id.feed
    _ = try await followedFeeds()
    followed?.insert(feed)
    reads.note([post.id.item], of: feed)
    try await inbox.run(in: feed) {
      guard followed?.contains(feed) == true else { return }
      try await store.save(Feed(id: feed, readAt: now()))
      _ = try await store.add([post])
    }
  }

  func items(of feed: Feed.ID, over channel: any StanzaChannel) async throws -> [FeedPost] {
    let answer = try await channel.request(
      XEP0060.newestItems(Self.postLimit, of: feed.node, at: feed.service))
    return XEP0060.items(in: answer).prefix(Self.postLimit * 4).compactMap { post($0, in: feed) }
  }

  /// Follows a feed.
  /// - Returns: `false` if the request is pending.
  /// - Throws: `NatterError` if there is no such feed.
  @discardableResult
  package func follow(_ id: Feed.ID) async throws -> Bool {
    try await followChanges.follow(id.service, id.node, over: channel) {
      try await begin(id, over: $0)
    } forget: {
      try await forget(id)
    } != nil
  }

  private func begin(_ id: Feed.ID, over channel: any StanzaChannel) async throws {
    // First, so that nothing that changes after the answer to the read is missed.
    let isSubscribed = try await followChanges.subscribe(to: id.service, id.node, over: channel)
    let wasKnown = try await followedFeeds().contains(id)
    let read = reads.begin(id)
    defer { reads.end(read) }
    let posts: [FeedPost]?
    do {
      posts = try await followChanges.firstItems(
        of: id.service, id.node, isSubscribed: isSubscribed, isNew: !wasKnown, over: channel
      ) { try await items(of: id, over: channel) }
    } catch let error as StanzaError where error.condition == .itemNotFound {
      throw NatterError(.refused, "error.discover.noFeed", ["address": id.service.description])
    }
    followed?.insert(id)
    try await keep(posts ?? [], by: read)
    // Notifications of a feed that was unknown were not stored.
    if !wasKnown, reads.changes(during: read) != .some([]) {
      try await self.read(id, over: channel)
    }
  }

  /// Unfollows a feed and removes its posts.
  package func unfollow(_ id: Feed.ID) async throws {
    // Posts that still arrive are ignored.
    try await followChanges.leave(id.service, id.node, over: channel) { try await forget(id) }
  }

  private func forget(_ id: Feed.ID) async throws {
    _ = try await followedFeeds()
    // First, so that nothing that waits in the inbox is stored after the removal.
    followed?.remove(id)
    try await inbox.run(in: id) { try await store.removeFeed(id) }
  }

  /// Sends the follow and unfollow requests that were made offline.
  private func submitFollowChanges() async {
    await followChanges.submit(over: channel) {
      try await begin(Feed.ID($0.service, $0.node), over: $1)
    } forget: {
      try await forget(Feed.ID($0.service, $0.node))
    }
  }

  /// Stores whether a post was read.
  package func markRead(_ id: FeedPost.ID, _ isRead: Bool) async throws {
    try await store.markRead(id, isRead)
    hub.publish(.feedsChanged)
  }
}
