import Foundation
import NatterCore
import SessionService
import Synchronization
import Testing
import XMPP

@Suite struct TokenSignInTests {
  static let login = HTTPLogin(
    tokenEndpoint: "https://a.example/token", grants: [.password], scope: "xmpp")
  static let token = AccessToken(value: "t", login: login)
  let request = SignInRequest(
    account: Account(jid: JID(local: "alice", domain: "a.example")),
    credential: Credential(password: "secret"), remembersCredential: true)

  @Test func `where the server signs in over HTTP the token is kept, and the password is not`()
    async throws
  {
    let book = TokenBook()
    let granted = try await signIn(book, login: Self.login, web: .success(Self.token))
      .signedIn(request) { _ in }
    #expect(granted.credential == Credential(.token(Self.token)))
    #expect(await book.secrets.values.map(\.token) == [Self.token])
    #expect(await book.signedInWith.map(\.token) == [Self.token])
  }

  @Test func `a server without such a login is signed in to by password, unasked`() async throws {
    let book = TokenBook()
    try await signIn(book, login: nil, web: .success(Self.token)).signIn(request) { _ in }
    #expect(await book.secrets.values.map(\.password) == ["secret"])
    var others = Self.login
    others.grants = [.deviceCode]
    try await signIn(book, login: others, web: .success(Self.token)).signIn(request) { _ in }
    #expect(await book.secrets.values.map(\.password) == ["secret"])
  }

