import NatterCore
import XMPP

/// Replaces the desktop's secret service if it is configured and `secret-tool` is not installed:
/// throws an error when a secret is saved or read. Secrets that an earlier run saved in the file
/// remain valid, and so do accounts at `exemptDomain`.
package struct MissingSecretService: CredentialStoring {
  private let file: any CredentialStoring
  private let exemptDomain: String

  /// - Parameter exemptDomain: the domain whose accounts generate their secrets themselves, and
  ///   store them in the file.
  package init(file: any CredentialStoring, exemptDomain: String) {
    self.file = file
    self.exemptDomain = exemptDomain
  }

  /// - Throws: `SecretServiceError.notInstalled` if the file has no credential either.
  package func credential(for account: JID) async throws -> Credential? {
    if let credential = try await file.credential(for: account) { return credential }
    if account.domain == exemptDomain { return nil }
    throw SecretServiceError.notInstalled
  }

  /// - Throws: `SecretServiceError.notInstalled`, except for accounts at `exemptDomain`.
  package func save(_ credential: Credential, for account: JID) async throws {
    guard account.domain == exemptDomain else { throw SecretServiceError.notInstalled }
    try await file.save(credential, for: account)
  }

  package func replace(_ credential: Credential, for account: JID) async throws {
    try await file.replace(credential, for: account)
  }

  package func replace(_ known: Credential, by credential: Credential, for account: JID)
    async throws
  {
    try await file.replace(known, by: credential, for: account)
  }

  package func removeCredential(for account: JID) async throws {
    try await file.removeCredential(for: account)
    // The service may hold another one, which cannot be determined.
    guard account.domain == exemptDomain else { throw SecretServiceError.notInstalled }
  }
}
