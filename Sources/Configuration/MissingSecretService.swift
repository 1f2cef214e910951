import NatterCore
import XMPP

/// Stands where the desktop's secret service was asked for and `secret-tool` is not installed: says so to whoever wants to keep
/// a secret or read one. What an earlier run has put into the file stays good, and so do accounts that are nobody's but this
/// program's.
package struct MissingSecretService: CredentialStoring {
  private let file: any CredentialStoring
  private let exemptDomain: String

  /// - Parameter exemptDomain: whose accounts make their secrets themselves, and have them in the file.
  package init(file: any CredentialStoring, exemptDomain: String) {
    self.file = file
    self.exemptDomain = exemptDomain
  }

  package func credential(for account: JID) async throws -> Credential? {
    if let credential = try await file.credential(for: account) { return credential }
    if account.domain == exemptDomain { return nil }
    throw SecretServiceError.notInstalled
  }

  package func save(_ credential: Credential, for account: JID) async throws {
    guard account.domain == exemptDomain else { throw SecretServiceError.notInstalled }
    try await file.save(credential, for: account)
  }

  package func replace(_ credential: Credential, for account: JID) async throws {
    try await file.replace(credential, for: account)
  }

  package func removeCredential(for account: JID) async throws {
    try await file.removeCredential(for: account)
    // Whether there is another one in the service, nobody can say.
    guard account.domain == exemptDomain else { throw SecretServiceError.notInstalled }
  }
}
