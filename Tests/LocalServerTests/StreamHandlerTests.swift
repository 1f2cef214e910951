import Crypto
import Testing
import XML
import XMPP

@testable import LocalServer

@Suite struct StreamHandlerTests {
  struct NoAccounts: KeyReading {
    func keys(of name: String, for mechanism: String) -> StoredKeys? { nil }
    func decoyKey() -> [UInt8] { [1] }
  }

  let passwords: Passwords
  let alice: SASLExchangeTests.Table

  init() throws {
    passwords = Passwords(crypto: CryptoLibrary(), iterations: 4096)
    alice = .init(keys: ["alice SCRAM-SHA-256": try passwords.keys(for: "secret", by: .sha256)])
  }

  private func handler() -> StreamHandler {
    StreamHandler(
      domain: "localhost", attemptLimit: 3,
      sasl: SASLExchange.Setting(passwords: passwords) { "nonce" }, capabilities: "hash",
      stanzaLimit: 1 << 20)
  }

  private func header(_ attributes: Attributes = ["to": "localhost", "version": "1.0"])
    -> StreamEvent
  {
    .header(
      Element("stream", Namespace.streams, attributes), defaultNamespace: Namespace.client)
  }

  private func auth(_ password: String) -> StreamEvent {
    .element(
      Element(
        "auth", Namespace.sasl, ["mechanism": "PLAIN"],
        text: Base64.encode(Array("\0alice\0\(password)".utf8))))
  }

  /// A handler that has come to `phase`.
  private func handler(in phase: StreamHandler.Phase) throws -> StreamHandler {
    var handler = handler()
    if phase == .opening { return handler }
    _ = try handler.receive(header(), keys: alice)
    if phase == .authenticating { return handler }
    _ = try handler.receive(auth("secret"), keys: alice)
    if phase == .reopening { return handler }
    _ = try handler.receive(header(), keys: alice)
    if phase == .binding { return handler }
    handler.didBind()
    return handler
  }

  @Test func `the way from the header to a resource`() throws {
    var handler = handler()
    var steps = try handler.receive(
      header(["to": "localhost", "version": "1.0", "from": "alice@localhost/x"]), keys: alice)
    #expect(steps.first == .header(to: JID(local: "alice", domain: "localhost")))
    guard case .send(let features) = steps.last else {
      Issue.record("no features")
      return
    }
    #expect(
      features.first("mechanisms", Namespace.sasl)?.elements.map(\.text)
        == ["SCRAM-SHA-256", "SCRAM-SHA-1", "PLAIN", "OAUTHBEARER"])
    #expect(features.first("register", Namespace.registerFeature) != nil)
    #expect(features.first("starttls", Namespace.tls) == nil)

    steps = try handler.receive(auth("secret"), keys: alice)
    #expect(steps == [.send(Element("success", Namespace.sasl)), .restart])
    #expect(handler.account == "alice")

    steps = try handler.receive(header(), keys: alice)
    guard case .send(let features) = steps.last else {
      Issue.record("no features")
      return
    }
    #expect(features.first("bind", Namespace.bind) != nil)
    #expect(features.first("sm", Namespace.streamManagement) != nil)
    #expect(features.first("ver", Namespace.rosterVersioning) != nil)
    #expect(StreamFeatures(features).stanzaLimit == StanzaLimit(announced: 1 << 20))
    #expect(features.first("mechanisms", Namespace.sasl) == nil)

