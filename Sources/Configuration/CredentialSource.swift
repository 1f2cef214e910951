import NatterCore
import XMPP

/// Where passwords come from: the configured program for the account it belongs to, else the file.
package struct CredentialSource: CredentialStoring {
  private let file: any CredentialStoring
  private let command: PasswordCommand?
  private let address: JID?
  private let memory = Memory()

  private actor Memory {
    var credential: Credential?
    func keep(_ credential: Credential) { self.credential = credential }
  }

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
    let password = try await command.password()
    // What came with the password of before does not belong to another one.
    if let known = await memory.credential, known.password == password { return known }
    return Credential(password: password)
  }

  /// What a program's password led to is kept in memory only: a secret on the disk is what the program is there to avoid.
  package func replace(_ credential: Credential, for account: JID) async throws {
    guard command != nil, address == nil || address == account.bare else {
      return try await file.replace(credential, for: account)
    }
    await memory.keep(credential)
  }

  package func save(_ credential: Credential, for account: JID) async throws {
    try await file.save(credential, for: account)
  }

  package func removeCredential(for account: JID) async throws {
    try await file.removeCredential(for: account)
  }
}
