import Testing
import XML
import XMPP

@testable import LocalServer

/// The copies for an account's other clients (XEP-0280), and the messages they find after a session
/// has ended.
@Suite struct ServerCarbonTests {
  private func watching(_ server: TestServer) async throws -> (RawXMPPClient, RawXMPPClient) {
    let alice = try await server.client("alice", resource: "one")
    let other = try await server.client("alice", resource: "two", registering: false)
    #expect(
      try await other.ask("set", to: nil, Element("enable", Names.carbons))["type"] == "result")
    _ = try await other.rest()
    return (alice, other)
  }

  @Test(arguments: [
    ("chat", "<body>x</body>", true), ("normal", "<body>x</body>", true),
    ("chat", "<composing xmlns='http://jabber.org/protocol/chatstates'/>", true),
    ("normal", "<received xmlns='urn:xmpp:receipts' id='1'/>", true),
    ("normal", "<displayed xmlns='urn:xmpp:chat-markers:0' id='1'/>", true),
    ("normal", "<x xmlns='jabber:x:conference' jid='r@rooms.localhost'/>", true),
    ("normal", "<x xmlns='urn:example'/>", false), ("headline", "<body>x</body>", false),
    ("chat", "<body>x</body><private xmlns='urn:xmpp:carbons:2'/>", false),
    ("chat", "<body>x</body><no-copy xmlns='urn:xmpp:hints'/>", false),
    ("chat", "<sent xmlns='urn:xmpp:carbons:2'/>", false),
  ]) func `what is part of a conversation is copied`(
    type: String, content: String, isCopied: Bool
  ) async throws {
    try await withServer { server in
      let (alice, other) = try await watching(server)
      let bob = try await server.client("bob")
      try await alice.send(
        "<message to='bob@localhost/test' type='\(type)' id='a'>\(content)</message>")
      let arrived = try await bob.message { $0["id"] == "a" }
      #expect(arrived.first("private", Names.carbons) == nil)
      try await bob.send(
        "<message to='alice@localhost/one' type='\(type)' id='b'>\(content)</message>")
      _ = try await alice.message { $0["id"] == "b" }
      let copies = try await other.rest().filter { $0["from"] == "alice@localhost" }
      #expect(copies.flatMap { $0.elements.map(\.name) } == (isCopied ? ["sent", "received"] : []))
    }
  }

  @Test func `what one says to oneself comes once`() async throws {
    try await withServer { server in
      let (alice, other) = try await watching(server)
      try await alice.say("note", to: "alice@localhost")
      _ = try await alice.message(body: "note")
      let seen = try await other.rest().filter { $0.name == "message" }
      #expect(seen.count == 1 && seen.first?.childText("body") == "note")
    }
  }

  @Test func `a copy of what was sent has the id of the own archive`() async throws {
    try await withServer { server in
      let (alice, other) = try await watching(server)
      _ = try await server.client("bob")
      try await alice.send(
        "<message to='bob@localhost' type='chat'><body>x</body>"
          + "<stanza-id xmlns='urn:xmpp:sid:0' by='alice@localhost' id='forged'/></message>")
      let copy = try await other.message { $0.first("sent", Names.carbons) != nil }
      let inner = copy.first("sent", Names.carbons)?.first("forwarded", Names.forward)?.elements
        .first
      let ids = inner?.all("stanza-id", Namespace.stanzaIDs).filter {
        $0["by"] == "alice@localhost"
      }
      #expect(ids?.count == 1 && ids?.first?["id"] != "forged")
    }
  }

  @Test func `a count that is too high is named`() async throws {
    try await withServer { server in
      let bob = try await server.client("bob")
      try await bob.send(
        "<enable xmlns='urn:xmpp:sm:3' resume='true'/><a xmlns='urn:xmpp:sm:3' h='7'/>")
      let error = try await bob.element("an error") { $0.is("error", Namespace.streams) }
      let detail = error.first("handled-count-too-high", Namespace.streamManagement)
      #expect(StreamError(error)?.condition == .undefinedCondition)
      #expect(detail?["h"] == "7" && detail?["send-count"] == "0")
      _ = try await bob.drain()
    }
  }
}
