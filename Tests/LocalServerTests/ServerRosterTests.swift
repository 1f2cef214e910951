import Testing
import XML
import XMPP

@testable import LocalServer

@Suite struct ServerRosterTests {
  private func add(_ jid: String, name: String? = nil, groups: [String] = []) -> Element {
    var item = Element("item", Namespace.roster, ["jid": jid])
    item["name"] = name
    for group in groups { item.append(Element("group", Namespace.roster, text: group)) }
    return Element("query", Namespace.roster, [:], [item])
  }

  private func removal(_ jid: String) -> Element {
    Element(
      "query", Namespace.roster, [:],
      [Element("item", Namespace.roster, ["jid": jid, "subscription": "remove"])])
  }

  private func push(_ client: RawXMPPClient, _ jid: String) async throws -> Element {
    let iq = try await client.element("a push of \(jid)") {
      $0.name == "iq" && $0["type"] == "set"
        && $0.first("query", Namespace.roster)?.elements.first?["jid"] == jid
    }
    return try #require(iq.first("query", Namespace.roster)?.elements.first)
  }

  @Test func `a new account finds the guide and the others, and they find it`() async throws {
    try await withServer { server in
      let alice = try await server.client("alice")
      #expect(try await alice.roster() == ["natter@localhost": "both"])
      let bob = try await server.client("bob")
      #expect(try await bob.roster() == ["natter@localhost": "both", "alice@localhost": "both"])
      #expect(try await push(alice, "bob@localhost")["subscription"] == "both")
      _ = try await alice.presence(nil, from: "bob@localhost/test")
      _ = try await bob.presence(nil, from: "alice@localhost/test")
      _ = try await bob.presence(nil, from: "natter@localhost/guide")
    }
  }

  @Test func `asking, granting, seeing, withdrawing`() async throws {
    try await withServer({ $0.introducesAccounts = false }) { server in
      let alice = try await server.client("alice")
      let bob = try await server.client("bob")
      _ = try await alice.roster()
      _ = try await bob.roster()

      try await alice.send(
        "<presence type='subscribe' to='bob@localhost'><status>It is me</status></presence>")
      #expect(try await push(alice, "bob@localhost")["ask"] == "subscribe")
      let request = try await bob.presence("subscribe", from: "alice@localhost")
      #expect(request.first("status", Namespace.client)?.text == "It is me")
      // A request is not a contact.
      #expect(try await bob.roster()["alice@localhost"] == nil)

      try await bob.send("<presence type='subscribed' to='alice@localhost'/>")
      _ = try await alice.presence("subscribed", from: "bob@localhost")
      #expect(try await push(alice, "bob@localhost")["subscription"] == "to")
      #expect(try await push(bob, "alice@localhost")["subscription"] == "from")
      _ = try await alice.presence(nil, from: "bob@localhost/test")

      try await bob.send("<presence><show>away</show></presence>")
      let away = try await alice.presence(nil, from: "bob@localhost/test")
      #expect(away.first("show", Namespace.client)?.text == "away")

      try await bob.send("<presence type='unsubscribed' to='alice@localhost'/>")
      _ = try await alice.presence("unsubscribed", from: "bob@localhost")
      _ = try await alice.presence("unavailable", from: "bob@localhost/test")
      #expect(try await push(alice, "bob@localhost")["subscription"] == "none")
    }
  }

  @Test func `a request waits for who is away, at each sign-in until it is answered`() async throws
  {
    try await withServer({ $0.introducesAccounts = false }) { server in
      let alice = try await server.client("alice")
      let unseen = try await server.client("bob", available: false)
      unseen.close()
      try await alice.send(
        "<presence type='subscribe' to='bob@localhost'><status>please</status></presence>")
      try await alice.catchUp()
      for resource in ["first", "second"] {
        let bob = try await server.client("bob", resource: resource, registering: false)
        let request = try await bob.presence("subscribe", from: "alice@localhost")
        #expect(request.first("status", Namespace.client)?.text == "please")
        if resource == "second" {
          try await bob.send("<presence type='subscribed' to='alice@localhost'/>")
          try await bob.catchUp()
        }
        bob.close()
      }
      let bob = try await server.client("bob", resource: "third", registering: false)
      #expect(try await bob.rest().filter { $0["type"] == "subscribe" }.isEmpty)
    }
  }

  @Test func `a request for a user who does not exist is refused`() async throws {
    try await withServer { server in
      let alice = try await server.client("alice")
      _ = try await alice.roster()
      try await alice.send("<presence type='subscribe' to='nobody@localhost'/>")
      _ = try await alice.presence("unsubscribed", from: "nobody@localhost")
      #expect(try await alice.roster()["nobody@localhost"] == "none")
      try await alice.send("<presence type='subscribe' to='a@elsewhere.example' id='far'/>")
      let error = try await alice.presence("error")
      #expect(RawXMPPClient.condition(error) == "remote-server-not-found")
    }
  }

