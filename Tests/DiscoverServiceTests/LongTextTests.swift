import Diagnostics
import Foundation
import NatterCore
import TestSupport
import Testing
import XML
import XMPP

@testable import DiscoverService

/// Limits in bytes on the stored texts of services, feeds and calendars.
@Suite struct LongTextTests {
  private static let long = String(repeating: "é", count: 100_000)
  private let hub = EventHub()
  private let alice = JID(local: "alice", domain: "example.org")
  private let bob = JID(local: "bob", domain: "example.net")
  private let start = Date(timeIntervalSince1970: 1_795_183_200)

  private static func items(_ items: [Element]) -> Element {
    Element(
      "iq", Namespace.client, ["type": "result"],
      [Element("pubsub", Namespace.pubSub, [:], [Element("items", Namespace.pubSub, [:], items)])])
  }

  @Test func `of the name of a room its beginning is kept`() async throws {
    let server = ServerOfRooms(
      rooms: [("den", Self.long), ("hall", "Hall"), ("attic", Self.long + "x")], describes: true)
    let finder = PublicRoomFinder(
      account: alice, store: MemoryDirectoryStore(), hub: hub, log: .none,
      changes: MemoryPendingChanges())
    await finder.sessionStarted(.fixture, over: RecordingChannel { try server.answer($0) })
    try await finder.refresh()
    let rooms = try await finder.listing().rooms.sorted { $0.jid.description < $1.jid.description }
    #expect(rooms.map(\.name.utf8.count) == [256, 256, 4])
    #expect(rooms.map(\.name.first) == ["é", "é", "H"])
  }

  @Test func `a long topic is cut, and no language has a long name`() {
    let room = PublicRoom(
      jid: JID(local: "den", domain: "example.org"), directory: bob, topic: Self.long,
      language: Self.long
    ).shortened
    #expect(room.topic.utf8.count == PublicRoom.topicBytes && room.language == nil)
  }

  @Test func `of a post its beginning is kept, and one without a usable id is ignored`()
    async throws
  {
    var long = XEP0277Entry(
      id: "1", author: Self.long, title: Self.long, text: Self.long + Self.long,
      published: "2026-11-20T13:00:00Z", comments: .init(service: bob, node: Self.long))
    let first = long.item
    long = XEP0277Entry(id: Self.long, author: "Bob", title: "x", published: "")
    let answer = Self.items([first, long.item])
    let reader = FeedReader(
      account: alice, store: MemoryFeedStore(), hub: hub, log: .none,
      changes: MemoryPendingChanges())
    await reader.sessionStarted(.fixture, over: RecordingChannel { _ in answer })
    try await reader.follow(Feed.ID(bob))
    let posts = try await reader.listing().posts
    let post = try #require(posts.first)
    #expect(posts.count == 1 && post.comments == nil)
    #expect(
      [post.author, post.title, post.text].map(\.utf8.count) == [1000, 2000, 80_000])
  }

  @Test func `of an event its beginning is kept, and one without a usable id is ignored`()
    async throws
  {
    let answer = Self.items(
      ["1", Self.long].map {
        XEP0471Event(
          id: $0, name: Self.long, start: start, end: start, text: Self.long, place: Self.long
        ).item
      })
    let keeper = CalendarSync(
      account: alice, store: MemoryEventStore(), roster: MemoryRosterStore([]), hub: hub,
      log: .none, changes: MemoryPendingChanges())
    await keeper.sessionStarted(.fixture, over: RecordingChannel { _ in answer })
    try await keeper.follow(EventCalendar.ID(bob))
    let events = try await keeper.listing().events
    let event = try #require(events.first)
    #expect(events.count == 1)
    #expect([event.name, event.place, event.text].map(\.utf8.count) == [1200, 1200, 40_000])
  }

  @Test func `of what a part of the server says of itself a bounded part is kept`() {
    let field = XEP0004DataForm.Field("x", values: [Self.long])
    let unusable = (0..<100).map {
      XEP0030Discovery.Identity(category: Self.long, type: "\($0)")
    }
    let found = XEP0030Discovery(
      identities: [.init(category: "server", type: "im", name: Self.long)] + unusable,
      features: Set((0..<5000).map { "urn:xmpp:feature:\($0)" }).union([Self.long, "a"]),
      forms: [
        XEP0004DataForm(.result, fields: [.init("y", values: ["small"])]),
        XEP0004DataForm(.result, fields: [field]),
      ]
    ).shortened
    #expect(found.identities.map(\.category) == ["server"])
    #expect(found.identities.first?.name?.utf8.count == XEP0030Discovery.textBytes)
    #expect(found.features.count == 1000 && found.features.contains("a"))
    #expect(!found.features.contains(Self.long))
    #expect(found.forms.map { $0.fields.first?.name } == ["y"])
    // An ordinary result stays as it is.
    #expect(found.shortened == found)
  }
}
