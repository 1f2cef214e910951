import Foundation
import JSONLines
import NatterCore
import TestSupport
import Testing
import XMPP

@testable import ScriptService

/// The branches of a request of a script, from the line to the answer (the flow of the bridge).
@Suite struct BridgeFlowTests {
  private let fixture: HostFixture

  init() throws { fixture = try HostFixture() }

  private static let send = #"{"conversation":"bob@example.org","body":"x"}"#

  @Test(arguments: ["", "{", "nonsense", "{\"a\":1}}", "\u{0}", "{\"jsonrpc\":\"2.0\"\u{0}}"])
  func `a line that is no JSON is answered, and the next one works`(line: String) async throws {
    let script = try await fixture.start()
    script.write(line)
    script.write([0xFF, 0xFE])
    script.writeTooLong()
    try await script.call("ping")
    let answers = script.streams.input.value.filter { $0.contains(#""id":null"#) }
    #expect(answers.count == 3)
    for answer in answers {
      #expect(try JSONValue(parsing: answer.utf8)["error"]?["code"]?.int == -32700)
    }
  }

  @Test func `after twenty lines in a row that are no JSON the script is stopped`() async throws {
    let script = try await fixture.start()
    for _ in 0..<19 { script.write("x") }
    try await script.call("ping")
    for _ in 0..<20 { script.write("x") }
    #expect(try await fixture.failure().key == "error.script.lines")
    #expect(script.signals.value == [9])
  }

  @Test(arguments: [
    "[]", #"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, "1", #"{"id":1,"method":"ping"}"#,
    #"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, #"{"jsonrpc":"2.0","id":{},"method":"ping"}"#,
    #"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, #"{"jsonrpc":"2.0","id":1,"method":5}"#,
    #"{"jsonrpc":"2.0","id":"\#(String(repeating: "x", count: 65))","method":"ping"}"#,
  ])
  func `a batch is refused`(line: String) async throws {
    let script = try await fixture.start()
    let count = script.streams.input.value.count
    script.write(line)
    #expect(await script.streams.input.waits { $0.count > count })
    let answer = try JSONValue(parsing: try #require(script.streams.input.value.last).utf8)
    #expect(answer["error"]?["code"]?.int == -32600, "\(answer.text)")
  }

  @Test func `nothing works before hello`() async throws {
    async let started: Void = fixture.host.start()
    let script = try await fixture.starter.script()
    for method in ["ping", "storage.get", "messages.send", "nonsense"] {
      #expect(try await script.code(of: method) == -32002)
    }
    let hello = try await script.greet()
    try await started
    #expect(hello["api"]?.int == 1)
    #expect(hello["natter"]?.string == "0.9")
    #expect(hello["locale"]?.string == "fr")
    #expect(hello["theme"]?["name"]?.string == "night")
    #expect(hello["storage"]?.string == fixture.script.storage)
    #expect(hello["limits"]?["messages_per_hour"]?.int == 60)
    try await script.call("ping")
    #expect(try await script.code(of: "hello", #"{"api":1}"#) == -32600)
  }

  @Test func `an api that is not spoken is named`() async throws {
    async let started: Void = fixture.host.start()
    let script = try await fixture.starter.script()
    let error = try await script.failure(of: "hello", #"{"api":2}"#)
    #expect(error["code"]?.int == -32003)
    #expect(error["data"]?["speaks"] == .array([.integer(1)]))
    try await script.greet()
    try await started
  }

  @Test func `an unknown method has one error`() async throws {
    let script = try await fixture.start()
    for method in ["nonsense", "ui.pane.open2", "config.read", "shutdown"] {
      #expect(try await script.code(of: method) == -32601, "\(method)")
    }
    #expect(fixture.rights.asked == [])
  }

  @Test func `who asks too fast learns when to ask again`() async throws {
    let script = try await fixture.start()
    // `hello` was one of the burst.
    for _ in 0..<199 { try await script.call("ping") }
    let error = try await script.failure(of: "ping")
    #expect(error["code"]?.int == -32005)
    #expect(error["data"]?["retry_ms"]?.int == 10)
    fixture.clock.advance(by: .milliseconds(10))
    try await script.call("ping")
  }

  @Test func `parameters are checked before rights`() async throws {
    let script = try await fixture.start()
    let error = try await script.failure(
      of: "messages.send", #"{"conversation":"bob@example.org"}"#)
    #expect(error["code"]?.int == -32602)
    #expect(error["data"]?["path"]?.string == "body")
    #expect(try await script.code(of: "permissions.request", #"{"permission":"all"}"#) == -32602)
    #expect(
      try await script.code(of: "ui.status.set", #"{"id":"count","text":"1","role":"x"}"#)
        == -32602)
    #expect(fixture.rights.asked == [])
  }

  @Test func `a base request needs no right`() async throws {
    let script = try await fixture.start()
    #expect(try await script.call("version")["natter"]?.string == "0.9")
    #expect(try await script.call("log", #"{"text":"hi"}"#)["logged"] == .boolean(true))
    #expect(try await script.call("toast", #"{"text":"hi"}"#)["shown"] == .boolean(true))
    #expect(
      try await script.call("settings.get")["settings"]
        == .object(["city": .text("Lyon"), "units": .text("metric")]))
    #expect(try await script.code(of: "settings.get", #"{"name":"x"}"#) == -32004)
    #expect(try await script.call("permissions.list")["permissions"] == .array([]))
    // One after the other, without waiting.
    script.ask("storage.set", #"{"key":"a","value":[1,null]}"#)
    let read = script.ask("storage.get", #"{"key":"a"}"#)
    #expect(try await script.answer(to: read)["result"]?["value"]?.text == "[1,null]")
    #expect(fixture.rights.asked == [])
  }

  @Test func `an answer that is longer than a line is an error`() async throws {
    let fixture = try HostFixture {
      $0.settings.append(
        ScriptManifest.Setting(
          name: "long", help: "", standard: String(repeating: "x", count: BridgeLimits.line)))
    }
    let script = try await fixture.start()
    #expect(try await script.code(of: "settings.get", "{}") == -32007)
    #expect(try await script.call("settings.get", #"{"name":"city"}"#)["settings"]?["city"] != nil)
  }

  @Test func `storage over its limit is an error`() async throws {
    let script = try await fixture.start()
    let long = String(repeating: "x", count: ScriptStorage.valueLimit)
    let error = try await script.failure(
      of: "storage.set", #"{"key":"a","value":"\#(long)"}"#)
    #expect(error["code"]?.int == -32007)
    #expect(error["data"]?["text"]?.string == "error.script.storage")
    #expect(
      try await script.code(
        of: "storage.set", #"{"key":"\#(long.prefix(129))","value":1}"#) == -32602)
    #expect(try await script.code(of: "storage.set", #"{"key":"a"}"#) == -32602)
    #expect(try await script.call("storage.list")["keys"] == .array([]))
  }

  @Test func `a right that is held runs`() async throws {
    fixture.rights.hold(.sendMessages)
    let script = try await fixture.start()
    let message = try await script.call("messages.send", Self.send)["message"]
    #expect(message?["delivery"]?.string == "queued")
    #expect(await fixture.account.sender.sent == ["x"])
    #expect(fixture.rights.asked == [])
  }

  @Test func `a server's refusal is an error with its condition`() async throws {
    fixture.rights.hold(.changeContacts)
    await fixture.account.ports.fail(
      "add", with: NatterError(.refused, "stanza.not-allowed", ["text": ""]))
    let script = try await fixture.start()
    let error = try await script.failure(of: "contacts.add", #"{"address":"eve@example.org"}"#)
    #expect(error["code"]?.int == -32010)
    #expect(error["data"]?["condition"]?.string == "not-allowed")
  }

  @Test func `what is outside the scope does not exist`() async throws {
    fixture.rights.hold(.readMessages, BridgeScope(hasRooms: true))
    let script = try await fixture.start()
    var errors: [JSONValue] = []
    for name in ["bob@example.org", "nobody@example.org"] {
      let error = try await script.failure(
        of: "messages.history", #"{"conversation":"\#(name)"}"#)
      errors.append(error)
      #expect(error["code"]?.int == -32001)
    }
    let texts = errors.map { $0.text.replacing("nobody@", with: "bob@") }
    #expect(texts.first == texts.last)
  }

  @Test func `granted once is asked again`() async throws {
    fixture.rights.answer(.once)
    let script = try await fixture.start()
    try await script.call("messages.send", Self.send)
    try await script.call("messages.send", Self.send)
    #expect(fixture.rights.asked == ["messages.send", "messages.send"])
  }

  @Test func `granted for good is not asked after a restart`() async throws {
    fixture.rights.answer(.always)
    let script = try await fixture.start()
    try await script.call("messages.send", Self.send)
    await fixture.host.stop()
    let again = try await fixture.start(2, fixture.another())
    try await again.call("messages.send", Self.send)
    #expect(fixture.rights.asked == ["messages.send"])
  }

  private func refusal(_ reason: BridgeRights.Reason) async throws {
    fixture.rights.answer(.no(reason))
    let script = try await fixture.start()
    for (method, parameters) in [
      ("messages.send", Self.send), ("permissions.request", #"{"permission":"messages.send"}"#),
    ] {
      let error = try await script.failure(of: method, parameters)
      #expect(error["code"]?.int == -32001)
      #expect(error["data"]?["permission"]?.string == "messages.send")
      #expect(error["data"]?["reason"]?.string == reason.rawValue)
    }
    #expect(await fixture.account.sender.sent == [])
  }

  @Test func `what the user declined says so`() async throws { try await refusal(.declined) }

  @Test func `a question without an answer says so`() async throws {
    try await refusal(.notAnswered)
  }

  @Test func `without a screen nobody is asked, and the answer says so`() async throws {
    try await refusal(.notAsked)
  }

  @Test func `what the manifest does not declare is not asked for`() async throws {
    let script = try await fixture.start()
    let error = try await script.failure(
      of: "permissions.request", #"{"permission":"rooms.moderate"}"#)
    #expect(error["code"]?.int == -32001)
    #expect(error["data"]?["reason"]?.string == "not-declared")
    #expect(
      try await script.failure(of: "ui.status.set", #"{"id":"count","text":"1"}"#)["data"]?[
        "reason"]?.string == "not-declared")
    #expect(fixture.rights.asked == [])
  }

  @Test func `a right that is taken back ends what is under way`() async throws {
    fixture.rights.hold(.sendMessages)
    let script = try await fixture.start()
    let waiting = script.ask(
      "messages.send", #"{"conversation":"bob@example.org","body":"x","wait":"sent"}"#)
    try await until("sent") { await fixture.account.sender.sent == ["x"] }
    fixture.rights.revoke(.sendMessages)
    let error = try await script.answer(to: waiting)["error"]
    #expect(error?["code"]?.int == -32001)
    #expect(error?["data"]?["reason"]?.string == "revoked")
  }

  @Test func `a script that is gone gets no answer and nothing waits for it`() async throws {
    fixture.rights.hold(.sendMessages)
    let script = try await fixture.start()
    script.ask("messages.send", #"{"conversation":"bob@example.org","body":"x","wait":"sent"}"#)
    try await until("sent") { await fixture.account.sender.sent == ["x"] }
    let count = script.streams.input.value.count
    script.end(.status(0))
    #expect(await fixture.reaches { $0 == .sleeping })
    #expect(script.streams.input.value.count == count)
    // What was queued stays.
    #expect(await fixture.account.ports.messages.map(\.body) == ["x"])
  }
}
