import Diagnostics
import NatterCore
import XMPP

/// The sign-in with a stored credential: renews a token before it expires, and renews a refused
/// token once and retries (RFC 6749 §6). For every kind of sign-in: the renewed credential is
/// stored where the previous one was.
package struct CredentialUse: Sendable {
  private let account: Account
  private let credentials: any CredentialStoring
  private let renewal: (any CredentialRenewing)?
  private let log: Log

  /// - Parameter renewal: `nil`: tokens are not renewed.
  package init(
    of account: Account, in credentials: any CredentialStoring,
    renewal: (any CredentialRenewing)?, log: Log
  ) {
    self.account = account
    self.credentials = credentials
    self.renewal = renewal
    self.log = log
  }

  /// - Parameters:
  ///   - stored: the stored credential.
  ///   - renewsFirst: `true` if a token that is about to expire is renewed before it is tried;
  ///     `false` where it will not be used.
  ///   - work: signs in; throws `ConnectionProblem(.tokenRefused)` for a token that the server does
  ///     not accept.
  /// - Throws: the errors of `work`, and `ConnectionProblem` when a token could not be renewed just
  ///   now.
  package func signedIn<Result: Sendable>(
    with stored: Credential, renewsFirst: Bool = true,
    _ work: (Credential) async throws -> Result
  ) async throws -> Result {
    if renewsFirst, stored.password != nil,
      let fresh = try await renewal?.renewed(stored, of: account, isRefused: false)
    {
      return try await signedIn(with: fresh, replacing: stored, work)
    }
    var credential = stored
    var trouble: ConnectionProblem?
    if renewsFirst, stored.token != nil {
      do {
        if let fresh = try await renewal?.renewed(credential, of: account, isRefused: false) {
          await keep(fresh, replacing: credential)
          credential = fresh
        }
      } catch let problem as ConnectionProblem {
        // The token may still be valid, in spite of the clock: the server decides.
        trouble = problem
      }
    }
    do {
      return try await work(credential)
    } catch let problem as ConnectionProblem where problem.kind == .tokenRefused {
      // Another instance may have renewed it in the meantime: refresh tokens are often valid only
      // once.
      if let other = await another(than: credential) { return try await work(other) }
      // Do not renew twice.
      if let trouble { throw trouble }
      guard let fresh = try await renewal?.renewed(credential, of: account, isRefused: true)
      else {
        if let other = await another(than: credential) { return try await work(other) }
        throw problem
      }
      await keep(fresh, replacing: credential)
      return try await work(fresh)
    }
  }

  /// Signs in with a token that was issued for a password. It replaces the password only if it can
  /// be renewed: otherwise there would be no credential once it expires. If the chat server does
  /// not accept it, the password is used.
  private func signedIn<Result: Sendable>(
    with fresh: Credential, replacing stored: Credential,
    _ work: (Credential) async throws -> Result
  ) async throws -> Result {
    let isLasting = fresh.token?.refreshToken != nil
    // Before it is used: a FAST token from this sign-in may be stored in the meantime, and is
    // newer.
    if isLasting { await keep(fresh, replacing: stored) }
    do { return try await work(fresh) } catch let problem as ConnectionProblem
      where [.mechanismTooWeak, .tokenRefused, .scopeMissing].contains(problem.kind)
    {
      log.warning("the chat server does not take the token: \(problem)")
      if isLasting { await keep(stored, replacing: fresh) }
      await renewal?.withdraw(fresh)
      return try await work(stored)
    }
  }

  /// Returns the stored credential if its token is not this one.
  private func another(than credential: Credential) async -> Credential? {
    // A credential that cannot be read is no better than the present one.
    guard let kept = try? await credentials.credential(for: account.jid), let token = kept.token,
      token.value != credential.token?.value
    else { return nil }
    return kept
  }

  /// Replaces the stored credential by one that came from it, unless the user has signed in anew
  /// meanwhile.
  func keep(_ credential: Credential, replacing known: Credential) async {
    do { try await credentials.replace(known, by: credential, for: account.jid) } catch {
      // It works for this connection; the next one begins with the stored one.
      log.warning(
        "a renewed credential could not be kept: \(NatterError(reporting: error, orElse: .storage, key: "error.storage.write").key)"
      )
    }
  }
}
