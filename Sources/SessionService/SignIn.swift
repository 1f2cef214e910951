import NatterCore
import XMPP

/// Signs in from the form: over HTTP where the server has that, then over TCP, and saves the account and its secret only once
/// both accepted them (flows.md, "Sign-in").
package struct SignIn: SigningIn {
  private let accounts: any AccountStoring
  private let credentials: any CredentialStoring
  private let probe: any SessionProbing
  private let web: Web?
  private let onSecretLeft: @Sendable (JID, any Error) async -> Void
  private let onWebTrouble: @Sendable (JID, ConnectionProblem) async -> Void

  /// What it takes to sign in over HTTP.
  package struct Web: Sendable {
    let discovery: any LoginDiscovering
    let tokens: any TokenGranting

    package init(discovery: any LoginDiscovering, tokens: any TokenGranting) {
      self.discovery = discovery
      self.tokens = tokens
    }
  }

  /// - Parameters:
  ///   - web: `nil`: over TCP only.
  ///   - onSecretLeft: told why a secret from before, of an account whose secret is not to be remembered, could not be removed.
  ///   - onWebTrouble: told why the sign-in over HTTP that the server has did not work, where the password did over TCP.
  package init(
    accounts: any AccountStoring, credentials: any CredentialStoring, probe: any SessionProbing,
    web: Web? = nil,
    onSecretLeft: @escaping @Sendable (JID, any Error) async -> Void = { _, _ in },
    onWebTrouble: @escaping @Sendable (JID, ConnectionProblem) async -> Void = { _, _ in }
  ) {
    self.accounts = accounts
    self.credentials = credentials
    self.probe = probe
    self.web = web
    self.onSecretLeft = onSecretLeft
    self.onWebTrouble = onWebTrouble
  }

  package func signIn(
    _ request: SignInRequest, progress: @escaping @Sendable (SignInProgress) -> Void
  ) async throws {
    _ = try await signedIn(request, progress: progress)
  }

  /// The same.
  /// - Returns: the request as it was granted: with a token in place of the password where the server gave one.
  package func signedIn(
    _ request: SignInRequest, progress: @escaping @Sendable (SignInProgress) -> Void
  ) async throws -> SignInRequest {
    var request = request
    var trouble: ConnectionProblem?
    switch try await webToken(request, progress) {
    case nil: break
    case .failure(let problem): trouble = problem
    case .success(let token):
      var granted = request
      granted.credential = Credential(.token(token))
      do {
        return try await verified(granted, progress: progress)
      } catch let problem as ConnectionProblem
        where [.mechanismTooWeak, .tokenRefused, .scopeMissing].contains(problem.kind)
      {
        // A token that the chat server has no use for, new as it is: the password has to do.
        trouble = problem
      }
    }
    request.credential.returning = nil
    let done = try await verified(request, progress: progress)
    if let trouble { await onWebTrouble(request.account.jid, trouble) }
    return done
  }

  private func verified(
    _ request: SignInRequest, progress: @escaping @Sendable (SignInProgress) -> Void
  ) async throws -> SignInRequest {
    do {
      try await probe.verify(request.account, request.credential, progress: progress)
      // Given up meanwhile: what the server said too late is not kept.
      try Task.checkCancellation()
      try await save(request)
    } catch {
      await withdraw(request.credential.token)
      throw error
    }
    return request
  }

  /// A token that nobody keeps would be good until its time is over. Also where the person has given up.
  private func withdraw(_ token: AccessToken?) async {
    guard let token, let tokens = web?.tokens else { return }
    await Task { try? await tokens.revoke(token) }.value
  }

  private func webToken(
    _ request: SignInRequest, _ progress: @escaping @Sendable (SignInProgress) -> Void
  ) async throws -> Result<AccessToken, ConnectionProblem>? {
    guard let web, let password = request.credential.password else { return nil }
    return try await PasswordExchange(web: web, probe: probe).token(
      of: request.account, password: password, progress: progress)
  }

  package func registrationForm(for account: Account) async throws -> RegistrationForm {
    try await probe.registrationForm(for: account)
  }

  package func register(
    _ request: SignInRequest, answers: [String: [String]],
    progress: @escaping @Sendable (SignInProgress) -> Void
  ) async throws {
    _ = try await registered(request, answers: answers, progress: progress)
  }

  /// The same.
  /// - Returns: as `signedIn`.
  package func registered(
    _ request: SignInRequest, answers: [String: [String]],
    progress: @escaping @Sendable (SignInProgress) -> Void
  ) async throws -> SignInRequest {
    progress(.registering)
    try await probe.register(request.account, request.credential, answers: answers)
    do {
      try Task.checkCancellation()
      return try await signedIn(request, progress: progress)
    } catch {
      // The account is there now: to be told that its name is taken would be no help.
      throw NotSignedInYet(reason: error)
    }
  }

  private func save(_ request: SignInRequest) async throws {
    let standard = try await accounts.defaultAccount()
    // The secret first: an account without one would ask for it at each start.
    if request.remembersCredential {
      try await credentials.save(request.credential, for: request.account.jid)
    } else {
      // Whoever wants nothing kept is not kept out by a store that does not answer; this run goes by what was typed.
      do { try await credentials.removeCredential(for: request.account.jid) } catch {
        await onSecretLeft(request.account.jid, error)
      }
    }
    try await accounts.save(request.account)
    // What is sent without naming an account goes on from the one that it went from.
    if await !isSignedIn(standard) { try await accounts.setDefault(request.account.jid) }
  }

  /// Whether an account can be used without asking; where nobody can tell, it is.
  private func isSignedIn(_ account: Account?) async -> Bool {
    guard let account, !account.isLocal else { return false }
    do { return try await credentials.hasCredential(for: account.jid) } catch { return true }
  }
}
