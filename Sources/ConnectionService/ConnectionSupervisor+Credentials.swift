import Diagnostics
import NatterCore
import XMPP

/// What the supervisor signs in with, and what becomes of it.
extension ConnectionSupervisor {
  /// What is kept of the account.
  /// - Throws: `ConnectionProblem`: `.notSignedIn` when there is nothing, `.secretUnavailable` when it cannot be had: neither goes
  ///   away by asking again. `CancellationError`.
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

  /// Connects; what has expired is renewed before, and what is refused is renewed once and tried again.
  func connectedAfterRenewal(_ stored: Credential) async throws -> any LiveStream {
    try await use.signedIn(
      with: stored, renewsFirst: stored.returning == nil || distrustsToken
    ) { try await connectedKeepingToken(with: $0, inPlaceOf: stored) }
  }

  private func connectedKeepingToken(
    with given: Credential, inPlaceOf stored: Credential
  ) async throws -> any LiveStream {
    var credential = given
    let usesToken = credential.returning != nil && !distrustsToken
    if !usesToken { credential.returning = nil }
    let stream: any LiveStream
    do { stream = try await connected(with: credential) } catch {
      // A server may stumble over a token, and answer nothing: then the next attempt goes the long way.
      distrustsToken = usesToken
      throw error
    }
    distrustsToken = false
    // What nothing renews does not take the place of the password that it was given for.
    if stored.password != nil, let token = credential.token, token.refreshToken == nil {
      return stream
    }
    switch stream.tokenNews {
    case .given(let token): credential.returning = token
    case .refused: credential.returning = nil
    case nil: return stream
    }
    await use.keep(credential)
    return stream
  }
}