    let bind = Element(
      "iq", Namespace.client, ["type": "set", "id": "1"], [Element("bind", Namespace.bind)])
    #expect(try handler.receive(.element(bind), keys: alice) == [.bind(bind, account: "alice")])
    handler.didBind()
    let ping = Element("iq", Namespace.client, ["type": "get", "id": "2"])
    #expect(try handler.receive(.element(ping), keys: alice) == [.stanza(ping)])
  }

  @Test(arguments: [
    (["to": "elsewhere", "version": "1.0"], StreamError.Condition.hostUnknown),
    (["to": "not a host!", "version": "1.0"], .hostUnknown),
    (["to": "localhost"], .unsupportedVersion),
    (["to": "localhost", "version": "0.9"], .unsupportedVersion),
    (["to": "localhost", "version": "x"], .unsupportedVersion),
  ]) func `a wrong header gets a header and its error`(
    _ attributes: [String: String], _ condition: StreamError.Condition
  ) throws {
    var handler = handler()
    #expect(
      try handler.receive(header(Attributes(attributes)), keys: alice)
        == [.header(to: nil), .end(StreamError(condition))])
    #expect(handler.phase == .ended)
  }

  @Test func `a header in another namespace or for servers is refused`() throws {
    var handler = handler()
    let stream = Element("stream", Namespace.streams, ["to": "localhost", "version": "1.0"])
    #expect(
      try handler.receive(.header(stream, defaultNamespace: "jabber:server"), keys: alice).last
        == .end(StreamError(.invalidNamespace)))
    handler = self.handler()
    let other = Element("stream", "urn:other", ["to": "localhost", "version": "1.0"])
    #expect(
      try handler.receive(.header(other, defaultNamespace: Namespace.client), keys: alice).last
        == .end(StreamError(.invalidNamespace)))
  }

  @Test(arguments: [StreamHandler.Phase.authenticating, .binding])
  func `a stanza before its time ends the stream`(_ phase: StreamHandler.Phase) throws {
    var handler = try handler(in: phase)
    let message = Element("message", Namespace.client, ["to": "bob@localhost"])
    #expect(
      try handler.receive(.element(message), keys: alice) == [.end(StreamError(.notAuthorized))])
    #expect(try handler.receive(.element(message), keys: alice) == [])
  }

  @Test func `wrong passwords end the stream after the limit`() throws {
    var handler = try handler(in: .authenticating)
    for _ in 1...2 {
      let steps = try handler.receive(auth("wrong"), keys: alice)
      #expect(
        steps == [
          .send(
            Element("failure", Namespace.sasl, [:], [Element("not-authorized", Namespace.sasl)]))
        ])
    }
    let steps = try handler.receive(auth("wrong"), keys: alice)
    #expect(steps.last == .end(StreamError(.policyViolation)))
  }

  @Test func `after a wrong password the right one still counts`() throws {
    var handler = try handler(in: .authenticating)
    _ = try handler.receive(auth("wrong"), keys: alice)
    #expect(try handler.receive(auth("secret"), keys: alice).last == .restart)
  }

  @Test func `an aborted attempt says so, a response without an attempt is malformed`() throws {
    var handler = try handler(in: .authenticating)
    for (name, condition) in [("abort", "aborted"), ("response", "malformed-request")] {
      #expect(
        try handler.receive(.element(Element(name, Namespace.sasl)), keys: alice) == [
          .send(Element("failure", Namespace.sasl, [:], [Element(condition, Namespace.sasl)]))
        ])
    }
  }

  @Test func `bad XML ends the stream with its condition, with a header where there was none`()
    throws
  {
    var handler = handler()
    #expect(
      try handler.receive(.failure(StreamError(.notWellFormed)), keys: alice)
        == [.header(to: nil), .end(StreamError(.notWellFormed))])
    handler = try self.handler(in: .bound)
    #expect(
      try handler.receive(.failure(StreamError(.restrictedXML)), keys: alice)
        == [.end(StreamError(.restrictedXML))])
  }

  @Test(arguments: [StreamHandler.Phase.authenticating, .binding, .bound])
  func `the client may end the stream at any time`(_ phase: StreamHandler.Phase) throws {
    var handler = try handler(in: phase)
    #expect(try handler.receive(.end, keys: alice) == [.end(nil)])
  }

  @Test func `a second header, and elements of unknown kinds, end the stream`() throws {
    var handler = try handler(in: .bound)
    #expect(try handler.receive(header(), keys: alice) == [.end(StreamError(.badFormat))])
    handler = try self.handler(in: .bound)
    #expect(
      try handler.receive(.element(Element("nonsense", "urn:x")), keys: alice)
        == [.end(StreamError(.unsupportedStanzaType))])
  }

  @Test func `acknowledgements before a resource fail, resumption goes on`() throws {
    var handler = try handler(in: .binding)
    let enable = Element("enable", Namespace.streamManagement)
    #expect(
      try handler.receive(.element(enable), keys: alice)
        == [.send(Acknowledgements.failure("unexpected-request"))])
    let resume = Element("resume", Namespace.streamManagement, ["previd": "x", "h": "0"])
    #expect(
      try handler.receive(.element(resume), keys: alice) == [.resume(resume, account: "alice")])
  }

  @Test func `registration without end is a violation`() throws {
    var handler = try handler(in: .authenticating)
    let request = Element(
      "iq", Namespace.client, ["type": "set", "id": "r"], [Element("query", Namespace.register)])
    for _ in 1...12 {
      #expect(try handler.receive(.element(request), keys: alice) == [.register(request)])
    }
    #expect(
      try handler.receive(.element(request), keys: alice)
        == [.end(StreamError(.policyViolation))])
  }
}
