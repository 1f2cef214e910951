import Testing
import XML
import XMPP

@testable import LocalServer

/// The requests of a test's client in rooms.
extension RawXMPPClient {
  /// Joins a room and waits for its subject.
  /// - Returns: what came before it, the own presence the last of the presences.
  @discardableResult
  func enter(
    _ room: String, as nickname: String, _ content: String = ""
  ) async throws -> [Element] {
    try await send(
      "<presence to='\(room)@rooms.localhost/\(nickname)'>"
        + "<x xmlns='http://jabber.org/protocol/muc'>\(content)</x></presence>")
    var seen: [Element] = []
    while true {
      let element = try await element("the subject of \(room)") {
        $0["from"]?.hasPrefix("\(room)@rooms.localhost") == true
      }
      if RawXMPPClient.condition(element) != nil || element.childText("subject") != nil {
        return seen + [element]
      }
      seen.append(element)
    }
  }

  /// Sets up the room, by default as it is.
  func configure(_ room: String, _ fields: [(String, String)] = []) async throws -> Element {
    let form = XEP0004DataForm(
      .submit,
      fields: [.init("FORM_TYPE", kind: .hidden, values: [RoomSettings.formType])]
        + fields.map { .init("muc#roomconfig_\($0.0)", values: [$0.1]) })
    return try await ask(
      "set", to: "\(room)@rooms.localhost", Element("query", Names.roomOwner, [:], [form.element]))
  }

  /// Requests a change of an occupant's affiliation or role.
  func administer(_ room: String, _ item: String) async throws -> Element {
    let query = XMLColumn.parse(
      "<query xmlns='http://jabber.org/protocol/muc#admin'>\(item)</query>")
    return try await ask("set", to: "\(room)@rooms.localhost", query)
  }

  static func codes(_ stanza: Element) -> [String] {
    (stanza.first("x", Names.roomUser)?.all("status", Names.roomUser) ?? [])
      .compactMap { $0["code"] }.sorted()
  }

  static func item(_ stanza: Element) -> Element? {
    stanza.first("x", Names.roomUser)?.first("item", Names.roomUser)
  }
}

/// Entering, speaking and leaving (XEP-0045 §7).
@Suite struct ServerRoomTests {
  private func room(_ server: TestServer) async throws -> (RawXMPPClient, RawXMPPClient) {
    let alice = try await server.client("alice")
    let bob = try await server.client("bob")
    try await alice.enter("tea", as: "Alice")
    #expect(try await alice.configure("tea")["type"] == "result")
    try await bob.enter("tea", as: "Bob")
    _ = try await alice.presence(nil, from: "tea@rooms.localhost/Bob")
    return (alice, bob)
  }

