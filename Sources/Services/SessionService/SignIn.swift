import NatterCore
import XMPP

/// The sign-in from the form: over HTTP where the server supports it, then over TCP; it saves the
/// account and its secret only once both succeeded (flows.md, "Sign-in").
package struct SignIn: SigningIn {
  private let accounts: any AccountStoring
  private let credentials: any CredentialStoring
  private let probe: any SessionProbing
  private let web: Web?
  private let onSecretLeft: @Sendable (JID, any Error) async -> Void
  private let onWebTrouble: @Sendable (JID, ConnectionProblem) async -> Void

  /// The services that a sign-in over HTTP takes.
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
  ///   - onSecretLeft: receives the error when an earlier secret could not be removed, of an
  ///     account whose secret is not to be remembered.
  ///   - onWebTrouble: receives the reason why the server's sign-in over HTTP failed, when the
  ///     password worked over TCP.
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

  /// Signs in as the protocol's method does.
  /// - Returns: the granted request: with a token instead of the password where the server gave
  ///   one.
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
        // The chat server does not accept a token, although it is new: use the password.
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
      // Cancelled in the meantime: a late answer of the server is not stored.
      try Task.checkCancellation()
      try await save(request)
    } catch {
      await withdraw(request.credential.token)
      throw error
    }
    return request
  }

  /// Revokes an unused token, which would otherwise stay valid until it expires. Also after a
  /// cancellation by the user.
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

  /// Registers as the protocol's method does.
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
      // The account exists now: an error saying that its name is taken would be misleading.
      throw NotSignedInYet(reason: error)
    }
  }

  private func save(_ request: SignInRequest) async throws {
    let standard = try await accounts.defaultAccount()
    // The secret first: an account without one would ask for it at each start.
    if request.remembersCredential {
      try await credentials.save(request.credential, for: request.account.jid)
    } else {
      // A secret that is not to be stored does not fail the sign-in when the store does not
      // respond; this run uses the entered secret.
      do { try await credentials.removeCredential(for: request.account.jid) } catch {
        await onSecretLeft(request.account.jid, error)
      }
    }
    try await accounts.save(request.account)
    // Messages that are sent without naming an account keep using the same default account.
    if await !isSignedIn(standard) { try await accounts.setDefault(request.account.jid) }
  }

  /// Returns `true` if the account can be used without asking for a secret, or if that is unknown.
  private func isSignedIn(_ account: Account?) async -> Bool {
    guard let account, !account.isLocal else { return false }
    do { return try await credentials.hasCredential(for: account.jid) } catch { return true }
  }
}
