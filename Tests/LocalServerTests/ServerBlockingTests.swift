import Testing
import XML
import XMPP

@testable import LocalServer

/// Blocking (XEP-0191).
@Suite struct ServerBlockingTests {
  private func block(_ client: RawXMPPClient, _ name: String, _ jids: String...) async throws
    -> Element
  {
    try await client.ask(
      "set", to: nil,
      Element(name, Names.blocking, [:], jids.map { Element("item", Names.blocking, ["jid": $0]) }))
  }

  @Test func `a blocked user neither reaches nor sees the blocker, and is heard again afterwards`()
    async throws
  {
    try await withServer { server in
      let alice = try await server.client("alice")
      let bob = try await server.client("bob")
      _ = try await alice.presence(nil, from: "bob@localhost/test")
      let list = try await alice.ask("get", to: nil, Element("blocklist", Names.blocking))
      #expect(list.elements.first?.elements.isEmpty == true)
      #expect(try await block(alice, "block", "bob@localhost")["type"] == "result")
      let push = try await alice.element("a push") { $0.first("block", Names.blocking) != nil }
      #expect(push["type"] == "set")
      _ = try await bob.presence("unavailable", from: "alice@localhost/test")
      try await bob.say("x", to: "alice@localhost", id: "b1")
      let error = try await bob.message("an error") { $0["id"] == "b1" }
      #expect(RawXMPPClient.condition(error) == "service-unavailable")
      let ping = try await bob.ask(
        "get", to: "alice@localhost/test", Element("ping", Namespace.ping))
      #expect(RawXMPPClient.condition(ping) == "service-unavailable")
      try await alice.say("x", to: "bob@localhost", id: "a1")
      let own = try await alice.message("an error") { $0["id"] == "a1" }
      #expect(RawXMPPClient.condition(own) == "not-acceptable")
      #expect(own.first("error", Namespace.client)?.first("blocked", Names.blockingErrors) != nil)
      try await alice.send("<presence><status>secret</status></presence>")
      try await alice.catchUp()
      #expect(try await bob.rest().filter { $0.childText("status") == "secret" }.isEmpty)
      #expect(try await block(alice, "unblock")["type"] == "result")
      _ = try await bob.presence(nil, from: "alice@localhost/test")
      try await bob.say("again", to: "alice@localhost")
      _ = try await alice.message(body: "again")
    }
  }

  @Test func `bad lists are refused, good ones are kept`() async throws {
    try await withServer { server in
      let alice = try await server.client("alice")
      #expect(RawXMPPClient.condition(try await block(alice, "block")) == "bad-request")
      #expect(RawXMPPClient.condition(try await block(alice, "block", "@")) == "jid-malformed")
      _ = try await block(alice, "block", "elsewhere.example", "x@localhost/r")
      let list = try await alice.ask("get", to: nil, Element("blocklist", Names.blocking))
      #expect(
        list.elements.first?.elements.compactMap { $0["jid"] } == [
          "elsewhere.example", "x@localhost/r",
        ])
    }
  }
}
