import Crypto
import Testing
import XML
import XMPP

@testable import LocalServer

/// The published nodes of accounts (XEP-0163), with the features that bookmarks and read markers
/// need.
@Suite struct ServerNodeTests {
  private func pubsub(_ content: String, owner: Bool = false) throws -> Element {
    try #require(
      XMLColumn.parse(
        "<pubsub xmlns='http://jabber.org/protocol/pubsub\(owner ? "#owner" : "")'>\(content)</pubsub>"
      ))
  }

  private func publish(
    _ client: RawXMPPClient, _ node: String, _ id: String, options: [(String, String)] = []
  ) async throws -> Element {
    var form = ""
    if !options.isEmpty {
      form = "<publish-options><x xmlns='jabber:x:data' type='submit'><field var='FORM_TYPE'>"
      form += "<value>\(NodeSettings.optionsType)</value></field>"
      for (name, value) in options {
        form += "<field var='pubsub#\(name)'><value>\(value)</value></field>"
      }
      form += "</x></publish-options>"
    }
    return try await client.ask(
      "set", to: nil,
      pubsub(
        "<publish node='\(node)'><item id='\(id)'><e xmlns='urn:e'>\(id)</e></item></publish>\(form)"
      ))
  }

  private func items(
    _ client: RawXMPPClient, _ node: String, of account: String? = nil, _ more: String = ""
  ) async throws -> Element {
    try await client.ask(
      "get", to: account.map { "\($0)@localhost" },
      pubsub("<items node='\(node)'>\(more)</items>"))
  }

  private func ids(_ answer: Element) -> [String] {
    (answer.elements.first?.first("items", Names.nodes)?.elements ?? []).compactMap { $0["id"] }
  }

  private static let bookmarks = [
    ("persist_items", "true"), ("max_items", "max"), ("send_last_published_item", "never"),
    ("access_model", "whitelist"),
  ]

  @Test func `private nodes with many items are made in one step, and others do not see them`()
    async throws
  {
    try await withServer { server in
      let alice = try await server.client("alice")
      let bob = try await server.client("bob")
      for id in ["a@r", "b@r", "a@r", "c@r"] {
        #expect(
          try await publish(alice, "urn:xmpp:bookmarks:1", id, options: Self.bookmarks)["type"]
            == "result")
      }
      #expect(try await ids(items(alice, "urn:xmpp:bookmarks:1")) == ["c@r", "a@r", "b@r"])
      #expect(
        try await ids(items(alice, "urn:xmpp:bookmarks:1", of: nil, "<item id='b@r'/>")) == ["b@r"])
      let refused = try await items(bob, "urn:xmpp:bookmarks:1", of: "alice")
      #expect(RawXMPPClient.condition(refused) == "not-allowed")
      let clash = try await publish(
        alice, "urn:xmpp:bookmarks:1", "d@r", options: [("access_model", "open")])
      #expect(RawXMPPClient.condition(clash) == "conflict")
      #expect(
        clash.first("error", Namespace.client)?.first("precondition-not-met", Names.nodeErrors)
          != nil)
      let gone = try await alice.ask(
        "set", to: nil,
        pubsub("<retract node='urn:xmpp:bookmarks:1' notify='true'><item id='a@r'/></retract>"))
      #expect(gone["type"] == "result")
      #expect(try await ids(items(alice, "urn:xmpp:bookmarks:1")) == ["c@r", "b@r"])
      let member = try await alice.ask(
        "set", to: nil,
        pubsub(
          "<affiliations node='urn:xmpp:bookmarks:1'>"
            + "<affiliation jid='bob@localhost' affiliation='member'/></affiliations>", owner: true)
      )
      #expect(member["type"] == "result")
      #expect(try await ids(items(bob, "urn:xmpp:bookmarks:1", of: "alice")) == ["c@r", "b@r"])
    }
  }

  @Test func `a node without options holds one item, which contacts read`() async throws {
    try await withServer({ $0.introducesAccounts = false }) { server in
      let alice = try await server.client("alice")
      let bob = try await server.client("bob")
      for id in ["1", "2"] { _ = try await publish(alice, "urn:e", id) }
      #expect(try await ids(items(alice, "urn:e")) == ["2"])
      let stranger = try await items(bob, "urn:e", of: "alice")
      #expect(RawXMPPClient.condition(stranger) == "not-authorized")
      let configured = try await alice.ask(
        "set", to: nil,
        pubsub(
          "<configure node='urn:e'><x xmlns='jabber:x:data' type='submit'>"
            + "<field var='pubsub#access_model'><value>open</value></field></x></configure>",
          owner: true))
      #expect(configured["type"] == "result")
      #expect(try await ids(items(bob, "urn:e", of: "alice")) == ["2"])
      let foreign = try await bob.ask(
        "set", to: "alice@localhost", pubsub("<publish node='urn:e'><item id='x'/></publish>"))
      #expect(RawXMPPClient.condition(foreign) == "forbidden")
      for (content, condition) in [
        ("<publish node=''><item/></publish>", "bad-request"),
        ("<publish node='urn:e'><item/><item/></publish>", "bad-request"),
        ("<publish node='urn:e'><item><a/><b/></item></publish>", "bad-request"),
        ("<create node='urn:e'/>", "conflict"), ("<create/>", "not-acceptable"),
        ("<retract node='urn:none'><item id='1'/></retract>", "item-not-found"),
        ("<retract node='urn:e'><item id='1'/></retract>", "item-not-found"),
        ("<subscribe node='urn:e' jid='alice@localhost'/>", "feature-not-implemented"),
      ] {
        let answer = try await alice.ask("set", to: nil, pubsub(content))
        #expect(RawXMPPClient.condition(answer) == condition, "\(content)")
      }
      #expect(try await RawXMPPClient.condition(items(alice, "urn:none")) == "item-not-found")
      _ = try await alice.ask("set", to: nil, pubsub("<delete node='urn:e'/>", owner: true))
      #expect(try await RawXMPPClient.condition(items(alice, "urn:e")) == "item-not-found")
    }
  }

  @Test func `others publish where the owner lets them, and not over each other's`() async throws {
    try await withServer({ $0.introducesAccounts = false }) { server in
      let alice = try await server.client("alice")
      let bob = try await server.client("bob")
      let carol = try await server.client("carol")
      func put(_ client: RawXMPPClient, _ id: String) async throws -> String? {
        RawXMPPClient.condition(
          try await client.ask(
            "set", to: "alice@localhost",
            pubsub("<publish node='urn:e'><item id='\(id)'/></publish>")))
      }
      // A node that is not there is made by its owner only.
      #expect(try await put(bob, "bob") == "forbidden")
      let models = [
        ("presence", "open", "not-authorized"), ("open", "publishers", "forbidden"),
        ("open", "subscribers", "forbidden"), ("open", "open", nil),
      ]
      for (number, (access, publishing, condition)) in models.enumerated() {
        let fields = [("access_model", access), ("publish_model", publishing), ("max_items", "9")]
          .map { "<field var='pubsub#\($0)'><value>\($1)</value></field>" }.joined()
        let form = "<x xmlns='jabber:x:data' type='submit'>\(fields)</x>"
        let answer = try await alice.ask(
          "set", to: nil,
          number == 0
            ? pubsub("<create node='urn:e'/><configure>\(form)</configure>")
            : pubsub("<configure node='urn:e'>\(form)</configure>", owner: true))
        #expect(answer["type"] == "result")
        #expect(try await put(bob, "bob") == condition, "\(access) \(publishing)")
      }
      #expect(try await put(carol, "bob") == "forbidden")
      #expect(try await put(bob, "bob") == nil)
      #expect(try await put(carol, "carol") == nil)
      #expect(try await ids(items(alice, "urn:e")) == ["carol", "bob"])
      // The owner is not restricted.
      #expect(try await put(alice, "bob") == nil)
    }
  }

  /// Makes the client say in its presence that it wants to hear of the nodes.
  private func listen(_ client: RawXMPPClient, to nodes: String...) async throws {
    let info = XEP0030Discovery(
      identities: [.init(category: "client", type: "pc")],
      features: Set(nodes.map { $0 + "+notify" }))
    let crypto = CryptoLibrary()
    // A name of its own, or the server would know already.
    let name = "urn:c:\(client.account)"
    let version = try XEP0115Capabilities.version(of: info, crypto: crypto)
    try await client.send(
      "<presence><c xmlns='http://jabber.org/protocol/caps' hash='sha-1' node='\(name)' ver='\(version)'/></presence>"
    )
    let asked = try await client.element("a question") {
      $0.name == "iq" && $0["type"] == "get" && $0.first("query", Namespace.discoInfo) != nil
    }
    try await client.send(asked.result(info.element(node: "\(name)#\(version)")))
    try await client.catchUp()
  }

  @Test func `a client that wants notifications of a node gets them, and its last item on coming`()
    async throws
  {
    try await withServer { server in
      let alice = try await server.client("alice")
      let bob = try await server.client("bob")
      let deaf = try await server.client("carol")
      try await listen(alice, to: "urn:e")
      try await listen(bob, to: "urn:e")
      _ = try await publish(alice, "urn:e", "1")
      for client in [alice, bob] {
        let message = try await client.message { $0.first("event", Names.nodeEvents) != nil }
        #expect(message["from"] == "alice@localhost" && message["type"] == "headline")
        let item = message.first("event", Names.nodeEvents)?.first("items", Names.nodeEvents)?
          .elements.first
        #expect(item?["id"] == "1" && item?.first("e", "urn:e")?.text == "1")
      }
      #expect(try await deaf.rest().filter { $0.first("event", Names.nodeEvents) != nil }.isEmpty)
      let late = try await server.client(
        "bob", resource: "late", registering: false, available: false)
      try await late.send(
        "<presence><c xmlns='http://jabber.org/protocol/caps' hash='md5' node='urn:c' ver='x'/></presence>"
      )
      let asked = try await late.element("a question") {
        $0.first("query", Namespace.discoInfo) != nil
      }
      try await late.send(asked.result(XEP0030Discovery(features: ["urn:e+notify"]).element()))
      _ = try await late.message { $0.first("event", Names.nodeEvents) != nil }
      _ = try await publish(alice, "urn:secret", "1", options: Self.bookmarks)
      #expect(try await bob.rest().filter { $0.first("event", Names.nodeEvents) != nil }.isEmpty)
    }
  }

  @Test func `who is granted a subscription later gets the last items then, and once`()
    async throws
  {
    try await withServer({ $0.introducesAccounts = false }) { server in
      let alice = try await server.client("alice")
      let bob = try await server.client("bob")
      let deaf = try await server.client("carol")
      for id in ["1", "2"] { _ = try await publish(alice, "urn:e", id) }
      _ = try await publish(alice, "urn:other", "1")
      _ = try await publish(
        alice, "urn:silent", "1", options: [("send_last_published_item", "never")])
      try await listen(bob, to: "urn:e", "urn:silent")
      func events(_ client: RawXMPPClient) async throws -> [Element] {
        try await client.rest().compactMap { $0.first("event", Names.nodeEvents)?.elements.first }
      }
      #expect(try await events(bob).isEmpty)
      for (client, name) in [(bob, "bob"), (deaf, "carol")] {
        try await client.send("<presence type='subscribe' to='alice@localhost'/>")
        _ = try await alice.presence("subscribe", from: "\(name)@localhost")
        try await alice.send("<presence type='subscribed' to='\(name)@localhost'/>")
        try await alice.catchUp()
      }
      let reported = try await events(bob)
      #expect(reported.map { $0["node"] } == ["urn:e"])
      #expect(reported.first?.elements.map { $0["id"] } == ["2"])
      #expect(try await events(deaf).isEmpty)

      // The messages that came while the contact was blocked did not reach them.
      for name in ["block", "unblock"] {
        _ = try await alice.ask(
          "set", to: nil,
          Element(
            name, Names.blocking, [:], [Element("item", Names.blocking, ["jid": "bob@localhost"])]))
        if name == "block" { _ = try await publish(alice, "urn:e", "3") }
      }
      #expect(try await events(bob).map { $0.elements.map { $0["id"] } } == [["3"]])
    }
  }
}
