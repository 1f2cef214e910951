import Foundation
import JSONLines
import NatterCore
import TestSupport
import Testing
import XMPP

@testable import BridgeService

/// Subscriptions, their scope, and the objects of events.
@Suite struct EventTests {
  private let fixture = BridgeFixture(messages: [BridgeFixture.message(1, "hi")])

  private var events: [DomainEvent] {
    let (bob, tea) = (BridgeFixture.bob, BridgeFixture.tea)
    return [
      .messagesChanged([BridgeFixture.message(1, "hi", delivery: .sent)]),
      .messagesRemoved(conversation: bob, [.init(1)]),
      .typingChanged(conversation: bob, isTyping: true),
      .conversationsChanged([Conversation(jid: bob, unread: 3)]), .conversationsRemoved([bob]),
      .connectionChanged(
        .waiting(until: BridgeFixture.start, reason: ConnectionProblem(.timedOut))),
      .contactsChanged([Contact(jid: bob, groups: ["a"])]), .contactsRemoved([bob]),
      .presenceChanged([ContactPresence(jid: bob, availability: .extendedAway)]),
      .roomsChanged([Room(jid: tea, nick: "al", phase: .entering)]),
      .occupantsChanged(
        OccupantChanges(room: tea, changed: [Occupant(nick: "bo")], removed: ["cy"])),
      .transfersChanged([
        FileTransfer(
          id: .init(4), direction: .upload, conversation: bob, path: "/secret/a.png",
          name: "a.png", byteCount: 10, begun: BridgeFixture.start)
      ]),
    ]
  }

  @Test func `each event has the object of its subject`() async throws {
    try await fixture.serve { client in
      try await client.greet()
      let names = BridgeEvent.names.map { "\"\($0)\"" }.joined(separator: ",")
      try await client.call("events.subscribe", #"{"events":[\#(names)]}"#)
      for event in events { fixture.hub.publish(event) }
      let expected: [(name: String, member: String, value: JSONValue)] = [
        ("message.changed", "delivery", .text("sent")), ("message.removed", "id", .text("1")),
        ("typing", "typing", .boolean(true)), ("conversation.changed", "unread", .integer(3)),
        ("conversation.removed", "conversation", .text("bob@example.org")),
        ("connection.changed", "problem", .text("timedOut")),
        ("contact.changed", "groups", .array([.text("a")])),
        ("contact.removed", "address", .text("bob@example.org")),
        ("presence.changed", "availability", .text("xa")),
        ("room.changed", "state", .text("joining")),
        ("room.member", "removed", .array([.text("cy")])),
        ("transfer.changed", "name", .text("a.png")),
      ]
      for (name, member, value) in expected {
        let event = try #require(try await client.events(name, 1).first)
        #expect(event["data"]?[member] == value, "\(event.text)")
        #expect(event["data"]?["account"] == .text("alice@example.org"))
      }
      #expect(!client.output.value.contains { $0.contains("/secret") })
    }
  }

  @Test func `a subscription has only its conversations`() async throws {
    try await fixture.serve { client in
      try await client.greet()
      for scope in ["rooms", "direct", "tea@rooms.example.org", "carol@example.org"] {
        try await client.call(
          "events.subscribe", #"{"events":["message.new"],"in":["\#(scope)"]}"#)
      }
      await fixture.store(
        BridgeFixture.message(2, "a"), BridgeFixture.message(3, "b", in: BridgeFixture.tea))
      let events = try await client.events("message.new", 3)
      let found = events.map { "\($0["subscription"]?.string ?? "") \($0["cursor"]?.int ?? 0)" }
      #expect(found.sorted() == ["s1 3", "s2 2", "s3 3"])
    }
  }

  @Test func `a file in a room is not one of a contact`() async throws {
    func transfer(_ id: Int64, _ conversation: JID) -> FileTransfer {
      FileTransfer(
        id: .init(id), direction: .upload, conversation: conversation, path: "/a", name: "n\(id)",
        byteCount: 10, begun: BridgeFixture.start)
    }
    var options = fixture.options()
    options.rights = { _ in BridgeRights(held: { _, _ in .held(BridgeScope(hasDirect: true)) }) }
    try await fixture.serve(nil, options) { client in
      try await client.greet()
      try await client.call("events.subscribe", #"{"events":["transfer.changed"]}"#)
      fixture.hub.publish(
        .transfersChanged([transfer(1, BridgeFixture.tea), transfer(2, BridgeFixture.bob)]))
      let events = try await client.events("transfer.changed", 1)
      #expect(events.map { $0["data"]?["name"] } == [.text("n2")])
    }
  }

  @Test func `an ended subscription has no more events`() async throws {
    try await fixture.serve { client in
      try await client.greet()
      for _ in 0..<2 {
        try await client.call("events.subscribe", #"{"events":["message.new"]}"#)
      }
      try await client.call("events.unsubscribe", #"{"subscription":"s1"}"#)
      #expect(
        try await client.code(of: "events.unsubscribe", #"{"subscription":"s1"}"#) == -32004)
      await fixture.store(BridgeFixture.message(2, "a"))
      let events = try await client.events("message.new", 1)
      #expect(events.map { $0["subscription"] } == [.text("s2")])
    }
  }

  @Test(arguments: [
    (#"{"events":["typing","event.gap"]}"#, "events.1"), (#"{"events":["x"]}"#, "events.0"),
    (#"{"events":[]}"#, "events"), (#"{"events":["typing"],"in":[]}"#, "in"),
    (#"{"events":["typing"],"in":["people"]}"#, "in"),
    (#"{"events":["typing"],"after":{"x@y":-1}}"#, "after.x@y"),
    (#"{"events":["typing"],"after":5}"#, "after"), (#"{"events":[5]}"#, "events"),
  ])
  func `unknown events and scopes are refused`(parameters: String, path: String) async throws {
    try await fixture.serve { client in
      try await client.greet()
      let error = try await client.failure(of: "events.subscribe", parameters)
      #expect(error["code"] == .integer(-32602))
      #expect(error["data"]?["path"] == .text(path))
    }
  }

  @Test func `there are not too many subscriptions`() async throws {
    try await fixture.serve { client in
      try await client.greet()
      for _ in 0..<BridgeLimits.subscriptions {
        try await client.call("events.subscribe", #"{"events":["typing"]}"#)
      }
      #expect(try await client.code(of: "events.subscribe", #"{"events":["typing"]}"#) == -32011)
    }
  }

  @Test func `many occupants come in several events`() async throws {
    try await fixture.serve { client in
      try await client.greet()
      try await client.call("events.subscribe", #"{"events":["room.member"]}"#)
      let occupants = (0..<250).map { Occupant(nick: "n\($0)") }
      var changes = OccupantChanges(
        room: BridgeFixture.tea, isReset: true, changed: occupants)
      changes.isEntering = true
      fixture.hub.publish(.occupantsChanged(changes))
      let events = try await client.events("room.member", 3)
      #expect(events.map { $0["data"]?["changed"]?.elements?.count } == [100, 100, 50])
      #expect(events.map { $0["data"]?["reset"] } == [.boolean(true), nil, nil])
      #expect(events.allSatisfy { $0["data"]?["entering"] == .boolean(true) })
    }
  }
}
