import FoundationEssentials
import NatterCore
import XMPP

/// The page of feeds: the posts of all that are followed, the newest first.
package final class FeedsPage: CardPage {
  package let id = "feeds"
  package let rows = FilteredRows<String>()

  private let shell: ShellViewModel
  private let reader: any FeedReading
  private var listing = FeedListing()
  private var hasLoaded = false
  private var isReading = false

  /// What is older is read again when the person comes to the page.
  private static let freshness: TimeInterval = 600

  package init(shell: ShellViewModel, reader: any FeedReading) {
    self.shell = shell
    self.reader = reader
    shell.follow { [weak self] in
      if case .feedsChanged = $0, self?.hasLoaded == true { self?.load() }
    }
  }

  private var localizer: Localizer { shell.format.localizer }

  package func appeared() { load() }

  private func load() {
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
    rows.load(posts.map { "\($0.id.feed.service) \($0.id.feed.node) \($0.id.item)" }) {
      "\(posts[$0].author) \(posts[$0].title) \(posts[$0].text)"
    }
    guard !hasLoaded else { return }
    hasLoaded = true
    let oldest = listing.feeds.map { $0.readAt ?? .distantPast }.min()
    guard let oldest, shell.connectionState.isOnline,
      shell.now().timeIntervalSince(oldest) > Self.freshness
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

  // MARK: - What is shown

  /// A contact by the name that the person knows him by.
  private func author(of post: FeedPost) -> String {
    let service = post.id.feed.service
    if service == shell.format.account { return localizer("timeline.you") }
    return shell.people.contacts[service] != nil
      ? shell.people.name(of: service) : ProblemText.oneLine(post.author)
  }

  private func headline(of post: FeedPost) -> String {
    let title = ProblemText.oneLine(post.title)
    return title.isEmpty ? ProblemText.oneLine(post.text) : title
  }

  package func card(_ index: Int) -> CardItem {
    let post = listing.posts[index]
    let (sign, note) =
      switch post.standing {
      case .published:
        (post.isRead ? "" : "*", shell.format.shortMoment(post.published, now: shell.now()))
      case .waiting: (shell.format.glyphs.queued, localizer("discover.feeds.waits"))
      case .refused: (shell.format.glyphs.failed, localizer("discover.feeds.refused"))
      }
    return CardItem(
      sign: sign, title: author(of: post), note: note, text: headline(of: post),
      isStrong: !post.isRead)
  }

  package var headings: CardItem {
    CardItem(
      title: localizer("discover.feeds.author"), note: localizer("discover.feeds.date"),
      text: localizer("discover.feeds.post"))
  }

  package var headline: String {
    let place = shell.withWaiting(
      listing.waiting, localizer.plural("discover.feeds.feeds", listing.feeds.count))
    if isReading { return localizer("discover.reading", ["place": place]) }
    guard let readAt = listing.feeds.compactMap(\.readAt).min() else { return place }
    return localizer(
      "discover.asOf", ["place": place, "time": shell.format.moment(readAt, now: shell.now())])
  }

  package var count: String {
    localizer.plural("discover.feeds.unread", listing.posts.count { !$0.isRead })
  }

  package var emptyText: String {
    localizer(rows.count > 0 ? "sidebar.noMatch" : "discover.feeds.none")
  }

  /// What is to be said of a post that is not in its feed.
  private func standing(of post: FeedPost) -> String? {
    switch post.standing {
    case .published: nil
    case .waiting: localizer("discover.feeds.waitsText")
    case .refused(let text):
      localizer("discover.feeds.refusedText", ["text": ProblemText.oneLine(text)])
    }
  }

  private var selected: FeedPost? { rows.selectedIndex.map { listing.posts[$0] } }

  package var summary: [String] {
    guard let post = selected else { return [] }
    let lines = [
      "\(author(of: post))  \(shell.format.moment(post.published, now: shell.now()))",
      standing(of: post) ?? "",
      headline(of: post), ProblemText.oneLine(post.text),
    ].filter { !$0.isEmpty }
    return lines.last == lines.dropLast().last ? lines.dropLast() : lines
  }

  // MARK: - What the person does

  package var actions: Set<CardAction> { [.open, .add, .remove, .toggle, .refresh] }

  package func perform(_ action: CardAction) {
    switch action {
    case .open: if let selected { open(selected) }
    case .add: add()
    case .remove:
      guard let selected else { return }
      if selected.standing == .published {
        unfollow(selected.id.feed)
      } else {
        discard(selected)
      }
    case .toggle: if let selected { mark(selected, isRead: !selected.isRead) }
    case .refresh: refresh()
    case .rename, .sort: break
    }
  }

  /// Throws away what waits or was refused.
  private func discard(_ post: FeedPost) {
    shell.actions.confirm(
      ConfirmRequest(
        titleKey: "discover.feeds.discardTitle", textKey: "discover.feeds.discardText",
        acceptKey: "discover.feeds.discard", arguments: ["text": headline(of: post)]
      ) { [weak self, reader] in self?.shell.perform(nil) { try await reader.discard(post.id) } })
  }

  private func retry(_ post: FeedPost) {
    write(done: "status.discover.posted") { [reader] in try await reader.retry(post.id) }
  }

  /// Has something written, and tells whether it is there or waits.
  private func write(done: String, _ work: @escaping @MainActor () async throws -> Bool) {
    shell.perform(nil) { [weak self] in
      let isThere = try await work()
      self?.shell.show(Notice(.info, isThere ? done : "status.discover.postWaits"))
    }
  }

  package func show(item: String) { rows.setFilter(item) }

  private func mark(_ post: FeedPost, isRead: Bool) {
    guard post.isRead != isRead else { return }
    shell.perform(nil) { [reader] in try await reader.markRead(post.id, isRead) }
  }

  /// A post of one's own, or another feed to follow.
  private func add() {
    shell.actions.choose(
      ChoiceRequest(
        title: localizer("discover.feeds.addTitle"),
        words: [localizer("discover.feeds.write"), localizer("discover.feeds.follow")], selected: 0
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
    ) { [reader] in try await reader.post($0) }
  }

  private func ask(
    title: String, text: String, done: String,
    _ work: @escaping @MainActor (String) async throws -> Bool
  ) {
    var field = FormField(.text, "words", label: localizer("discover.feeds.text"))
    field.isRequired = true
    let prompt = PromptViewModel(
      title: localizer(title), text: localizer(text), fields: [field],
      submit: localizer("discover.feeds.publish"), localizer: localizer)
    prompt.onSubmit = { [weak self] typed in
      guard let text = typed["words"], !text.isEmpty else { return [:] }
      self?.write(done: done) { try await work(text) }
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
      guard let jid = JID(userInput: typed["address"] ?? "") else {
        return ["address": localizer("discover.feeds.badAddress")]
      }
      let node = typed["node"] ?? ""
      shell.perform(nil) { [weak self, reader] in
        let isTold = try await reader.follow(node.isEmpty ? Feed.ID(jid) : Feed.ID(jid, node))
        self?.shell.tell("status.discover.followed", of: jid, isTold)
      }
      return [:]
    }
    prompt.close = shell.actions.showForm(prompt.form)
  }

  private func unfollow(_ feed: Feed.ID) {
    shell.actions.confirm(
      ConfirmRequest(
        titleKey: "discover.feeds.unfollowTitle", textKey: "discover.feeds.unfollow",
        acceptKey: "confirm.removeAccept", arguments: ["address": feed.service.description]
      ) { [weak self, reader] in
        self?.shell.perform(nil) { try await reader.unfollow(feed) }
      })
  }

  // MARK: - One post

  /// Shows all of a post, then the comments on it. It is read by that.
  private func open(_ post: FeedPost) {
    mark(post, isRead: true)
    let form = FormViewModel(
      title: author(of: post), fields: fields(post, comments: []),
      keyHints: [localizer("form.keysSubmit"), localizer("dialog.keysClose")],
      defaultButton: "close")
    let close = shell.actions.showForm(form)
    form.onCancel = close
    form.onPress = { [weak self] id in
      close()
      guard let self else { return }
      switch id {
      case "comment":
        ask(
          title: "discover.feeds.comment", text: "discover.feeds.commentText",
          done: "status.discover.commented"
        ) { [reader] in try await reader.comment($0, on: post) }
      case "link": if let link = post.link { shell.open(link: link) }
      case "retry": retry(post)
      case "discard": discard(post)
      default: break
      }
    }
    guard post.comments != nil else { return }
    shell.lifetime.aside { [weak self, weak form, reader] in
      do {
        let comments = try await reader.comments(on: post)
        guard let self, let form, !comments.isEmpty else { return }
        form.replace(title: author(of: post), fields: fields(post, comments: comments), focus: nil)
      } catch {
        // Comments that may not be read are none.
        form?.message = FormMessage(
          .info, [self?.localizer("discover.feeds.noComments") ?? ""])
      }
    }
  }

  private func fields(_ post: FeedPost, comments: [FeedPost]) -> [FormField] {
    func lines(_ text: String, _ id: String) -> [FormField] {
      text.split(whereSeparator: \.isNewline).prefix(200).enumerated().map {
        FormField(.paragraph, "\(id)\($0)", label: ProblemText.oneLine(String($1)))
      }
    }
    var fields = lines(post.title, "title")
    if !post.text.isEmpty, post.text != post.title {
      if !fields.isEmpty { fields.append(FormField(.spacer, "gap-text")) }
      fields += lines(post.text, "text")
    }
    fields.append(
      FormField(
        .entry(term: localizer("discover.feeds.date")), "date",
        label: shell.format.moment(post.published, now: shell.now())))
    if let standing = standing(of: post) {
      fields.append(FormField(.paragraph, "standing", label: standing))
    }
    if let link = post.link {
      fields.append(FormField(.paragraph, "address", label: ProblemText.oneAddress(link)))
    }
    if !comments.isEmpty { fields.append(FormField(.spacer, "gap-comments")) }
    fields += comments.suffix(50).enumerated().map {
      FormField(
        .paragraph, "comment-\($0)",
        label: "\(ProblemText.oneLine($1.author)): \(headline(of: $1))"
          + (standing(of: $1).map { " (\($0))" } ?? ""))
    }
    fields.append(FormField(.spacer, "gap"))
    if post.comments != nil {
      fields.append(FormField(.button, "comment", label: localizer("discover.feeds.comment")))
    }
    if case .refused = post.standing {
      fields.append(FormField(.button, "retry", label: localizer("discover.feeds.retry")))
    }
    if post.standing != .published {
      fields.append(FormField(.button, "discard", label: localizer("discover.feeds.discard")))
    }
    if post.link != nil {
      fields.append(FormField(.button, "link", label: localizer("discover.feeds.openLink")))
    }
    return fields + [FormField(.button, "close", label: localizer("discover.close"))]
  }
}
