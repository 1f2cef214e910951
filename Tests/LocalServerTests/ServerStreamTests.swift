import Crypto
import Foundation
import Glibc
import Sockets
import Testing
import XML
import XMPP

@testable import LocalServer

@Suite struct ServerStreamTests {
  // MARK: Signing in

  @Test func `registration makes an account that signs in by SCRAM`() async throws {
    try await withServer { server in
      for function in [HashFunction.sha256, .sha1] {
        let name = "user\(function.byteCount)"
        let client = try await server.connect()
        try await client.open()
        #expect(client.header?["from"] == "localhost")
        #expect(client.header?["id"]?.isEmpty == false)
        #expect(try await client.register(name, password: "s=e,c ret")["type"] == "result")
        var scram = try SCRAMClient(
          function, user: name, password: "s=e,c ret", crypto: CryptoLibrary())
        let mechanism = "SCRAM-" + function.rawValue
        try await client.send(
          Element(
            "auth", Namespace.sasl, ["mechanism": mechanism],
            text: Base64.encode(Array(scram.first.utf8))))
        let challenge = try await client.element("a challenge") { $0.name == "challenge" }
        let question = String(decoding: try #require(Base64.decode(challenge.text)), as: UTF8.self)
        try await client.send(
          Element(
            "response", Namespace.sasl,
            text: Base64.encode(Array(try scram.final(answering: question).utf8))))
        let success = try await client.element("success") { $0.name == "success" }
        try scram.verify(String(decoding: try #require(Base64.decode(success.text)), as: UTF8.self))
        try await client.open()
        #expect(try await client.bind("here")["type"] == "result")
        #expect(client.jid == "\(name)@localhost/here")
      }
    }
  }

  @Test(arguments: [
    ("alice", "secret", "conflict"), ("ALICE", "secret", "conflict"), ("natter", "x", "conflict"),
    ("", "secret", "not-acceptable"), ("bob", "", "not-acceptable"), ("a@b", "x", "jid-malformed"),
    ("a/b", "x", "jid-malformed"), ("a b", "x", "jid-malformed"), ("bob", "x\ny", "not-acceptable"),
  ]) func `a name that is taken or none is refused`(
    _ name: String, _ password: String, _ condition: String
  ) async throws {
    try await withServer { server in
      _ = try await server.client("alice")
      let client = try await server.connect()
      try await client.open()
      let answer = try await client.register(name, password: password)
      #expect(RawXMPPClient.condition(answer) == condition)
      // And it can try again.
      #expect(try await client.register("carol")["type"] == "result")
    }
  }

  @Test
  func
    `the registration form names what is needed, without words of a language, and a data form does as well`()
    async throws
  {
    try await withServer { server in
      let client = try await server.connect()
      try await client.open()
      let form = try await client.ask("get", to: nil, Element("query", Namespace.register))
      #expect(
        form.first("query", Namespace.register)?.elements.map(\.name) == [
          "username", "password",
        ])
      let submitted = """
        <query xmlns='jabber:iq:register'><x xmlns='jabber:x:data' type='submit'>\
        <field var='username'><value>dave</value></field>\
        <field var='password'><value>secret</value></field></x></query>
        """
      let query = try #require(XMLColumn.parse(submitted))
      let answer = try await client.ask("set", to: nil, query)
      #expect(answer["type"] == "result")
      #expect(try await client.authenticate("dave") == nil)
    }
  }

  @Test func `a password can be changed, and the old one is of no use then`() async throws {
    try await withServer { server in
      let alice = try await server.client("alice")
      _ = try await server.client("bob")
      func change(_ name: String) -> Element {
        Element(
          "query", Namespace.register, [:],
          [
            Element("username", Namespace.register, text: name),
            Element("password", Namespace.register, text: "new"),
          ])
      }
      #expect(
        RawXMPPClient.condition(try await alice.ask("set", to: nil, change("bob"))) == "not-allowed"
      )
      #expect(try await alice.ask("set", to: "localhost", change("alice"))["type"] == "result")
      let client = try await server.connect()
      try await client.open()
      #expect(try await client.authenticate("alice", password: "secret") == "not-authorized")
      #expect(try await client.authenticate("alice", password: "new") == nil)
    }
  }

  @Test func `a removed account is gone from everywhere`() async throws {
    try await withServer { server in
      let alice = try await server.client("alice")
      let bob = try await server.client("bob")
      _ = try await bob.roster()
      let remove = Element(
        "query", Namespace.register, [:], [Element("remove", Namespace.register)])
      #expect(try await alice.ask("set", to: nil, remove)["type"] == "result")
      #expect(try await alice.streamError().condition == .notAuthorized)
      _ = try await bob.presence("unavailable", from: "alice@localhost/test")
      #expect(try await bob.roster()["alice@localhost"] == nil)
      try await bob.say("anybody?", to: "alice@localhost")
      #expect(
        RawXMPPClient.condition(try await bob.message { $0["type"] == "error" })
          == "service-unavailable")
      let again = try await server.connect()
      try await again.open()
      #expect(try await again.authenticate("alice") == "not-authorized")
    }
  }

  @Test func `the same resource again ends the older session`() async throws {
    try await withServer { server in
      let older = try await server.client("alice", resource: "same")
      let newer = try await server.client("alice", resource: "same", registering: false)
      #expect(try await older.streamError().condition == .conflict)
      _ = try await older.drain()
      #expect(newer.jid == "alice@localhost/same")
      try await newer.catchUp()
    }
  }

