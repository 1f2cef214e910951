import Diagnostics
import Foundation
import NatterCore
import TestSupport
import Testing
import XML
import XMPP

@testable import RoomService

// Bookmarks that were at the server and are there no more, and who made the node that they are in
// (server-quirks.md, "ejabberd").
extension BookmarkNodeTests {
  private var kept: Bookmark {
    Bookmark(room: room, nick: "ali", autojoins: true, isPublished: true, isWanted: true)
  }
  private var other: Element { XEP0402Bookmark(room: attic, autojoins: false).item }

  @Test
  func `a bookmark that another client took out meanwhile is missed: the room is left for good`()
    async throws
  {
    let store = MemoryBookmarkStore(kept)
    let channel = channel([other])
    let service = service(store)
    try await working(service) {
      await service.sessionStarted(.fixture, over: channel)
      _ = try await service.list(over: channel)
      #expect(await service.route(to: room) == .outside)
      let stored = try #require(await store.stored[room])
      #expect(!stored.isWanted && !stored.autojoins && !stored.isPublished && !stored.isChanged)
      // Nor does the next session enter it, or put it back.
      await service.sessionEnded()
      let next = self.channel([other])
      await service.sessionStarted(.fixture, over: next)
      _ = try await service.list(over: next)
      #expect(await service.route(to: room) == .outside)
      #expect(await next.sent.isEmpty)
      for channel in [channel, next] { #expect(await channel.taken.isEmpty) }
    }
  }

  struct Absence: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var change: @Sendable (inout Bookmark) -> Void = { _ in }
    var settings = ["max_items": "max"]
    var more: [Element] = []
    var old: [Element] = []
  }

  private static let absences = [
    Absence(testDescription: "never published") { $0.isPublished = false },
    Absence(testDescription: "changed here since") { $0.isChanged = true },
    Absence(testDescription: "a setting was chosen here since") {
      $0.rule = PendingNotificationRule(.never)
    },
    Absence(testDescription: "the node holds one", settings: ["max_items": "1"]),
    Absence(testDescription: "what the node holds is not known", settings: [:]),
    Absence(
      testDescription: "a part of the list",
      more: [Element("set", Namespace.resultSets, [:], [Element("count", Namespace.resultSets)])]),
    Absence(
      testDescription: "in the old place",
      old: [XEP0402Bookmark(room: RoomStanza.room, autojoins: true).legacy]),
    Absence(testDescription: "just asked for") { $0.isWanted = false },
  ]

  @Test(arguments: absences)
  func `a bookmark that is not there for another reason takes no one out of a room`(
    absence: Absence
  ) async throws {
    var bookmark = kept
    absence.change(&bookmark)
    let store = MemoryBookmarkStore(bookmark)
    let channel = channel(
      [other], settings: absence.settings, more: absence.more, old: absence.old)
    let service = service(store)
    try await working(service) {
      if !bookmark.isWanted { try await service.join(room, nick: "ali", password: nil) }
      await service.sessionStarted(.fixture, over: channel)
      _ = try await service.list(over: channel)
      #expect(await service.route(to: room) == .held)
      let stored = try #require(await store.stored[room])
      #expect(stored.isWanted && stored.autojoins)
    }
  }

  @Test func `what was published just now and a killed server has lost is put back there`()
    async throws
  {
    // server-quirks.md, "ejabberd": what is written a second or two late, in a node that was there
    // before.
    let store = MemoryBookmarkStore()
    let first = channel([other])
    let service = service(store)
    try await working(service) {
      await service.sessionStarted(.fixture, over: first)
      try await service.join(room, nick: "ali", password: nil)
      try await until("a knock") { await first.sent.contains { $0["to"] == "\(room)/ali" } }
      await service.receive([.presence(RoomStanza.presence("ali", codes: [110]))])
      try await until("it is published") {
        await store.stored[room].map { $0.isPublished && !$0.isChanged } == true
      }
      await service.sessionEnded()
      let second = channel([other])
      await service.sessionStarted(.fixture, over: second)
      _ = try await service.list(over: second)
      #expect(await service.route(to: room) == .held)
      // Twice, where both who read the list find that it is not there.
      try await until("it is put back") { await Set(second.taken.map(\.room)) == [room] }
    }
  }

  /// The answers of servers about nodes (server-quirks.md, "Both").
  @Test(
    arguments: [
      // ejabberd's and Prosody's, made by a plain publish.
      (["max_items": "1", "access_model": "presence", "notify_retract": "0"], false),
      (["max_items": "1", "access_model": "presence", "persist_items": "1"], false),
      // Only for the account itself, and yet without space for a second one.
      (["max_items": "1", "access_model": "whitelist", "notify_retract": "1"], false),
      (["max_items": "max", "access_model": "whitelist", "notify_retract": "0"], false),
      (
        [
          "max_items": "max", "access_model": "whitelist", "notify_retract": "1",
          "persist_items": "1", "send_last_published_item": "never", "title": "mine",
        ], true
      ),
      (["max_items": "1000", "access_model": "whitelist", "persist_items": "true"], true),
      ([:], true),
    ] as [([String: String], Bool)])
  func
    `a node that another client made without options is set up like an own one before it is used`(
      settings: [String: String], isFine: Bool
    ) async throws
  {
    let channel = channel([other], settings: settings)
    let bookmarks = ServerBookmarks(
      account: JID(local: "alice", domain: "example.org"), channel: channel)
    try await bookmarks.publish(XEP0402Bookmark(room: room, autojoins: true))
    let owner = "http://jabber.org/protocol/pubsub#owner"
    let steps = await channel.requests.compactMap {
      $0["type"] == "set" ? $0.elements.first { $0.name == "pubsub" }?.elements.first?.name : nil
    }
    #expect(steps == (isFine ? ["publish"] : ["configure", "publish"]))
    let form = await channel.requests.first { $0["type"] == "set" }?.first("pubsub", owner)?
      .first("configure", owner)?.first("x", Namespace.dataForms).flatMap { XEP0004DataForm($0) }
    #expect(form?["pubsub#max_items"]?.values == (isFine ? nil : ["max"]))
    #expect(form?["pubsub#notify_retract"]?.values == (isFine ? nil : ["true"]))
  }
}