  @Test func `the first occupant owns the room, and no one enters before it is set up`()
    async throws
  {
    try await withServer { server in
      let alice = try await server.client("alice")
      let bob = try await server.client("bob")
      let seen = try await alice.enter("tea", as: "Alice")
      #expect(seen.count == 2)
      #expect(RawXMPPClient.codes(seen[0]) == ["110", "170", "201"])
      let item = RawXMPPClient.item(seen[0])
      #expect(item?["affiliation"] == "owner" && item?["role"] == "moderator")
      #expect(item?["jid"] == "alice@localhost/test")
      let refused = try await bob.enter("tea", as: "Bob")
      #expect(refused.compactMap { RawXMPPClient.condition($0) } == ["item-not-found"])
      #expect(try await alice.configure("tea")["type"] == "result")
      let entered = try await bob.enter("tea", as: "Bob")
      #expect(
        entered.compactMap { $0["from"]?.split(separator: "/").last } == [
          "Alice", "Bob", "tea@rooms.localhost",
        ])
      #expect(RawXMPPClient.item(entered[0])?["jid"] == nil)
      #expect(RawXMPPClient.codes(entered[1]) == ["110", "170"])
      let shown = try await alice.presence(nil, from: "tea@rooms.localhost/Bob")
      #expect(RawXMPPClient.item(shown)?["jid"] == "bob@localhost/test")
      #expect(RawXMPPClient.item(shown)?["role"] == "participant")
      #expect(shown.first("occupant-id", Names.occupantIDs)?["id"]?.isEmpty == false)
    }
  }

  @Test func `what is said comes to everybody under one id, and later ones read it`() async throws {
    try await withServer { server in
      let (alice, bob) = try await room(server)
      try await bob.send(
        "<message to='tea@rooms.localhost' type='groupchat' id='m1'><body>hello</body>"
          + "<stanza-id xmlns='urn:xmpp:sid:0' by='tea@rooms.localhost' id='forged'/>"
          + "<occupant-id xmlns='urn:xmpp:occupant-id:0' id='forged'/>"
          + "<x xmlns='http://jabber.org/protocol/muc#user'><status code='110'/></x></message>")
      var ids: Set<String> = []
      for client in [alice, bob] {
        let message = try await client.message(body: "hello")
        #expect(message["from"] == "tea@rooms.localhost/Bob" && message["id"] == "m1")
        #expect(message["type"] == "groupchat" && message["to"] == client.jid)
        let stamps = message.all("stanza-id", Namespace.stanzaIDs)
        #expect(stamps.count == 1 && stamps.first?["by"] == "tea@rooms.localhost")
        ids.insert(stamps.first?["id"] ?? "")
        #expect(message.all("occupant-id", Names.occupantIDs).map { $0["id"] } != ["forged"])
        #expect(message.first("x", Names.roomUser) == nil)
      }
      #expect(ids.count == 1)
      for number in 1...3 {
        try await alice.say("\(number)", to: "tea@rooms.localhost", type: "groupchat")
      }
      try await alice.catchUp()
      let carol = try await server.client("carol")
      let seen = try await carol.enter("tea", as: "Carol", "<history maxstanzas='2'/>")
      let past = seen.filter { $0.name == "message" && $0.childText("body") != nil }
      #expect(past.compactMap { $0.childText("body") } == ["2", "3"])
      #expect(
        past.allSatisfy { $0.first("delay", Namespace.delay)?["from"] == "tea@rooms.localhost" })
      let none = try await carol.enter("tea", as: "Carol", "<history maxchars='0'/>")
      #expect(none.filter { $0.childText("body") != nil }.isEmpty)
      #expect(none.filter { $0.name == "presence" }.count == 3)
      let archive = try #require(
        XMLColumn.parse("<query xmlns='urn:xmpp:mam:2' queryid='r'/>"))
      let fin = try await carol.ask("set", to: "tea@rooms.localhost", archive)
      #expect(fin.first("fin", Namespace.archive)?["complete"] == "true")
      let results = try await carol.rest().filter { $0["from"] == "tea@rooms.localhost" }
        .compactMap { $0.first("result", Namespace.archive) }
      #expect(results.first?["id"] == ids.first)
      #expect(
        results.map {
          $0.first("forwarded", Names.forward)?.first("message", Namespace.client)?.childText(
            "body")
        }
          == ["hello", "1", "2", "3"])
    }
  }

  @Test func `nicknames are changed, and taken ones are refused`() async throws {
    try await withServer { server in
      let (alice, bob) = try await room(server)
      let refused = try await bob.enter("tea", as: "Alice")
      #expect(refused.compactMap { RawXMPPClient.condition($0) } == ["conflict"])
      try await bob.send("<presence to='tea@rooms.localhost/Robert'/>")
      let gone = try await alice.presence("unavailable", from: "tea@rooms.localhost/Bob")
      #expect(RawXMPPClient.codes(gone) == ["303"])
      #expect(RawXMPPClient.item(gone)?["nick"] == "Robert")
      _ = try await alice.presence(nil, from: "tea@rooms.localhost/Robert")
      let own = try await bob.presence(nil, from: "tea@rooms.localhost/Robert")
      #expect(RawXMPPClient.codes(own).contains("110"))
      try await bob.say("new", to: "tea@rooms.localhost", type: "groupchat")
      #expect(try await alice.message(body: "new")["from"] == "tea@rooms.localhost/Robert")
    }
  }

  @Test func `two clients of an account share a nickname`() async throws {
    try await withServer { server in
      let (alice, bob) = try await room(server)
      let second = try await server.client("bob", resource: "two", registering: false)
      let seen = try await second.enter("tea", as: "Bob")
      #expect(seen.filter { $0.name == "presence" }.count == 2)
      _ = try await alice.presence(nil, from: "tea@rooms.localhost/Bob")
      try await alice.say("x", to: "tea@rooms.localhost", type: "groupchat")
      _ = try await bob.message(body: "x")
      _ = try await second.message(body: "x")
      try await bob.send("<presence type='unavailable' to='tea@rooms.localhost/Bob'/>")
      let own = try await bob.presence("unavailable", from: "tea@rooms.localhost/Bob")
      #expect(RawXMPPClient.codes(own) == ["110"])
      #expect(try await alice.rest().filter { $0["type"] == "unavailable" }.isEmpty)
      second.close()
      _ = try await alice.presence("unavailable", from: "tea@rooms.localhost/Bob")
    }
  }

  @Test func `a private message goes to one, from a nickname`() async throws {
    try await withServer { server in
      let (alice, bob) = try await room(server)
      try await bob.say("psst", to: "tea@rooms.localhost/Alice")
      let message = try await alice.message(body: "psst")
      #expect(
        message["from"] == "tea@rooms.localhost/Bob" && message["to"] == "alice@localhost/test")
      #expect(message.first("x", Names.roomUser) != nil)
      for (to, type, condition) in [
        ("tea@rooms.localhost/Nobody", "chat", "item-not-found"),
        ("tea@rooms.localhost/Alice", "groupchat", "bad-request"),
        ("tea@rooms.localhost", "chat", "bad-request"),
        ("nothere@rooms.localhost", "groupchat", "item-not-found"),
      ] {
        try await bob.say("x", to: to, type: type, id: "bad")
        let error = try await bob.message("an error") { $0["type"] == "error" }
        #expect(RawXMPPClient.condition(error) == condition, "\(to) \(type)")
      }
      let carol = try await server.client("carol")
      try await carol.say("x", to: "tea@rooms.localhost", type: "groupchat")
      let error = try await carol.message("an error") { $0["type"] == "error" }
      #expect(RawXMPPClient.condition(error) == "not-acceptable")
    }
  }

  @Test func `a ping to oneself shows whether one is still there`() async throws {
    try await withServer { server in
      let (alice, bob) = try await room(server)
      let ping = Element("ping", Namespace.ping)
      #expect(try await bob.ask("get", to: "tea@rooms.localhost/Bob", ping)["type"] == "result")
      let nobody = try await bob.ask("get", to: "tea@rooms.localhost/Nobody", ping)
      #expect(RawXMPPClient.condition(nobody) == "item-not-found")
      try await bob.send("<presence type='unavailable' to='tea@rooms.localhost/Bob'/>")
      for to in ["tea@rooms.localhost/Bob", "gone@rooms.localhost/Bob"] {
        let answer = try await bob.ask("get", to: to, ping)
        #expect(RawXMPPClient.condition(answer) == "not-acceptable")
      }
      _ = try await alice.presence("unavailable", from: "tea@rooms.localhost/Bob")
      try await bob.send("<presence to='tea@rooms.localhost/Bob'/>")
      let error = try await bob.presence("error")
      #expect(RawXMPPClient.condition(error) == "not-acceptable")
    }
  }

  @Test func `a request to an occupant goes there and back`() async throws {
    try await withServer { server in
      let (alice, bob) = try await room(server)
      let query = Element("query", Namespace.version)
      try await bob.send(
        Element(
          "iq", Namespace.client, ["type": "get", "id": "v1", "to": "tea@rooms.localhost/Alice"],
          [query]))
      let asked = try await alice.element("the request") { $0.name == "iq" && $0["type"] == "get" }
      #expect(asked["from"] == "tea@rooms.localhost/Bob")
      try await alice.send(
        Element(
          "iq", Namespace.client,
          ["type": "result", "id": asked["id"] ?? "", "to": asked["from"] ?? ""], [query]))
      let answer = try await bob.element("the answer") { $0["id"] == "v1" }
      #expect(answer["type"] == "result" && answer["from"] == "tea@rooms.localhost/Alice")
    }
  }

  @Test func `the subject is sent to all, with its author, and to those who come later`()
    async throws
  {
    try await withServer { server in
      let (alice, bob) = try await room(server)
      try await alice.send(
        "<message to='tea@rooms.localhost' type='groupchat'><subject>Scones</subject></message>")
      for client in [alice, bob] {
        let change = try await client.element("the subject") {
          $0.childText("subject") == "Scones"
        }
        #expect(change["from"] == "tea@rooms.localhost/Alice" && change["type"] == "groupchat")
        #expect(change.first("body", Namespace.client) == nil)
      }
      let carol = try await server.client("carol")
      let reported = try #require(try await carol.enter("tea", as: "Carol").last)
      #expect(reported.childText("subject") == "Scones")
      #expect(reported["from"] == "tea@rooms.localhost/Alice")
      // An empty one takes it away (XEP-0045 §8.1).
      try await alice.send(
        "<message to='tea@rooms.localhost' type='groupchat'><subject/></message>")
      _ = try await bob.element("no subject") { $0.childText("subject") == "" }
      let dave = try await server.client("dave")
      #expect(try await dave.enter("tea", as: "Dave").last?.childText("subject") == "")
    }
  }

  @Test func `a room survives a restart with its owner, settings, subject and archive`()
    async throws
  {
    let directory = TestServer.temporaryDirectory()
    var server = try await TestServer.start(in: directory, try TestServer.settings())
    let alice = try await server.client("alice")
    try await alice.enter("tea", as: "Alice")
    _ = try await alice.configure("tea", [("roomname", "Tea & cake"), ("moderatedroom", "1")])
    try await alice.send(
      "<message to='tea@rooms.localhost' type='groupchat'><subject>Cake</subject></message>"
        + "<message to='tea@rooms.localhost' type='groupchat'><body>kept</body></message>")
    _ = try await alice.message(body: "kept")
    try await server.stop()
    server = try await TestServer.start(in: directory, try TestServer.settings())
    let back = try await server.client("alice", registering: false)
    let seen = try await back.enter("tea", as: "Alice")
    #expect(seen.compactMap { $0.childText("body") } == ["kept"])
    #expect(seen.last?.childText("subject") == "Cake")
    #expect(RawXMPPClient.item(seen[0])?["affiliation"] == "owner")
    let info = try await back.ask(
      "get", to: "tea@rooms.localhost", Element("query", Namespace.discoInfo))
    let disco = try #require(info.elements.first.flatMap { XEP0030Discovery($0) })
    #expect(disco.identities.first?.name == "Tea & cake")
    #expect(disco.features.isSuperset(of: ["muc_moderated", "muc_persistent", Namespace.archive]))
    try await server.stop()
  }

  @Test func `a room that is not to stay goes with the last occupant, listed ones are found`()
    async throws
  {
    try await withServer { server in
      let alice = try await server.client("alice")
      for (name, fields) in [
        ("short", [("persistentroom", "0")]), ("hidden", [("publicroom", "0")]), ("long", []),
      ] {
        try await alice.enter(name, as: "Alice")
        #expect(try await alice.configure(name, fields)["type"] == "result")
      }
      try await alice.enter("locked", as: "Alice")
      func listed() async throws -> [String] {
        let answer = try await alice.ask(
          "get", to: "rooms.localhost", Element("query", Namespace.discoItems))
        return answer.elements.first?.elements.compactMap { $0["jid"] } ?? []
      }
      #expect(try await listed() == ["long@rooms.localhost", "short@rooms.localhost"])
      try await alice.send("<presence type='unavailable'/>")
      #expect(try await listed() == ["long@rooms.localhost"])
      let items = try await alice.ask(
        "get", to: "localhost", Element("query", Namespace.discoItems))
      #expect(items.elements.first?.elements.first?["jid"] == "rooms.localhost")
    }
  }
}
