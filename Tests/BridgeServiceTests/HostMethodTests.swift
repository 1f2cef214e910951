import Foundation
import JSONLines
import NatterCore
import TestSupport
import Testing
import XMPP

@testable import BridgeService

/// Pins, notifications, settings, and messages that rooms retract.
@Suite struct HostMethodTests {
  private let fixture = BridgeFixture(messages: [
    BridgeFixture.message(1, "hello"),
    Message(
      id: .init(2), conversation: BridgeFixture.tea, sender: BridgeFixture.tea,
      direction: .incoming, body: "spam", sentAt: BridgeFixture.start, originID: "o2",
      stanzaID: "s2"),
    BridgeFixture.message(3, "not from an archive", in: BridgeFixture.tea),
  ])
  private static let bob = #"{"conversation":"bob@example.org""#

  /// A client that has only some rights.
  private func serve(
    without missing: BridgePermission, _ body: (TestClient) async throws -> Void
  ) async throws {
    var options = fixture.options()
    options.rights = { _ in
      BridgeRights(held: { permission, _ in
        permission == missing ? .refused(.declined) : .held(.all)
      })
    }
    try await fixture.serve(nil, options, body)
  }

  @Test func `a conversation is pinned, and its pin removed`() async throws {
    try await fixture.serve { client in
      try await client.greet()
      let pinned = try await client.call("conversations.pin", Self.bob + "}")
      #expect(pinned["pinned"] == .boolean(true))
      let removed = try await client.call("conversations.pin", Self.bob + #","pinned":false}"#)
      #expect(removed["pinned"] == .boolean(false))
      for (parameters, code) in [
        ("{}", -32602), (Self.bob + #","pinned":"yes"}"#, -32602),
        (#"{"conversation":"eve@example.org"}"#, -32004),
        // The store has it, the list does not.
        (#"{"conversation":"tea@rooms.example.org"}"#, -32004),
      ] {
        #expect(try await client.code(of: "conversations.pin", parameters) == code)
      }
    }
    #expect(
      await fixture.host.calls == [
        "pin bob@example.org of alice@example.org", "unpin bob@example.org of alice@example.org",
      ])
  }

  @Test func `pins need their right, before anything is looked up`() async throws {
    try await serve(without: .changeConversations) { client in
      try await client.greet()
      for name in ["bob", "eve"] {
        let error = try await client.failure(
          of: "conversations.pin", #"{"conversation":"\#(name)@example.org"}"#)
        #expect(error["code"] == .integer(-32001))
        #expect(error["data"]?["permission"] == .text("conversations.write"))
      }
    }
    #expect(await fixture.host.calls == [])
  }

  @Test func `a room is asked to retract a message that it has an id for`() async throws {
    try await fixture.serve { client in
      try await client.greet()
      try await client.call("rooms.retract", #"{"message":"2","reason":"spam"}"#)
      #expect(await fixture.rooms.calls == ["retract s2 spam"])
      for (parameters, code) in [
        ("{}", -32602), (#"{"message":"1"}"#, -32602), (#"{"message":"3"}"#, -32602),
        (#"{"message":"99"}"#, -32004),
      ] {
        #expect(try await client.code(of: "rooms.retract", parameters) == code)
      }
      await fixture.rooms.refuse(with: NatterError(.refused, "stanza.forbidden"))
      let error = try await client.failure(of: "rooms.retract", #"{"message":"2"}"#)
      #expect(error["code"] == .integer(-32010))
      #expect(error["data"]?["condition"] == .text("forbidden"))
    }
    try await serve(without: .moderateRooms) { client in
      try await client.greet()
      #expect(try await client.code(of: "rooms.retract", #"{"message":"2"}"#) == -32001)
    }
  }

  @Test func `a notification is shown, unless the user does not want it`() async throws {
    try await fixture.serve { client in
      try await client.greet()
      let shown = try await client.call(
        "notify", Self.bob + #","title":"Build","text":"done"}"#)
      #expect(shown["shown"] == .boolean(true))
      await fixture.host.beQuiet()
      #expect(try await client.call("notify", #"{"text":"x"}"#)["shown"] == .boolean(false))
      #expect(
        await fixture.host.notifications == [
          BridgeNotification(title: "Build", text: "done", conversation: BridgeFixture.bob),
          BridgeNotification(title: "Natter", text: "x", conversation: nil),
        ])
      for (parameters, code) in [
        ("{}", -32602), (#"{"text":""}"#, -32602),
        (#"{"text":"\#(String(repeating: "x", count: 1025))"}"#, -32602),
        (#"{"text":"x","conversation":"eve@example.org"}"#, -32004),
      ] {
        #expect(try await client.code(of: "notify", parameters) == code)
      }
    }
    try await serve(without: .notify) { client in
      try await client.greet()
      #expect(try await client.code(of: "notify", #"{"text":"x"}"#) == -32001)
    }
  }

  @Test func `a program with a name is named in its notification`() async throws {
    var options = fixture.options()
    options.rights = { _ in .person }
    try await fixture.serve(nil, options) { client in
      try await client.greet(as: "bot")
      try await client.call("notify", #"{"title":"Build","text":"done"}"#)
    }
    #expect(await fixture.host.notifications.map(\.title) == ["bot: Build"])
  }

  @Test func `five notifications are shown at once, then one in five seconds`() async throws {
    let bridge = Bridge([fixture.account()], options: fixture.options())
    var codes: [Int?] = []
    // Each from a client of its own.
    for _ in 0..<7 {
      let client = TestClient()
      let serving = Task { await bridge.serve(client) }
      try await client.greet()
      let answer = try await client.answer(to: client.ask("notify", #"{"text":"x"}"#))
      codes.append(answer["error"]?["code"]?.int)
      if codes.count == 6 {
        #expect(answer["error"]?["data"]?["retry_ms"] == .integer(5000))
        fixture.clock.advance(by: .seconds(5))
      }
      client.close()
      await serving.value
    }
    #expect(codes == [nil, nil, nil, nil, nil, -32005, nil])
  }

  @Test func `settings are listed for the user's own programs, without secrets`() async throws {
    try await fixture.serve { client in
      try await client.greet()
      let settings = try await client.call("settings.list")["settings"]?.elements
      #expect(
        settings == [
          .object(["section": .text("ui"), "key": .text("mouse"), "value": .boolean(true)]),
          .object(["section": .text("account"), "key": .text("port")]),
          .object([
            "section": .text("account"), "key": .text("password_command"), "hidden": .boolean(true),
          ]),
        ])
      #expect(try await client.call("settings.list", #"{"skip":3}"#)["settings"] == .array([]))
      #expect(try await client.code(of: "settings.list", #"{"skip":-1}"#) == -32602)
    }
    try await fixture.serve { client in
      try await client.greet(as: "bot")
      #expect(try await client.code(of: "settings.list") == -32001)
    }
  }

  @Test func `settings are listed where clients cannot end the program`() async throws {
    var options = fixture.options()
    options.control = nil
    try await fixture.serve(nil, options) { client in
      try await client.greet()
      try await client.call("settings.list")
      #expect(try await client.code(of: "shutdown") == -32601)
    }
  }

  @Test func `without a screen or services these are not possible`() async throws {
    var options = fixture.options()
    options.host = nil
    try await fixture.serve(nil, options) { client in
      try await client.greet()
      for (method, parameters) in [
        ("conversations.pin", Self.bob + "}"), ("notify", #"{"text":"x"}"#),
        ("settings.list", "{}"),
      ] {
        #expect(try await client.code(of: method, parameters) == -32011)
      }
    }
    try await fixture.serve([fixture.account(isRunning: false)]) { client in
      try await client.greet()
      #expect(try await client.code(of: "conversations.pin", Self.bob + "}") == -32011)
      #expect(try await client.code(of: "notify", #"{"text":"x"}"#) == -32011)
    }
  }
}
