import NatterCore
import XMPP

// The feeds that are followed stand below the conversations (UX.md 3.3, screen 3).
extension ShellViewModel {
  /// Has the sidebar tell what there is to read in the feeds that are followed, now and whenever that changes.
  package func showFeeds(of reader: any FeedReading) {
    follow { [weak self] in
      if case .feedsChanged = $0 { self?.loadFeeds(of: reader) }
    }
    loadFeeds(of: reader)
  }

  private func loadFeeds(of reader: any FeedReading) {
    lifetime.aside { [weak self] in
      do {
        let listing = try await reader.listing()
        self?.take(listing)
      } catch {
        self?.report(error)
      }
    }
  }

  private func take(_ listing: FeedListing) {
    var unread: [Feed.ID: Int] = [:]
    for post in listing.posts where !post.isRead { unread[post.id.feed, default: 0] += 1 }
    sidebar.feeds = listing.feeds.filter { $0.id.service != format.account }.map { feed in
      SidebarFeed(id: feed.id, name: name(of: feed), unread: unread[feed.id] ?? 0)
    }.sorted { $0.name.lowercased() < $1.name.lowercased() }
  }

  /// What a feed is called: as the person calls whoever writes it, as it calls itself, or where it is.
  func name(of feed: Feed) -> String {
    if feed.id.service == format.account { return format.localizer("timeline.you") }
    if people.contacts[feed.id.service] != nil { return people.name(of: feed.id.service) }
    if let title = feed.title { return ProblemText.oneLine(title) }
    return feed.id.node == Feed.personalNode
      ? feed.id.service.description
      : "\(feed.id.service) \(ProblemText.oneLine(feed.id.node))"
  }

  /// Goes to the posts of a feed.
  func openFeed(_ id: SidebarItem.ID) {
    guard let feed = sidebar.feeds.first(where: { .feed($0.id) == id }) else { return }
    sidebar.endFilter()
    do {
      try actions.request("discover/show", ["page": "feeds", "item": feed.name])
    } catch {
      report(error)
    }
  }
}
