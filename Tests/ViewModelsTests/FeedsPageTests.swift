import ChatsFixtures
import NatterCore
import TestSupport
import Testing
import XMPP

@testable import ViewModels

@Suite struct FeedsPageTests {
  private final class Screen {
    var form: FormViewModel?
    var choice = 0
    var asked: [ConfirmRequest] = []
  }

  private func page(
    _ reader: FakeFeedReader, _ screen: Screen, isOnline: Bool = true
  ) async -> (FeedsPage, ShellViewModel) {
    var actions = ShellActions.forTests()
    actions.showForm = { form in
      screen.form = form
      return { if screen.form === form { screen.form = nil } }
    }
    actions.choose = { $0.onEnd(screen.choice) }
    actions.confirm = { screen.asked.append($0) }
    let shell = ShellViewModel(
      FakePorts(
        contacts: [Contact(jid: .bob, name: "Bobby", subscription: .both)],
        connection: isOnline ? .online : .offline, now: .afternoon), actions: actions)
    await shell.load()
    let page = FeedsPage(shell: shell, reader: reader)
    page.appeared()
    await shell.finish()
    return (page, shell)
  }

  @Test func `what changes while the page is read for the first time is shown`() async {
    let reader = FakeFeedReader()
    await reader.becomes(.wireframe(now: .afternoon))
    let shell = ShellViewModel(
      FakePorts(connection: .offline, now: .afternoon), actions: .forTests())
    await shell.load()
    let page = FeedsPage(shell: shell, reader: reader)
    page.appeared()
    shell.handle(.feedsChanged)
    await shell.finish()
    #expect(page.rows.count > 0)
  }

  @Test func `feeds that are followed are below the conversations, and lead to their posts`()
    async
    throws
  {
    final class Requests {
      var made: [String] = []
      var asked: [ConfirmRequest] = []
    }
    let requests = Requests()
    let reader = FakeFeedReader(.wireframe(now: .afternoon))
    var actions = ShellActions.forTests()
    actions.request = { requests.made.append("\($0) \($1["page"] ?? "") \($1["item"] ?? "")") }
    actions.confirm = { requests.asked.append($0) }
    let shell = ShellViewModel(
      FakePorts(
        contacts: [Contact(jid: .bob, name: "Bobby", subscription: .both)], connection: .online,
        now: .afternoon), actions: actions)
    await shell.load()
    shell.showFeeds(of: reader)
    await shell.finish()
    func rows() -> [String] {
      shell.sidebar.items.drop { $0.id != .section("feeds") }
        .map { "\($0.number)\($0.presence) \($0.name) \($0.badge)" }
    }
    #expect(rows() == [" FEEDS ", "1~ Bobby 2", "2~ News "])
    // What is read elsewhere is read here.
    let post = try #require(await reader.listing().posts.first)
    try await reader.markRead(post.id, true)
    shell.handle(.feedsChanged)
    await shell.finish()
    #expect(rows() == [" FEEDS ", "1~ Bobby 1", "2~ News "])
    let news = try #require(shell.sidebar.feeds.last)
    shell.sidebar.select(.feed(news.id))
    shell.openSelection()
    shell.openConversation(number: 1)
    #expect(requests.made == ["discover/show feeds News", "discover/show feeds Bobby"])
    // The page finds them by that name.
    let page = FeedsPage(shell: shell, reader: reader)
    page.appeared()
    await shell.finish()
    page.show(item: "News")
    #expect(page.rows.shown.map { page.card($0).text } == ["Version 2 is out"])
    // The filter of the list is theirs, too.
    shell.sidebar.typeFilter("new")
    #expect(rows() == [" FEEDS ", "2~ News "])
    // Del asks, and follows it no longer.
    shell.sidebar.select(.feed(news.id))
    shell.removeSelection()
    #expect(requests.asked.map(\.arguments["address"]) == ["News"])
    requests.asked.first?.onAccept()
    await shell.finish()
    #expect(await reader.calls.last == "unfollow pubsub.example.org")
  }