  @Test func `items are added, renamed, grouped and removed on all clients`() async throws {
    try await withServer({ $0.introducesAccounts = false }) { server in
      let one = try await server.client("alice", resource: "one")
      let two = try await server.client("alice", resource: "two", registering: false)
      let bob = try await server.client("bob")
      _ = try await one.roster()
      _ = try await two.roster()
      #expect(
        try await one.ask("set", to: nil, add("bob@localhost/x", name: "Bob", groups: ["A", "B"]))[
          "type"] == "result")
      for client in [one, two] {
        let item = try await push(client, "bob@localhost")
        #expect(item["name"] == "Bob")
        #expect(item.elements.map(\.text) == ["A", "B"])
        #expect(item["subscription"] == "none")
      }
      #expect(try await one.ask("set", to: nil, removal("bob@localhost"))["type"] == "result")
      for client in [one, two] {
        #expect(try await push(client, "bob@localhost")["subscription"] == "remove")
      }
      #expect(try await one.roster()["bob@localhost"] == nil)
      #expect(
        RawXMPPClient.condition(try await one.ask("set", to: nil, removal("bob@localhost")))
          == "item-not-found")
      #expect(
        try await bob.rest().filter {
          $0.name == "presence" && $0["from"]?.hasPrefix("alice") == true
        }.isEmpty)
    }
  }

  @Test func `removing a contact ends both directions`() async throws {
    try await withServer { server in
      let alice = try await server.client("alice")
      let bob = try await server.client("bob")
      _ = try await bob.roster()
      #expect(try await alice.ask("set", to: nil, removal("bob@localhost"))["type"] == "result")
      _ = try await bob.presence("unsubscribe", from: "alice@localhost")
      _ = try await bob.presence("unsubscribed", from: "alice@localhost")
      _ = try await bob.presence("unavailable", from: "alice@localhost/test")
      _ = try await alice.presence("unavailable", from: "bob@localhost/test")
      #expect(try await bob.roster()["alice@localhost"] == "none")
      #expect(try await alice.roster()["bob@localhost"] == nil)
    }
  }

  @Test(arguments: [
    ("<query xmlns='jabber:iq:roster'/>", "bad-request"),
    ("<query xmlns='jabber:iq:roster'><item/></query>", "bad-request"),
    ("<query xmlns='jabber:iq:roster'><item jid='@@'/></query>", "jid-malformed"),
    ("<query xmlns='jabber:iq:roster'><item jid='a@x'/><item jid='b@x'/></query>", "bad-request"),
    (
      "<query xmlns='jabber:iq:roster'><item jid='a@x'><group>g</group><group>g</group></item></query>",
      "bad-request"
    ),
    ("<query xmlns='jabber:iq:roster'><item jid='a@x'><group/></item></query>", "not-acceptable"),
    ("<query xmlns='jabber:iq:roster'><item jid='alice@localhost'/></query>", "not-allowed"),
  ]) func `a malformed roster set is refused`(_ query: String, _ condition: String) async throws {
    try await withServer { server in
      let alice = try await server.client("alice")
      let payload = try #require(XMLColumn.parse(query))
      #expect(RawXMPPClient.condition(try await alice.ask("set", to: nil, payload)) == condition)
    }
  }

  @Test func `a client that has the roster's version is spared the roster`() async throws {
    try await withServer { server in
      let alice = try await server.client("alice")
      let first = try await alice.ask(
        "get", to: nil, Element("query", Namespace.roster, ["ver": ""]))
      let version = try #require(first.first("query", Namespace.roster)?["ver"])
      let second = try await alice.ask(
        "get", to: nil, Element("query", Namespace.roster, ["ver": version]))
      #expect(second["type"] == "result" && second.elements.isEmpty)
      _ = try await alice.ask("set", to: nil, add("carol@localhost"))
      let third = try await alice.ask(
        "get", to: nil, Element("query", Namespace.roster, ["ver": version]))
      #expect(third.first("query", Namespace.roster)?["ver"] != version)
    }
  }

  @Test func `a client hears of its own presence, and so do the account's other ones`() async throws
  {
    try await withServer { server in
      let one = try await server.client("alice", resource: "one")
      _ = try await one.presence(nil, from: "alice@localhost/one")
      let two = try await server.client("alice", resource: "two", registering: false)
      for from in ["one", "two"] {
        _ = try await two.presence(nil, from: "alice@localhost/\(from)")
      }
      _ = try await one.presence(nil, from: "alice@localhost/two")
      try await two.send("<presence><show>away</show></presence>")
      for client in [one, two] {
        let away = try await client.presence(nil, from: "alice@localhost/two")
        #expect(away.first("show", Namespace.client)?.text == "away")
      }
      try await two.send("<presence type='unavailable'/>")
      for client in [one, two] {
        _ = try await client.presence("unavailable", from: "alice@localhost/two")
      }
      #expect(
        try await two.rest().filter {
          $0.name == "presence" && $0["from"]?.hasPrefix("alice") == true
        }.isEmpty)
    }
  }

  @Test func `presence sent to one is taken back when the client goes`() async throws {
    try await withServer({ $0.introducesAccounts = false }) { server in
      let alice = try await server.client("alice")
      let bob = try await server.client("bob")
      try await alice.send("<presence to='bob@localhost/test'/>")
      _ = try await bob.presence(nil, from: "alice@localhost/test")
      alice.close()
      _ = try await bob.presence("unavailable", from: "alice@localhost/test")
    }
  }

  @Test func `a contact that leaves without a word is seen to leave`() async throws {
    try await withServer { server in
      let alice = try await server.client("alice")
      let bob = try await server.client("bob")
      _ = try await alice.presence(nil, from: "bob@localhost/test")
      try await bob.send("<presence type='unavailable'><status>bye</status></presence>")
      let gone = try await alice.presence("unavailable", from: "bob@localhost/test")
      #expect(gone.first("status", Namespace.client)?.text == "bye")
      try await bob.becomeAvailable()
      _ = try await alice.presence(nil, from: "bob@localhost/test")
      bob.close()
      _ = try await alice.presence("unavailable", from: "bob@localhost/test")
    }
  }

  @Test func `a priority out of range is a bad request`() async throws {
    try await withServer { server in
      let alice = try await server.client("alice")
      for text in ["200", "x", ""] {
        try await alice.send("<presence><priority>\(text)</priority></presence>")
        #expect(RawXMPPClient.condition(try await alice.presence("error")) == "bad-request")
      }
    }
  }
}
