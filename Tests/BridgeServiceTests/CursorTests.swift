import Foundation
import JSONLines
import NatterCore
import TestSupport
import Testing
import XMPP

@testable import BridgeService

/// New messages: each once, after a cursor and live.
@Suite struct CursorTests {
  private static func messages(_ ids: ClosedRange<Int64>) -> [Message] {
    ids.map { BridgeFixture.message($0, "m\($0)", at: Double($0)) }
  }

  private func cursors(_ events: [JSONValue]) -> [Int] { events.compactMap { $0["cursor"]?.int } }

  private func of(_ subscription: String, _ events: [JSONValue]) -> [JSONValue] {
    events.filter { $0["subscription"] == .text(subscription) }
  }

  @Test func `what is stored after the cursor comes first, then what is new`() async throws {
    let fixture = BridgeFixture(messages: Self.messages(1...5))
    try await fixture.serve { client in
      try await client.greet()
      let result = try await client.call(
        "events.subscribe", #"{"events":["message.new"],"after":{"alice@example.org":2}}"#)
      #expect(result["subscription"] == .text("s1"))
      #expect(result["after"] == .object(["alice@example.org": .integer(2)]))
      _ = try await client.events("message.new", 3)
      await fixture.store(BridgeFixture.message(6, "m6"))
      let events = try await client.events("message.new", 4)
      #expect(cursors(events) == [3, 4, 5, 6])
      #expect(of("s1", events).count == 4)
      #expect(events.last?["data"]?["body"] == .text("m6"))
      #expect(events.last?["data"]?["kind"] == .text("direct"))
      // The answer comes before the events.
      #expect(client.output.value[1].contains("result"))
    }
  }

  @Test func `without a cursor only new messages come`() async throws {
    let fixture = BridgeFixture(messages: Self.messages(1...5))
    try await fixture.serve { client in
      try await client.greet()
      try await client.call("events.subscribe", #"{"events":["message.new"]}"#)
      await fixture.store(BridgeFixture.message(6, "m6"))
      #expect(cursors(try await client.events("message.new", 1)) == [6])
    }
  }

  @Test func `messages that are stored while older ones are sent come once, in order`() async throws
  {
    let fixture = BridgeFixture(messages: Self.messages(1...450))
    await fixture.log.interrupt {
      // While the first page is on its way.
      await fixture.store(BridgeFixture.message(451, "live"), BridgeFixture.message(452, "live"))
    }
    try await fixture.serve { client in
      try await client.greet()
      try await client.call(
        "events.subscribe", #"{"events":["message.new"],"after":{"alice@example.org":0}}"#)
      await fixture.store(BridgeFixture.message(453, "live"))
      let events = try await client.events("message.new", 453)
      #expect(cursors(events) == Array(1...453))
    }
  }

  @Test func `events that overtake each other lose no message`() async throws {
    let fixture = BridgeFixture()
    try await fixture.serve { client in
      try await client.greet()
      try await client.call("events.subscribe", #"{"events":["message.new"]}"#)
      let (first, second) = (BridgeFixture.message(1, "a"), BridgeFixture.message(2, "b"))
      await fixture.ports.add([first, second])
      fixture.hub.publish(.messagesStored([second]))
      fixture.hub.publish(.messagesStored([first]))
      fixture.hub.publish(.messagesStored([first]))
      await fixture.store(BridgeFixture.message(3, "c"))
      #expect(cursors(try await client.events("message.new", 3)) == [1, 2, 3])
    }
  }

  @Test func `messages that no event announces come after a while, together`() async throws {
    let fixture = BridgeFixture()
    try await fixture.serve { client in
      try await client.greet()
      try await client.call("events.subscribe", #"{"events":["message.new"],"history":true}"#)
      await fixture.ports.add(Self.messages(1...3))
      await fixture.store(BridgeFixture.message(4, "announced"))
      #expect(await fixture.clock.waits(untilSleeping: 1))
      #expect(try await client.events("message.new", 0).isEmpty)
      fixture.clock.advance(by: MessageFeed.patience)
      #expect(cursors(try await client.events("message.new", 4)) == [1, 2, 3, 4])
    }
  }

  @Test func `messages of an archive come only if they were asked for`() async throws {
    let fixture = BridgeFixture()
    try await fixture.serve { client in
      try await client.greet()
      try await client.call("events.subscribe", #"{"events":["message.new"]}"#)
      try await client.call("events.subscribe", #"{"events":["message.new"],"history":true}"#)
      let (old, missed) = (BridgeFixture.message(1, "old"), BridgeFixture.message(2, "missed"))
      await fixture.ports.add([old, missed])
      fixture.hub.publish(.historyStored([old]))
      fixture.hub.publish(.historyStored([missed], missed: true))
      let events = try await client.events("message.new", 3)
      #expect(cursors(of("s1", events)) == [2])
      #expect(cursors(of("s2", events)) == [1, 2])
      #expect(of("s2", events).map { $0["data"]?["history"] } == [.boolean(true), nil])
    }
  }

  @Test func `stored messages that are much older than the cursor's are history`() async throws {
    let fixture = BridgeFixture(messages: [
      BridgeFixture.message(1, "a"), BridgeFixture.message(2, "last week", at: -604_800),
      BridgeFixture.message(3, "an hour late", at: -3600),
    ])
    try await fixture.serve { client in
      try await client.greet()
      let parameters = #"{"events":["message.new"],"after":{"alice@example.org":1}"#
      try await client.call("events.subscribe", parameters + "}")
      #expect(cursors(try await client.events("message.new", 1)) == [3])
      try await client.call("events.subscribe", parameters + #","history":true}"#)
      let events = try await client.events("message.new", 3)
      #expect(cursors(of("s2", events)) == [2, 3])
    }
  }

  @Test func `a cursor of a database that was replaced is lowered`() async throws {
    let fixture = BridgeFixture(messages: Self.messages(1...2))
    try await fixture.serve { client in
      try await client.greet()
      let result = try await client.call(
        "events.subscribe", #"{"events":["message.new"],"after":{"alice@example.org":900}}"#)
      #expect(result["after"] == .object(["alice@example.org": .integer(2)]))
      await fixture.store(BridgeFixture.message(3, "c"))
      #expect(cursors(try await client.events("message.new", 1)) == [3])
    }
  }

  @Test func `several clients read the store once`() async throws {
    let fixture = BridgeFixture()
    let bridge = Bridge([fixture.account()], options: fixture.options())
    let clients = (0..<5).map { _ in TestClient() }
    let serving = clients.map { client in Task { await bridge.serve(client) } }
    for client in clients {
      try await client.greet()
      try await client.call("events.subscribe", #"{"events":["message.new"]}"#)
    }
    await fixture.store(BridgeFixture.message(1, "a"))
    for client in clients {
      #expect(cursors(try await client.events("message.new", 1)) == [1])
    }
    #expect(await fixture.log.readings == 1)
    for client in clients { client.close() }
    for task in serving { await task.value }
  }

  @Test func `a client that does not read misses events, and learns where they began`() async throws
  {
    let fixture = BridgeFixture(messages: Self.messages(1...2))
    try await fixture.serve { client in
      try await client.greet()
      try await client.call("events.subscribe", #"{"events":["message.new"]}"#)
      client.take(1)
      await fixture.store(BridgeFixture.message(3, "m3"))
      _ = try await client.events("message.new", 1)
      await fixture.store(BridgeFixture.message(4, "m4"), BridgeFixture.message(5, "m5"))
      // The notice about the gap waits for room, whatever time passes.
      #expect(await client.waits.waits { $0 == 1 })
      client.take(nil)
      let gap = try await client.events("event.gap", 1)
      #expect(gap.first?["data"]?["after"] == .object(["alice@example.org": .integer(3)]))
      try await client.call(
        "events.subscribe", #"{"events":["message.new"],"after":{"alice@example.org":3}}"#)
      let events = try await client.events("message.new", 3)
      #expect(cursors(of("s2", events)) == [4, 5])
      #expect(cursors(of("s1", events)) == [3])
      #expect(client.output.value.count { $0.contains("event.gap") } == 1)
    }
  }

  @Test func `stored messages wait for a client that reads slowly`() async throws {
    let fixture = BridgeFixture(messages: Self.messages(1...10))
    try await fixture.serve { client in
      try await client.greet()
      // The answer, and three messages.
      client.take(4)
      client.ask(
        "events.subscribe", #"{"events":["message.new"],"after":{"alice@example.org":0}}"#)
      #expect(await client.waits.waits { $0 == 1 })
      #expect(client.output.value.count == 5)
      client.take(nil)
      #expect(cursors(try await client.events("message.new", 10)) == Array(1...10))
      #expect(!client.output.value.contains { $0.contains("event.gap") })
    }
  }

  /// The ids of all messages after a cursor.
  private func ids(of feed: MessageFeed, after start: Int64 = 0) async throws -> [Int64] {
    var (ids, cursor) = ([Int64](), Message.ID(start))
    while true {
      let page = try await feed.page(after: cursor, historyBefore: nil)
      #expect(page.entries.reduce(0) { $0 + $1.text.utf8.count } < MessageFeed.pageBytes + 250_000)
      guard page.end > cursor else { return ids }
      ids += page.entries.map(\.id.rawValue)
      cursor = page.end
    }
  }

  @Test func `no message is lost while those in memory change during a page`() async throws {
    let fixture = BridgeFixture(messages: Self.messages(1...150))
    let feed = fixture.account().feed
    _ = try await feed.begin()
    // The memory begins later than the rows of the page end.
    await fixture.log.interrupt {
      let live = Self.messages(151...2300)
      await fixture.ports.add(live)
      _ = try? await feed.note(live.map(\.id), isHistory: false, at: .zero)
    }
    #expect(try await ids(of: feed) == Array(1...2300))
  }

  @Test func `of long messages few are in memory, and all come`() async throws {
    let text = String(repeating: "long ", count: 40_000)
    let long = (1...60).map { BridgeFixture.message($0, text, at: Double($0)) }
    let fixture = BridgeFixture(messages: Array(long[..<20]))
    let feed = fixture.account().feed
    _ = try await feed.begin()
    await fixture.ports.add(Array(long[20...]))
    _ = try await feed.note(long[20...].map(\.id), isHistory: false, at: .zero)
    #expect(await feed.textBytes <= MessageFeed.memoryBytes)
    #expect(await feed.textBytes > MessageFeed.memoryBytes - 250_000)
    #expect(try await ids(of: feed) == Array(1...60))
    // One that was removed meanwhile is left out, and those behind it come.
    await fixture.ports.remove(Message.ID(21))
    #expect(try await ids(of: feed, after: 20) == Array(22...60))
  }

  @Test func `lines that wait for messages are limited in bytes`() {
    let subscription = BridgeSubscription(
      "s1", to: [.typing], in: .all, includesHistory: false, accounts: [:])
    let line = String(repeating: "x", count: BridgeSubscription.mostDeferredBytes / 4)
    let taken = (0..<6).map { _ in subscription.deferLine(line) }
    #expect(taken == [true, true, true, true, false, false])
    #expect(subscription.takeDeferred() == Array(repeating: line, count: 4))
    #expect(subscription.deferLine(line))
  }
}