  @Test func `a wrong password is reported at once, and nothing is kept`() async {
    let book = TokenBook()
    let problem = ConnectionProblem(.wrongPassword, host: "a.example")
    await #expect(throws: problem) {
      try await signIn(book, login: Self.login, web: .failure(problem)).signIn(request) { _ in }
    }
    #expect(await book.secrets.isEmpty)
    #expect(await book.signedInWith.isEmpty)
  }

  @Test(arguments: [
    ConnectionProblem.ProblemKind.serverError, .timedOut, .scopeMissing, .notAuthorized,
  ])
  func `a web that fails keeps no one out of the chat`(kind: ConnectionProblem.ProblemKind)
    async throws
  {
    let book = TokenBook()
    let troubles = Mutex<[ConnectionProblem.ProblemKind]>([])
    try await signIn(
      book, login: Self.login, web: .failure(ConnectionProblem(kind)),
      onTrouble: { problem in troubles.withLock { $0.append(problem.kind) } }
    )
    .signIn(request) { _ in }
    #expect(await book.secrets.values.map(\.password) == ["secret"])
    // And the user is informed, as the server announces such a sign-in.
    #expect(troubles.withLock { $0 } == [kind])
  }

  @Test(arguments: [ConnectionProblem.ProblemKind.mechanismTooWeak, .tokenRefused, .scopeMissing])
  func `a token that the chat server has no use for gives way to the password`(
    kind: ConnectionProblem.ProblemKind
  ) async throws {
    let book = TokenBook(tokenProblem: ConnectionProblem(kind))
    let troubles = Mutex<[ConnectionProblem.ProblemKind]>([])
    try await signIn(
      book, login: Self.login, web: .success(Self.token),
      onTrouble: { problem in troubles.withLock { $0.append(problem.kind) } }
    ).signIn(request) { _ in }
    #expect(troubles.withLock { $0 } == [kind])
    #expect(await book.secrets.values.map(\.password) == ["secret"])
    #expect(await book.signedInWith.count == 2)
  }

  @Test(arguments: [ConnectionProblem.ProblemKind.mechanismTooWeak, .notAuthorized, .timedOut])
  func `a token that will not be used is withdrawn`(kind: ConnectionProblem.ProblemKind) async {
    let book = TokenBook(tokenProblem: ConnectionProblem(kind))
    let revoked = Mutex<[AccessToken]>([])
    _ = try? await signIn(book, login: Self.login, web: .success(Self.token)) { token in
      revoked.withLock { $0.append(token) }
    }.signIn(request) { _ in }
    #expect(revoked.withLock { $0 } == [Self.token])
  }

  @Test func `given up in the middle, the token that came is withdrawn all the same`() async {
    let book = TokenBook()
    let revoked = Mutex<[AccessToken]>([])
    let signIn = signIn(book, login: Self.login, web: .success(Self.token)) { token in
      revoked.withLock { if !Task.isCancelled { $0.append(token) } }
    }
    let work = Task {
      // Cancelled before it begins: the fakes do not look, and what waits for nothing goes on to
      // the end.
      withUnsafeCurrentTask { $0?.cancel() }
      try await signIn.signIn(request) { _ in }
    }
    await #expect(throws: CancellationError.self) { try await work.value }
    #expect(revoked.withLock { $0 } == [Self.token])
    #expect(await book.secrets.isEmpty)
  }

  @Test
  func `an address that was given and leads nowhere is reported, and no password sent instead`()
    async
  {
    let book = TokenBook()
    var account = request.account
    account.httpURL = "https://login.example/"
    let asked = SignInRequest(
      account: account, credential: Credential(password: "secret"), remembersCredential: true)
    await #expect(
      throws: ConnectionProblem(.webSignInMissing, host: "https://login.example/")
    ) {
      try await signIn(book, login: nil, web: .success(Self.token)).signIn(asked) { _ in }
    }
    #expect(await book.verified.isEmpty)
    #expect(await book.secrets.isEmpty)
  }

  @Test func `where only a refused token names the login, that is asked`() async throws {
    var problem = ConnectionProblem(.tokenRefused)
    problem.loginURL = "https://a.example/.well-known/x"
    let book = TokenBook(nothingProblem: problem)
    let granted = try await signIn(
      book, login: nil, hinted: Self.login, web: .success(Self.token)
    ).signedIn(request) { _ in }
    #expect(granted.credential == Credential(.token(Self.token)))
    #expect(await book.verified.map(\.token?.value) == ["none", "t"])
  }

  @Test func `the chat service's word goes before a sign-in of the website`() async throws {
    var website = Self.login
    website.tokenEndpoint = "https://www.a.example/token"
    website.grants = [.authorizationCode]
    var problem = ConnectionProblem(.tokenRefused)
    problem.loginURL = "https://a.example/.well-known/x"
    let book = TokenBook(nothingProblem: problem)
    let granted = try await signIn(
      book, login: website, hinted: Self.login, web: .success(Self.token)
    ).signedIn(request) { _ in }
    #expect(granted.credential == Credential(.token(Self.token)))
    // A user who names the address by hand is not asked again.
    let other = TokenBook(nothingProblem: problem)
    var named = request
    named.account.httpURL = "https://www.a.example/"
    await #expect(
      throws: ConnectionProblem(.webSignInMissing, host: "https://www.a.example/")
    ) {
      try await signIn(other, login: website, hinted: Self.login, web: .success(Self.token))
        .signIn(named) { _ in }
    }
    // And where it takes no password, none is sent anywhere else.
    #expect(await other.verified.isEmpty)
  }

  @Test(arguments: [
    ConnectionProblem.ProblemKind.tokenRefused, .mechanismTooWeak, .wrongPassword, .closed,
    .accountDisabled, .serverError, .policyViolation,
  ])
  func `what a server thinks of an invalid token keeps no one out`(
    kind: ConnectionProblem.ProblemKind
  ) async throws {
    let book = TokenBook(nothingProblem: ConnectionProblem(kind))
    try await signIn(book, login: nil, web: .success(Self.token)).signIn(request) { _ in }
    #expect(await book.secrets.values.map(\.password) == ["secret"])
  }

  @Test(arguments: [
    ConnectionProblem.ProblemKind.unknownHost, .timedOut, .certificateExpired, .notXMPP,
  ])
  func `a server that cannot be reached is not asked a second time`(
    kind: ConnectionProblem.ProblemKind
  )
    async
  {
    for book in [
      TokenBook(nothingProblem: ConnectionProblem(kind)),
      TokenBook(offer: .failure(ConnectionProblem(kind))),
    ] {
      await #expect(throws: ConnectionProblem(kind)) {
        try await signIn(book, login: nil, web: .success(Self.token)).signIn(request) { _ in }
      }
      #expect(await book.signedInWith.isEmpty)
      #expect(await book.secrets.isEmpty)
    }
  }

  private func browser(_ book: TokenBook, _ web: TokenWeb) -> BrowserSignIn {
    BrowserSignIn(
      discovery: web, tokens: web,
      signIn: SignIn(
        accounts: book, credentials: book, probe: book,
        web: SignIn.Web(discovery: web, tokens: web)), probe: book,
      listen: { throw ConnectionProblem(.serverError) })
  }

  private static let step = BrowserStep.page(
    BrowserRequest(
      address: "https://a.example/", redirect: "http://127.0.0.1:1/", verifier: "v", state: "s",
      login: login))

  @Test(arguments: [ConnectionProblem.ProblemKind.tokenRefused, .mechanismTooWeak])
  func `a browser's new token that the chat server does not take is none that has expired`(
    kind: ConnectionProblem.ProblemKind
  ) async {
    let book = TokenBook(tokenProblem: ConnectionProblem(kind, host: "a.example", port: 5222))
    await #expect(
      throws: ConnectionProblem(.webTokenUseless, host: "a.example", port: 5222)
    ) {
      try await browser(book, TokenWeb(login: Self.login, result: .success(Self.token))).finish(
        Self.step, pasted: "code", account: request.account, remembersCredential: true,
        progress: { _ in })
    }
    #expect(await book.secrets.isEmpty)
  }

  @Test func `what a person brings back without a code in it is a refused code`() async {
    let web = TokenWeb(login: Self.login, result: .success(Self.token), readsCodes: false)
    await #expect(throws: ConnectionProblem(.codeRefused, host: "a.example")) {
      try await browser(TokenBook(), web).finish(
        Self.step, pasted: "?state=other", account: request.account, remembersCredential: true,
        progress: { _ in })
    }
  }

  @Test(arguments: [
    ConnectionProblem.ProblemKind.certificateUntrusted, .closed, .serverError, .notAuthorized,
  ])
  func `why the address that was given could not be asked is shown, and no password sent instead`(
    kind: ConnectionProblem.ProblemKind
  ) async {
    let problem = ConnectionProblem(kind, host: "login.example", port: 443)
    var account = request.account
    account.httpURL = "https://login.example/"
    let asked = SignInRequest(
      account: account, credential: Credential(password: "secret"), remembersCredential: true)
    let book = TokenBook()
    let web = TokenWeb(login: nil, discoveryProblem: problem, result: .success(Self.token))
    let signIn = SignIn(
      accounts: book, credentials: book, probe: book,
      web: SignIn.Web(discovery: web, tokens: web))
    await #expect(throws: problem) { try await signIn.signIn(asked) { _ in } }
    #expect(await book.verified.isEmpty)
  }

  // MARK: - Renewal

  static let now = Date(timeIntervalSince1970: 1_000_000)

  private func expiring(in seconds: Double?, refresh: String? = "r") -> Credential {
    Credential(
      .token(
        AccessToken(
          value: "t", expiresAt: seconds.map { Self.now.addingTimeInterval($0) },
          refreshToken: refresh, login: Self.login)))
  }

  private func renewal(_ result: Result<AccessToken, ConnectionProblem>) -> TokenRenewal {
    TokenRenewal(tokens: TokenWeb(login: nil, result: result), now: { Self.now })
  }

  private let account = Account(jid: JID(local: "alice", domain: "a.example"))

  @Test(arguments: [(-5.0, true), (0, true), (59, true), (61, false), (1e9, false)])
  func `a token is renewed when its time is nearly over`(left: Double, isRenewed: Bool)
    async throws
  {
    let new = try await renewal(.success(Self.token)).renewed(
      expiring(in: left), of: account, isRefused: false)
    #expect((new != nil) == isRenewed)
  }

  @Test func `what the server refuses is renewed whatever the clock says`() async throws {
    let renewal = renewal(.success(Self.token))
    for left in [nil, 1e9, -1e9] as [Double?] {
      let new = try await renewal.renewed(expiring(in: left), of: account, isRefused: true)
      #expect(new?.token == Self.token)
    }
  }

  @Test func `passwords, and tokens that nothing renews, are left to the user`() async throws {
    let renewal = renewal(.success(Self.token))
    let password = Credential(password: "x")
    #expect(try await renewal.renewed(password, of: account, isRefused: true) == nil)
    let bare = expiring(in: -5, refresh: nil)
    #expect(try await renewal.renewed(bare, of: account, isRefused: false) == nil)
    #expect(try await renewal.renewed(bare, of: account, isRefused: true) == nil)
  }

  @Test func `a refused renewal asks the user, a network's trouble does not`() async throws {
    let refused = renewal(.failure(ConnectionProblem(.tokenRefused)))
    #expect(try await refused.renewed(expiring(in: 0), of: account, isRefused: true) == nil)
    let away = renewal(.failure(ConnectionProblem(.timedOut)))
    await #expect(throws: ConnectionProblem(.timedOut)) {
      try await away.renewed(expiring(in: 0), of: account, isRefused: true)
    }
  }

  private func signIn(
    _ book: TokenBook, login: HTTPLogin?, hinted: HTTPLogin? = nil,
    web: Result<AccessToken, ConnectionProblem>,
    onRevoke: @escaping @Sendable (AccessToken) -> Void = { _ in },
    onTrouble: @escaping @Sendable (ConnectionProblem) -> Void = { _ in }
  ) -> SignIn {
    let web = TokenWeb(login: login, hinted: hinted, result: web, onRevoke: onRevoke)
    return SignIn(
      accounts: book, credentials: book, probe: book,
      web: SignIn.Web(discovery: web, tokens: web), onWebTrouble: { onTrouble($1) })
  }
}
