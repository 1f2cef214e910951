import NatterCore
import XMPP

/// Where passwords come from: the configured program for the accounts that it is for, else the store beneath.
///
/// What somebody types for an account of the program goes before it until this program ends, and is written nowhere: a secret
/// on the disk is what the program is there to avoid.
package struct CredentialSource: CredentialStoring {
  private let file: any CredentialStoring
  private let command: PasswordCommand?
  private let address: JID?
  private let exemptDomain: String?
  private let memory = Memory()

  /// What a password led to, and which one: a token does not tell.
  private struct Earned {
    let password: String
    let credential: Credential
  }

  private actor Memory {
    /// What was typed.
    private var typed: [JID: Credential] = [:]
    /// What the program's password led to.
    private var earned: [JID: Earned] = [:]
    /// What the program said the last time.
    private var told: [JID: String] = [:]

    func typed(for account: JID) -> Credential? { typed[account] }
    func type(_ credential: Credential?, for account: JID) { typed[account] = credential }

    func keep(_ credential: Credential, for account: JID) {
      if typed[account] != nil {
        typed[account] = credential
      } else if let password = credential.password ?? told[account] {
        earned[account] = Earned(password: password, credential: credential)
      }
    }

    func forget(_ account: JID) {
      (typed[account], earned[account], told[account]) = (nil, nil, nil)
    }

    /// What came with the password of before does not belong to another one.
    func completed(_ password: String, for account: JID) -> Credential {
      told[account] = password
      if let known = earned[account], known.password == password { return known.credential }
      return Credential(password: password)
    }
  }

  /// - Parameters:
  ///   - command: `nil`: none was configured.
  ///   - address: the account that `command` is for; `nil`: every account but those at `exemptDomain`.
  ///   - exemptDomain: whose accounts make their secrets themselves.
  package init(
    file: any CredentialStoring, command: PasswordCommand?, address: JID?,
    exemptDomain: String? = nil
  ) {
    self.file = file
    self.command = command
    self.address = address?.bare
    self.exemptDomain = exemptDomain
  }

  /// The program of an account, where it has one.
  private func command(of account: JID) -> PasswordCommand? {
    guard let command else { return nil }
    if let address { return address == account.bare ? command : nil }
    return account.domain == exemptDomain ? nil : command
  }

  package func credential(for account: JID) async throws -> Credential? {
    guard let command = command(of: account) else {
      return try await file.credential(for: account)
    }
    if let typed = await memory.typed(for: account.bare) { return typed }
    return await memory.completed(try await command.password(), for: account.bare)
  }

  /// The program is not run for that: it may ask for something, or take its time.
  package func hasCredential(for account: JID) async throws -> Bool {
    if command(of: account) != nil { return true }
    return try await file.hasCredential(for: account)
  }

  package func replace(_ credential: Credential, for account: JID) async throws {
    guard command(of: account) != nil else {
      return try await file.replace(credential, for: account)
    }
    await memory.keep(credential, for: account.bare)
  }

  package func save(_ credential: Credential, for account: JID) async throws {
    guard command(of: account) != nil else {
      return try await file.save(credential, for: account)
    }
    await memory.type(credential, for: account.bare)
  }

  package func removeCredential(for account: JID) async throws {
    await memory.forget(account.bare)
    // One may be there from before there was a program.
    try await file.removeCredential(for: account)
  }
}
