import NatterCore
import SessionService
import TestSupport
import Testing
import XMPP

@Suite struct SignInTests {
  let request = SignInRequest(
    account: Account(jid: JID(local: "alice", domain: "example.org")),
    credential: Credential(password: "secret"), remembersCredential: true)

  @Test func `an accepted sign-in saves the account, its secret and makes it the default`()
    async throws
  {
    let kept = Kept()
    try await SignIn(accounts: kept, credentials: kept, probe: Server()).signIn(request) { _ in }
    #expect(await kept.saved == [request.account])
    #expect(await kept.standard == request.account.jid)
    #expect(await kept.secrets == [request.account.jid: request.credential])
  }

  @Test func `a further account leaves the default where it is, as long as that one is signed in`()
    async throws
  {
    let kept = Kept()
    let signIn = SignIn(accounts: kept, credentials: kept, probe: Server())
    try await signIn.signIn(request) { _ in }
    var other = request
    other.account = Account(jid: JID(local: "bob", domain: "example.org"))
    try await signIn.signIn(other) { _ in }
    #expect(await kept.saved == [request.account, other.account])
    #expect(await kept.standard == request.account.jid)
    // An account that was signed out has none.
    await kept.forget(request.account.jid)
    try await signIn.signIn(other) { _ in }
    #expect(await kept.standard == other.account.jid)
  }

  @Test func `a secret that is not to be remembered is removed, not saved`() async throws {
    let kept = Kept()
    try await kept.save(Credential(password: "old"), for: request.account.jid)
    var request = request
    request.remembersCredential = false
    try await SignIn(accounts: kept, credentials: kept, probe: Server()).signIn(request) { _ in }
    #expect(await kept.secrets.isEmpty)
  }

  @Test func `where the secret cannot be kept no account is left without one`() async {
    let kept = Kept(isBroken: true)
    let left = Observed<[JID]>([])
    let signIn = SignIn(accounts: kept, credentials: kept, probe: Server()) { jid, error in
      #expect((error as? NatterError)?.key == "error.storage.write")
      left.update { $0.append(jid) }
    }
    await #expect(throws: NatterError.self) { try await signIn.signIn(request) { _ in } }
    #expect(await kept.saved.isEmpty)
    #expect(await kept.standard == nil)
    #expect(left.value.isEmpty)
    // A user who stores nothing is signed in, and is informed of earlier data.
    var once = request
    once.remembersCredential = false
    await #expect(throws: Never.self) { try await signIn.signIn(once) { _ in } }
    #expect(await kept.saved == [request.account])
    #expect(left.value == [request.account.jid])
  }

  @Test func `a refused sign-in saves nothing`() async {
    let kept = Kept()
    let problem = ConnectionProblem(.wrongPassword, host: "example.org", port: 5222)
    let signIn = SignIn(accounts: kept, credentials: kept, probe: Server(problem: problem))
    await #expect(throws: problem) { try await signIn.signIn(request) { _ in } }
    #expect(await kept.saved.isEmpty)
    #expect(await kept.secrets.isEmpty)
  }

  @Test func `an answer that comes after it was given up saves nothing`() async {
    let kept = Kept()
    let request = request
    let slow = SlowServer()
    let work = Task {
      try await SignIn(accounts: kept, credentials: kept, probe: slow).signIn(request) { _ in }
    }
    await slow.wasAsked()
    work.cancel()
    await slow.answers()
    await #expect(throws: CancellationError.self) { try await work.value }
    #expect(await kept.saved.isEmpty)
    #expect(await kept.secrets.isEmpty)
    #expect(await kept.standard == nil)
  }

  @Test func `registering makes the account first and then signs in`() async throws {
    let kept = Kept()
    let server = Server()
    try await SignIn(accounts: kept, credentials: kept, probe: server)
      .register(request, answers: ["email": ["a@b"]]) { _ in }
    #expect(await server.calls == ["register", "verify"])
    #expect(await kept.saved == [request.account])
  }

  @Test func `an account that is made, and whose sign-in fails, is reported as made`() async {
    let kept = Kept()
    let lost = ConnectionProblem(.closed, host: "example.org", port: 5222)
    let server = Server(problem: lost)
    let failure = await #expect(throws: NotSignedInYet.self) {
      try await SignIn(accounts: kept, credentials: kept, probe: server)
        .register(request, answers: [:]) { _ in }
    }
    #expect(failure?.reason as? ConnectionProblem == lost)
    #expect(await server.calls == ["register", "verify"])
    #expect(await kept.saved.isEmpty)
  }
}

private actor Kept: AccountStoring, CredentialStoring {
  var saved: [Account] = []
  var standard: JID?
  var secrets: [JID: Credential] = [:]
  /// Indicates whether writing and removing secrets fails.
  let isBroken: Bool
  init(isBroken: Bool = false) { self.isBroken = isBroken }
  private func check() throws {
    if isBroken { throw NatterError(.storage, "error.storage.write") }
  }
  func accounts() -> [Account] { saved }
  func save(_ account: Account) { saved.append(account) }
  func remove(_ jid: JID) { saved.removeAll { $0.jid == jid } }
  func defaultAccount() -> Account? { saved.first { $0.jid == standard } }
  func setDefault(_ jid: JID) { standard = jid }
  func credential(for account: JID) -> Credential? { secrets[account] }
  func save(_ credential: Credential, for account: JID) throws {
    try check()
    secrets[account] = credential
  }
  func forget(_ account: JID) { secrets[account] = nil }
  func removeCredential(for account: JID) throws {
    try check()
    secrets[account] = nil
  }
}

/// One that answers when the test says so, and does not hear that nobody waits any more.
private actor SlowServer: SessionProbing {
  private let (asked, ask) = AsyncStream<Void>.makeStream()
  private var waiting: CheckedContinuation<Void, Never>?

  func verify(
    _ account: Account, _ credential: Credential,
    progress: @escaping @Sendable (SignInProgress) -> Void
  ) async {
    await withCheckedContinuation {
      waiting = $0
      ask.finish()
    }
  }
  func signInOffer(
    of account: Account, progress: @escaping @Sendable (SignInProgress) -> Void
  ) -> SignInOffer { SignInOffer(takesTokens: false, hidesPassword: true) }
  func wasAsked() async { for await _ in asked {} }
  func answers() { waiting?.resume() }
  func registrationForm(for account: Account) -> RegistrationForm {
    RegistrationForm(instructions: nil, url: nil)
  }
  func register(_ account: Account, _ credential: Credential, answers: [String: [String]]) {}
}

private actor Server: SessionProbing {
  let problem: ConnectionProblem?
  var calls: [String] = []
  init(problem: ConnectionProblem? = nil) { self.problem = problem }

  func verify(
    _ account: Account, _ credential: Credential,
    progress: @escaping @Sendable (SignInProgress) -> Void
  ) throws {
    calls.append("verify")
    if let problem { throw problem }
  }
  func signInOffer(
    of account: Account, progress: @escaping @Sendable (SignInProgress) -> Void
  ) -> SignInOffer { SignInOffer(takesTokens: false, hidesPassword: true) }
  func registrationForm(for account: Account) -> RegistrationForm {
    RegistrationForm(instructions: nil, url: nil)
  }
  func register(_ account: Account, _ credential: Credential, answers: [String: [String]]) {
    calls.append("register")
  }
}
