import Diagnostics
import Foundation
import NatterCore
import TestSupport
import Testing
import XML
import XMPP

@testable import DiscoverService

@Suite struct FeedReaderTests {
  private let hub = EventHub()
  private let alice = JID(local: "alice", domain: "example.org")
  let bob = JID(local: "bob", domain: "example.net")
  private let moment = Date(timeIntervalSince1970: 1_795_183_200)

  func item(_ id: String, _ title: String, comments: Bool = false) -> Element {
    XEP0277Entry(
      id: id, author: "Bob", title: title, published: "2026-11-20T13:00:00Z",
      comments: comments ? .init(service: bob, node: "c/\(id)") : nil
    ).item
  }

  func answer(_ items: [Element]) -> Element {
    Element(
      "iq", Namespace.client, ["type": "result"],
      [
        Element(
          "pubsub", Namespace.pubSub, [:], [Element("items", Namespace.pubSub, [:], items)])
      ])
  }

  let changes = MemoryPendingChanges()

  func reader(
    _ store: MemoryFeedStore, _ answer: @escaping @Sendable (Element) throws -> Element
  ) async -> (FeedReader, RecordingChannel) {
    let moment = moment
    let reader = FeedReader(
      account: alice, store: store, hub: hub, log: .none, changes: changes,
      identifiers: IdentifierSource { "new-id" }, now: { moment })
    let channel = RecordingChannel(answer: answer)
    await reader.sessionStarted(.fixture, over: channel)
    return (reader, channel)
  }

  /// Returns the notification that the server sends about a new post.
  func news(
    of item: Element, in node: String = Feed.personalNode, from sender: JID
  ) -> Stanza {
    var copy = Element(item.name, XEP0060.events)
    copy["id"] = item["id"]
    copy.children = item.children
    return .message(
      MessageStanza(
        Element(
          "message", Namespace.client, ["from": sender.description, "type": "headline"],
          [
            Element(
              "event", XEP0060.events, [:],
              [Element("items", XEP0060.events, ["node": node], [copy])])
          ])))
  }

  @Test func `a feed is followed, read, reported and left`() async throws {
    let store = MemoryFeedStore()
    let items = answer([item("1", "First"), item("2", "Second", comments: true)])
    let (reader, channel) = await reader(store) { iq in
      if iq.first("pubsub", Namespace.pubSub)?.first("items", Namespace.pubSub) != nil {
        return items
      }
      return Element("iq", Namespace.client, ["type": "result"])
    }
    let feed = Feed.ID(bob)
    try await reader.follow(feed)
    #expect(try await reader.listing().feeds.map(\.id) == [feed])
    #expect(Set(try await reader.listing().posts.map(\.title)) == ["First", "Second"])
    let asked = await channel.requests
    #expect(asked.allSatisfy { $0["to"] == "bob@example.net" } && asked.count == 2)

    let events = hub.events()
    await reader.receive([news(of: item("3", "Third"), from: bob)])
    await reader.receive([news(of: item("3", "Third"), from: bob)])
    #expect(await events.published(on: hub).count { $0 == .feedsChanged } == 1)
    #expect(try await reader.listing().posts.count == 3)

    try await reader.unfollow(feed)
    #expect(try await reader.listing() == FeedListing())
    await reader.receive([news(of: item("4", "Fourth"), from: bob)])
    #expect(try await reader.listing() == FeedListing())
  }

  @Test func `what was read stays read, and changed posts change`() async throws {
    let feed = Feed.ID(bob)
    let (reader, _) = await reader(MemoryFeedStore(feed)) { _ in
      Element("iq", Namespace.client, ["type": "result"])
    }
    await reader.receive([news(of: item("1", "First"), from: bob)])
    let id = FeedPost.ID(feed: feed, item: "1")
    try await reader.markRead(id, true)
    await reader.receive([news(of: item("1", "First, corrected"), from: bob)])
    let post = try #require(try await reader.listing().posts.first)
    #expect(post.isRead && post.title == "First, corrected")
  }

