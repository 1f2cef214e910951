import NatterCore
import SessionService
import XMPP

/// Accounts, secrets, and a chat server that takes all passwords.
actor TokenBook: AccountStoring, CredentialStoring, SessionProbing {
  var secrets: [JID: Credential] = [:]
  var verified: [Credential] = []
  let tokenProblem: ConnectionProblem?
  /// The answer to an invalid token.
  let nothingProblem: ConnectionProblem?
  /// The offer of mechanisms; by default only those that would show the server the password, or a
  /// token.
  let offer: Result<SignInOffer, ConnectionProblem>

  init(
    tokenProblem: ConnectionProblem? = nil,
    nothingProblem: ConnectionProblem? = ConnectionProblem(.tokenRefused),
    offer: Result<SignInOffer, ConnectionProblem> = .success(
      SignInOffer(takesTokens: true, hidesPassword: false))
  ) {
    self.tokenProblem = tokenProblem
    self.nothingProblem = nothingProblem
    self.offer = offer
  }

  func signInOffer(
    of account: Account, progress: @escaping @Sendable (SignInProgress) -> Void
  ) async throws -> SignInOffer { try offer.get() }

  /// Without the visits whose token is none.
  var signedInWith: [Credential] { verified.filter { $0.token?.value != "none" } }

  func accounts() -> [Account] { [] }
  func save(_ account: Account) {}
  func remove(_ jid: JID) {}
  func defaultAccount() -> Account? { nil }
  func setDefault(_ jid: JID) {}
  func credential(for account: JID) -> Credential? { secrets[account] }
  func save(_ credential: Credential, for account: JID) { secrets[account] = credential }
  func removeCredential(for account: JID) { secrets[account] = nil }

  func verify(
    _ account: Account, _ credential: Credential,
    progress: @escaping @Sendable (SignInProgress) -> Void
  ) async throws {
    verified.append(credential)
    if credential.token?.value == "none", let nothingProblem { throw nothingProblem }
    if credential.token != nil, let tokenProblem { throw tokenProblem }
  }
  func registrationForm(for account: Account) async throws -> RegistrationForm {
    RegistrationForm(instructions: nil, url: nil)
  }
  func register(_ account: Account, _ credential: Credential, answers: [String: [String]]) {}
}

struct TokenWeb: LoginDiscovering, TokenGranting {
  let login: HTTPLogin?
  /// The sign-in that the hint leads to.
  var hinted: HTTPLogin?
  var discoveryProblem: ConnectionProblem?
  let result: Result<AccessToken, ConnectionProblem>
  var onRevoke: @Sendable (AccessToken) -> Void = { _ in }
  var readsCodes = true
  /// Called when no address was given.
  var onSearch: @Sendable () -> Void = {}

  func login(of account: Account, hint: String?) throws -> HTTPLogin? {
    if hint == nil { onSearch() }
    if let discoveryProblem { throw discoveryProblem }
    return hint == nil ? login : hinted
  }
  func token(for user: String, password: String, at login: HTTPLogin) throws -> AccessToken {
    try result.get()
  }
  func deviceRequest(at login: HTTPLogin) throws -> DeviceRequest {
    throw ConnectionProblem(.notAuthorized)
  }
  func token(for request: DeviceRequest) throws -> AccessToken { try result.get() }
  func browserRequest(at login: HTTPLogin, redirect: String) throws -> BrowserRequest {
    throw ConnectionProblem(.notAuthorized)
  }
  func token(for request: BrowserRequest, code: String) throws -> AccessToken {
    try result.get()
  }
  func code(in pasted: String, for request: BrowserRequest) -> String? {
    readsCodes ? pasted : nil
  }
  func renewed(_ token: AccessToken) throws -> AccessToken { try result.get() }
  func revoke(_ token: AccessToken) { onRevoke(token) }
}
