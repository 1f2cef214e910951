import Testing
import XML
import XMPP

@testable import LocalServer

@Suite struct ServerRequestTests {
  @Test func `server and accounts answer what every client asks`() async throws {
    try await withServer { server in
      let alice = try await server.client("alice")
      _ = try await server.client("bob")
      let rows: [(type: String, to: String?, payload: Element, answer: String)] = [
        ("get", nil, Element("ping", Namespace.ping), "result"),
        ("get", "localhost", Element("ping", Namespace.ping), "result"),
        ("get", "localhost", Element("query", Namespace.version), "result"),
        ("get", "localhost", Element("time", Namespace.time), "result"),
        ("get", "localhost", Element("query", Namespace.discoInfo), "result"),
        ("get", "localhost", Element("query", Namespace.discoItems), "result"),
        (
          "get", "localhost", Element("query", Namespace.discoInfo, ["node": "x"]), "item-not-found"
        ),
        ("get", nil, Element("query", Namespace.discoInfo), "result"),
        ("get", "alice@localhost", Element("query", Namespace.discoItems), "result"),
        ("get", "bob@localhost", Element("query", Namespace.discoInfo), "result"),
        ("set", nil, Element("session", Namespace.session), "result"),
        ("get", nil, Element("query", "urn:unknown"), "service-unavailable"),
        ("get", "localhost", Element("query", "urn:unknown"), "service-unavailable"),
        ("get", "bob@localhost", Element("query", Namespace.roster), "service-unavailable"),
        ("set", "bob@localhost", Element("query", Namespace.roster), "service-unavailable"),
        ("get", "nobody@localhost", Element("query", Namespace.discoInfo), "service-unavailable"),
        ("get", "bob@localhost/gone", Element("ping", Namespace.ping), "service-unavailable"),
        ("get", "elsewhere.example", Element("ping", Namespace.ping), "remote-server-not-found"),
        ("get", "natter@localhost/guide", Element("query", Namespace.version), "result"),
        ("get", "natter@localhost/guide", Element("query", Namespace.discoInfo), "result"),
        ("get", "natter@localhost", Element("vCard", Names.vcard), "result"),
        ("set", "natter@localhost", Element("vCard", Names.vcard), "service-unavailable"),
        ("set", nil, Element("bind", Namespace.bind), "not-allowed"),
      ]
      for row in rows {
        let answer = try await alice.ask(row.type, to: row.to, row.payload)
        #expect((RawXMPPClient.condition(answer) ?? answer["type"]) == row.answer, "\(row)")
        #expect(answer["from"] == row.to, "\(row)")
      }
    }
  }

  @Test func `only who can read the server's files gives an account that is there a new password`()
    async throws
  {
    try await withServer { server in
      let owner = try #require(server.state.ownerKey)
      let client = try await server.connect()
      _ = try await client.open()
      #expect(try await client.register("alice")["type"] == "result")
      for key in [nil, "", "a guess", owner + "x"] {
        let answer = try await client.register("alice", password: "another", key: key)
        #expect(RawXMPPClient.condition(answer) == "conflict")
      }
      #expect(try await client.authenticate("alice", password: "another") != nil)
      let answer = try await client.register("alice", password: "another", key: owner)
      #expect(answer["type"] == "result")
      #expect(try await client.authenticate("alice") != nil)
      #expect(try await client.authenticate("alice", password: "another") == nil)
      let other = try await server.connect()
      _ = try await other.open()
      // Nobody is to speak as the guide.
      #expect(RawXMPPClient.condition(try await other.register("natter", key: owner)) == "conflict")
    }
  }

  @Test func `others of the machine make no account where that takes the owner's key`() async throws
  {
    try await withServer {
      $0.asksForKey = true
    } _: { server in
      let owner = try #require(server.state.ownerKey)
      let client = try await server.connect()
      _ = try await client.open()
      for key in [nil, "", "a guess", owner + "x"] {
        let answer = try await client.register("mallory", key: key)
        #expect(RawXMPPClient.condition(answer) == "not-allowed")
      }
      #expect(try await client.register("alice", key: owner)["type"] == "result")
      #expect(try await client.authenticate("mallory") != nil)
    }
  }

