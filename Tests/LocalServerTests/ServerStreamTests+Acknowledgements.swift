import Foundation
import Testing
import XML
import XMPP

@testable import LocalServer

/// Acknowledgements and resumption (XEP-0198).
extension ServerStreamTests {
  private func enable(_ client: RawXMPPClient) async throws -> Element {
    try await client.send("<enable xmlns='urn:xmpp:sm:3' resume='true'/>")
    return try await client.element("enabled") { $0.name == "enabled" || $0.name == "failed" }
  }

  @Test func `stanzas are counted in both directions`() async throws {
    try await withServer { server in
      let alice = try await server.client("alice")
      let bob = try await server.client("bob")
      #expect(try await enable(bob).name == "enabled")
      #expect(try await enable(bob).name == "failed")
      try await bob.send("<presence/><r xmlns='urn:xmpp:sm:3'/>")
      #expect(try await bob.element("an answer") { $0.name == "a" }["h"] == "1")
      try await alice.say("x", to: "bob@localhost")
      _ = try await bob.message(body: "x")
      _ = try await bob.element("a question") { $0.name == "r" }
      try await bob.send("<a xmlns='urn:xmpp:sm:3' h='99'/>")
      #expect(try await bob.streamError().condition == .undefinedCondition)
    }
  }

  @Test func `a session is taken up again with what was not acknowledged`() async throws {
    try await withServer { server in
      let alice = try await server.client("alice")
      let bob = try await server.client("bob")
      let token = try #require(try await enable(bob)["id"])
      try await alice.say("one", to: "bob@localhost")
      _ = try await bob.message(body: "one")
      try await bob.send("<a xmlns='urn:xmpp:sm:3' h='1'/>")
      try await alice.say("two", to: "bob@localhost")
      _ = try await bob.message(body: "two")
      bob.close()
      try await alice.say("three", to: "bob@localhost")
      try await alice.catchUp()

      let back = try await server.connect()
      try await back.open()
      try await back.authenticateAndReopen("bob")
      try await back.send("<resume xmlns='urn:xmpp:sm:3' previd='\(token)' h='1'/>")
      let resumed = try await back.element("resumed") {
        $0.name == "resumed" || $0.name == "failed"
      }
      #expect(resumed.name == "resumed" && resumed["previd"] == token && resumed["h"] == "0")
      let messages = try await back.rest().filter { $0.name == "message" }
      #expect(messages.compactMap { $0.first("body", Namespace.client)?.text } == ["two", "three"])
      #expect(messages.allSatisfy { $0.first("delay", Namespace.delay) != nil })
      // Nobody saw it go.
      #expect(try await alice.rest().filter { $0["type"] == "unavailable" }.isEmpty)
    }
  }

  @Test func `a session of another user, or an unknown one, is not taken up`() async throws {
    try await withServer { server in
      let bob = try await server.client("bob")
      let token = try #require(try await enable(bob)["id"])
      let mallory = try await server.connect()
      try await mallory.open()
      _ = try await mallory.register("mallory")
      try await mallory.authenticateAndReopen("mallory")
      for previd in [token, "unknown"] {
        try await mallory.send("<resume xmlns='urn:xmpp:sm:3' previd='\(previd)' h='0'/>")
        let failed = try await mallory.element("failed") { $0.name == "failed" }
        #expect(failed.elements.first?.name == "item-not-found")
      }
      #expect(try await mallory.bind("x")["type"] == "result")
      try await bob.catchUp()
    }
  }

  @Test func `a session that is not resumed is over after its time, its messages are kept`()
    async throws
  {
    try await withServer({ $0.resumption = .milliseconds(100) }) { server in
      let alice = try await server.client("alice")
      let bob = try await server.client("bob")
      _ = try await enable(bob)
      try await alice.say("unread", to: "bob@localhost")
      _ = try await bob.message(body: "unread")
      bob.close()
      _ = try await alice.presence("unavailable", from: "bob@localhost/test")
      let back = try await server.client("bob", registering: false)
      let message = try await back.message(body: "unread")
      #expect(message.first("delay", Namespace.delay) != nil)
    }
  }

  @Test func `a goodbye ends the session at once, unread messages go to the other client`()
    async throws
  {
    try await withServer { server in
      let alice = try await server.client("alice")
      let bob = try await server.client("bob", resource: "one")
      let other = try await server.client("bob", resource: "two", registering: false)
      _ = try await enable(bob)
      try await alice.say("for one", to: "bob@localhost/one")
      _ = try await bob.message(body: "for one")
      try await bob.send("</stream:stream>")
      _ = try await bob.next("the end") { if case .closed = $0 { true } else { false } }
      _ = try await other.message(body: "for one")
    }
  }

  @Test func `a client that acknowledges nothing is sent away`() async throws {
    try await withServer { server in
      let alice = try await server.client("alice")
      let bob = try await server.client("bob")
      _ = try await enable(bob)
      let presence = "<presence to='bob@localhost/test'/>"
      try await alice.send(String(repeating: presence, count: Router.unacknowledgedLimit + 1))
      #expect(try await bob.streamError().condition == .policyViolation)
    }
  }
}
