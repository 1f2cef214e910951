import JSONLines
import NatterCore
import TestSupport
import Testing
import XMPP

@testable import BridgeService

/// Rights that the user takes back while a client uses them.
@Suite struct RevokedRightTests {
  private let fixture = BridgeFixture(messages: [BridgeFixture.message(7, "hi")])
  private let grants = TestGrants()
  private static let waiting = #"{"conversation":"bob@example.org","body":"x","wait":"sent"}"#

  /// Returns the parameters of the notifications that a subscription has ended, once there are so
  /// many.
  private func endings(_ client: TestClient, _ count: Int) async throws -> [JSONValue] {
    let mark = #""method":"event.ended""#
    #expect(await client.output.waits { $0.count { $0.contains(mark) } >= count })
    return try client.output.value.filter { $0.contains(mark) }.compactMap {
      try JSONValue(parsing: $0.utf8)["params"]
    }
  }

  @Test func `a right that is taken back ends what is under way`() async throws {
    grants.give(.sendMessages)
    try await fixture.serve(for: grants.client) { client in
      try await client.greet()
      let id = client.ask("messages.send", Self.waiting)
      #expect(await fixture.clock.waits(untilSleeping: 1))
      grants.take(.sendMessages)
      let error = try await client.answer(to: id)["error"]
      #expect(error?["code"] == .integer(-32001))
      #expect(error?["data"]?["permission"] == .text("messages.send"))
      #expect(error?["data"]?["reason"] == .text("revoked"))
      // What was stored stays; the work has ended, and its id is free.
      #expect(await fixture.sender.sent == 1)
      await fixture.sender.settle(.sent)
      client.write(#"{"jsonrpc":"2.0","id":\#(id),"method":"ping"}"#)
      let head = #"{"jsonrpc":"2.0","id":\#(id),"#
      #expect(await client.output.waits { $0.count { $0.hasPrefix(head) } == 2 })
      #expect(client.output.value.contains(head + #""result":{}}"#))
      // It is decided anew.
      grants.answer(.sendMessages, .refused(.declined))
      let again = try await client.failure(of: "messages.send", Self.waiting)
      #expect(again["data"]?["reason"] == .text("declined"))
    }
  }

  @Test func `a request that waits for another one ends with its right`() async throws {
    let (gate, opening) = AsyncStream<Void>.makeStream()
    await fixture.sender.delay("one") { for await _ in gate {} }
    grants.give(.sendMessages)
    try await fixture.serve(for: grants.client) { client in
      try await client.greet()
      let ids = ["one", "two"].map {
        client.ask("messages.send", #"{"conversation":"bob@example.org","body":"\#($0)"}"#)
      }
      try await client.call("ping")
      grants.take(.sendMessages)
      for id in ids {
        let error = try await client.answer(to: id)["error"]
        #expect(error?["data"]?["reason"] == .text("revoked"))
      }
      grants.give(.sendMessages)
      let last = client.ask(
        "messages.send", #"{"conversation":"bob@example.org","body":"three"}"#)
      opening.finish()
      #expect(try await client.answer(to: last)["result"] != nil)
      #expect(await !fixture.ports.messages.contains { $0.body == "two" })
    }
  }

  @Test func `other rights, and other accounts, stay`() async throws {
    let work = JID(local: "alice", domain: "work.example")
    grants.give(.sendMessages)
    try await fixture.serve(
      [fixture.account(), fixture.account(work, isRunning: false)], for: grants.client
    ) { client in
      try await client.greet()
      let id = client.ask(
        "messages.send",
        #"{"account":"alice@example.org","conversation":"bob@example.org","#
          + #""body":"x","wait":"sent"}"#
      )
      #expect(await fixture.clock.waits(untilSleeping: 1))
      grants.take(.readMessages)
      grants.take(.sendMessages, in: work)
      // What is left covers it.
      grants.take(.sendMessages, leaving: .all)
      // The end of another right comes after these.
      grants.give(.readPresence)
      try await client.call(
        "events.subscribe",
        #"{"account":"alice@example.org","events":["presence.changed"]}"#)
      grants.take(.readPresence)
      _ = try await endings(client, 1)
      await fixture.sender.settle(.sent)
      #expect(try await client.answer(to: id)["result"] != nil)
    }
  }

  @Test func `a subscription ends with its right, and the client is notified`() async throws {
    grants.give(.readMessages)
    grants.give(.readPresence)
    try await fixture.serve(for: grants.client) { client in
      try await client.greet()
      try await client.call("events.subscribe", #"{"events":["message.new","presence.changed"]}"#)
      try await client.call("events.subscribe", #"{"events":["presence.changed"]}"#)
      grants.take(.readMessages)
      let ended = try await endings(client, 1)
      #expect(
        ended == [
          .object([
            "subscription": .text("s1"), "permission": .text("messages.read"),
            "reason": .text("revoked"),
          ])
        ])
      await fixture.store(BridgeFixture.message(8, "secret"))
      fixture.hub.publish(
        .presenceChanged([ContactPresence(jid: BridgeFixture.bob, availability: .away)]))
      let events = try await client.events("presence.changed", 1)
      #expect(events.compactMap { $0["subscription"]?.string } == ["s2"])
      #expect(!client.output.value.contains { $0.contains("secret") })
      #expect(
        try await client.code(of: "events.unsubscribe", #"{"subscription":"s1"}"#) == -32004)
    }
  }

  @Test func `a subscription goes on in the other accounts, and ends with the last`() async throws {
    let work = JID(local: "alice", domain: "work.example")
    let accounts = [fixture.account(), fixture.account(work)]
    for account in accounts { grants.give(.readPresence, in: account.jid) }
    try await fixture.serve(accounts, for: grants.client) { client in
      try await client.greet()
      try await client.call("events.subscribe", #"{"events":["presence.changed"]}"#)
      grants.take(.readPresence)
      grants.take(.readPresence, in: work)
      #expect(try await endings(client, 1).count == 1)
    }
  }

  @Test func `a subscription covers what is left of a right that was narrowed`() async throws {
    grants.give(.readMessages)
    try await fixture.serve(for: grants.client) { client in
      try await client.greet()
      try await client.call("events.subscribe", #"{"events":["message.new"]}"#)
      // Nothing can be waited for: the end of another right comes after it.
      grants.give(.readPresence)
      try await client.call("events.subscribe", #"{"events":["presence.changed"]}"#)
      grants.take(.readMessages, leaving: BridgeScope(hasRooms: true))
      grants.take(.readPresence)
      _ = try await endings(client, 1)
      // Widening it changes nothing.
      grants.give(.readMessages)
      await fixture.store(
        BridgeFixture.message(8, "direct"),
        BridgeFixture.message(9, "room", in: BridgeFixture.tea))
      let events = try await client.events("message.new", 1)
      #expect(events.compactMap { $0["cursor"]?.int } == [9])
    }
  }

  @Test func `rights are followed before the first line`() async throws {
    try await fixture.serve(for: grants.client) { client in
      #expect(await grants.isFollowed.waits { $0 })
      #expect(client.output.value.isEmpty)
    }
  }

  @Test func `a client that does not read learns of the end later`() async throws {
    grants.give(.readMessages)
    try await fixture.serve(for: grants.client) { client in
      try await client.greet()
      try await client.call("events.subscribe", #"{"events":["message.new"]}"#)
      client.take(0)
      grants.take(.readMessages)
      #expect(await client.waits.waits { $0 == 1 })
      client.take(nil)
      #expect(try await endings(client, 1).count == 1)
    }
  }

  @Test func `a right that is taken back while the user is asked is not held`() async throws {
    try await fixture.serve(for: grants.client) { client in
      try await client.greet()
      // Its end shows that the session knows of all before it.
      grants.give(.readPresence)
      try await client.call("events.subscribe", #"{"events":["presence.changed"]}"#)
      let id = client.ask("messages.get", #"{"message":"7"}"#)
      #expect(await grants.questions.waits { $0.count == 1 })
      grants.take(.readMessages)
      grants.take(.readPresence)
      _ = try await endings(client, 1)
      grants.answer(.readMessages, .held(.all))
      let error = try await client.answer(to: id)["error"]
      #expect(error?["data"]?["reason"] == .text("revoked"))
    }
  }
}
