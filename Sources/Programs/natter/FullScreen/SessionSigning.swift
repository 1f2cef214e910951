import NatterCore
import SessionService
import XMPP

/// Sign-in from the form: a secret that is not to be remembered is kept for this run.
nonisolated struct SessionSigning: SigningIn {
  private let signIn: SignIn
  private let sessions: SessionCredentials
  private let contacts: @Sendable (_ domain: String) async -> [String]

  /// - Parameter contacts: the support addresses of a server's operators.
  init(
    over signIn: SignIn, sessions: SessionCredentials,
    contacts: @escaping @Sendable (_ domain: String) async -> [String]
  ) {
    self.signIn = signIn
    self.sessions = sessions
    self.contacts = contacts
  }

  func signIn(
    _ request: SignInRequest, progress: @escaping @Sendable (SignInProgress) -> Void
  ) async throws {
    await keep(try await signIn.signedIn(request, progress: progress))
  }

  func registrationForm(for account: Account) async throws -> RegistrationForm {
    try await signIn.registrationForm(for: account)
  }

  func register(
    _ request: SignInRequest, answers: [String: [String]],
    progress: @escaping @Sendable (SignInProgress) -> Void
  ) async throws {
    await keep(try await signIn.registered(request, answers: answers, progress: progress))
  }

  func supportAddresses(for account: Account) async -> [String] {
    await contacts(account.jid.domain)
  }

  private func keep(_ request: SignInRequest) async {
    guard !request.remembersCredential else { return }
    await sessions.keep(request.credential, for: request.account.jid)
  }
}
