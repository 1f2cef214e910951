import FoundationEssentials
import NatterCore

/// Renews access tokens by their refresh tokens (RFC 6749 §6).
package struct TokenRenewal: CredentialRenewing {
  private let tokens: any TokenGranting
  private let now: @Sendable () -> Date
  /// A token with less time left than this, in seconds, is renewed before it is used.
  private static let margin: Double = 60

  package init(tokens: any TokenGranting, now: @escaping @Sendable () -> Date = { Date() }) {
    self.tokens = tokens
    self.now = now
  }

  package func renewed(_ credential: Credential, of account: Account, isRefused: Bool) async throws
    -> Credential?
  {
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
}
