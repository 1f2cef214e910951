/// The person's hand on the connection (flows.md, "Long connection").
package protocol ConnectionControlling: Sendable {
  func state() async -> ConnectionState
  /// How the connection is made; `nil` without one.
  func details() async -> ConnectionDetails?
  /// Ends the wait and tries at once.
  func connectNow() async
  /// Closes the connection and stays offline until `connectNow`.
  func goOffline() async
  /// Whether the person looks at the client; the server may hold back what can wait while nobody does (XEP-0352).
  func clientActive(_ isActive: Bool) async
}

extension ConnectionControlling {
  /// Nothing is known of it.
  package func details() async -> ConnectionDetails? { nil }
}

/// Knows whether copies of what other clients do arrive (XEP-0280).
package protocol CarbonReporting: Sendable {
  var isOn: Bool { get async }
}

/// What an account's server offers for signing in.
package struct SignInOffer: Hashable, Sendable {
  /// Whether an access token is of use.
  package let takesTokens: Bool
  /// Whether there is a way with the password that does not show it to the server (SCRAM).
  package let hidesPassword: Bool
  /// Whether the account was signed in to in such a way before, and the user has not said that a weaker one will do.
  package let hasHiddenPassword: Bool

  package init(takesTokens: Bool, hidesPassword: Bool, hasHiddenPassword: Bool = false) {
    self.takesTokens = takesTokens
    self.hidesPassword = hidesPassword
    self.hasHiddenPassword = hasHiddenPassword
  }
}

/// One visit to an account's server, for the sign-in form and the commands.
package protocol SessionProbing: Sendable {
  /// Connects, authenticates, binds, and closes again.
  /// - Throws: `ConnectionProblem`.
  func verify(
    _ account: Account, _ credential: Credential,
    progress: @escaping @Sendable (SignInProgress) -> Void) async throws
  /// What the server offers for signing in, to whoever has not signed in.
  /// - Throws: `ConnectionProblem`.
  func signInOffer(
    of account: Account, progress: @escaping @Sendable (SignInProgress) -> Void
  ) async throws -> SignInOffer
  /// What the server asks of a newcomer (XEP-0077 §3.1).
  /// - Throws: `ConnectionProblem`; `.registrationRefused` where the server takes nobody.
  func registrationForm(for account: Account) async throws -> RegistrationForm
  /// Makes the account. It does not sign in.
  /// - Parameter answers: by field.
  /// - Throws: `ConnectionProblem`; `.registrationRefused` with the server's words.
  func register(_ account: Account, _ credential: Credential, answers: [String: [String]])
    async throws
}
