import Foundation
import JSONLines
import NatterCore
import TestSupport
import Testing
import XMPP

@testable import ScriptService

/// The scripts that come with Natter, as they are started.
@Suite struct ExampleTests {
  private let storage: TemporaryFolder

  init() throws { storage = try TemporaryFolder("script") }

  /// Starts an example with the values of its settings.
  private func start(
    _ name: String, _ run: [String], settings: [String: String] = [:],
    answering: @escaping FakeNatter.Answering = { _, _ in nil }
  ) throws -> FakeNatter {
    let values = JSONValue.object(["settings": .object(settings.mapValues(JSONValue.text))])
    return try FakeNatter(
      run, in: Programs.checkout.appending(path: "Resources/scripts/\(name)"), storage: storage
    ) { method, parameters in
      method == "settings.get" ? .result(values) : answering(method, parameters)
    }
  }

  private func member(_ nicks: String..., reset: Bool = false, entering: Bool = false)
    -> [String: JSONValue]
  {
    [
      "conversation": .text("tea@rooms.example.org"), "reset": .boolean(reset),
      "entering": .boolean(entering),
      "changed": .array(nicks.map { .object(["nick": .text($0)]) }), "removed": .array([]),
    ]
  }

  @Test(.requires(.node)) func `the greeter greets who comes in, and nobody who is there`()
    async throws
  {
    let natter = try start(
      "greeter", ["node", "greeter.mjs"], settings: ["text": "Hello {nick}!"])
    #expect(try await natter.request("events.subscribe")["in"] == .array([.text("rooms")]))
    // The list of those who are there comes in several events; the user is the last.
    natter.send("room.member", member("alice", reset: true))
    natter.send("room.member", member("dora", entering: true))
    natter.send("room.member", member("me", entering: true))
    natter.send("room.member", member("alice", "bob"))
    natter.send("room.member", member("bob"))
    natter.send("room.member", member("carol"))
    let state = try await natter.waits(for: "the second name") {
      $0.stored["seen.tea@rooms.example.org"] == .text(#"["alice","dora","me","bob","carol"]"#)
    }
    let sent = state.requests("messages.send")
    #expect(sent.map { $0["body"]?.string } == ["Hello bob!", "Hello carol!"])
    #expect(sent.first?["conversation"] == .text("tea@rooms.example.org"))
    #expect(sent.first?["request_id"] == .text("greet bob"))
    #expect(await natter.end() == .exited(0))
  }

  @Test(.requires(.node)) func `the greeter does not greet those who are there when it starts`()
    async throws
  {
    let natter = try start("greeter", ["node", "greeter.mjs"], settings: ["text": "{nick}"]) {
      method, parameters in
      switch method {
      case "rooms.list":
        let rooms = [("tea@rooms.example.org", "joined"), ("den@rooms.example.org", "outside")]
        return .result(
          .object([
            "rooms": .array(
              rooms.map { .object(["conversation": .text($0.0), "state": .text($0.1)]) })
          ]))
      case "rooms.members" where parameters["conversation"] == .text("tea@rooms.example.org"):
        let people = ["alice", "me"].map { JSONValue.object(["nick": .text($0)]) }
        return .result(.object(["occupants": .array(people)]))
      default: return nil
      }
    }
    _ = try await natter.request("events.subscribe")
    // She is only away for a moment.
    natter.send("room.member", member("alice"))
    natter.send("room.member", member("bob"))
    let state = try await natter.waits(for: "the third name") {
      $0.stored["seen.tea@rooms.example.org"] == .text(#"["alice","me","bob"]"#)
    }
    #expect(state.requests("messages.send").map { $0["body"]?.string } == ["bob"])
    #expect(state.requests("rooms.members").count == 1)
    #expect(await natter.end() == .exited(0))
  }

  @Test(.requires(.node)) func `the command of the greeter needs no right to read`() async throws {
    let natter = try start(
      "greeter", ["node", "greeter.mjs"], settings: ["text": "Hello {nick}!"]
    ) { method, _ in
      method == "events.subscribe" ? .error(code: -32001, text: "The user said no.") : nil
    }
    try await natter.waits(for: "the line of the log") { $0.log.contains("The user said no.") }
    #expect(try await natter.run("greet", "dave")?["insert"] == .text("Hello dave!"))
    #expect(try await natter.run("greet")?["note"]?.string?.isEmpty == false)
    #expect(await natter.closeInput() == .exited(0))
  }

  @Test(.requires(.python3)) func `the weather is that of the town, or of the setting`()
    async throws
  {
    let natter = try start(
      "weather", ["python3", "-B", "weather.py"],
      settings: ["place": "Paris", "service": "data:,sunny"])
    #expect(
      try await natter.run("weather", "New", "York")?["note"]
        == .text("sunny/New York?format=3"))
    #expect(try await natter.run("weather")?["note"] == .text("sunny/Paris?format=3"))
    #expect(await natter.end() == .exited(0))
  }

  @Test(.requires(.python3)) func `a weather service that does not answer is a note`() async throws
  {
    // Nothing listens there, and no request leaves the machine.
    let natter = try start(
      "weather", ["python3", "-B", "weather.py"],
      settings: ["place": "Paris", "service": "http://127.0.0.1:1"])
    let note = try await natter.run("weather")?["note"]?.string ?? ""
    #expect(note.hasPrefix("No weather for Paris: "))
    #expect(await natter.closeInput() == .exited(0))
  }

  @Test(.requires(.node)) func `ticket numbers are found by characters`() async throws {
    let natter = try start(
      "tickets", ["node", "tickets.mjs"], settings: ["address": "https://t.example/"])
    let messages: [JSONValue] = [
      .object(["id": .text("1"), "body": .text("👨‍👩‍👧é #12 and #a, a#3, (#45)")]),
      .object(["id": .text("2"), "body": .text("nothing")]),
    ]
    let answer = try await natter.ask("decorate", .object(["messages": .array(messages)]))
    let found = try #require(answer["result"]?.elements)
    #expect(found.map { $0["id"]?.string } == ["1", "2"])
    let spans = found[0]["spans"]?.elements ?? []
    #expect(spans.map { $0["start"]?.int } == [3, 21])
    #expect(spans.map { $0["length"]?.int } == [3, 3])
    #expect(spans.first?["link"] == .text("https://t.example/12"))
    #expect(found[1]["spans"] == .array([]))
    let bob = JID(local: "bob", domain: "example.org")
    let taken = DecorationAnswer(
      .array(found),
      to: DecorationRequest(
        [.init(.init(1), "👨‍👩‍👧é #12 and #a, a#3, (#45)"), .init(.init(2), "nothing")], in: bob,
        .direct, of: bob))
    #expect(taken.complaint == nil)
    #expect(taken.decorations[.init(1)]?.spans.map(\.range) == [3..<6, 21..<24])
    #expect(await natter.end() == .exited(0))
  }

  @Test(.requires(.node)) func `what was said about a ticket is listed in a pane`() async throws {
    func message(_ at: String, _ body: String) -> JSONValue {
      .object(["at": .text(at), "from": .text("bob@example.org"), "body": .text(body)])
    }
    let found: [JSONValue] = [
      message("2026-11-30T12:00:00Z", "#12 is done"), message("2026-11-29T08:30:00Z", "see #12"),
      message("2026-11-28T08:30:00Z", "12 apples"),
    ]
    let natter = try start(
      "tickets", ["node", "tickets.mjs"], settings: ["address": "https://t.example/"]
    ) { method, _ in
      method == "messages.search" ? .result(.object(["messages": .array(found)])) : nil
    }
    #expect(try await natter.run("ticket", "#12")?["pane"] == .text("ticket"))
    let pane = try await natter.request("ui.pane.open")
    #expect(
      pane["lines"]?.elements?.map { $0["text"]?.string } == [
        "2026-11-29 08:30  bob@example.org: see #12",
        "2026-11-30 12:00  bob@example.org: #12 is done",
      ])
    let opened = try await natter.ask(
      "url.open", .object(["url": .text("https://t.example/12")]))
    #expect(opened["result"]?["pane"] == .text("ticket"))
    #expect(try await natter.run("ticket", "x")?["note"]?.string?.isEmpty == false)
    #expect(await natter.end() == .exited(0))
  }

  @Test(.requires(.jq)) func `the number of unread messages is that of all parts of the list`()
    async throws
  {
    @Sendable func part(_ unread: [Int], mentions: Int, more: Bool) -> FakeNatter.Answer {
      .result(
        .object([
          "conversations": .array(
            unread.map {
              .object(["unread": .integer($0), "mentions": .integer(mentions)])
            }), "more": .boolean(more),
        ]))
    }
    let natter = try start("unread", ["./unread.sh"]) { method, parameters in
      guard method == "conversations.list" else { return nil }
      return parameters["skip"] == .integer(2)
        ? part([4], mentions: 1, more: false) : part([2, 1], mentions: 0, more: true)
    }
    let status = try await natter.request("ui.status.set")
    #expect(status["text"] == .text("7 unread"))
    #expect(status["role"] == .text("warning"))
    natter.send("conversation.changed", ["unread": .integer(3)])
    #expect(try await natter.request("ui.status.set", number: 2)["text"] == .text("7 unread"))
    #expect(try await natter.ask("ping")["result"] == .object([:]))
    #expect(await natter.end() == .exited(0))
    #expect(natter.observed.value.log == [])
  }
}
