import NatterCore
import XMPP

/// Where passwords come from: the configured program for the account it belongs to, else the file.
package struct CredentialSource: CredentialStoring {
  private let file: any CredentialStoring
  private let command: PasswordCommand?
  private let address: JID?

  /// - Parameters:
  ///   - command: `nil`: none was configured.
  ///   - address: the account that `command` is for; `nil`: every account.
  package init(file: any CredentialStoring, command: PasswordCommand?, address: JID?) {
    self.file = file
    self.command = command
    self.address = address?.bare
  }

  package func credential(for account: JID) async throws -> Credential? {
    guard let command, address == nil || address == account.bare else {
      return try await file.credential(for: account)
    }
    return Credential(password: try await command.password())
  }

  package func save(_ credential: Credential, for account: JID) async throws {
    try await file.save(credential, for: account)
  }

  package func removeCredential(for account: JID) async throws {
    try await file.removeCredential(for: account)
  }
}
