import NatterCore
import XMPP

/// Provides passwords: from the configured program for its accounts, else from the underlying
/// store.
///
/// A credential that the user enters for an account of the program takes precedence until this
/// program exits, and is not written to the disk: the program is configured to keep secrets off it.
package struct CredentialSource: CredentialStoring {
  private let file: any CredentialStoring
  private let command: PasswordCommand?
  private let address: JID?
  private let exemptDomain: String?
  private let memory = Memory()

  /// A credential that was obtained with a password, and that password: a token does not contain
  /// it.
  private struct Earned {
    let password: String
    let credential: Credential
  }

  private actor Memory {
    /// The credentials that the user entered.
    private var typed: [JID: Credential] = [:]
    /// The credentials that the program's password led to.
    private var earned: [JID: Earned] = [:]
    /// The program's last output.
    private var reported: [JID: String] = [:]

    func typed(for account: JID) -> Credential? { typed[account] }
    func type(_ credential: Credential?, for account: JID) { typed[account] = credential }

    func keep(_ credential: Credential, for account: JID) {
      if typed[account] != nil {
        typed[account] = credential
      } else if let password = credential.password ?? reported[account] {
        earned[account] = Earned(password: password, credential: credential)
      }
    }

    /// Keeps a credential unless the user has entered another one than `known`.
    func keep(_ credential: Credential, replacing known: Credential, for account: JID) {
      if let typed = typed[account], !typed.hasSecret(of: known) { return }
      keep(credential, for: account)
    }

    func forget(_ account: JID) {
      (typed[account], earned[account], reported[account]) = (nil, nil, nil)
    }

    /// Drops a token that was obtained with a previous password.
    func completed(_ password: String, for account: JID) -> Credential {
      reported[account] = password
      if let known = earned[account], known.password.utf8.elementsEqual(password.utf8) {
        return known.credential
      }
      return Credential(password: password)
    }
  }

  /// - Parameters:
  ///   - command: `nil` if none is configured.
  ///   - address: the account that `command` is for; `nil`: all accounts except those at
  ///     `exemptDomain`.
  ///   - exemptDomain: the domain whose accounts generate their secrets themselves.
  package init(
    file: any CredentialStoring, command: PasswordCommand?, address: JID?,
    exemptDomain: String? = nil
  ) {
    self.file = file
    self.command = command
    self.address = address?.bare
    self.exemptDomain = exemptDomain
  }

  /// Returns the program of an account, if it has one.
  private func command(of account: JID) -> PasswordCommand? {
    guard let command else { return nil }
    if let address { return address == account.bare ? command : nil }
    return account.domain == exemptDomain ? nil : command
  }

  /// Returns the entered credential of a program's account, or else runs the program.
  /// - Throws: `PasswordCommandError`, or the errors of the store.
  package func credential(for account: JID) async throws -> Credential? {
    guard let command = command(of: account) else {
      return try await file.credential(for: account)
    }
    if let typed = await memory.typed(for: account.bare) { return typed }
    return await memory.completed(try await command.password(), for: account.bare)
  }

  /// Does not run the program: it may prompt the user, or take long.
  package func hasCredential(for account: JID) async throws -> Bool {
    if command(of: account) != nil { return true }
    return try await file.hasCredential(for: account)
  }

  /// Keeps a renewed credential of a program's account in memory only.
  package func replace(_ credential: Credential, for account: JID) async throws {
    guard command(of: account) != nil else {
      return try await file.replace(credential, for: account)
    }
    await memory.keep(credential, for: account.bare)
  }

  /// Does not run the program to compare its password, which only the program changes.
  package func replace(_ known: Credential, by credential: Credential, for account: JID)
    async throws
  {
    guard command(of: account) != nil else {
      return try await file.replace(known, by: credential, for: account)
    }
    await memory.keep(credential, replacing: known, for: account.bare)
  }

  /// Keeps an entered credential of a program's account in memory only.
  package func save(_ credential: Credential, for account: JID) async throws {
    guard command(of: account) != nil else {
      return try await file.save(credential, for: account)
    }
    await memory.type(credential, for: account.bare)
  }

  package func removeCredential(for account: JID) async throws {
    await memory.forget(account.bare)
    // A secret may be stored from the time before the program was configured.
    try await file.removeCredential(for: account)
  }
}
