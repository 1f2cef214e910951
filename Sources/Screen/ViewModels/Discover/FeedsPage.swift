import FoundationEssentials
import NatterCore
import Text
import XMPP

/// The page of feeds: the posts of all subscribed feeds, the newest first.
package final class FeedsPage: CardPage {
  package let id = "feeds"
  package let rows = FilteredRows<String>()

  let shell: ShellViewModel
  let reader: any FeedReading
  private var listing = FeedListing()
  /// The feeds listed below the posts: those being subscribed to, and those without posts.
  private var quiet: [Feed.ID] = []
  /// True if loading has begun, after which changes are loaded, and whether it has finished once.
  private var (hasBegun, hasLoaded) = (false, false)
  private var isReading = false

  /// The age in seconds after which feeds are reloaded when the user opens the page.
  private static let freshness: TimeInterval = 600

  package init(shell: ShellViewModel, reader: any FeedReading) {
    self.shell = shell
    self.reader = reader
    shell.follow { [weak self] in
      if case .feedsChanged = $0, self?.hasBegun == true { self?.load() }
    }
  }

  var localizer: Localizer { shell.format.localizer }

  package func appeared() { load() }

  private func load() {
    hasBegun = true
    shell.lifetime.inOrder { [weak self, reader] in
      do {
        let listing = try await reader.listing()
        self?.take(listing)
      } catch {
        self?.shell.report(error)
      }
    }
  }

  private func take(_ listing: FeedListing) {
    self.listing = listing
    let posts = listing.posts
    let busy = Set(posts.map(\.id.feed))
    quiet = listing.waiting + listing.feeds.map(\.id).filter { !busy.contains($0) }
    let names = quiet.map { name(of: $0) }
    let feeds = Dictionary(busy.map { ($0, name(of: $0)) }) { $1 }
    rows.load(
      posts.map { "\($0.id.feed.service) \($0.id.feed.node) \($0.id.item)" }
        + quiet.map { "\($0.service) \($0.node)" }
    ) {
      guard posts.indices.contains($0) else { return names[$0 - posts.count] }
      return
        "\(feeds[posts[$0].id.feed] ?? "") \(posts[$0].author) \(posts[$0].title) \(posts[$0].text)"
    }
    guard !hasLoaded else { return }
    hasLoaded = true
    let oldest = listing.feeds.map { $0.readAt ?? .distantPast }.min()
    guard let oldest, shell.connectionState.isOnline,
      !oldest.isRecent(Self.freshness, at: shell.now())
    else { return }
    refresh()
  }

  private func refresh() {
    guard !isReading else { return }
    isReading = true
    rows.onChange()
    shell.lifetime.aside { [weak self, reader] in
      do { try await reader.refresh() } catch { self?.shell.report(error) }
      self?.isReading = false
      self?.rows.onChange()
    }
  }

  // MARK: - Content

  /// Returns the author's name; for a contact, the name that the user knows.
  func author(of post: FeedPost) -> String {
    let service = post.id.feed.service
    if service == shell.format.account { return localizer("timeline.you") }
    return shell.people.contacts[service] != nil
      ? shell.people.name(of: service) : shell.people.claimed(post.author, by: service)
  }

  func headline(of post: FeedPost) -> String {
    let title = ErrorText.oneLine(post.title)
    return title.isEmpty ? ErrorText.oneLine(post.text) : title
  }

  private func name(of feed: Feed.ID) -> String {
    shell.name(of: listing.feeds.first { $0.id == feed } ?? Feed(id: feed))
  }

  private func card(of feed: Feed.ID) -> CardItem {
    let waits = listing.waiting.contains(feed)
    return CardItem(
      glyph: waits ? shell.format.glyphs.queued : "", title: name(of: feed),
      note: waits ? localizer("discover.feeds.waits") : "",
      text: localizer(waits ? "discover.feeds.toFollow" : "discover.feeds.noPosts"))
  }

  package func card(_ index: Int) -> CardItem {
    guard listing.posts.indices.contains(index) else {
      return card(of: quiet[index - listing.posts.count])
    }
    let post = listing.posts[index]
    let (glyph, note) =
      switch post.publishState {
      case .published:
        (post.isRead ? "" : "*", shell.format.shortMoment(post.published, now: shell.now()))
      case .waiting: (shell.format.glyphs.queued, localizer("discover.feeds.waits"))
      case .refused: (shell.format.glyphs.failed, localizer("discover.feeds.refused"))
      }
    return CardItem(
      glyph: glyph, title: author(of: post), note: note, text: headline(of: post),
      spokenGlyph: post.publishState == .published && !post.isRead
        ? localizer("discover.feeds.isUnread") : "",
      isStrong: !post.isRead)
  }

  package var headings: CardItem {
    CardItem(
      title: localizer("discover.feeds.author"), note: localizer("discover.feeds.date"),
      text: localizer("discover.feeds.post"))
  }

  package var headline: String {
    CardHeadline(
      source: localizer.plural("discover.feeds.feeds", listing.feeds.count), isReading: isReading,
      readAt: listing.feeds.compactMap(\.readAt).min(), waiting: listing.waiting.map(\.service)
    ).text(shell.format, now: shell.now())
  }

  package var count: String {
    localizer.plural("discover.feeds.unread", listing.posts.count { !$0.isRead })
  }

  package var emptyText: String {
    localizer(rows.count > 0 ? "sidebar.noneMatch" : "discover.feeds.none")
  }

  /// Returns the state of a post that is not published.
  func publishState(of post: FeedPost) -> String? {
    switch post.publishState {
    case .published: nil
    case .waiting: localizer("discover.feeds.waitsText")
    case .refused(let refusal):
      localizer(
        "discover.feeds.refusedText", ["text": ErrorText.oneLine(localizer(refusal))])
    }
  }

  private var selected: FeedPost? {
    guard let index = rows.selectedIndex, listing.posts.indices.contains(index) else { return nil }
    return listing.posts[index]
  }

  /// The selected feed without posts.
  private var selectedFeed: Feed.ID? {
    guard let index = rows.selectedIndex, index >= listing.posts.count else { return nil }
    return quiet[index - listing.posts.count]
  }

  package var summary: [String] {
    guard let post = selected else {
      guard let feed = selectedFeed else { return [] }
      let card = card(of: feed)
      return [card.title, card.text, localizer("discover.feeds.leaveHint")]
    }
    let lines = [
      "\(author(of: post))  \(shell.format.moment(post.published, now: shell.now()))",
      publishState(of: post) ?? "",
      headline(of: post), ErrorText.oneLine(post.text),
    ].filter { !$0.isEmpty }
    return lines.last == lines.dropLast().last ? lines.dropLast() : lines
  }

  // MARK: - User input

  package var actions: Set<CardAction> { [.open, .add, .remove, .toggle, .refresh] }

  package func perform(_ action: CardAction) {
    switch action {
    case .open: if let selected { open(selected) } else { refresh() }
    case .add: add()
    case .remove:
      guard let selected else {
        if let selectedFeed { unfollow(selectedFeed) }
        return
      }
      if selected.publishState == .published {
        unfollow(selected.id.feed)
      } else {
        discard(selected)
      }
    case .toggle: if let selected { mark(selected, isRead: !selected.isRead) }
    case .refresh: refresh()
    case .rename, .sort: break
    }
  }

  /// Discards a pending or refused post, after a confirmation.
  func discard(_ post: FeedPost) {
    shell.actions.confirm(
      ConfirmRequest(
        titleKey: "discover.feeds.discardTitle", textKey: "discover.feeds.discardText",
        acceptKey: "discover.feeds.discard", arguments: ["text": headline(of: post)]
      ) { [weak self, reader] in self?.shell.perform(nil) { try await reader.discard(post.id) } })
  }

  func retry(_ post: FeedPost) {
    shell.perform(nil) { [shell, reader] in
      let isThere = try await reader.retry(post.id)
      shell.show(
        StatusNotice(
          .info, isThere ? "status.discover.posted" : "status.discover.postWaits"))
    }
  }

  package func show(item: String) { rows.setFilter(item) }

  func mark(_ post: FeedPost, isRead: Bool) {
    guard post.isRead != isRead else { return }
    shell.perform(nil) { [reader] in try await reader.markRead(post.id, isRead) }
  }

  /// Offers to write a post, or to subscribe to another feed.
  private func add() {
    shell.actions.choose(
      ChoiceRequest(
        title: localizer("discover.feeds.addTitle"),
        labels: [localizer("discover.feeds.write"), localizer("discover.feeds.follow")], selected: 0
      ) { [weak self] index in
        switch index {
        case 0: self?.write()
        case 1: self?.askForFeed()
        default: break
        }
      })
  }

  private func write() {
    ask(
      title: "discover.feeds.write", text: "discover.feeds.writeText",
      done: "status.discover.posted"
    ) { [reader] in try await reader.post($0, onStored: $1) }
  }

  /// Asks for a text, and reports whether it is published or pending.
  /// - Parameter work: publishes the text; calls its other argument once that is stored.
  func ask(
    title: String, text: String, done: String,
    _ work: @escaping @MainActor (String, @escaping @MainActor () -> Void) async throws -> Bool
  ) {
    var field = FormField(.text, "words", label: localizer("discover.feeds.text"))
    field.isRequired = true
    let prompt = PromptViewModel(
      title: localizer(title), text: localizer(text), fields: [field],
      submit: localizer("discover.feeds.publish"), localizer: localizer)
    prompt.onSubmit = { [weak self, weak prompt] typed in
      guard let self, let prompt, let text = typed["words"], !text.isEmpty else { return [:] }
      PromptWriting(shell: shell, prompt: prompt).perform { [shell] onStored in
        let isThere = try await work(text, onStored)
        shell.show(StatusNotice(.info, isThere ? done : "status.discover.postWaits"))
      }
      return [:]
    }
    prompt.close = shell.actions.showForm(prompt.form)
  }

  private func askForFeed() {
    var address = FormField(.text, "address", label: localizer("discover.addAddress"))
    address.isRequired = true
    address.hint = localizer("discover.feeds.addressHint")
    var node = FormField(.text, "node", label: localizer("discover.feeds.node"))
    node.hint = localizer("discover.feeds.nodeHint")
    let prompt = PromptViewModel(
      title: localizer("discover.feeds.follow"), text: localizer("discover.feeds.followText"),
      fields: [address, node], submit: localizer("discover.feeds.follow"), localizer: localizer)
    prompt.onSubmit = { [weak self] typed in
      guard let self else { return [:] }
      guard let jid = JID(typed: typed["address"] ?? "") else {
        return ["address": localizer("discover.feeds.badAddress")]
      }
      let node = typed["node"] ?? ""
      shell.perform(nil) { [weak self, reader] in
        let isSent = try await reader.follow(node.isEmpty ? Feed.ID(jid) : Feed.ID(jid, node))
        self?.shell.reportChange("status.discover.followed", of: jid, isSent)
      }
      return [:]
    }
    prompt.close = shell.actions.showForm(prompt.form)
  }

  private func unfollow(_ feed: Feed.ID) {
    shell.actions.confirm(
      ConfirmRequest(
        titleKey: "discover.feeds.unfollowTitle", textKey: "discover.feeds.unfollow",
        acceptKey: "confirm.removeAccept", arguments: ["address": feed.service.shown]
      ) { [weak self, reader] in
        self?.shell.perform(nil) { try await reader.unfollow(feed) }
      })
  }
}