  @Test func `only the owner of a feed puts posts into it`() async throws {
    let (reader, _) = await reader(MemoryFeedStore(Feed.ID(bob))) { _ in
      Element("iq", Namespace.client, ["type": "result"])
    }
    let mallory = JID(local: "mallory", domain: "example.net")
    await reader.receive([
      news(of: item("1", "x"), from: mallory), news(of: item("2", "x"), in: "other", from: bob),
      news(of: Element("item", Namespace.pubSub, ["id": "3"]), from: bob),
    ])
    #expect(try await reader.listing().posts == [])
  }

  @Test func `a post is reported as stored when a program that ends then does not lose it`()
    async throws
  {
    let (reader, channel) = await reader(MemoryFeedStore()) { _ in
      Element("iq", Namespace.client, ["type": "result"])
    }
    await channel.breakDown()
    let stored = Observed(0)
    #expect(try await reader.post("Hello") { stored.update { $0 += 1 } } == false)
    #expect(stored.value == 1)
    #expect(try await changes.drafts().map(\.text) == ["Hello"])
  }

  @Test func `a post goes into the own feed, with a node for comments`() async throws {
    let (reader, channel) = await reader(MemoryFeedStore()) { iq in
      if iq.first("pubsub", Namespace.pubSub)?.first("create", Namespace.pubSub)?["node"]
        == Feed.personalNode
      {
        throw StanzaError(.cancel, .conflict)
      }
      return Element("iq", Namespace.client, ["type": "result"])
    }
    #expect(try await reader.post("Hello <there>"))
    let post = try #require(try await reader.listing().posts.first)
    #expect(post.title == "Hello <there>" && post.isRead && post.published == moment)
    #expect(post.comments == Feed.ID(alice, "urn:xmpp:microblog:0:comments/new-id"))
    let nodes = await channel.requests.compactMap {
      $0.first("pubsub", Namespace.pubSub)?.elements.first?["node"]
    }
    #expect(
      nodes == [
        "urn:xmpp:microblog:0:comments/new-id", Feed.personalNode, Feed.personalNode,
      ])
  }

  @Test func `comments are read and written where the post says, and nowhere else`() async throws {
    let items = answer([item("c1", "Nice")])
    let (reader, channel) = await reader(MemoryFeedStore()) { iq in
      let node = iq.first("pubsub", Namespace.pubSub)?.elements.first?["node"]
      if node == "none" { throw StanzaError(.cancel, .itemNotFound) }
      if node == "closed" { throw StanzaError(.auth, .forbidden) }
      return items
    }
    func post(_ node: String?) -> FeedPost {
      FeedPost(
        id: .init(feed: Feed.ID(bob), item: "1"), author: "", title: "", text: "",
        published: moment, comments: node.map { Feed.ID(bob, $0) })
    }
    #expect(try await reader.comments(on: post("c")).map(\.title) == ["Nice"])
    #expect(try await reader.comments(on: post("none")) == [])
    #expect(try await reader.comments(on: post(nil)) == [])
    #expect(try await reader.comment("mine", on: post("c")))
    #expect(await channel.requests.last?["to"] == "bob@example.net")
    await #expect(throws: NatterError.self) { try await reader.comment("x", on: post(nil)) }
    await #expect(throws: NatterError.self) { try await reader.comment("x", on: post("closed")) }
  }

  @Test func `a missing feed is reported, and one that is gone does not block the others`()
    async throws
  {
    let gone = Feed.ID(JID(local: nil, domain: "gone.example"))
    let items = answer([item("1", "First")])
    let (reader, _) = await reader(MemoryFeedStore(gone, Feed.ID(bob))) { iq in
      guard iq["to"] == "bob@example.net" else { throw StanzaError(.cancel, .itemNotFound) }
      return items
    }
    try await reader.refresh()
    #expect(try await reader.listing().posts.count == 1)
    await #expect(
      throws: NatterError(.refused, "error.discover.noFeed", ["address": "gone.example"])
    ) { try await reader.follow(gone) }
    await reader.sessionEnded()
    await #expect(throws: NatterError(.offline, "error.offline")) { try await reader.refresh() }
  }

  @Test func `a post written offline waits, and is sent once there is a connection`()
    async throws
  {
    let store = MemoryFeedStore(Feed.ID(bob))
    let (reader, first) = await reader(store) { _ in
      Element("iq", Namespace.client, ["type": "result"])
    }
    await first.breakDown()
    #expect(try await reader.post("It waits") == false)
    let commented = FeedPost(
      id: .init(feed: Feed.ID(bob), item: "1"), author: "", title: "", text: "", published: moment,
      comments: Feed.ID(bob, "c"))
    await reader.sessionEnded()
    #expect(try await reader.comment("So does this", on: commented) == false)
    let post = try #require(try await reader.listing().posts.first)
    #expect(
      post.title == "It waits" && post.publishState == .waiting && post.id.feed == Feed.ID(alice))
    #expect(try await reader.comments(on: commented).map(\.publishState) == [.waiting])

    let second = RecordingChannel()
    await reader.sessionStarted(.fixture, over: second)
    let published = await second.requests.compactMap {
      $0.first("pubsub", Namespace.pubSub)?.first("publish", Namespace.pubSub)
    }
    #expect(published.map { $0["node"] } == [Feed.personalNode, "c"])
    // The item is the one that the first attempt may have brought.
    #expect(published.first?.first("item", Namespace.pubSub)?["id"] == post.id.item)
    #expect(try await reader.listing().posts.map(\.publishState) == [.published])
    #expect(try await changes.drafts().isEmpty)
    // Reported once: a resumed connection does not report it again.
    await reader.sessionResumed()
    #expect(await second.requests.count { $0["type"] == "set" } == 4)
  }

  @Test func `what a server refuses is kept, and tried again only when the user says so`()
    async throws
  {
    let store = MemoryFeedStore()
    let isOpen = Observed(false)
    let (reader, channel) = await reader(store) { iq in
      if iq.first("pubsub", Namespace.pubSub)?.first("publish", Namespace.pubSub) != nil,
        !isOpen.value
      {
        throw StanzaError(.auth, .forbidden, text: "Not here.")
      }
      return Element("iq", Namespace.client, ["type": "result"])
    }
    await #expect(throws: NatterError.self) { try await reader.post("Hello") }
    let refused = try #require(try await reader.listing().posts.first)
    #expect(
      refused.publishState
        == .refused(StatusNotice(.error, "stanza.forbidden", ["text": "Not here."])))
    let count = await channel.requests.count
    await reader.sessionResumed()
    #expect(await channel.requests.count == count)
    isOpen.update { $0 = true }
    #expect(try await reader.retry(refused.id))
    #expect(try await reader.listing().posts.map(\.publishState) == [.published])
    await #expect(throws: NatterError.self) {
      isOpen.update { $0 = false }
      return try await reader.post("Another")
    }
    let other = try #require(try await changes.drafts().first)
    try await reader.discard(other.id)
    #expect(try await changes.drafts().isEmpty)
  }

  @Test func `a server that is busy is asked again, and a post that it cannot take now waits`()
    async throws
  {
    let failures = Observed(2)
    let store = MemoryFeedStore()
    let (reader, channel) = await reader(store) { _ in
      if failures.value > 0 {
        failures.update { $0 -= 1 }
        throw StanzaError(.wait, .internalServerError)
      }
      return Element("iq", Namespace.client, ["type": "result"])
    }
    #expect(try await reader.post("Hello"))
    #expect(await channel.requests.count == 5)
    failures.update { $0 = 100 }
    #expect(try await reader.post("Later") == false)
    #expect(try await changes.drafts().map(\.refusal) == [nil])
  }

  // MARK: Without a connection

  /// The subscriptions that were asked for and ended, in order.
  private func subscriptions(_ channel: RecordingChannel) async -> [String] {
    await channel.requests.compactMap { iq in
      iq.first("pubsub", Namespace.pubSub)?.elements.first.map { "\($0.name) \(iq["to"] ?? "")" }
    }.filter { $0.contains("subscribe ") }
  }

  @Test func `a feed is followed and another left offline, and their services hear of it later`()
    async throws
  {
    let carol = Feed.ID(JID(local: "carol", domain: "example.net"))
    let store = MemoryFeedStore(carol)
    let items = answer([item("1", "First")])
    let (reader, _) = await reader(store) { _ in items }
    await reader.sessionEnded()
    #expect(try await !reader.follow(Feed.ID(bob)))
    try await reader.unfollow(carol)
    #expect(try await reader.listing().waiting == [Feed.ID(bob)])
    #expect(try await reader.listing().feeds.isEmpty)

    // Another run of the program.
    let (later, channel) = await self.reader(store) { _ in items }
    #expect(try await later.listing().feeds.map(\.id) == [Feed.ID(bob)])
    #expect(try await later.listing().posts.map(\.title) == ["First"])
    #expect(try await later.listing().waiting == [])
    #expect(
      await subscriptions(channel) == [
        "subscribe bob@example.net", "unsubscribe carol@example.net",
      ])
    #expect(await changes.pending(FollowChange.self).isEmpty)
  }

  @Test func `of following and leaving a feed offline the last one holds`() async throws {
    let store = MemoryFeedStore()
    let (reader, _) = await reader(store) { _ in answer([]) }
    await reader.sessionEnded()
    #expect(try await !reader.follow(Feed.ID(bob)))
    try await reader.unfollow(Feed.ID(bob))
    #expect(try await reader.listing().waiting == [])
    let (_, channel) = await self.reader(store) { _ in answer([]) }
    #expect(await subscriptions(channel) == ["unsubscribe bob@example.net"])
  }

  @Test func `a feed that proves to be none is reported, one that is busy waits on`() async throws {
    let store = MemoryFeedStore()
    let (reader, _) = await reader(store) { _ in answer([]) }
    await reader.sessionEnded()
    #expect(try await !reader.follow(Feed.ID(bob)))
    _ = await self.reader(store) { _ in throw StanzaError(.wait, .remoteServerTimeout) }
    #expect(try await reader.listing().waiting == [Feed.ID(bob)])
    let events = hub.events()
    _ = await self.reader(store) { _ in throw StanzaError(.cancel, .itemNotFound) }
    let notice = NatterError(
      .refused, "error.discover.noFeed", ["address": "bob@example.net"]
    ).notice
    #expect(await events.published(on: hub).contains(.notice(notice)))
    #expect(await changes.pending(FollowChange.self).isEmpty)
  }

  @Test(arguments: [true, false])
  func `a feed that is left while its service has not answered stays left`(startsSession: Bool)
    async throws
  {
    let (items, asked) = (answer([item("1", "First")]), Observed<[String]>([]))
    let (reader, _) = await reader(MemoryFeedStore()) { _ in items }
    let held = HeldChannel { iq in
      asked.update { $0 += iq.first("pubsub", Namespace.pubSub)?.elements.map(\.name) ?? [] }
      return items
    }
    let feed = Feed.ID(bob)
    if startsSession {
      await reader.sessionEnded()
      try await reader.follow(feed)
    } else {
      await reader.channelOpened(held)
    }
    let following = Task {
      guard startsSession else { return try await reader.follow(feed) }
      await reader.sessionStarted(.fixture, over: held)
      throw CancellationError()
    }
    await held.waitsForRequest()
    let leaving = Task { try await reader.unfollow(feed) }
    try await until { await changes.pending(FollowChange.self).map(\.change.follows) == [false] }
    await held.release()
    await #expect(throws: CancellationError.self) { try await following.value }
    try await leaving.value
    await reader.receive([news(of: item("2", "Second"), from: bob)])
    #expect(try await reader.listing() == FeedListing())
    #expect(asked.value == ["subscribe", "items", "unsubscribe"])
    #expect(await changes.pending(FollowChange.self).isEmpty)
  }

  @Test func `a feed that is left while it is read again stays left`() async throws {
    let (items, feed) = (answer([item("1", "First")]), Feed.ID(bob))
    let (reader, _) = await reader(MemoryFeedStore(feed)) { _ in items }
    let held = HeldChannel(holding: { $0["type"] == "get" }) { _ in items }
    await reader.channelOpened(held)
    let reading = Task { try await reader.refresh() }
    await held.waitsForRequest()
    try await reader.unfollow(feed)
    await held.release()
    try await reading.value
    #expect(try await reader.listing() == FeedListing())
  }
}