  @Test func `the server chooses a resource if none is requested, a bad one is refused`()
    async throws
  {
    try await withServer { server in
      let client = try await server.connect()
      try await client.open()
      _ = try await client.register("alice")
      try await client.authenticateAndReopen("alice")
      #expect(
        RawXMPPClient.condition(try await client.bind(String(repeating: "x", count: 2_000)))
          == "bad-request")
      #expect(try await client.bind(nil)["type"] == "result")
      #expect(client.jid.hasPrefix("alice@localhost/") && client.jid.count > 20)
    }
  }

  @Test func `a client that does not sign in is disconnected`() async throws {
    try await withServer({ $0.negotiation = .milliseconds(50) }) { server in
      let client = try await server.connect()
      try await client.open()
      #expect(try await client.streamError().condition == .connectionTimeout)
      _ = try await client.drain()
    }
  }

  @Test func `too many connections get an error that says so`() async throws {
    try await withServer({ $0.connectionLimit = 1 }) { server in
      let first = try await server.connect()
      try await first.open()
      let second = try await server.connect()
      #expect(try await second.streamError().condition == .resourceConstraint)
      _ = try await first.register("alice")
    }
  }

  // MARK: Bad input

  @Test(arguments: [
    ("not xml at all", StreamError.Condition.notWellFormed),
    ("<?xml version='1.0'?><!DOCTYPE x><x/>", .restrictedXML),
    ("\u{1}", .notWellFormed),
    ("GET / HTTP/1.1\r\n\r\n", .notWellFormed),
    (
      "<stream:stream xmlns='jabber:client' to='elsewhere' version='1.0' xmlns:stream='http://etherx.jabber.org/streams'>",
      .hostUnknown
    ),
    (
      "<stream:stream xmlns='jabber:server' to='localhost' version='1.0' xmlns:stream='http://etherx.jabber.org/streams'>",
      .invalidNamespace
    ),
  ]) func `garbage gets a stream error and the end`(
    _ text: String, _ condition: StreamError.Condition
  ) async throws {
    try await withServer { server in
      let client = try await server.connect()
      try await client.send(text)
      #expect(try await client.streamError().condition == condition)
      _ = try await client.drain()
    }
  }

  @Test func `a stanza over the limit ends the stream, for strangers sooner`() async throws {
    try await withServer({ $0.stanzaLimit = 100_000 }) { server in
      let stranger = try await server.connect()
      try await stranger.open()
      try await stranger.send(
        "<auth xmlns='urn:ietf:params:xml:ns:xmpp-sasl' mechanism='PLAIN'>"
          + String(repeating: "A", count: 20_000))
      #expect(try await stranger.streamError().condition == .policyViolation)
      let alice = try await server.client("alice")
      try await alice.say(String(repeating: "x", count: 50_000), to: "natter@localhost")
      try await alice.catchUp()
      try await alice.send("<message><body>" + String(repeating: "x", count: 200_000))
      #expect(try await alice.streamError().condition == .policyViolation)
    }
  }

  @Test func `random bytes on many connections leave the server in good health`() async throws {
    try await withServer { server in
      let alice = try await server.client("alice")
      for seed in 0..<30 {
        let client = try await server.connect()
        if seed % 3 == 0 { try await client.open() }
        try? await client.socket.send(randomBytes(1 + seed * 37))
        client.close()
      }
      try await alice.catchUp()
    }
  }

  @Test func `a client that does not read is cut off, and its messages wait for it`() async throws {
    try await withServer({
      $0.queueLimit = 300_000
      $0.farewell = .milliseconds(100)
    }) { server in
      let alice = try await server.client("alice")
      let bob = try await server.client("bob")
      let presence =
        "<presence to='bob@localhost/test'><status>\(String(repeating: "x", count: 50_000))</status></presence>"
      try await alice.say("first", to: "bob@localhost")
      // The kernel's buffers take some megabytes before anything waits here.
      for _ in 0..<400 { try await alice.send(presence) }
      _ = try await alice.presence("unavailable", from: "bob@localhost/test")
      _ = try? await bob.drain()
      try await alice.say("second", to: "bob@localhost")
      try await alice.catchUp()
      let back = try await server.client("bob", registering: false)
      _ = try await back.message(body: "second")
    }
  }

  // MARK: Passwords, and the own stream of Natter

  @Test func `a password counts the same in every Unicode form`() async throws {
    try await withServer { server in
      let client = try await server.connect()
      try await client.open()
      #expect(try await client.register("alice", password: "caf\u{65}\u{301}")["type"] == "result")
      #expect(try await client.authenticate("alice", password: "caf\u{E9}") == nil)
    }
  }

  @Test func `Natter's own stream registers, signs in and talks`() async throws {
    try await withServer { server in
      let crypto = CryptoLibrary()
      func socket() async throws -> PlainSocket {
        try await PlainSocket.connect(host: "127.0.0.1", port: server.state.port)
      }
      let options = StreamOptions(
        domain: "localhost", user: "erin", password: "secret", resource: "natter",
        allowsPlaintext: true)
      try await XMPPStream.register(
        over: try await socket(), options: options,
        answers: ["username": ["erin"], "password": ["secret"]], crypto: crypto
      ) { $0 }
      let stream = try await XMPPStream.open(
        over: try await socket(), options: options, crypto: crypto
      ) { $0 }
      #expect(stream.session.jid == JID(local: "erin", domain: "localhost", resource: "natter"))
      let running = Task { await stream.run() }
      let roster = try await stream.request(
        Element("iq", Namespace.client, ["type": "get"], [Element("query", Namespace.roster)]))
      #expect(roster.first("query", Namespace.roster)?.elements.first?["jid"] == "natter@localhost")
      await stream.close()
      await running.value
    }
  }
}
