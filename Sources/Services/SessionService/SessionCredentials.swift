import NatterCore
import XMPP

/// The secrets of this run: those that the user did not want remembered take precedence over the
/// underlying store.
package actor SessionCredentials: CredentialStoring {
  private let store: any CredentialStoring
  private var kept: [JID: Credential] = [:]
  /// Credentials that the store failed to save: a refresh token is often valid only once.
  private var unsaved: [JID: Unsaved] = [:]

  private struct Unsaved: Equatable {
    let credential: Credential
    /// The credential that the store has; `nil`: not known.
    let known: Credential?
  }

  package init(over store: any CredentialStoring) { self.store = store }

  /// Uses `credential` until the program ends, without writing it anywhere.
  package func keep(_ credential: Credential, for account: JID) { kept[account.bare] = credential }

  /// Forgets the credential, unless the underlying store has it.
  package func forget(_ account: JID) {
    (kept[account.bare], unsaved[account.bare]) = (nil, nil)
  }

  package func credential(for account: JID) async throws -> Credential? {
    if let credential = kept[account.bare] ?? unsaved[account.bare]?.credential {
      return credential
    }
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
      try await attempt(Unsaved(credential: credential, known: nil), for: account)
    }
  }

  package func replace(_ known: Credential, by credential: Credential, for account: JID)
    async throws
  {
    if let present = kept[account.bare] {
      if present.hasSecret(of: known) { kept[account.bare] = credential }
    } else if let present = unsaved[account.bare] {
      guard present.credential.hasSecret(of: known) else { return }
      try await attempt(Unsaved(credential: credential, known: present.known), for: account)
    } else {
      try await attempt(Unsaved(credential: credential, known: known), for: account)
    }
  }

  private func attempt(_ new: Unsaved, for account: JID) async throws {
    unsaved[account.bare] = new
    if let known = new.known {
      try await store.replace(known, by: new.credential, for: account)
    } else {
      try await store.replace(new.credential, for: account)
    }
    // Another one may have been set in the meantime.
    if unsaved[account.bare] == new { unsaved[account.bare] = nil }
  }

  package func removeCredential(for account: JID) async throws {
    (kept[account.bare], unsaved[account.bare]) = (nil, nil)
    try await store.removeCredential(for: account)
  }
}
