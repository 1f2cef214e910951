import Foundation
import JSONLines
import NatterCore
import TestSupport
import Testing
import XMPP

@testable import BridgeService

/// How much a script can send, and which messages it can change.
@Suite struct SendingLimitTests {
  private let fixture = BridgeFixture(messages: [
    BridgeFixture.message(1, "question"), BridgeFixture.message(2, "mine", delivery: .sent),
  ])

  private static func text(_ body: String, _ more: String = "") -> String {
    #"{"conversation":"bob@example.org","body":"\#(body)"\#(more)}"#
  }

  /// A client that can do everything.
  private func script(_ limits: ClientLimits = .script, name: String = "greeter") -> BridgeClient {
    BridgeClient(name: name, rights: .person, limits: limits)
  }

  /// A message from Bob.
  private func answer(_ id: Int64) async {
    let message = Message(
      id: .init(id), conversation: BridgeFixture.bob, sender: BridgeFixture.bob,
      direction: .incoming, body: "yes", sentAt: fixture.clock.date, originID: "b\(id)",
      delivery: nil)
    await fixture.ports.add([message])
  }

  @Test func `a script sends five messages at once, then one a second`() async throws {
    try await fixture.serve(for: script()) { client in
      try await client.greet()
      for number in 0..<5 { try await client.call("messages.send", Self.text("\(number)")) }
      let error = try await client.failure(of: "messages.send", Self.text("x"))
      #expect(error["code"] == .integer(-32005))
      #expect(error["data"]?["retry_ms"] == .integer(1000))
      fixture.clock.advance(by: .seconds(1))
      try await client.call("messages.send", Self.text("x"))
    }
  }

  @Test func `changes of presence, contacts and rooms of a script have a rate each`() async throws {
    let (away, eve) = (#"{"availability":"away"}"#, #"{"address":"eve@example.org"}"#)
    try await fixture.serve(for: script()) { client in
      try await client.greet()
      for _ in 0..<10 { try await client.call("presence.set", away) }
      let error = try await client.failure(of: "presence.set", away)
      #expect(error["code"] == .integer(-32005))
      #expect(error["data"]?["retry_ms"] == .integer(2000))
      // The others have their own.
      for _ in 0..<10 { try await client.call("contacts.block", eve) }
      #expect(try await client.code(of: "contacts.unblock", eve) == -32005)
      fixture.clock.advance(by: .seconds(2))
      try await client.call("presence.set", away)
    }
    // The user's own programs have none.
    try await fixture.serve { client in
      try await client.greet()
      for _ in 0..<11 { try await client.call("presence.set", away) }
    }
  }

  @Test func `a script sends so many messages an hour to a conversation, over all connections`()
    async throws
  {
    let counts = BridgeCounts()
    let known = script(ClientLimits(rate: 10, burst: 10, perHour: 2))
    for number in 0..<3 {
      // Each has a bridge of its own, as a script does that begins anew.
      let bridge = Bridge([fixture.account()], options: fixture.options(), counts: counts)
      let client = TestClient()
      let serving = Task { await bridge.serve(client, for: known) }
      try await client.greet()
      if number < 2 {
        try await client.call("messages.send", Self.text("x", #","request_id":"r\#(number)""#))
        // A repetition is no other message.
        try await client.call("messages.send", Self.text("x", #","request_id":"r\#(number)""#))
        fixture.clock.advance(by: .seconds(60))
      } else {
        let error = try await client.failure(of: "messages.send", Self.text("x"))
        #expect(error["code"] == .integer(-32005))
        // An hour after the first.
        #expect(error["data"]?["retry_ms"] == .integer(3_480_000))
        try await client.call(
          "messages.send", #"{"conversation":"tea@rooms.example.org","body":"x"}"#)
        fixture.clock.advance(by: .seconds(3480))
        try await client.call("messages.send", Self.text("x"))
      }
      client.close()
      await serving.value
    }
    // The user's own programs have no such limit.
    let own = TestClient()
    let bridge = Bridge([fixture.account()], options: fixture.options(), counts: counts)
    let serving = Task { await bridge.serve(own) }
    try await own.greet()
    for _ in 0..<3 { try await own.call("messages.send", Self.text("x")) }
    own.close()
    await serving.value
  }

  @Test func `a script sends so many messages in a row until another one speaks`() async throws {
    let known = script(ClientLimits(rate: 10, burst: 10, inARow: 3))
    try await fixture.serve(for: known) { client in
      try await client.greet()
      for number in 0..<3 {
        fixture.clock.advance(by: .seconds(10))
        try await client.call("messages.send", Self.text("\(number)"))
      }
      let error = try await client.failure(of: "messages.send", Self.text("x"))
      #expect(error["code"] == .integer(-32005))
      #expect(error["data"]?["retry_ms"] == .integer(3_580_000))
      // What an archive brings is stored later, and no answer.
      await fixture.ports.add([BridgeFixture.message(150, "old")])
      #expect(try await client.code(of: "messages.send", Self.text("x")) == -32005)
      await answer(151)
      try await client.call("messages.send", Self.text("x"))
    }
  }

  @Test func `nothing is sent where a limit is zero`() async throws {
    for limits in [
      ClientLimits(rate: 10, burst: 10, perHour: 0), ClientLimits(rate: 10, burst: 10, inARow: 0),
    ] {
      try await fixture.serve(for: script(limits)) { client in
        try await client.greet()
        #expect(try await client.code(of: "messages.send", Self.text("x")) == -32005)
      }
    }
    #expect(await fixture.sender.sent == 0)
  }

  @Test func `a script changes only what it has sent`() async throws {
    let bridge = Bridge([fixture.account()], options: fixture.options())
    for (name, isOwn) in [("greeter", true), ("other", false)] {
      let client = TestClient()
      let serving = Task { await bridge.serve(client, for: script(name: name)) }
      try await client.greet()
      #expect(
        try await client.code(of: "messages.edit", #"{"message":"2","body":"x"}"#) == -32602)
      if isOwn {
        let sent = try await client.call("messages.send", Self.text("hi"))
        #expect(sent["message"]?["id"] == .text("101"))
        try await client.call("messages.edit", #"{"message":"101","body":"x"}"#)
      } else {
        let error = try await client.failure(of: "messages.retract", #"{"message":"101"}"#)
        #expect(error["data"]?["path"] == .text("message"))
      }
      client.close()
      await serving.value
    }
    #expect(await fixture.ports.calls == ["correct 101 x"])
  }

  @Test func `conversations that nobody writes to any more are forgotten`() async throws {
    let sent = SentMessages()
    let sender = SentMessages.Sender(client: "greeter", account: BridgeFixture.account)
    let limits = ClientLimits(rate: 1, burst: 1, perHour: 1)
    for number in 0..<200 {
      let room = JID(local: "r\(number)", domain: "rooms.example.org")
      let message = BridgeFixture.message(Int64(number), "x", in: room, delivery: .queued)
      sent.note(message, of: sender, at: .seconds(100 * number))
    }
    let last = JID(local: "r199", domain: "rooms.example.org")
    let pause = try await sent.pause(
      of: sender, to: last, limits, at: .seconds(19_900)
    ) { [] }
    #expect(pause == .seconds(3600))
    #expect(sent.targets <= 128)
  }
}
