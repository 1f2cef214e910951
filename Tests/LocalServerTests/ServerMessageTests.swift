import Foundation
import Testing
import XML
import XMPP

@testable import LocalServer

@Suite struct ServerMessageTests {
  @Test func `a message reaches every available client of the account, stamped`() async throws {
    try await withServer { server in
      let alice = try await server.client("alice")
      let one = try await server.client("bob", resource: "one")
      let two = try await server.client("bob", resource: "two", registering: false)
      let silent = try await server.client(
        "bob", resource: "silent", registering: false, available: false)
      try await alice.say("hello", to: "bob@localhost")
      for client in [one, two] {
        let message = try await client.message(body: "hello")
        #expect(message["from"] == "alice@localhost/test")
        #expect(message["to"] == "bob@localhost")
        let stamp = try #require(message.first("stanza-id", Namespace.stanzaIDs))
        #expect(stamp["by"] == "bob@localhost" && stamp["id"]?.isEmpty == false)
        #expect(message.first("delay", Namespace.delay) == nil)
      }
      try await alice.catchUp()
      #expect(try await silent.rest().isEmpty)
    }
  }

  @Test func `a client with a negative priority gets only what names it`() async throws {
    try await withServer { server in
      let alice = try await server.client("alice")
      let shy = try await server.client("bob", resource: "shy", available: false)
      try await shy.becomeAvailable(priority: -1)
      let open = try await server.client("bob", resource: "open", registering: false)
      try await alice.say("to all", to: "bob@localhost")
      try await alice.say("to shy", to: "bob@localhost/shy")
      _ = try await open.message(body: "to all")
      _ = try await shy.message(body: "to shy")
      #expect(try await shy.rest().filter { $0.name == "message" }.isEmpty)
    }
  }

  @Test func `messages to unknown addresses come back as errors, others are kept for later`()
    async throws
  {
    try await withServer { server in
      let alice = try await server.client("alice")
      let cases: [(to: String, type: String, condition: String?)] = [
        ("nobody@localhost", "chat", "service-unavailable"),
        ("nobody@localhost", "normal", "service-unavailable"),
        ("x@elsewhere.example", "chat", "remote-server-not-found"),
        ("localhost", "chat", "service-unavailable"),
        ("@", "chat", "jid-malformed"),
        ("bob@localhost", "groupchat", "service-unavailable"),
        ("bob@localhost/gone", "groupchat", "service-unavailable"),
        ("bob@localhost", "headline", nil), ("bob@localhost/gone", "headline", nil),
        ("bob@localhost", "error", nil),
        ("bob@localhost", "chat", nil), ("bob@localhost/gone", "chat", nil),
        ("bob@localhost", "nonsense", nil),
      ]
      let bob = try await server.client("bob", available: false)
      for (number, row) in cases.enumerated() {
        try await alice.say("\(number)", to: row.to, type: row.type, id: "id\(number)")
        let answers = try await alice.rest().filter {
          $0.name == "message" && $0["id"] == "id\(number)"
        }
        #expect(answers.first.flatMap { RawXMPPClient.condition($0) } == row.condition, "\(row)")
        #expect(answers.count == (row.condition == nil ? 0 : 1), "\(row)")
      }
      try await bob.becomeAvailable()
      let bodies = try await bob.rest().filter {
        $0["from"] == "alice@localhost/test" && $0.name == "message"
      }
      .compactMap { $0.first("body", Namespace.client)?.text }
      #expect(bodies == ["10", "11", "12"])
    }
  }

