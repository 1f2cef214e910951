import Foundation
import JSONLines
import NatterCore
import TestSupport
import Testing
import XMPP

@testable import BridgeService

/// The branches of a request, from the line to the answer.
@Suite struct BridgeFlowTests {
  private let fixture = BridgeFixture(messages: [BridgeFixture.message(7, "hi")])
  private static let waiting =
    #"{"conversation":"bob@example.org","body":"x","wait":"sent"}"#

  @Test(arguments: ["", "{", "nonsense", "{\"a\":1}}", "\u{0}", "{\"jsonrpc\":\"2.0\"\u{0}}"])
  func `a line that is no JSON is answered, and the next one works`(line: String) async throws {
    try await fixture.serve { client in
      try await client.greet()
      client.write(line)
      client.write([0xFF, 0xFE])
      client.writeTooLong()
      try await client.call("ping")
      let answers = client.output.value.dropFirst().prefix(3)
      #expect(answers.count == 3)
      for answer in answers {
        let error = try JSONValue(parsing: answer.utf8)
        #expect(error["id"] == .null)
        #expect(error["error"]?["code"] == .integer(-32700))
      }
    }
  }

  @Test func `after twenty lines in a row that are no JSON the connection is closed`() async throws
  {
    try await fixture.serve { client in
      try await client.greet()
      for _ in 0..<19 { client.write("x") }
      try await client.call("ping")
      #expect(!client.isClosed.value)
      for _ in 0..<20 { client.write("x") }
      #expect(await client.isClosed.waits { $0 })
    }
  }

