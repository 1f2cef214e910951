import XMPP

/// Stores the accounts of this profile.
package protocol AccountStoring: Sendable {
  func accounts() async throws -> [Account]
  func save(_ account: Account) async throws
  func remove(_ jid: JID) async throws
  /// Returns the default account, or else the first; `nil` if there is none.
  func defaultAccount() async throws -> Account?
  func setDefault(_ jid: JID) async throws
}

/// Stores secrets apart from all other data (a 0600 file, or `password_command`).
package protocol CredentialStoring: Sendable {
  /// Returns the stored credential; `nil` if there is none.
  func credential(for account: JID) async throws -> Credential?
  /// Returns whether a credential exists, as far as that can be determined at once: without asking
  /// the user, or running a program that may do so.
  func hasCredential(for account: JID) async throws -> Bool
  func save(_ credential: Credential, for account: JID) async throws
  func removeCredential(for account: JID) async throws
  /// Replaces an account's credential in the store that it came from: a renewed token, or a token
  /// for a faster sign-in. A credential that the user chose not to store is not written.
  func replace(_ credential: Credential, for account: JID) async throws
  /// Like `replace`, but only while the store has the secret of `known`: the user may have signed
  /// in anew since it was read.
  func replace(_ known: Credential, by credential: Credential, for account: JID) async throws
}

extension CredentialStoring {
  package func replace(_ credential: Credential, for account: JID) async throws {}
  package func replace(_ known: Credential, by credential: Credential, for account: JID)
    async throws
  {
    guard let stored = try await self.credential(for: account), stored.hasSecret(of: known) else {
      return
    }
    try await replace(credential, for: account)
  }
  package func hasCredential(for account: JID) async throws -> Bool {
    try await credential(for: account) != nil
  }
}

/// Stores how accounts signed in with their passwords, so that a server which offers a weaker way
/// than the last time is detected.
package protocol SignInRemembering: Sendable {
  /// - Returns: `nil` if the account never signed in, as far as this profile knows.
  func signIn(of account: JID) async throws -> SignInProof?
  func remember(_ proof: SignInProof, of account: JID) async throws
  func forget(_ account: JID) async throws
}

/// Renews expired credentials without the user.
package protocol CredentialRenewing: Sendable {
  /// Returns a credential to try instead of `credential`.
  /// - Parameter isRefused: `true` if the server has refused it; otherwise it is renewed only if it
  ///   is about to expire.
  /// - Returns: `nil` if there is nothing to renew, or no way to renew it: the user has to sign in
  ///   again.
  /// - Throws: `ConnectionProblem` if the server could not be asked: a later attempt may succeed.
  func renewed(_ credential: Credential, of account: Account, isRefused: Bool) async throws
    -> Credential?
  /// Revokes the token of `credential` at the server that issued it, if it can be reached.
  func withdraw(_ credential: Credential) async
}

/// The input of the sign-in form.
package struct SignInRequest: Hashable, Sendable {
  package var account: Account
  package var credential: Credential
  package var remembersCredential: Bool
  package init(account: Account, credential: Credential, remembersCredential: Bool) {
    self.account = account
    self.credential = credential
    self.remembersCredential = remembersCredential
  }
}

/// The progress of signing in, for the form.
package enum SignInProgress: Hashable, Sendable {
  case lookingUp(domain: String)
  case connecting(host: String)
  case authenticating
  case registering
}

/// Signs in, or registers an account (XEP-0077), from the form. The account is saved once the
/// server has accepted it.
package protocol SigningIn: Sendable {
  /// - Throws: `ConnectionProblem` if the server could not be reached or refuses, `NatterError` if
  ///   the account could not be saved.
  func signIn(_ request: SignInRequest, progress: @escaping @Sendable (SignInProgress) -> Void)
    async throws
  /// Requests the registration form of the server of `account`.
  /// - Throws: `ConnectionProblem(.registrationRefused)` if it registers no accounts.
  func registrationForm(for account: Account) async throws -> RegistrationForm
  /// Registers the account, then signs in.
  /// - Parameter answers: the values by field.
  /// - Throws: `NotSignedInYet` if the account is registered and the sign-in failed;
  ///   `ConnectionProblem` if the registration failed.
  func register(
    _ request: SignInRequest, answers: [String: [String]],
    progress: @escaping @Sendable (SignInProgress) -> Void) async throws
  /// Returns the support addresses of the account's server, as far as they are known here
  /// (XEP-0157): a server sends them only to signed-in users. Untrusted.
  func supportAddresses(for account: Account) async -> [String]
}

extension SigningIn {
  package func supportAddresses(for account: Account) async -> [String] { [] }
}

/// Changes an account on its server, while it is online.
package protocol AccountChanging: Sendable {
  /// - Returns: the reason why the new password, which is valid from now on, could not be stored on
  ///   this computer; `nil` if it is stored, or none was.
  /// - Throws: `NatterError` with the server's text if it refuses; then the old password is valid.
  func changePassword(to password: String) async throws -> NatterError?
  /// Deletes the account with all its data on the server, permanently. Signing out removes its
  /// local secret.
  func deleteAccount() async throws
  /// Returns the addresses of the server's support, of any kind; untrusted.
  func supportAddresses() async throws -> [String]
}

/// The account was registered, but signing in failed: it exists, with the requested password.
package struct NotSignedInYet: Error {
  package let reason: any Error
  package init(reason: any Error) { self.reason = reason }
}

/// The registration form of a server (XEP-0077 §3.1): fields other than the name and the password,
/// and instructions.
package struct RegistrationForm: Hashable, Sendable {
  package let instructions: String?
  /// The fields that the user fills in, and notes between them.
  package let questions: DataForm
  /// The hidden fields, returned unchanged: they identify the answered question to the server.
  package let hidden: [String: [String]]
  /// The URL of a web page for the registration instead (XEP-0077 `jabber:x:oob`).
  package let url: String?
  /// Indicates whether a field refers to a picture that came without a web address (XEP-0231).
  package let lacksPicture: Bool

  package init(
    instructions: String?, questions: DataForm = DataForm(fields: []),
    hidden: [String: [String]] = [:], url: String?, lacksPicture: Bool = false
  ) {
    self.instructions = instructions
    self.questions = questions
    self.hidden = hidden
    self.url = url
    self.lacksPicture = lacksPicture
  }

  /// Indicates whether it is valid for one answer only: a picture that was shown once (XEP-0158).
  package var isForOneAnswer: Bool { hidden["challenge"] != nil }

  /// Indicates whether there is nothing for the user to fill in.
  package var asksNothing: Bool { questions.fields.allSatisfy { $0.kind == .note } }
}

extension SignInProgress {
  /// Returns the first step for `account`: a configured server is not looked up.
  package static func first(to account: Account) -> SignInProgress {
    account.server.map { .connecting(host: $0) } ?? .lookingUp(domain: account.jid.domain)
  }
}
