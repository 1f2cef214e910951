import Foundation
import JSONLines
import NatterCore
import TestSupport
import Testing
import XMPP

@testable import BridgeService

/// Sending messages, once for each request.
@Suite struct SendingMethodTests {
  private let fixture = BridgeFixture(messages: [
    BridgeFixture.message(1, "question"), BridgeFixture.message(2, "mine", delivery: .sent),
    BridgeFixture.message(3, "aside", in: BridgeFixture.tea),
  ])
  private static let bob = #"{"conversation":"bob@example.org","#

  @Test func `a message is stored when the answer comes`() async throws {
    try await fixture.serve { client in
      try await client.greet()
      let result = try await client.call("messages.send", Self.bob + #""body":"hi"}"#)
      #expect(result["message"]?["delivery"] == .text("queued"))
      #expect(result["message"]?["direction"] == .text("out"))
      #expect(await fixture.sender.sent == 1)
    }
  }

  @Test func `a message says which program has sent it`() async throws {
    let script = BridgeClient(name: "greeter", rights: .person)
    for (client, name) in [(script, JSONValue.text("greeter")), (nil, nil)] {
      try await BridgeFixture().serve(for: client) { client in
        try await client.greet()
        let result = try await client.call("messages.send", Self.bob + #""body":"hi"}"#)
        #expect(result["message"]?["by"] == name)
      }
    }
  }

  @Test func `a reply answers a message of the same conversation`() async throws {
    try await fixture.serve { client in
      try await client.greet()
      try await client.call("messages.send", Self.bob + #""body":"hi","reply_to":"1"}"#)
      #expect(await fixture.sender.replies == [.init(1)])
      let error = try await client.failure(
        of: "messages.send", Self.bob + #""body":"hi","reply_to":"3"}"#)
      #expect(error["data"]?["path"] == .text("reply_to"))
      #expect(
        try await client.code(of: "messages.send", Self.bob + #""body":"hi","reply_to":"99"}"#)
          == -32004)
    }
  }

  @Test func `a message is in the thread that is given, or in that of the answered message`()
    async throws
  {
    let question = BridgeFixture.message(1, "question").inThread(.init(id: "t1", parent: "t0"))
    let fixture = BridgeFixture(messages: [question])
    try await fixture.serve { client in
      try await client.greet()
      let given = try await client.call("messages.send", Self.bob + #""body":"a","thread":"t2"}"#)
      #expect(given["message"]?["thread"] == .text("t2"))
      #expect(given["message"]?["thread_parent"] == nil)
      let reply = try await client.call("messages.send", Self.bob + #""body":"b","reply_to":"1"}"#)
      #expect(reply["message"]?["thread"] == .text("t1"))
      #expect(reply["message"]?["thread_parent"] == .text("t0"))
      for id in ["", " ", "a\\u001b", String(repeating: "x", count: 257)] {
        let error = try await client.failure(
          of: "messages.send", Self.bob + #""body":"hi","thread":"\#(id)"}"#)
        #expect(error["data"]?["path"] == .text("thread"))
      }
      #expect(await fixture.sender.sent == 2)
    }
  }

  @Test func `messages are stored in the order in which a client sends them`() async throws {
    let (gate, opening) = AsyncStream<Void>.makeStream()
    await fixture.sender.delay("one") { for await _ in gate {} }
    try await fixture.serve { client in
      try await client.greet()
      // A wait for the server holds no other message up.
      let texts = ["zero", "one", "two"]
      let requests = texts.map { text in
        client.ask("messages.send", Self.bob + #""body":"\#(text)","wait":"sent"}"#)
      }
      #expect(await fixture.clock.waits(untilSleeping: 1))
      try await client.call("ping")
      #expect(await fixture.sender.sent == 1)
      opening.finish()
      #expect(await fixture.clock.waits(untilSleeping: 3))
      fixture.clock.advance(by: .seconds(60))
      for (number, request) in requests.enumerated() {
        let error = try await client.answer(to: request)["error"]
        #expect(error?["data"]?["message"] == .text("\(101 + number)"))
      }
      #expect(await fixture.ports.messages.suffix(3).map(\.body) == texts)
    }
  }

  @Test func `the same request is the same message for a day`() async throws {
    let parameters = Self.bob + #""body":"two\r\nlines","request_id":"r1"}"#
    // Ten seconds before midnight (UTC): the day changes in between.
    let midnight = 86_400 - Int(BridgeFixture.start.timeIntervalSince1970) % 86_400
    fixture.clock.advance(by: .seconds(midnight - 10))
    var ids: Set<String> = []
    for pause in [0, 60, 86_000] {
      fixture.clock.advance(by: .seconds(pause))
      // A new connection each time: nothing is remembered in the process.
      try await fixture.serve { client in
        try await client.greet()
        let result = try await client.call("messages.send", parameters)
        ids.insert(try #require(result["message"]?["id"]?.string))
      }
    }
    #expect(ids == ["101"])
    fixture.clock.advance(by: .seconds(400))
    try await fixture.serve { client in
      try await client.greet()
      let result = try await client.call("messages.send", parameters)
      #expect(result["message"]?["id"] == .text("102"))
      let error = try await client.failure(
        of: "messages.send", Self.bob + #""body":"other","request_id":"r1"}"#)
      #expect(error["data"]?["path"] == .text("request_id"))
      try await client.call(
        "messages.send",
        #"{"conversation":"tea@rooms.example.org","body":"hi","request_id":"r1"}"#)
    }
    #expect(await fixture.sender.sent == 3)
  }

  @Test func `a message is waited for until the server has it`() async throws {
    try await fixture.serve { client in
      try await client.greet()
      let parameters = Self.bob + #""body":"hi","wait":"sent"}"#
      let sent = client.ask("messages.send", parameters)
      #expect(await fixture.clock.waits(untilSleeping: 1))
      await fixture.sender.settle(.sent)
      let first = try await client.answer(to: sent)
      #expect(first["result"]?["message"]?["delivery"] == .text("sent"))

      let failed = client.ask("messages.send", parameters)
      #expect(await fixture.clock.waits(untilSleeping: 1))
      await fixture.sender.settle(.failed(reason: "no such user"))
      let error = try await client.answer(to: failed)["error"]
      #expect(error?["code"] == .integer(-32010))
      #expect(error?["data"]?["text"] == .text("no such user"))

      let late = client.ask("messages.send", parameters)
      #expect(await fixture.clock.waits(untilSleeping: 1))
      fixture.clock.advance(by: .seconds(60))
      let answer = try await client.answer(to: late)["error"]
      #expect(answer?["code"] == .integer(-32008))
      #expect(answer?["data"]?["message"] == .text("103"))
      #expect(await fixture.ports.storedMessage(.init(103))?.delivery == .queued)
    }
  }

  @Test func `a message that the server took and refused, or that is too long, is an error`()
    async throws
  {
    try await fixture.serve { client in
      try await client.greet()
      let parameters = Self.bob + #""body":"hi","wait":"sent"}"#
      await fixture.deliveries.refuse("no such user")
      let refused = client.ask("messages.send", parameters)
      #expect(await fixture.clock.waits(untilSleeping: 1))
      await fixture.sender.settle(.sent)
      let error = try await client.answer(to: refused)["error"]
      #expect(error?["code"] == .integer(-32010))
      #expect(error?["data"]?["text"] == .text("no such user"))
      #expect(error?["data"]?["message"] == .text("101"))

      await fixture.deliveries.refuseLong()
      let long = client.ask("messages.send", parameters)
      #expect(await fixture.clock.waits(untilSleeping: 1))
      await fixture.sender.settle(.failed(reason: "too long"))
      let other = try await client.answer(to: long)["error"]
      #expect(other?["code"] == .integer(-32007))
      #expect(other?["data"]?["text"] == .text("too long"))
    }
  }

  @Test func `ten messages go out at once, then ten in a second`() async throws {
    try await fixture.serve { client in
      try await client.greet()
      for number in 0..<10 {
        try await client.call("messages.send", Self.bob + #""body":"\#(number)"}"#)
      }
      let error = try await client.failure(of: "messages.send", Self.bob + #""body":"x"}"#)
      #expect(error["code"] == .integer(-32005))
      #expect(error["data"]?["retry_ms"] == .integer(100))
      try await client.call("ping")
      fixture.clock.advance(by: .milliseconds(100))
      try await client.call("messages.send", Self.bob + #""body":"x"}"#)
      #expect(await fixture.sender.sent == 11)
    }
  }

  @Test func `messages are changed, and only the user's own`() async throws {
    try await fixture.serve { client in
      try await client.greet()
      try await client.call("messages.react", #"{"message":"1","emoji":"👍"}"#)
      try await client.call("messages.edit", #"{"message":"2","body":"mine!"}"#)
      let retracted = try await client.call("messages.retract", #"{"message":"2"}"#)
      #expect(retracted["message"]?["id"] == .text("2"))
      #expect(await fixture.ports.calls == ["react 1 👍", "correct 2 mine!", "retract 2"])
      for method in ["messages.edit", "messages.retract"] {
        #expect(try await client.code(of: method, #"{"message":"1","body":"x"}"#) == -32602)
      }
      #expect(
        try await client.code(of: "messages.react", #"{"message":"99","emoji":"x"}"#) == -32004)
    }
  }

  @Test func `without the right to read, no answer has what others wrote`() async throws {
    let fixture = BridgeFixture(messages: [BridgeFixture.message(7, "secret")])
    let grants = TestGrants()
    grants.give(.sendMessages)
    try await fixture.serve(for: grants.client) { client in
      try await client.greet()
      let calls = [
        ("messages.react", #"{"message":"7","emoji":"+"}"#, "7"),
        ("messages.send", Self.bob + #""body":"x","reply_to":"7"}"#, "101"),
      ]
      for (method, parameters, id) in calls {
        let message = try await client.call(method, parameters)["message"]
        #expect(message?["id"] == .text(id))
        #expect(message?["conversation"] == .text("bob@example.org"))
        #expect(message?["body"] == nil && message?["reply_to"] == nil && message?["from"] == nil)
      }
      // The right for rooms is none for this one.
      grants.give(.readMessages, BridgeScope(hasRooms: true))
      let (method, parameters, _) = calls[0]
      #expect(try await client.call(method, parameters)["message"]?["body"] == nil)
      grants.give(.readMessages, BridgeScope(hasDirect: true))
      let whole = try await client.call(method, parameters)["message"]
      #expect(whole?["body"] == .text("secret"))
      #expect(grants.questions.value.isEmpty)
    }
  }
}
