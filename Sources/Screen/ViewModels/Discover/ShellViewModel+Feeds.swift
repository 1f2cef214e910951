import NatterCore
import Text
import XMPP

// The followed feeds are below the conversations (interface.md, "Screens").
extension ShellViewModel {
  /// Shows the unread posts of the followed feeds in the sidebar, now and after each change.
  package func showFeeds(of reader: any FeedReading) {
    unfollowFeed = { [weak self] id in self?.perform(nil) { try await reader.unfollow(id) } }
    follow { [weak self] in
      if case .feedsChanged = $0 { self?.loadFeeds(of: reader) }
    }
    loadFeeds(of: reader)
  }

  private func loadFeeds(of reader: any FeedReading) {
    lifetime.aside { [weak self] in
      do {
        let counts = try await reader.counts()
        self?.take(counts)
      } catch {
        self?.report(error)
      }
    }
  }

  private func take(_ counts: [FeedCount]) {
    sidebar.feeds = counts.filter { $0.feed.id.service != format.account }.map {
      SidebarFeed(id: $0.feed.id, name: name(of: $0.feed), unread: $0.unread)
    }.sorted { $0.name.lowercased() < $1.name.lowercased() }
  }

  /// The name of a feed: the user's for its author, its own title, or its address.
  func name(of feed: Feed) -> String {
    if feed.id.service == format.account { return format.localizer("timeline.you") }
    if people.contacts[feed.id.service] != nil { return people.name(of: feed.id.service) }
    if let title = feed.title { return people.claimed(title, by: feed.id.service) }
    return feed.id.node == Feed.personalNode
      ? feed.id.service.description
      : "\(feed.id.service) \(ErrorText.oneLine(feed.id.node))"
  }

  /// Asks whether a feed is to be followed no longer.
  func unfollow(_ id: Feed.ID, called name: String) {
    actions.confirm(
      ConfirmRequest(
        titleKey: "discover.feeds.unfollowTitle", textKey: "discover.feeds.unfollow",
        acceptKey: "confirm.removeAccept", arguments: ["address": name]
      ) { [weak self] in self?.unfollowFeed(id) })
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
