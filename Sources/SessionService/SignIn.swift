import NatterCore
import XMPP

/// Signs in from the form: asks the server first, and saves the account and its secret only once that accepted them.
package struct SignIn: SigningIn {
  private let accounts: any AccountStoring
  private let credentials: any CredentialStoring
  private let probe: any SessionProbing

  package init(
    accounts: any AccountStoring, credentials: any CredentialStoring, probe: any SessionProbing
  ) {
    self.accounts = accounts
    self.credentials = credentials
    self.probe = probe
  }

  package func signIn(
    _ request: SignInRequest, progress: @escaping @Sendable (SignInProgress) -> Void
  ) async throws {
    try await probe.verify(request.account, request.credential, progress: progress)
    // Given up meanwhile: what the server said too late is not kept.
    try Task.checkCancellation()
    try await save(request)
  }

  package func registrationForm(for account: Account) async throws -> RegistrationForm {
    try await probe.registrationForm(for: account)
  }

  package func register(
    _ request: SignInRequest, answers: [String: String],
    progress: @escaping @Sendable (SignInProgress) -> Void
  ) async throws {
    progress(.registering)
    try await probe.register(request.account, request.credential, answers: answers)
    try Task.checkCancellation()
    try await signIn(request, progress: progress)
  }

  private func save(_ request: SignInRequest) async throws {
    try await accounts.save(request.account)
    try await accounts.setDefault(request.account.jid)
    if request.remembersCredential {
      try await credentials.save(request.credential, for: request.account.jid)
    } else {
      try await credentials.removeCredential(for: request.account.jid)
    }
  }
}
