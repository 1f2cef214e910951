import NatterCore
import SessionService
import Synchronization
import Testing
import XMPP

/// To whom a password is shown in exchange for a token.
@Suite struct PasswordExchangeTests {
  private let account = Account(jid: JID(local: "alice", domain: "a.example"))
  private var request: SignInRequest {
    SignInRequest(
      account: account, credential: Credential(password: "secret"), remembersCredential: true)
  }

  /// Signs in to a server with that offer, whose domain's website has a sign-in.
  /// - Returns: what the chat server was signed in to with, and whether the website was asked.
  private func signsIn(
    _ offer: SignInOffer, hinted: HTTPLogin? = nil
  ) async throws -> (used: [Credential], isWebsiteAsked: Bool) {
    var refusal = ConnectionProblem(.tokenRefused)
    if hinted != nil { refusal.loginURL = "https://a.example/.well-known/x" }
    let book = TokenBook(nothingProblem: refusal, offer: .success(offer))
    let asked = Mutex(false)
    let web = TokenWeb(
      login: TokenSignInTests.login, hinted: hinted, result: .success(TokenSignInTests.token),
      onSearch: { asked.withLock { $0 = true } })
    try await SignIn(
      accounts: book, credentials: book, probe: book,
      web: SignIn.Web(discovery: web, tokens: web)
    ).signIn(request) { _ in }
    return (await book.signedInWith, asked.withLock { $0 })
  }

  @Test func `where the chat server offers SCRAM its domain's website is not asked`() async throws {
    let found = try await signsIn(SignInOffer(takesTokens: true, hidesPassword: true))
    #expect(found.used == [Credential(password: "secret")])
    #expect(!found.isWebsiteAsked)
  }

  @Test func `nor where a token would be of no use to it`() async throws {
    let found = try await signsIn(SignInOffer(takesTokens: false, hidesPassword: false))
    #expect(found.used == [Credential(password: "secret")])
    #expect(!found.isWebsiteAsked)
  }

  @Test func `where the chat server itself points there the password is exchanged`() async throws {
    let offer = SignInOffer(takesTokens: true, hidesPassword: true)
    let found = try await signsIn(offer, hinted: TokenSignInTests.login)
    #expect(found.used == [Credential(.token(TokenSignInTests.token))])
    #expect(!found.isWebsiteAsked)
  }

  @Test func `a password that was never shown is not shown because a server points somewhere`()
    async throws
  {
    for hides in [true, false] {
      let offer = SignInOffer(takesTokens: true, hidesPassword: hides, hasHiddenPassword: true)
      let found = try await signsIn(offer, hinted: TokenSignInTests.login)
      #expect(found.used == [Credential(password: "secret")])
      #expect(!found.isWebsiteAsked)
    }
  }

  @Test func `a password is exchanged where the user has named the address, and nowhere else`()
    async throws
  {
    let book = TokenBook()
    func renewal(_ login: HTTPLogin?, _ result: Result<AccessToken, ConnectionProblem>)
      -> TokenRenewal
    {
      let web = TokenWeb(login: login, result: result)
      return TokenRenewal(
        tokens: web, web: SignIn.Web(discovery: web, tokens: web), probe: book)
    }
    let password = Credential(password: "secret")
    var named = account
    named.httpURL = "https://login.example/"
    let good = renewal(TokenSignInTests.login, .success(TokenSignInTests.token))
    #expect(
      try await good.renewed(password, of: named, isRefused: false)
        == Credential(.token(TokenSignInTests.token)))
    #expect(try await good.renewed(password, of: account, isRefused: false) == nil)
    let missing = renewal(nil, .success(TokenSignInTests.token))
    await #expect(throws: ConnectionProblem(.webSignInMissing, host: "https://login.example/")) {
      try await missing.renewed(password, of: named, isRefused: false)
    }
    let wrong = renewal(TokenSignInTests.login, .failure(ConnectionProblem(.wrongPassword)))
    await #expect(throws: ConnectionProblem(.wrongPassword)) {
      try await wrong.renewed(password, of: named, isRefused: false)
    }
    #expect(await book.verified.isEmpty)
  }
}
