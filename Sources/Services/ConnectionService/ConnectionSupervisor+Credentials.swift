import Diagnostics
import NatterCore
import XMPP

// The credentials of the supervisor, and their renewal.
extension ConnectionSupervisor {
  /// Returns the stored credential of the account.
  /// - Throws: `ConnectionProblem`: `.notSignedIn` when there is none, `.secretUnavailable` when it
  ///   cannot be read: neither is solved by a retry. `CancellationError`.
  func storedCredential() async throws -> Credential {
    let found: Credential?
    do { found = try await credentials.credential(for: account.jid) } catch {
      try Task.checkCancellation()
      throw ConnectionProblem(secretUnavailable: error)
    }
    guard let found else { throw ConnectionProblem(.notSignedIn, host: account.jid.domain) }
    return found
  }

  private var use: CredentialUse {
    CredentialUse(of: account, in: credentials, renewal: renewal, log: log)
  }

  /// Connects; renews a token before it expires, and renews a refused token once and retries.
  func connectedAfterRenewal(_ stored: Credential) async throws -> any LiveStream {
    try await use.signedIn(
      with: stored, renewsFirst: stored.returning == nil || distrustsToken
    ) { try await connectedKeepingToken(with: $0, replacing: stored) }
  }

  private func connectedKeepingToken(
    with given: Credential, replacing stored: Credential
  ) async throws -> any LiveStream {
    var credential = given
    let usesToken = credential.returning != nil && !distrustsToken
    if !usesToken { credential.returning = nil }
    let stream: any LiveStream
    do { stream = try await connected(with: credential) } catch {
      // A server may fail on a FAST token, and answer nothing: the next attempt uses the
      // credential.
      distrustsToken = usesToken
      throw error
    }
    distrustsToken = false
    // A token that cannot be renewed does not replace the password that it was issued for.
    if stored.password != nil, let token = credential.token, token.refreshToken == nil {
      return stream
    }
    switch stream.tokenNews {
    case .given(let token): credential.returning = token
    case .refused: credential.returning = nil
    case nil: return stream
    }
    await use.keep(credential, replacing: given)
    return stream
  }
}
