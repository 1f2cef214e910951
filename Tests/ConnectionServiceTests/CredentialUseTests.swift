import Diagnostics
import Foundation
import NatterCore
import Sockets
import Synchronization
import TestSupport
import Testing
import XMPP

@testable import ConnectionService

/// Tokens that expired, that were revoked, or that another program has renewed.
@Suite(.timeLimit(.minutes(6))) struct CredentialUseTests {
  private let account = Account(jid: JID(local: "alice", domain: "example.org"))

  static func token(_ value: String, refresh: String? = "r") -> Credential {
    Credential(
      .token(
        AccessToken(
          value: value, refreshToken: refresh,
          login: HTTPLogin(tokenEndpoint: "https://a.example/t", grants: [], scope: "xmpp"))))
  }

  /// Renews a token as configured, and remembers the requests.
  private final class Renewal: CredentialRenewing {
    let asked = Mutex<[Bool]>([])
    let withdrawn = Mutex<[Credential]>([])
    private let refresh: String?
    private let early: Result<String?, ConnectionProblem>
    private let late: Result<String?, ConnectionProblem>
    /// Done before each answer to a refusal.
    private let meanwhile: @Sendable () async -> Void

    /// - Parameters:
    ///   - early: what it answers to a token that nobody has refused, and `late` to one that was.
    init(
      early: Result<String?, ConnectionProblem> = .success(nil),
      late: Result<String?, ConnectionProblem> = .success(nil), refresh: String? = "r",
      meanwhile: @escaping @Sendable () async -> Void = {}
    ) {
      (self.early, self.late, self.meanwhile) = (early, late, meanwhile)
      self.refresh = refresh
    }

    func withdraw(_ credential: Credential) { withdrawn.withLock { $0.append(credential) } }

    func renewed(_ credential: Credential, of account: Account, isRefused: Bool) async throws
      -> Credential?
    {
      asked.withLock { $0.append(isRefused) }
      if isRefused { await meanwhile() }
      return try (isRefused ? late : early).get().map {
        CredentialUseTests.token($0, refresh: refresh)
      }
    }
  }

  private actor Store: CredentialStoring {
    var kept: Credential
    init(_ kept: Credential) { self.kept = kept }
    func credential(for account: JID) -> Credential? { kept }
    func save(_ credential: Credential, for account: JID) { kept = credential }
    func replace(_ credential: Credential, for account: JID) { kept = credential }
    func removeCredential(for account: JID) {}
    func put(_ credential: Credential) { kept = credential }
  }

  /// A server that takes some tokens.
  private actor Server {
    private(set) var tried: [String] = []
    private let good: Set<String>
    init(taking good: Set<String>) { self.good = good }
    func take(_ credential: Credential) throws -> String {
      let value = credential.token?.value ?? ""
      tried.append(value)
      guard good.contains(value) else { throw ConnectionProblem(.tokenRefused) }
      return value
    }
  }

  private func signedIn(
    _ store: Store, _ renewal: Renewal, _ server: Server, renewsFirst: Bool = true
  ) async throws -> String {
    try await CredentialUse(of: account, in: store, renewal: renewal, log: .none)
      .signedIn(with: await store.kept, renewsFirst: renewsFirst) { try await server.take($0) }
  }

  @Test func `what is about to expire is renewed before it is tried, and kept`() async throws {
    let (store, server) = (Store(Self.token("old")), Server(taking: ["new"]))
    let renewal = Renewal(early: .success("new"))
    #expect(try await signedIn(store, renewal, server) == "new")
    #expect(await server.tried == ["new"])
    #expect(await store.kept == Self.token("new"))
    // Where something else will be used, nothing is renewed beforehand.
    let other = Renewal(early: .success("newer"))
    #expect(try await signedIn(store, other, server, renewsFirst: false) == "new")
    #expect(other.asked.withLock { $0.isEmpty })
  }

  @Test func `what the server refuses is renewed once, whatever the clock says`() async throws {
    let (store, server) = (Store(Self.token("old")), Server(taking: ["new"]))
    #expect(try await signedIn(store, Renewal(late: .success("new")), server) == "new")
    #expect(await server.tried == ["old", "new"])
    #expect(await store.kept == Self.token("new"))
    let (again, deaf) = (Store(Self.token("old")), Server(taking: []))
    await #expect(throws: ConnectionProblem(.tokenRefused)) {
      try await signedIn(again, Renewal(late: .success("new")), deaf)
    }
    #expect(await deaf.tried == ["old", "new"])
  }

  @Test func `a token endpoint that is in trouble does not ask for a password`() async throws {
    var busy = ConnectionProblem(.busy)
    busy.retryAfter = 30
    let (store, server) = (Store(Self.token("old")), Server(taking: []))
    let renewal = Renewal(early: .failure(busy), late: .success("new"))
    await #expect(throws: busy) { try await signedIn(store, renewal, server) }
    // It is not asked twice in one attempt, and what is kept stays.
    #expect(renewal.asked.withLock { $0 } == [false])
    #expect(await store.kept == Self.token("old"))
    // The clock was wrong: the token is good, and the trouble is nobody's.
    let good = Server(taking: ["old"])
    #expect(try await signedIn(store, renewal, good) == "old")
  }

  @Test func `a token that another program has renewed meanwhile is used`() async throws {
    // Before this one was refused.
    let (store, server) = (Store(Self.token("theirs")), Server(taking: ["theirs"]))
    let renewal = Renewal()
    let got = try await CredentialUse(of: account, in: store, renewal: renewal, log: .none)
      .signedIn(with: Self.token("old")) { try await server.take($0) }
    #expect(got == "theirs")
    #expect(renewal.asked.withLock { $0 } == [false])
    // While this one was being renewed with what renews but once.
    let (late, other) = (Store(Self.token("old")), Server(taking: ["theirs"]))
    let slow = Renewal(meanwhile: { await late.put(Self.token("theirs")) })
    #expect(try await signedIn(late, slow, other) == "theirs")
  }

  @Test func `a password that the user enters while a token is renewed stays`() async throws {
    let (store, server) = (Store(Self.token("old")), Server(taking: ["new"]))
    let entered = Credential(password: "entered")
    let renewal = Renewal(late: .success("new"), meanwhile: { await store.put(entered) })
    #expect(try await signedIn(store, renewal, server) == "new")
    #expect(await store.kept == entered)
  }

  @Test func `a password that is exchanged for a token that can be renewed is kept as that`()
    async throws
  {
    let password = Credential(password: "secret")
    let (store, server) = (Store(password), Server(taking: ["new"]))
    #expect(try await signedIn(store, Renewal(early: .success("new")), server) == "new")
    #expect(await server.tried == ["new"])
    #expect(await store.kept == Self.token("new"))
    // A server that has no use for it gets the password.
    let (other, deaf) = (Store(password), Server(taking: [""]))
    let renewal = Renewal(early: .success("new"))
    #expect(try await signedIn(other, renewal, deaf) == "")
    #expect(await deaf.tried == ["new", ""])
    #expect(await other.kept == password)
    // Nobody keeps the token: it must not be good for longer.
    #expect(renewal.withdrawn.withLock { $0 } == [Self.token("new")])
  }

  @Test func `what is kept while signing in with an exchanged token is not overwritten`()
    async throws
  {
    let store = Store(Credential(password: "secret"))
    let renewal = Renewal(early: .success("new"))
    let newer = Self.token("newer")
    _ = try await CredentialUse(of: account, in: store, renewal: renewal, log: .none)
      .signedIn(with: await store.kept) { credential in
        #expect(credential == Self.token("new"))
        #expect(await store.kept == Self.token("new"))
        await store.put(newer)
      }
    #expect(await store.kept == newer)
    #expect(renewal.withdrawn.withLock { $0.isEmpty })
  }

  @Test func `a token that nothing renews does not replace the password`() async throws {
    let password = Credential(password: "secret")
    let (store, server) = (Store(password), Server(taking: ["new"]))
    let renewal = Renewal(early: .success("new"), refresh: nil)
    #expect(try await signedIn(store, renewal, server) == "new")
    #expect(await store.kept == password)
  }

  @Test(arguments: [
    ConnectionProblem.ProblemKind.webSignInMissing, .wrongPassword, .timedOut,
    .certificateUntrusted,
  ])
  func `where a password cannot be exchanged it is not sent in another way`(
    kind: ConnectionProblem.ProblemKind
  ) async throws {
    let (store, server) = (Store(Credential(password: "secret")), Server(taking: [""]))
    let problem = ConnectionProblem(kind)
    await #expect(throws: problem) {
      try await signedIn(store, Renewal(early: .failure(problem)), server)
    }
    #expect(await server.tried.isEmpty)
  }

  @Test func `what nothing renews asks the user`() async throws {
    let (store, server) = (Store(Self.token("old")), Server(taking: []))
    await #expect(throws: ConnectionProblem(.tokenRefused)) {
      try await signedIn(store, Renewal(), server)
    }
    #expect(await server.tried == ["old"])
  }

  // MARK: - In the supervisor

  /// Fails until it is mended.
  private actor FailingStore: CredentialStoring {
    private(set) var asked = 0
    private var isMended = false
    func mend() { isMended = true }
    func credential(for account: JID) throws -> Credential? {
      asked += 1
      guard isMended else {
        throw NatterError(.notAuthorized, "error.passwordCommand.failed", ["status": "2"])
      }
      return Credential(password: "secret")
    }
    func save(_ credential: Credential, for account: JID) {}
    func removeCredential(for account: JID) {}
  }

  /// The next state for which `condition` holds.
  private func state(
    _ events: AsyncStream<DomainEvent>, where condition: (ConnectionState) -> Bool
  ) async -> ConnectionState? {
    for await event in events {
      if case .connectionChanged(let state) = event, condition(state) { return state }
    }
    return nil
  }

  private func supervisor(
    _ credentials: any CredentialStoring, _ connector: ScriptedConnector, _ hub: EventHub,
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  ) -> ConnectionSupervisor {
    ConnectionSupervisor(
      account: account, credentials: credentials, connector: connector, consumers: [],
      hub: hub, log: .none, backoff: .quick, random: { 0.5 },
      sleep: sleep)
  }

  @Test func `a secret that cannot be read is reported as such, and read again only on request`()
    async throws
  {
    let (hub, store) = (EventHub(), FailingStore())
    let connector = ScriptedConnector([
      .success(FakeStream(batches: [], endsByItself: false))
    ])
    let events = hub.events()
    let supervisor = supervisor(store, connector, hub, sleep: { _ in })
    let run = Task { await supervisor.run() }
    let isRefused = { (state: ConnectionState) in
      if case .refused = state { true } else { false }
    }
    let first = await state(events, where: isRefused)
    guard case .refused(let problem) = first else {
      Issue.record("\(String(describing: first))")
      return
    }
    #expect(problem.kind == .secretUnavailable && !problem.asksForCredentials)
    #expect(problem.cause?.key == "error.passwordCommand.failed")
    // No network brings it back.
    await supervisor.networkChanged(.interfaces)
    #expect(await store.asked == 1)
    await supervisor.connectNow()
    _ = await state(events, where: isRefused)
    #expect(await store.asked == 2)
    #expect(await connector.attempts == 0)
    await store.mend()
    await supervisor.connectNow()
    #expect(await state(events) { $0 == .online } == .online)
    #expect(await store.asked == 3)
    run.cancel()
    await run.value
  }

  @Test func `a password that the user enters during a connect is not replaced by the old one`()
    async throws
  {
    let token = XEP0484Token(
      mechanism: "HT-SHA-256-NONE", token: "x", expiry: nil, clientID: "id",
      offer: XEP0388Offer(
        offersBind: true, bindFeatures: [], offersResumption: true, tokenMechanisms: []))
    let (old, entered) = (Credential(password: "old"), Credential(password: "entered"))
    for meanwhile in [nil, entered] {
      let (hub, store) = (EventHub(), Store(old))
      let connector = ScriptedConnector(
        [
          .success(FakeStream(batches: [], endsByItself: false, tokenNews: .given(token)))
        ], gate: { if let meanwhile { await store.put(meanwhile) } })
      let events = hub.events()
      let supervisor = supervisor(store, connector, hub)
      let run = Task { await supervisor.run() }
      #expect(await state(events) { $0 == .online } == .online)
      #expect(await store.kept == meanwhile ?? Credential(.password("old"), returning: token))
      run.cancel()
      await run.value
    }
  }

  @Test func `where nothing is stored the user is asked to sign in`() async throws {
    struct Empty: CredentialStoring {
      func credential(for account: JID) -> Credential? { nil }
      func save(_ credential: Credential, for account: JID) {}
      func removeCredential(for account: JID) {}
    }
    let hub = EventHub()
    let events = hub.events()
    let supervisor = supervisor(Empty(), ScriptedConnector([]), hub)
    let run = Task { await supervisor.run() }
    for await event in events {
      guard case .credentialRefused(let problem) = event else { continue }
      #expect(problem.kind == .notSignedIn)
      break
    }
    run.cancel()
    await run.value
  }

  @Test func `a server that wants to be left alone is`() async throws {
    var busy = ConnectionProblem(.busy)
    busy.retryAfter = 45
    let hub = EventHub()
    let slept = Mutex<[Duration]>([])
    let connector = ScriptedConnector([
      .failure(busy), .success(FakeStream(batches: [], endsByItself: false)),
    ])
    let events = hub.events()
    let supervisor = supervisor(
      FixedCredentials(), connector, hub
    ) { duration in
      // The heartbeat's is longer.
      guard duration <= .seconds(45) else { return try await Task.sleep(for: duration) }
      slept.withLock { $0.append(duration) }
    }
    let run = Task { await supervisor.run() }
    #expect(await state(events) { $0 == .online } == .online)
    #expect(slept.withLock { $0.first } == .seconds(45))
    run.cancel()
    await run.value
  }
}
