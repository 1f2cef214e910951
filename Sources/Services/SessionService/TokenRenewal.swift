import FoundationEssentials
import NatterCore

/// The renewal of access tokens by their refresh tokens (RFC 6749 §6), and the exchange of a
/// password for a token where the user has given the sign-in address (`--http-url`).
package struct TokenRenewal: CredentialRenewing {
  private let tokens: any TokenGranting
  private let exchange: PasswordExchange?
  private let now: @Sendable () -> Date
  /// A token with less time left than this, in seconds, is renewed before it is used.
  private static let margin: Double = 60

  /// - Parameters:
  ///   - web: the services for exchanging a password for a token; `nil`: no exchange.
  ///   - probe: queries the chat server.
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
      // By this machine's clock: if it is wrong, the token is renewed early, or refused first.
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
    // An unreachable server does not prevent signing in: the token lasts until it expires.
    await Task { try? await tokens.revoke(token) }.value
  }

  /// Returns a token for a password, where the user gave a sign-in address. If that fails, the chat
  /// server gets the password, in a form that it cannot read (SCRAM), or as the account signed in
  /// before.
  private func exchanged(_ password: String, of account: Account, isRefused: Bool) async throws
    -> Credential?
  {
    guard let exchange, account.httpURL != nil, !isRefused else { return nil }
    switch try await exchange.token(of: account, password: password, progress: { _ in }) {
    case .success(let token): return Credential(.token(token))
    // As at the first sign-in, the chat server checks the password
    // (`SignInDemand.exchangesPassword`).
    case .failure, nil: return nil
    }
  }
}