  @Test func `where accounts take a key, the form that a client is given has it`() async throws {
    try await withServer {
      $0.asksForKey = true
    } _: { server in
      let owner = try #require(server.state.ownerKey)
      let client = try await server.connect()
      _ = try await client.open()
      let asked = try await client.ask("get", Element("query", Namespace.register))
      let form = try #require(
        asked.first("query", Namespace.register)?.first("x", Namespace.dataForms))
      #expect(
        form.all("field", Namespace.dataForms).map { $0["var"] } == ["username", "password", "key"])
      func field(_ name: String, _ value: String) -> Element {
        Element(
          "field", Namespace.dataForms, ["var": name],
          [Element("value", Namespace.dataForms, text: value)])
      }
      let filled = Element(
        "x", Namespace.dataForms, ["type": "submit"],
        [field("username", "rose"), field("password", "secret"), field("key", owner)])
      let answer = try await client.ask(
        "set", Element("query", Namespace.register, [:], [filled]))
      #expect(answer["type"] == "result", "\(answer)")
    }
  }

  @Test func `the server's features are what its capabilities promise`() async throws {
    try await withServer { server in
      let client = try await server.connect()
      let features = try await client.open()
      let version = try #require(features.first("c", Namespace.capabilities)?["ver"])
      _ = try await client.register("alice")
      try await client.authenticateAndReopen("alice")
      _ = try await client.bind("x")
      let node = "\(Names.capabilitiesNode)#\(version)"
      let answer = try await client.ask(
        "get", to: "localhost", Element("query", Namespace.discoInfo, ["node": node]))
      let query = try #require(answer.first("query", Namespace.discoInfo))
      #expect(query["node"] == node)
      #expect(query.elements.contains { $0["var"] == Namespace.ping })
    }
  }

  @Test func `requests travel between two clients and back`() async throws {
    try await withServer { server in
      let alice = try await server.client("alice")
      let bob = try await server.client("bob")
      try await alice.send(
        "<iq type='get' id='q1' to='bob@localhost/test'><query xmlns='jabber:iq:version'/></iq>")
      let request = try await bob.element("the request") { $0.name == "iq" && $0["id"] == "q1" }
      #expect(request["from"] == "alice@localhost/test")
      try await bob.send(
        "<iq type='result' id='q1' to='alice@localhost/test'><query xmlns='jabber:iq:version'><name>x</name></query></iq>"
      )
      let answer = try await alice.element("the answer") { $0.name == "iq" && $0["id"] == "q1" }
      #expect(answer["from"] == "bob@localhost/test" && answer["type"] == "result")
    }
  }

  @Test(arguments: [
    "<iq id='b1' to='localhost'><ping xmlns='urn:xmpp:ping'/></iq>",
    "<iq type='fetch' id='b1'><ping xmlns='urn:xmpp:ping'/></iq>",
    "<iq type='get' id='b1'/>",
    "<iq type='get' id='b1'><a xmlns='urn:a'/><b xmlns='urn:b'/></iq>",
  ]) func `a request that is none is a bad one`(_ text: String) async throws {
    try await withServer { server in
      let alice = try await server.client("alice")
      try await alice.send(text)
      let answer = try await alice.element("an error") { $0.name == "iq" && $0["id"] == "b1" }
      #expect(RawXMPPClient.condition(answer) == "bad-request")
    }
  }

  @Test func `results and errors without a recipient are dropped in silence`() async throws {
    try await withServer { server in
      let alice = try await server.client("alice")
      for to in ["localhost", "nobody@localhost/x", "alice@localhost"] {
        try await alice.send(
          "<iq type='result' id='r' to='\(to)'/><iq type='error' id='r' to='\(to)'/>")
      }
      #expect(try await alice.rest().filter { $0["id"] == "r" }.isEmpty)
    }
  }

  @Test func `cards and private data are kept, cards for others to see`() async throws {
    try await withServer { server in
      let alice = try await server.client("alice")
      let bob = try await server.client("bob")
      let empty = try await bob.ask("get", to: "alice@localhost", Element("vCard", Names.vcard))
      #expect(empty.first("vCard", Names.vcard)?.elements.isEmpty == true)
      let card = Element(
        "vCard", Names.vcard, [:], [Element("FN", Names.vcard, text: "Alice <&> A")])
      #expect(try await alice.ask("set", to: nil, card)["type"] == "result")
      let seen = try await bob.ask("get", to: "alice@localhost", Element("vCard", Names.vcard))
      #expect(seen.first("vCard", Names.vcard) == card)

      let note = Element("note", "urn:mine", ["a": "1"], text: "kept")
      let query = Element("query", Names.privateStorage, [:], [note])
      #expect(try await alice.ask("set", to: nil, query)["type"] == "result")
      let asked = Element("query", Names.privateStorage, [:], [Element("note", "urn:mine")])
      let answer = try await alice.ask("get", to: nil, asked)
      #expect(answer.first("query", Names.privateStorage)?.elements == [note])
      let others = try await bob.ask("get", to: nil, asked)
      #expect(
        others.first("query", Names.privateStorage)?.elements == [Element("note", "urn:mine")])
    }
  }

  @Test func `the guide has another text for a client that is in line mode`() async throws {
    try await withServer { server in
      let alice = try await server.client("alice", resource: WelcomeBot.lineModeResource + "1")
      let greeting = try await alice.rest().compactMap { $0.childText("body") }
      #expect(greeting.count == 3)
      #expect(greeting.contains { $0.contains("/help lists") })
      #expect(greeting.contains { $0.contains("--account bob") })
      let screen = try await server.client("bob")
      // By now there are two: no third one is proposed.
      let second = try await screen.rest().compactMap { $0.childText("body") }
      #expect(second.count == 3 && !second.contains { $0.contains("--account") })
      for (client, word) in [(alice, "begins with a slash"), (screen, "Ctrl+N")] {
        try await client.say("keys", to: "natter@localhost")
        _ = try await client.message(word) { $0.childText("body")?.contains(word) == true }
      }
    }
  }

  @Test func `the guide greets once and answers`() async throws {
    try await withServer { server in
      let alice = try await server.client("alice")
      let greeting = try await alice.rest().filter { $0.name == "message" }
      #expect(greeting.count == 3)
      #expect(
        greeting.allSatisfy { $0["from"] == "natter@localhost/guide" && $0["type"] == "chat" })
      try await alice.send(
        "<message to='natter@localhost' type='chat' id='g1'><body>keys</body><thread>t</thread><request xmlns='urn:xmpp:receipts'/></message>"
      )
      let receipt = try await alice.message("a receipt") {
        $0.first("received", Namespace.receipts)?["id"] == "g1"
      }
      #expect(receipt["from"] == "natter@localhost/guide")
      let answer = try await alice.message("an answer") {
        $0.first("body", Namespace.client) != nil
      }
      #expect(answer.first("body", Namespace.client)?.text.contains("Ctrl+N") == true)
      #expect(answer.first("thread", Namespace.client)?.text == "t")
      let again = try await server.client("alice", resource: "two", registering: false)
      #expect(try await again.rest().filter { $0.name == "message" }.isEmpty)
    }
  }

  @Test func `the guide has displayed what it answers`() async throws {
    try await withServer { server in
      let alice = try await server.client("alice")
      try await alice.send(
        """
        <message to='natter@localhost' type='chat' id='g2'><body>help</body>\
        <markable xmlns='urn:xmpp:chat-markers:0'/></message>
        """)
      let marker = try await alice.message("a marker") { $0.displayed == "g2" }
      #expect(marker["from"] == "natter@localhost/guide")
    }
  }
}

extension Element {
  /// The id of the displayed message (XEP-0333).
  fileprivate var displayed: String? { first("displayed", XEP0333Marker.namespace)?["id"] }
}
