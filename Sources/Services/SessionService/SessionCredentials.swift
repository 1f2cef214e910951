import NatterCore
import XMPP

/// The secrets of this run: those that the user did not want remembered take precedence over the
/// underlying store.
package actor SessionCredentials: CredentialStoring {
  private let store: any CredentialStoring
  private var kept: [JID: Credential] = [:]
  /// Credentials that the store failed to save: a refresh token is often valid only once.
  private var unsaved: [JID: Credential] = [:]

  package init(over store: any CredentialStoring) { self.store = store }

  /// Uses `credential` until the program ends, without writing it anywhere.
  package func keep(_ credential: Credential, for account: JID) { kept[account.bare] = credential }

  /// Forgets the credential, unless the underlying store has it.
  package func forget(_ account: JID) {
    (kept[account.bare], unsaved[account.bare]) = (nil, nil)
  }

  package func credential(for account: JID) async throws -> Credential? {
    if let credential = kept[account.bare] ?? unsaved[account.bare] { return credential }
    return try await store.credential(for: account)
  }

  package func hasCredential(for account: JID) async throws -> Bool {
    if kept[account.bare] != nil || unsaved[account.bare] != nil { return true }
    return try await store.hasCredential(for: account)
  }

  package func save(_ credential: Credential, for account: JID) async throws {
    (kept[account.bare], unsaved[account.bare]) = (nil, nil)
    try await store.save(credential, for: account)
  }

  package func replace(_ credential: Credential, for account: JID) async throws {
    if kept[account.bare] != nil {
      kept[account.bare] = credential
    } else {
      unsaved[account.bare] = credential
      try await store.replace(credential, for: account)
      // Another one may have been set in the meantime.
      if unsaved[account.bare] == credential { unsaved[account.bare] = nil }
    }
  }

  package func removeCredential(for account: JID) async throws {
    (kept[account.bare], unsaved[account.bare]) = (nil, nil)
    try await store.removeCredential(for: account)
  }
}
