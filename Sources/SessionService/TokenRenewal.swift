import FoundationEssentials
import NatterCore

/// Renews access tokens by their refresh tokens (RFC 6749 §6), and exchanges a password for one where the user has named the
/// place that it is for (`--http-url`).
package struct TokenRenewal: CredentialRenewing {
  private let tokens: any TokenGranting
  private let exchange: PasswordExchange?
  private let now: @Sendable () -> Date
  /// A token with less time left than this, in seconds, is renewed before it is used.
  private static let margin: Double = 60

  /// - Parameters:
  ///   - web: what it takes to exchange a password for a token; `nil`: none is.
  ///   - probe: asks the chat server.
  package init(
    tokens: any TokenGranting, web: SignIn.Web? = nil, probe: (any SessionProbing)? = nil,
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.tokens = tokens
    exchange =
      if let web, let probe { PasswordExchange(web: web, probe: probe) } else { nil }
    self.now = now
  }

  package func renewed(_ credential: Credential, of account: Account, isRefused: Bool) async throws
    -> Credential?
  {
    if let password = credential.password {
      return try await exchanged(password, of: account, isRefused: isRefused)
    }
    guard let token = credential.token, token.refreshToken != nil else { return nil }
    if !isRefused {
      // By this machine's clock, which may be wrong: then it is renewed early, or refused first.
      guard let end = token.expiresAt, end.timeIntervalSince(now()) < Self.margin else {
        return nil
      }
    }
    do {
      return Credential(.token(try await tokens.renewed(token)), returning: credential.returning)
    } catch let problem as ConnectionProblem where problem.asksForCredentials {
      return nil
    }
  }

  package func withdraw(_ credential: Credential) async {
    guard let token = credential.token else { return }
    // A server that cannot be reached keeps nobody from signing in: the token lasts until its time is over.
    await Task { try? await tokens.revoke(token) }.value
  }

  /// A token for a password, where the user named a place that gives one. Where that place fails, the chat server is given the
  /// password, in a form that it cannot read (SCRAM), or as the account signed in before.
  private func exchanged(_ password: String, of account: Account, isRefused: Bool) async throws
    -> Credential?
  {
    guard let exchange, account.httpURL != nil, !isRefused else { return nil }
    switch try await exchange.token(of: account, password: password, progress: { _ in }) {
    case .success(let token): return Credential(.token(token))
    // As when signing in for the first time: the chat server takes the password itself.
    case .failure, nil: return nil
    }
  }
}