  @Test(arguments: [
    "[]", #"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, "1", #"{"id":1,"method":"ping"}"#,
    #"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, #"{"jsonrpc":"2.0","id":{},"method":"ping"}"#,
    #"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, #"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#,
    #"{"jsonrpc":"2.0","id":1,"method":5}"#, #"{"jsonrpc":"2.0","id":1}"#,
    #"{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}"#,
    #"{"jsonrpc":"2.0","id":"\#(String(repeating: "x", count: 65))","method":"ping"}"#,
  ])
  func `a batch is refused`(line: String) async throws {
    try await fixture.serve { client in
      client.write(line)
      #expect(await client.output.waits { !$0.isEmpty })
      let answer = try JSONValue(parsing: try #require(client.output.value.first).utf8)
      #expect(answer["error"]?["code"] == .integer(-32600), "\(answer.text)")
    }
  }

  @Test func `nothing works before hello`() async throws {
    try await fixture.serve { client in
      for method in ["ping", "messages.send", "no.such.method"] {
        #expect(try await client.code(of: method) == -32002)
      }
      try await client.greet()
      try await client.call("ping")
      #expect(try await client.code(of: "hello", #"{"api":1}"#) == -32600)
    }
  }

  @Test func `an api that is not spoken is named`() async throws {
    try await fixture.serve { client in
      let error = try await client.failure(of: "hello", #"{"api":2}"#)
      #expect(error["code"] == .integer(-32003))
      #expect(error["data"]?["speaks"] == .array([.integer(1)]))
      #expect(try await client.code(of: "ping") == -32002)
      let greeting = try await client.call("hello", #"{"api":1}"#)
      #expect(greeting["natter"] == .text("0.9"))
      #expect(greeting["locale"] == .text("en"))
    }
  }

  @Test func `all unknown methods get the same error`() async throws {
    try await fixture.serve { client in
      try await client.greet()
      for method in ["storage.get", "toast", "conversations.paint", "", "HELLO"] {
        #expect(try await client.code(of: method) == -32601)
      }
    }
  }

  @Test func `a client that asks too fast learns when to ask again`() async throws {
    try await fixture.serve { client in
      try await client.greet()
      // Of the 200 at once, hello was one.
      for _ in 0..<199 { try await client.call("ping") }
      let error = try await client.failure(of: "ping")
      #expect(error["code"] == .integer(-32005))
      #expect(error["data"]?["retry_ms"] == .integer(10))
      fixture.clock.advance(by: .milliseconds(10))
      try await client.call("ping")
      #expect(try await client.code(of: "ping") == -32005)
    }
  }

  @Test func `sixty-four requests can be open`() async throws {
    try await fixture.serve { client in
      try await client.greet()
      // They wait for a delivery that does not come.
      for count in 1...64 {
        fixture.clock.advance(by: .milliseconds(100))
        client.ask("messages.send", Self.waiting)
        #expect(await fixture.clock.waits(untilSleeping: count))
      }
      #expect(try await client.code(of: "ping") == -32005)
      await fixture.sender.settle(.sent)
      // The last of them.
      _ = try await client.answer(to: 65)
      try await client.call("ping")
    }
  }

  @Test func `a client that floods is closed`() async throws {
    try await fixture.serve { client in
      try await client.greet()
      for _ in 0...1000 { client.ask("no.such.method") }
      #expect(await client.isClosed.waits { $0 })
    }
  }

  @Test(arguments: [
    (#"{}"#, "conversation"), (#"{"conversation":5}"#, "conversation"),
    (#"{"conversation":"@"}"#, "conversation"), (#"{"conversation":"bob@example.org"}"#, "body"),
    (#"{"conversation":"bob@example.org","body":""}"#, "body"),
    (#"{"conversation":"bob@example.org","body":"a\u0000b"}"#, "body"),
    (#"{"conversation":"bob@example.org","body":"x","wait":"long"}"#, "wait"),
    (#"{"conversation":"bob@example.org","body":"x","reply_to":"-1"}"#, "reply_to"),
    (#"{"account":"@","conversation":"bob@example.org","body":"x"}"#, "account"),
  ])
  func `parameters are checked before rights`(parameters: String, path: String) async throws {
    try await fixture.serve { client in
      try await client.greet(as: "stranger")
      let error = try await client.failure(of: "messages.send", parameters)
      #expect(error["code"] == .integer(-32602))
      #expect(error["data"]?["path"] == .text(path))
    }
  }

  @Test func `a base request needs no right`() async throws {
    try await fixture.serve { client in
      try await client.greet(as: "stranger")
      try await client.call("ping")
      #expect(try await client.call("version")["api"] == .integer(1))
      #expect(try await client.call("permissions.list")["permissions"] == .array([]))
      for _ in 0..<20 {
        #expect(try await client.call("log", #"{"text":"x"}"#)["logged"] == .boolean(true))
      }
      #expect(try await client.call("log", #"{"text":"x"}"#)["logged"] == .boolean(false))
    }
  }

  @Test func `a right that is held runs`() async throws {
    try await fixture.serve { client in
      try await client.greet()
      let result = try await client.call("messages.get", #"{"message":"7"}"#)
      #expect(result["message"]?["body"] == .text("hi"))
      #expect(try await client.code(of: "messages.get", #"{"message":"8"}"#) == -32004)
    }
  }

  @Test func `a right that is not declared is refused, whatever there is`() async throws {
    try await fixture.serve { client in
      try await client.greet(as: "stranger")
      var answers: Set<String> = []
      for account in ["alice", "nobody"] {
        for peer in ["bob", "eve"] {
          let error = try await client.failure(
            of: "messages.history",
            #"{"account":"\#(account)@example.org","conversation":"\#(peer)@example.org"}"#)
          #expect(error["code"] == .integer(-32001))
          #expect(error["data"]?["permission"] == .text("messages.read"))
          #expect(error["data"]?["reason"] == .text("not-declared"))
          answers.insert(error.text)
        }
      }
      #expect(answers.count == 1)
      #expect(
        try await client.code(of: "events.subscribe", #"{"events":["message.new"]}"#) == -32001)
    }
  }

  @Test(arguments: [
    ("events.subscribe", [#""account":"alice@example.org","#, #""account":"nobody@x.org","#]),
    ("conversations.get", ["", #""account":"bot@example.net","#]),
  ])
  func `without a right, no account is seen`(method: String, named: [String]) async throws {
    let other = fixture.account(JID(local: "bot", domain: "example.net"))
    try await fixture.serve([fixture.account(), other]) { client in
      try await client.greet(as: "stranger")
      let rest =
        method == "events.subscribe"
        ? #""events":["message.new"]}"# : #""conversation":"bob@example.org"}"#
      for account in named {
        #expect(try await client.code(of: method, "{" + account + rest) == -32001, "\(account)")
      }
    }
  }

  @Test func `what is outside the scope does not exist`() async throws {
    var options = fixture.options()
    options.rights = { _ in BridgeRights(held: { _, _ in .held(BridgeScope(hasRooms: true)) }) }
    await fixture.ports.add([BridgeFixture.message(8, "tea?", in: BridgeFixture.tea)])
    try await fixture.serve(nil, options) { client in
      try await client.greet()
      var answers: [String] = []
      for peer in ["bob", "eve"] {
        let error = try await client.failure(
          of: "messages.history", #"{"conversation":"\#(peer)@example.org"}"#)
        #expect(error["code"] == .integer(-32001))
        answers.append(error.text.replacing("\(peer)@", with: "x@"))
      }
      #expect(answers[0] == answers[1])
      #expect(try await client.code(of: "messages.get", #"{"message":"7"}"#) == -32004)
      let found = try await client.call("messages.get", #"{"message":"8"}"#)
      #expect(found["message"]?["kind"] == .text("room"))
      let list = try await client.call("conversations.list")["conversations"]?.elements
      #expect(list?.compactMap { $0["conversation"]?.string } == ["tea@rooms.example.org"])
    }
  }

  @Test func `a server's refusal is an error with its condition`() async throws {
    await fixture.rooms.refuse(with: NatterError(.refused, "stanza.not-allowed", ["text": ""]))
    try await fixture.serve { client in
      try await client.greet()
      let error = try await client.failure(
        of: "rooms.topic", #"{"conversation":"tea@rooms.example.org","topic":"x"}"#)
      #expect(error["code"] == .integer(-32010))
      #expect(error["data"]?["condition"] == .text("not-allowed"))
      #expect(error["data"]?["text"] == .text("stanza.not-allowed"))
    }
  }

  @Test(arguments: [
    (NatterError(.offline, "error.offline"), -32006),
    (NatterError(.refused, "error.onItsWay"), -32010),
    (NatterError(.unexpected, "error.noAnswer"), -32008),
    (NatterError(.storage, "error.storage.full"), -32603),
  ])
  func `errors of services have their codes`(error: NatterError, code: Int) async throws {
    await fixture.rooms.refuse(with: error)
    try await fixture.serve { client in
      try await client.greet()
      #expect(
        try await client.code(of: "rooms.leave", #"{"conversation":"tea@rooms.example.org"}"#)
          == code)
    }
  }

  @Test func `a client that is gone gets no answer and nothing waits for it`() async throws {
    try await fixture.serve { client in
      try await client.greet()
      client.ask("messages.send", Self.waiting)
      #expect(await fixture.clock.waits(untilSleeping: 1))
      // `serve` returns, although the message is not sent.
    }
    #expect(await fixture.sender.sent == 1)
    #expect(await fixture.ports.messages.count == 2)
  }

  @Test func `a client that sends no more gets its answers, then the connection ends`() async throws
  {
    let client = TestClient()
    let bridge = Bridge([fixture.account()], options: fixture.options())
    let serving = Task { await bridge.serve(client) }
    try await client.greet()
    let id = client.ask("messages.send", Self.waiting)
    #expect(await fixture.clock.waits(untilSleeping: 1))
    client.end()
    await fixture.sender.settle(.sent)
    #expect(try await client.answer(to: id)["result"] != nil)
    await serving.value
    #expect(client.isClosed.value)
  }

  @Test func `a request that ends with the process has no answer, unlike one that was cancelled`()
    async throws
  {
    let client = TestClient()
    let bridge = Bridge([fixture.account()], options: fixture.options())
    let serving = Task { await bridge.serve(client) }
    try await client.greet()
    client.ask("messages.send", Self.waiting)
    #expect(await fixture.clock.waits(untilSleeping: 1))
    serving.cancel()
    await serving.value
    #expect(client.output.value.count == 1)
  }

  @Test func `a request without an id is performed and not answered`() async throws {
    try await fixture.serve { client in
      try await client.greet()
      client.write(
        #"{"jsonrpc":"2.0","method":"presence.set","params":{"availability":"away"}}"#)
      client.write(#"{"jsonrpc":"2.0","method":"no.such.method"}"#)
      client.write(#"{"jsonrpc":"2.0","id":"n1","result":{}}"#)
      try await until { await fixture.ports.own.availability == .away }
      try await client.call("ping")
      #expect(client.output.value.count == 2)
    }
  }

  @Test func `a request can be cancelled`() async throws {
    try await fixture.serve { client in
      try await client.greet()
      let id = client.ask("messages.send", Self.waiting)
      #expect(await fixture.clock.waits(untilSleeping: 1))
      try await client.call("cancel", #"{"id":\#(id)}"#)
      #expect(try await client.answer(to: id)["error"]?["code"] == .integer(-32009))
    }
  }

  @Test func `a text as id is repeated, and an open one is not used twice`() async throws {
    try await fixture.serve { client in
      try await client.greet()
      let head = #"{"jsonrpc":"2.0","id":"a\"b","method":"#
      client.write(head + #""messages.send","params":\#(Self.waiting)}"#)
      #expect(await fixture.clock.waits(untilSleeping: 1))
      client.write(head + #""ping"}"#)
      #expect(await client.output.waits { $0.count == 2 })
      let answer = try JSONValue(parsing: client.output.value[1].utf8)
      #expect(answer["id"] == .text(#"a"b"#))
      #expect(answer["error"]?["code"] == .integer(-32600))
    }
  }

  @Test func `an answer waits for a client that reads slowly, but not for ever`() async throws {
    try await fixture.serve { client in
      try await client.greet()
      client.take(0)
      let id = client.ask("ping")
      #expect(await fixture.clock.waits(untilSleeping: 1))
      client.take(1)
      fixture.clock.advance(by: .milliseconds(50))
      _ = try await client.answer(to: id)
      client.ask("ping")
      #expect(await fixture.clock.waits(untilSleeping: 1))
      fixture.clock.advance(by: .seconds(31))
      #expect(await client.isClosed.waits { $0 })
    }
  }

  @Test func `a client that reads none of its pages has only one of them made`() async throws {
    let made = Observed(0)
    var options = fixture.options()
    options.search = { text in
      made.update { $0 += 1 }
      return SearchQuery(text)
    }
    try await fixture.serve(nil, options) { client in
      try await client.greet()
      client.take(0)
      for _ in 0..<5 { client.ask("messages.search", #"{"query":"hi"}"#) }
      // Its answer comes after all requests were taken, and waits beside that of the first.
      client.ask("ping")
      #expect(await fixture.clock.waits(untilSleeping: 2))
    }
    #expect(made.value == 1)
  }

  @Test func `the methods list themselves, and each has a name of its own`() async throws {
    #expect(Set(BridgeMethod.all.map(\.name)).count == BridgeMethod.all.count)
    try await fixture.serve { client in
      try await client.greet()
      let listed = try await client.call("methods")["methods"]?.elements ?? []
      #expect(listed.compactMap { $0["name"]?.string } == BridgeMethod.all.map(\.name))
      let send = try #require(listed.first { $0["name"] == .text("messages.send") })
      #expect(send["permission"] == .text("messages.send"))
      #expect(
        send["parameters"]?.elements?.first
          == .object([
            "name": .text("account"), "type": .text("address"), "required": .boolean(false),
          ]))
    }
    var options = fixture.options()
    options.control = nil
    try await fixture.serve(nil, options) { client in
      try await client.greet()
      #expect(try await client.code(of: "shutdown") == -32601)
    }
  }
}
