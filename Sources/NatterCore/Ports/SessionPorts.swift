import XMPP

/// The accounts of this profile.
package protocol AccountStoring: Sendable {
  func accounts() async throws -> [Account]
  func save(_ account: Account) async throws
  func remove(_ jid: JID) async throws
  func defaultAccount() async throws -> Account?
  func setDefault(_ jid: JID) async throws
}

/// Keeps secrets out of everything else (a 0600 file, or `password_command`).
package protocol CredentialStoring: Sendable {
  func credential(for account: JID) async throws -> Credential?
  /// Whether there is one, as far as that can be told at once: without asking a person, or a program that may do so.
  func hasCredential(for account: JID) async throws -> Bool
  func save(_ credential: Credential, for account: JID) async throws
  func removeCredential(for account: JID) async throws
  /// Keeps another form of an account's credential where the one before came from: a renewed token, or one to come back with.
  /// What a person did not want written anywhere is not.
  func replace(_ credential: Credential, for account: JID) async throws
}

extension CredentialStoring {
  package func replace(_ credential: Credential, for account: JID) async throws {}
  package func hasCredential(for account: JID) async throws -> Bool {
    try await credential(for: account) != nil
  }
}

/// Remembers how accounts were signed in to with their passwords, so that a server which offers less than the last time is
/// noticed.
package protocol SignInRemembering: Sendable {
  /// - Returns: `nil`: never, as far as this profile knows.
  func signIn(of account: JID) async throws -> SignInProof?
  func remember(_ proof: SignInProof, of account: JID) async throws
  func forget(_ account: JID) async throws
}

/// Renews what has expired, without asking the person.
package protocol CredentialRenewing: Sendable {
  /// A credential that can be tried in place of `credential`.
  /// - Parameter isRefused: whether the server has refused it; else it is renewed only when it is about to expire.
  /// - Returns: `nil` when there is nothing to renew, or nothing that renews it: the person has to sign in again.
  /// - Throws: `ConnectionProblem` when it could not be asked for: it may be renewed another time.
  func renewed(_ credential: Credential, of account: Account, isRefused: Bool) async throws
    -> Credential?
  /// Has the server that gave the token of `credential` take none of it any more, as far as it can be reached.
  func withdraw(_ credential: Credential) async
}

/// What the sign-in form asks for.
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

/// How signing in goes on, for the form.
package enum SignInProgress: Hashable, Sendable {
  case lookingUp(domain: String)
  case connecting(host: String)
  case authenticating
  case registering
}

/// Signs in, or makes an account (XEP-0077), from the form. The account is saved once the server accepted it.
package protocol SigningIn: Sendable {
  /// - Throws: `ConnectionProblem` when the server could not be reached or refuses, `NatterError` when it could not be saved.
  func signIn(_ request: SignInRequest, progress: @escaping @Sendable (SignInProgress) -> Void)
    async throws
  /// What the server of `account` wants to know from somebody new.
  /// - Throws: `ConnectionProblem(.registrationRefused)` where it does not take anybody.
  func registrationForm(for account: Account) async throws -> RegistrationForm
  /// Makes the account, then signs in.
  /// - Parameter answers: by field.
  /// - Throws: `NotSignedInYet` once the account is made; `ConnectionProblem` of the making.
  func register(
    _ request: SignInRequest, answers: [String: [String]],
    progress: @escaping @Sendable (SignInProgress) -> Void) async throws
  /// Where the people of the account's server can be asked for help, as far as it is known here (XEP-0157): a server says it to
  /// who is signed in only. From outside.
  func supportAddresses(for account: Account) async -> [String]
}

extension SigningIn {
  package func supportAddresses(for account: Account) async -> [String] { [] }
}

/// What can be done to an account on its server, while it is online.
package protocol AccountChanging: Sendable {
  /// - Returns: why the new password, which is good from now on, could not be kept on this computer; `nil`: it is kept, or none
  ///   was.
  /// - Throws: `NatterError` with the server's words when it refuses; then the old password is good.
  func changePassword(to password: String) async throws -> NatterError?
  /// Deletes the account and everything that the server has of it, for ever. Its secret here is to be forgotten by signing out.
  func deleteAccount() async throws
  /// Where the server's people can be asked for help: addresses of any kind, from outside.
  func supportAddresses() async throws -> [String]
}

/// An account was made, and signing in to it failed: it is there, with the password that was asked for it.
package struct NotSignedInYet: Error {
  package let reason: any Error
  package init(reason: any Error) { self.reason = reason }
}

/// What a server asks of a newcomer (XEP-0077 §3.1): fields beside the name and the password, and instructions.
package struct RegistrationForm: Hashable, Sendable {
  package let instructions: String?
  /// What a person fills in, and notes between that.
  package let questions: DataForm
  /// What nobody sees, and what goes back as it came: it tells the server which question was answered.
  package let hidden: [String: [String]]
  /// Where to go with a browser instead (XEP-0077 `jabber:x:oob`).
  package let url: String?
  /// Whether a question is about a picture that came without an address of the web (XEP-0231).
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

  /// Whether it holds for one answer only: a picture that was shown once (XEP-0158).
  package var isForOneAnswer: Bool { hidden["challenge"] != nil }

  /// Whether a person has nothing to answer.
  package var asksNothing: Bool { questions.fields.allSatisfy { $0.kind == .note } }
}

extension SignInProgress {
  /// What comes first on the way to `account`: a server that was named is not looked up.
  package static func first(to account: Account) -> SignInProgress {
    account.server.map { .connecting(host: $0) } ?? .lookingUp(domain: account.jid.domain)
  }
}
