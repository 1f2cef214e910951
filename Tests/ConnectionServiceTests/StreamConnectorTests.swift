import Crypto
import Diagnostics
import NatterCore
import Sockets
import TestSupport
import Testing
import XML
import XMPP

@testable import ConnectionService

@Suite(.timeLimit(.minutes(6))) struct StreamConnectorTests {
  private let jid = JID(local: "alice", domain: "natter.test")

  private func connector(
    _ resolver: Resolver = Resolver(query: { _, _ in .none }),
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  ) -> StreamConnector {
    StreamConnector(crypto: CryptoLibrary(), resolver: resolver, log: .none, sleep: sleep)
  }

  private func account(
    _ server: MisbehavingServer?, _ security: Account.Security = .startTLS
  ) -> Account {
    Account(
      jid: jid, server: server == nil ? nil : "127.0.0.1", port: server.map { Int($0.port) },
      security: security)
  }

  /// Why `account` cannot be reached.
  private func problem(_ connector: StreamConnector, _ account: Account) async
    -> ConnectionProblem?
  {
    do {
      _ = try await connector.connect(
        account, Credential(password: "secret"), resource: nil, progress: { _ in })
      return nil
    } catch {
      return error as? ConnectionProblem
    }
  }

  private func sends(to target: String) -> MisbehavingServer.Behaviour {
    .opensStreamAndSays(
      "<stream:error><see-other-host xmlns='urn:ietf:params:xml:ns:xmpp-streams'>\(target)"
        + "</see-other-host></stream:error></stream:stream>", closes: true)
  }

  @Test(arguments: [Account.Security.automatic, .startTLS, .direct])
  func `a silent server is given up within 15 s, all ways of TLS together`(
    security: Account.Security
  ) async throws {
    let server = try MisbehavingServer(.neverAnswers)
    let slept = Observed<[Duration]>([])
    let connector = connector { duration in
      slept.update { $0.append(duration) }
      // The clock goes on when the next way is being tried.
      _ = await server.meets((slept.value.count + 3) / 4)
    }
    let problem = await problem(connector, account(server, security))
    #expect(problem?.kind == .timedOut)
    #expect(server.connectionCount == (security == .automatic ? 2 : 1))
    let total = slept.value.reduce(.zero, +)
    #expect(total > .seconds(5))
    #expect(total + StreamConnector.lookUpLimit <= .seconds(15))
  }

  @Test func `a server that goes on talking is not given up for its silence`() async throws {
    let activity = StreamActivity()
    let slept = Observed<[Duration]>([])
    let connector = connector { duration in
      slept.update { $0.append(duration) }
      if slept.value.count < 12 { activity.note() }
    }
    await #expect(throws: StreamFailure.timedOut) {
      try await connector.limited(.seconds(4), activity) {
        try await Pause.endless(.zero)
      }
    }
    #expect(slept.value.count == 15)
  }

  @Test func `next SRV target when one is down`() async throws {
    let server = try MisbehavingServer(.closesAtOnce)
    let refusing = try LoopbackPort.free()
    let records = [
      ServiceRecord(priority: 1, weight: 0, port: Int(refusing), target: "127.0.0.1"),
      ServiceRecord(priority: 2, weight: 0, port: Int(server.port), target: "127.0.0.1"),
    ]
    let resolver = Resolver(query: { name, _ in
      name.hasPrefix("_xmpp-client.") ? .records(records) : .none
    })
    let problem = await problem(connector(resolver), account(nil))
    #expect(server.connectionCount == 1)
    // Who came further knows better what is the matter.
    #expect(problem?.port == Int(server.port))
    #expect(problem?.kind == .closed)
  }

  @Test func `once the answers for a new account are on their way no other host is asked`()
    async throws
  {
    let servers = try [MisbehavingServer(.neverAnswers), MisbehavingServer(.neverAnswers)]
    let records = servers.enumerated().map {
      ServiceRecord(
        priority: $0.offset + 1, weight: 0, port: Int($0.element.port), target: "127.0.0.1")
    }
    let resolver = Resolver(query: { name, _ in
      name.hasPrefix("_xmpp-client.") ? .records(records) : .none
    })
    for (isFinal, count) in [(true, 1), (false, 2)] {
      let tried = Observed(0)
      await #expect(throws: ConnectionProblem.self) {
        try await connector(resolver).onEachEndpoint(
          of: account(nil), { _ in }, isFinal: { isFinal }
        ) { _, _ in
          tried.update { $0 += 1 }
          throw StreamFailure.ended
        }
      }
      #expect(tried.value == count)
    }
  }

  @Test func `an account whose creation is not confirmed may exist`() async throws {
    let server = try MisbehavingServer(.takesNewcomersAndCloses)
    let problem = await #expect(throws: ConnectionProblem.self) {
      try await connector().register(
        account(server, .off), Credential(password: "secret"), answers: [:])
    }
    #expect(server.receivedText.contains("<password>secret"))
    // Nothing that says that there is none.
    #expect(problem?.kind == .closed)
  }

  @Test func `a port that was named and closes at once may want another kind of TLS`() async throws
  {
    let server = try MisbehavingServer(.closesAtOnce)
    for security in [Account.Security.startTLS, .automatic] {
      let problem = await problem(connector(), account(server, security))
      #expect(problem?.kind == .closedAtOnce, "\(security)")
      #expect(problem?.port == Int(server.port))
    }
    let talker = try MisbehavingServer(
      .opensStreamAndSays("<stream:features/></stream:stream>", closes: true))
    let other = await problem(connector(), account(talker))
    #expect(other?.kind != .closedAtOnce)
  }

  @Test func `whether the unknown server was named by a person is known`() async throws {
    let lookingUp = connector(Resolver(query: { _, _ in .none }))
    var named = Account(jid: JID(local: "alice", domain: "localhost"), security: .startTLS)
    (named.server, named.port) = ("nowhere.invalid", 5222)
    let problem = await problem(lookingUp, named)
    #expect(problem?.kind == .unknownHost)
    #expect(problem?.isServerNamed == true)
    let found = await self.problem(
      lookingUp, Account(jid: JID(local: "alice", domain: "nowhere.invalid")))
    #expect(found?.kind == .unknownHost)
    #expect(found?.isServerNamed == false)
  }

  @Test func `a name without an address is looked up once, and not for each port`() async throws {
    let tried = Observed<[SignInProgress]>([])
    await #expect(throws: ConnectionProblem.self) {
      _ = try await connector(Resolver(query: { _, _ in .none })).connect(
        Account(jid: JID(local: "alice", domain: "nowhere.invalid")), Credential(password: "x"),
        resource: nil
      ) { step in tried.update { $0.append(step) } }
    }
    #expect(tried.value.count { if case .connecting = $0 { true } else { false } } == 1)
  }

  @Test func `see-other-host honoured`() async throws {
    let other = try MisbehavingServer(.closesAtOnce)
    let server = try MisbehavingServer(sends(to: other.address))
    let problem = await problem(connector(), account(server, .off))
    #expect(other.connectionCount == 1)
    #expect(problem?.port == Int(other.port))
  }

  @Test func `see-other-host: before TLS anybody on the way could say it, and it is not followed`()
    async throws
  {
    let other = try MisbehavingServer(.closesAtOnce)
    let server = try MisbehavingServer(sends(to: other.address))
    let problem = await problem(connector(), account(server))
    #expect(problem?.kind == .movedAway)
    #expect(problem?.detail.contains(other.address) == true)
    #expect(server.connectionCount == 1 && other.connectionCount == 0)
  }

  @Test func `see-other-host: after TLS it is followed, with the same way of TLS`() async throws {
    let authority = try await CertificateAuthority()
    let greeter = try await TLSGreeter(try await authority.good(["natter.test"]))
    let other = try MisbehavingServer(.closesAtOnce)
    var account = Account(
      jid: jid, server: "127.0.0.1", port: Int(greeter.port), security: .direct)
    account.caFile = authority.certificate
    let said = Element(
      "error", Namespace.streams, [:],
      [
        Element(
          "see-other-host", "urn:ietf:params:xml:ns:xmpp-streams", text: other.address)
      ])
    let error = try #require(StreamError(said))
    let asked = Observed(0)
    let problem = await #expect(throws: ConnectionProblem.self) {
      try await connector().onEachEndpoint(of: account, { _ in }) { transport, _ in
        #expect(transport.isSecure)
        asked.update { $0 += 1 }
        throw StreamFailure.stream(error)
      }
    }
    #expect(asked.value == 1)
    #expect(other.connectionCount == 1)
    #expect(problem?.port == Int(other.port))
    await greeter.stop()
  }

  @Test(arguments: [
    (["SCRAM-SHA3-512", "OAUTHBEARER"], true), (["scram-sha-1-plus", "OAUTHBEARER"], true),
    (["PLAIN", "OAUTHBEARER", "X-SCRAM-SHA-1"], false),
  ])
  func `SCRAM hides the password, known here or not`(mechanisms: [String], hides: Bool)
    async throws
  {
    let list = mechanisms.map { "<mechanism>\($0)</mechanism>" }.joined()
    let server = try MisbehavingServer(
      .opensStreamAndSays(
        "<stream:features><mechanisms xmlns='urn:ietf:params:xml:ns:xmpp-sasl'>\(list)"
          + "</mechanisms></stream:features>"))
    let offer = try await connector().signInOffer(of: account(server, .off)) { _ in }
    #expect(offer.takesTokens)
    #expect(offer.hidesPassword == hides)
  }

  @Test func `see-other-host: without TLS it leads to no other computer`() async throws {
    let server = try MisbehavingServer(sends(to: "192.0.2.1:5222"))
    let problem = await problem(connector(), account(server, .off))
    #expect(problem?.kind == .clearTextRefused)
  }

  @Test func `see-other-host: a chain is followed three times`() async throws {
    var chain = [try MisbehavingServer(.closesAtOnce)]
    for _ in 0..<4 { chain.insert(try MisbehavingServer(sends(to: chain[0].address)), at: 0) }
    _ = await problem(connector(), account(chain[0], .off))
    #expect(chain.map(\.connectionCount) == [1, 1, 1, 1, 0])
  }

  @Test(
    arguments: [
      ("chat.example.org", "chat.example.org", nil),
      ("chat.example.org:5269", "chat.example.org", 5269),
      ("[2001:db8::9]:9876", "2001:db8::9", 9876), ("[2001:db8::9]", "2001:db8::9", nil),
      ("2001:db8::9", "2001:db8::9", nil), (" 192.0.2.7\n", "192.0.2.7", nil),
    ] as [(String, String, Int?)])
  func `a host that a server names is read`(text: String, host: String, port: Int?) {
    let target = RedirectTarget(text)
    #expect(target?.host == host)
    #expect(target?.port == port)
  }

  @Test(arguments: [
    "", " ", ":5222", "host:", "host:0", "host:65536", "host:-1", "host:5222x", "[]:1", "[::1]x",
    "/run/socket", "a b", "a\0b", String(repeating: "a", count: 2000),
  ])
  func `a redirect that names no host is not followed`(text: String) {
    #expect(RedirectTarget(text) == nil)
  }
}
