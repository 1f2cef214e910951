import Diagnostics
import NatterCore
import XMPP

/// Signs in with what is kept of an account: what has expired is renewed before, and what is refused is renewed once and tried
/// again (RFC 6749 §6). For every way of signing in: what is renewed is kept where the one before came from.
package struct CredentialUse: Sendable {
  private let account: Account
  private let credentials: any CredentialStoring
  private let renewal: (any CredentialRenewing)?
  private let log: Log

  /// - Parameter renewal: `nil`: nothing renews.
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
  ///   - stored: what was kept.
  ///   - renewsFirst: whether what is about to expire is renewed before it is tried; not where it is not what will be used.
  ///   - work: signs in; throws `ConnectionProblem(.tokenRefused)` for a token that the server does not take.
  /// - Throws: what `work` throws, and `ConnectionProblem` when a token could not be renewed just now.
  package func signedIn<Result: Sendable>(
    with stored: Credential, renewsFirst: Bool = true,
    _ work: (Credential) async throws -> Result
  ) async throws -> Result {
    if renewsFirst, stored.password != nil,
      let fresh = try await renewal?.renewed(stored, of: account, isRefused: false)
    {
      return try await signedIn(with: fresh, inPlaceOf: stored, work)
    }
    var credential = stored
    var trouble: ConnectionProblem?
    if renewsFirst, stored.token != nil {
      do {
        if let fresh = try await renewal?.renewed(credential, of: account, isRefused: false) {
          credential = fresh
          await keep(credential)
        }
      } catch let problem as ConnectionProblem {
        // It may be good still, whatever the clock says: the server knows.
        trouble = problem
      }
    }
    do {
      return try await work(credential)
    } catch let problem as ConnectionProblem where problem.kind == .tokenRefused {
      // Another Natter may have renewed it meanwhile: what renews is often good for once only.
      if let other = await another(than: credential) { return try await work(other) }
      // Not to be asked twice.
      if let trouble { throw trouble }
      guard let fresh = try await renewal?.renewed(credential, of: account, isRefused: true)
      else {
        if let other = await another(than: credential) { return try await work(other) }
        throw problem
      }
      await keep(fresh)
      return try await work(fresh)
    }
  }

  /// Signs in with a token that was given for a password. It takes the password's place only where it can be renewed: otherwise
  /// nothing would be left to sign in with once its time is over. Where the chat server has no use for it, the password has to do.
  private func signedIn<Result: Sendable>(
    with fresh: Credential, inPlaceOf stored: Credential,
    _ work: (Credential) async throws -> Result
  ) async throws -> Result {
    let isLasting = fresh.token?.refreshToken != nil
    // Before it is used: what comes of that, a token to come back with, may be kept meanwhile, and is newer.
    if isLasting { await keep(fresh) }
    do { return try await work(fresh) } catch let problem as ConnectionProblem
      where [.mechanismTooWeak, .tokenRefused, .scopeMissing].contains(problem.kind)
    {
      log.warning("the chat server does not take the token: \(problem)")
      if isLasting { await keep(stored) }
      await renewal?.withdraw(fresh)
      return try await work(stored)
    }
  }

  /// The token that is kept now, where it is not this one.
  private func another(than credential: Credential) async -> Credential? {
    // What cannot be read is no better than what there is.
    guard let kept = try? await credentials.credential(for: account.jid), let token = kept.token,
      token.value != credential.token?.value
    else { return nil }
    return kept
  }

  func keep(_ credential: Credential) async {
    do { try await credentials.replace(credential, for: account.jid) } catch {
      // It works for this connection; the next one begins with what is kept.
      log.warning(
        "a renewed credential could not be kept: \(NatterError(telling: error, orElse: .storage, key: "error.storage.write").key)"
      )
    }
  }
}
