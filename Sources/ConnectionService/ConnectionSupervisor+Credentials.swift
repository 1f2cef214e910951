import Diagnostics
import NatterCore
import XMPP

/// What the supervisor signs in with, and what becomes of it.
extension ConnectionSupervisor {
  /// Connects; what has expired is renewed before, and what is refused is renewed once and tried again.
  func connectedAfterRenewal(_ stored: Credential) async throws -> any LiveStream {
    var credential = stored
    do {
      if credential.returning == nil || distrustsToken,
        let fresh = try await renewal?.renewed(credential, of: account, isRefused: false)
      {
        credential = fresh
        await keep(credential)
      }
    } catch is ConnectionProblem {
      // It may be good still, whatever the clock says: the server knows.
    }
    do {
      return try await connectedKeepingToken(with: credential)
    } catch let problem as ConnectionProblem where problem.kind == .tokenRefused {
      guard let fresh = try await renewal?.renewed(credential, of: account, isRefused: true)
      else { throw problem }
      await keep(fresh)
      return try await connectedKeepingToken(with: fresh)
    }
  }

  private func connectedKeepingToken(with stored: Credential) async throws -> any LiveStream {
    var credential = stored
    let usesToken = credential.returning != nil && !distrustsToken
    if !usesToken { credential.returning = nil }
    let stream: any LiveStream
    do { stream = try await connected(with: credential) } catch {
      // A server may stumble over a token, and answer nothing: then the next attempt goes the long way.
      distrustsToken = usesToken
      throw error
    }
    distrustsToken = false
    switch stream.tokenNews {
    case .given(let token): credential.returning = token
    case .refused: credential.returning = nil
    case nil: return stream
    }
    await keep(credential)
    return stream
  }

  private func keep(_ credential: Credential) async {
    do { try await credentials.replace(credential, for: account.jid) } catch {
      // It works for this connection; the next one begins with what is kept.
      log.warning("a renewed credential could not be kept: \(error)")
    }
  }
}