  @Test func `offline messages come in order with the time they were sent, once`() async throws {
    try await withServer { server in
      let alice = try await server.client("alice")
      let bob = try await server.client("bob")
      bob.close()
      _ = try await alice.presence("unavailable", from: "bob@localhost/test")
      for number in 1...3 { try await alice.say("later \(number)", to: "bob@localhost") }
      try await alice.send(
        "<message to='bob@localhost' type='chat'><composing xmlns='http://jabber.org/protocol/chatstates'/></message>"
      )
      try await alice.catchUp()
      let back = try await server.client("bob", registering: false)
      let messages = try await back.rest().filter {
        $0.name == "message" && $0["from"] == "alice@localhost/test"
      }
      #expect(
        messages.compactMap { $0.first("body", Namespace.client)?.text } == [
          "later 1", "later 2", "later 3",
        ])
      for message in messages {
        let delay = try #require(message.first("delay", Namespace.delay))
        #expect(delay["from"] == "localhost")
        let stamp = try #require(delay["stamp"].flatMap { XEP0082DateTime.date(from: $0) })
        #expect(abs(stamp.timeIntervalSinceNow) < 60)
        #expect(message.all("stanza-id", Namespace.stanzaIDs).count == 1)
      }
      let again = try await server.client("bob", resource: "again", registering: false)
      #expect(try await again.rest().filter { $0.name == "message" }.isEmpty)
    }
  }

  @Test func `a stanza id that a sender claims is replaced`() async throws {
    try await withServer { server in
      let alice = try await server.client("alice")
      let bob = try await server.client("bob")
      try await alice.send(
        "<message to='bob@localhost' type='chat'><body>x</body>"
          + "<stanza-id xmlns='urn:xmpp:sid:0' by='bob@localhost' id='forged'/>"
          + "<stanza-id xmlns='urn:xmpp:sid:0' by='room@elsewhere' id='kept'/></message>")
      let ids = try await bob.message(body: "x").all("stanza-id", Namespace.stanzaIDs)
      #expect(ids.count == 2)
      #expect(!ids.contains { $0["id"] == "forged" })
      #expect(ids.contains { $0["id"] == "kept" })
    }
  }

  @Test func `a sender cannot name another`() async throws {
    try await withServer { server in
      let alice = try await server.client("alice")
      let bob = try await server.client("bob")
      try await alice.send(
        "<message from='alice@localhost' to='bob@localhost' type='chat'><body>own</body></message>")
      #expect(try await bob.message(body: "own")["from"] == "alice@localhost/test")
      try await alice.send(
        "<message from='bob@localhost' to='bob@localhost' type='chat'><body>x</body></message>")
      #expect(try await alice.streamError().condition == .invalidFrom)
      _ = try await alice.drain()
    }
  }

  @Test func `markup, emoji and long text arrive as they were sent`() async throws {
    try await withServer { server in
      let alice = try await server.client("alice")
      let bob = try await server.client("bob")
      for body in [
        "<b>&amp;</b> ]]> \"'", "👩‍👩‍👧‍👦 é 中文 \u{202E}x", String(repeating: "ü", count: 200_000),
      ] {
        try await alice.say(body, to: "bob@localhost")
        _ = try await bob.message(body: body)
      }
    }
  }

  @Test func `copies of a conversation go to the account's other clients that want them`()
    async throws
  {
    try await withServer { server in
      let alice = try await server.client("alice", resource: "one")
      let other = try await server.client("alice", resource: "two", registering: false)
      let bob = try await server.client("bob")
      let enable = Element("enable", Names.carbons)
      #expect(try await other.ask("set", to: nil, enable)["type"] == "result")
      try await alice.say("out", to: "bob@localhost")
      _ = try await bob.message(body: "out")
      let sent = try await other.message("a sent copy") { $0.first("sent", Names.carbons) != nil }
      #expect(sent["from"] == "alice@localhost")
      let inner = sent.first("sent", Names.carbons)?.first("forwarded", Names.forward)?
        .first("message", Namespace.client)
      #expect(inner?.first("body", Namespace.client)?.text == "out")
      try await bob.say("in", to: "alice@localhost/one")
      _ = try await alice.message(body: "in")
      _ = try await other.message("a received copy") { $0.first("received", Names.carbons) != nil }
      try await bob.send(
        "<message to='alice@localhost/one' type='chat'><body>private</body><private xmlns='urn:xmpp:carbons:2'/></message>"
      )
      _ = try await alice.message(body: "private")
      #expect(try await other.rest().filter { $0.name == "message" }.isEmpty)
    }
  }

  @Test func `an account has room for so many messages and no more`() async throws {
    try await withServer({ $0.offlineLimit = 5 }) { server in
      let alice = try await server.client("alice")
      _ = try await server.client("bob", available: false)
      for number in 1...6 { try await alice.say("\(number)", to: "bob@localhost", id: "\(number)") }
      let error = try await alice.message("an error") { $0["type"] == "error" }
      #expect(error["id"] == "6")
      #expect(RawXMPPClient.condition(error) == "resource-constraint")
    }
  }

  @Test func `thousands of waiting messages come page by page, all of them in order`() async throws
  {
    try await withServer { server in
      let alice = try await server.client("alice")
      _ = try await server.client("bob", available: false)
      let count = 3_000
      var text = ""
      for number in 1...count {
        text += "<message to='bob@localhost' type='chat'><body>n\(number)</body></message>"
      }
      try await alice.send(text)
      try await alice.catchUp()
      let bob = try await server.client(
        "bob", resource: "late", registering: false, available: false)
      try await bob.send("<presence/>")
      for number in 1...count {
        let message = try await bob.message { $0["from"] == "alice@localhost/test" }
        #expect(message.first("body", Namespace.client)?.text == "n\(number)")
      }
    }
  }
}
