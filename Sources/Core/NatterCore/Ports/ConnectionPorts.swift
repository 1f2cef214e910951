/// Controls the connection for the user (flows.md, "Long connection").
package protocol ConnectionControlling: Sendable {
  func state() async -> ConnectionState
  /// Returns the details of the connection; `nil` without one.
  func details() async -> ConnectionDetails?
  /// Ends the wait and connects at once.
  func connectNow() async
  /// Closes the connection and stays offline until `connectNow`.
  func goOffline() async
  /// Reports whether the user views the client; the server may delay unimportant stanzas while they
  /// do not (XEP-0352).
  func clientActive(_ isActive: Bool) async
}

extension ConnectionControlling {
  /// Returns `nil`: no details are known.
  package func details() async -> ConnectionDetails? { nil }
}

/// Reports whether copies of other clients' messages arrive (XEP-0280).
package protocol CarbonReporting: Sendable {
  /// Indicates whether copies arrive.
  var isOn: Bool { get async }
}

/// The sign-in methods that an account's server offers.
package struct SignInOffer: Hashable, Sendable {
  /// Indicates whether it accepts an access token.
  package let takesTokens: Bool
  /// Indicates whether a password mechanism is offered that does not reveal the password to the
  /// server (SCRAM).
  package let hidesPassword: Bool
  /// Indicates whether the account signed in with such a mechanism before, and the user has not
  /// accepted a weaker one.
  package let hasHiddenPassword: Bool

  package init(takesTokens: Bool, hidesPassword: Bool, hasHiddenPassword: Bool = false) {
    self.takesTokens = takesTokens
    self.hidesPassword = hidesPassword
    self.hasHiddenPassword = hasHiddenPassword
  }
}

/// Opens a short connection to an account's server, for the sign-in form and the commands.
package protocol SessionProbing: Sendable {
  /// Connects, authenticates, binds, and closes again.
  /// - Throws: `ConnectionProblem`.
  func verify(
    _ account: Account, _ credential: Credential,
    progress: @escaping @Sendable (SignInProgress) -> Void) async throws
  /// Returns the sign-in methods that the server offers before authentication.
  /// - Throws: `ConnectionProblem`.
  func signInOffer(
    of account: Account, progress: @escaping @Sendable (SignInProgress) -> Void
  ) async throws -> SignInOffer
  /// Requests the registration form (XEP-0077 §3.1).
  /// - Throws: `ConnectionProblem`; `.registrationRefused` if the server registers no accounts.
  func registrationForm(for account: Account) async throws -> RegistrationForm
  /// Registers the account, without signing in.
  /// - Parameter answers: the values by field.
  /// - Throws: `ConnectionProblem`; `.registrationRefused` with the server's text.
  func register(_ account: Account, _ credential: Credential, answers: [String: [String]])
    async throws
}