  @Test func `posts are listed by their titles, and new ones are marked`() async {
    let reader = FakeFeedReader(.wireframe(now: .afternoon))
    let (page, _) = await page(reader, Screen())
    let cards = page.rows.shown.map { page.card($0) }
    #expect(cards.map(\.title) == ["Bobby", "Editors", "Bobby"])
    #expect(cards.map(\.text) == ["Seen on the way", "Version 2 is out", "No title, only a text"])
    #expect(
      cards.map(\.glyph) == ["*", "", "*"] && cards.map(\.note) == ["13:55", "12:30", "2026-11-18"])
    #expect(page.count == "2 unread" && page.headline == "2 feeds, as of 14:00")
    page.rows.setFilter("heron")
    #expect(page.rows.shown == [0])
    #expect(await reader.calls == [])
  }

  @Test func `a post that is opened is read, shows its comments and takes one`() async {
    let screen = Screen()
    let listing = FeedListing.wireframe(now: .afternoon)
    var comment = listing.posts[1]
    comment.author = "Kim"
    comment.title = "How lovely"
    let reader = FakeFeedReader(listing, comments: [comment])
    let (page, shell) = await page(reader, screen)
    page.perform(.open)
    await shell.finish()
    #expect(await reader.calls == ["mark p1 true", "comments p1"])
    let texts = screen.form?.fields.map(\.label) ?? []
    #expect(texts.contains("A heron by the canal,") && texts.contains("standing quite still."))
    #expect(texts.contains("Kim: How lovely") && texts.contains("Comment"))
    screen.form?.onPress("comment")
    screen.form?.update("words") { $0.text = "Where?" }
    screen.form?.onPress("submit")
    await shell.finish()
    #expect(await reader.calls.last == "comment p1 Where?")
  }

  @Test func `space says whether a post was read`() async {
    let reader = FakeFeedReader(.wireframe(now: .afternoon))
    let (page, shell) = await page(reader, Screen())
    page.perform(.toggle)
    await shell.finish()
    shell.handle(.feedsChanged)
    await shell.finish()
    #expect(page.count == "1 unread")
    page.perform(.toggle)
    await shell.finish()
    #expect(await reader.calls == ["mark p1 true", "mark p1 false"])
  }

  @Test func `a post is written, a feed followed and left`() async {
    let screen = Screen()
    let reader = FakeFeedReader(.wireframe(now: .afternoon))
    let (page, shell) = await page(reader, screen)
    page.perform(.add)
    screen.form?.update("words") { $0.text = "Hello" }
    screen.form?.onPress("submit")
    screen.choice = 1
    page.perform(.add)
    screen.form?.update("address") { $0.text = "@b" }
    screen.form?.onPress("submit")
    #expect(screen.form?["address"]?.error != nil)
    screen.form?.update("address") { $0.text = "pubsub.example.net" }
    screen.form?.update("node") { $0.text = "blog" }
    screen.form?.onPress("submit")
    await shell.finish()
    #expect(
      Set(await reader.calls) == ["post Hello", "follow pubsub.example.net blog"])
    page.perform(.remove)
    #expect(screen.asked.first?.arguments == ["address": "bob@example.net"])
    screen.asked.first?.onAccept()
    await shell.finish()
    #expect(await reader.calls.last == "unfollow bob@example.net")
  }

  @Test func `a post that cannot be stored is back in its form, one that is refused is not`() async
  {
    let screen = Screen()
    let reader = FakeFeedReader(.wireframe(now: .afternoon))
    let (page, shell) = await page(reader, screen)
    await reader.fail(with: NatterError(.storage, "error.storage.full"))
    page.perform(.add)
    screen.form?.update("words") { $0.text = "Hello" }
    screen.form?.onPress("submit")
    #expect(screen.form == nil)
    await shell.finish()
    #expect(screen.form?.text(of: "words") == "Hello" && screen.form?.message != nil)
    await reader.fail(with: NatterError(.refused, "stanza.forbidden"))
    screen.form?.onPress("submit")
    await shell.finish()
    #expect(screen.form == nil)
    #expect(await reader.calls == ["post Hello", "post Hello"])
  }

  @Test
  func `feeds without posts and those that wait are below the posts, and are unfollowed there`()
    async
  {
    let screen = Screen()
    var listing = FeedListing.wireframe(now: .afternoon)
    let quiet = Feed.ID(JID(local: "kim", domain: "example.net"))
    let wanted = Feed.ID(JID(local: nil, domain: "pubsub.example.net"), "blog")
    listing.feeds.append(Feed(id: quiet, readAt: .afternoon))
    listing.waiting = [wanted]
    let reader = FakeFeedReader(listing)
    let (page, shell) = await page(reader, screen)
    let cards = page.rows.shown.map { page.card($0) }
    #expect(cards.map(\.title).suffix(2) == ["pubsub.example.net blog", "kim@example.net"])
    #expect(cards.map(\.text).suffix(2) == ["Will be followed.", "No posts yet."])
    #expect(page.count == "2 unread" && cards[3].note == "pending")
    #expect(page.headline == "3 feeds, as of 14:00; pending: pubsub.example.net")
    page.rows.setFilter("kim@")
    #expect(page.rows.shown == [4])
    page.rows.endFilter()
    for (row, address) in [(4, "kim@example.net"), (3, "pubsub.example.net")] {
      page.rows.select(row: row)
      #expect(page.summary.last == "Del unfollows it; Enter reloads it.")
      page.perform(.toggle)
      page.perform(.remove)
      #expect(screen.asked.last?.arguments == ["address": address])
      screen.asked.last?.onAccept()
      await shell.finish()
      #expect(await reader.calls.last == "unfollow \(address)")
      shell.handle(.feedsChanged)
      await shell.finish()
    }
    #expect(page.rows.shown.count == 3)
    page.rows.select(row: 0)
    #expect(page.summary.first?.contains("Bobby") == true)
  }

  @Test func `old feeds are read anew by themselves, where there is a connection`() async {
    let reader = FakeFeedReader(.wireframe(now: .minutes(-60)))
    _ = await page(reader, Screen())
    #expect(await reader.calls == ["refresh"])
    let other = FakeFeedReader(.wireframe(now: .minutes(-60)))
    _ = await page(other, Screen(), isOnline: false)
    #expect(await other.calls == [])
    let (empty, _) = await page(FakeFeedReader(), Screen())
    #expect(empty.emptyText.contains("Press a to write") && empty.summary == [])
  }
}
