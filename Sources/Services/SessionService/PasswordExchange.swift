import NatterCore
import XMPP

/// The exchange of a password for a token over HTTP, where an account is signed in to that way.
struct PasswordExchange: Sendable {
  let web: SignIn.Web
  let probe: any SessionProbing

  /// Returns a token for the password, or the reason why the sign-in over HTTP gives none.
  /// - Returns: `nil`: the password goes to the chat server.
  /// - Throws: `ConnectionProblem` when the password is wrong, or the address that the user gave is
  ///   invalid, or the chat server does not answer either.
  func token(
    of account: Account, password: String,
    progress: @escaping @Sendable (SignInProgress) -> Void
  ) async throws -> Result<AccessToken, ConnectionProblem>? {
    guard !account.isLocal else { return nil }
    progress(.first(to: account))
    guard let login = try await login(of: account, progress) else { return nil }
    progress(.authenticating)
    do {
      return .success(
        try await web.tokens.token(
          for: account.jid.bare.description, password: password, at: login))
    } catch let problem as ConnectionProblem {
      switch problem.kind {
      case .wrongPassword, .accountDisabled: throw problem
      // A failure of the web service does not prevent signing in where the chat server can check
      // the password without reading it, or the user accepts that (`SASLPlan`).
      default: return .failure(problem)
      }
    }
  }

  private func login(
    of account: Account, _ progress: @escaping @Sendable (SignInProgress) -> Void
  ) async throws -> HTTPLogin? {
    do {
      return try await LoginSearch(discovery: web.discovery, probe: probe).passwordLogin(
        of: account, progress: progress)
    } catch let problem as ConnectionProblem {
      // The problem of the given address: the chat server was not queried.
      if account.httpURL != nil { throw problem }
      switch problem.kind {
      case _ where problem.concernsCertificate, .unknownHost, .serviceNotOffered,
        .domainNotServed, .refused, .timedOut, .unreachable, .tlsFailed, .tlsUnavailable,
        .tlsRequired, .clearTextRefused, .notXMPP, .authoritiesUnusable:
        // The password would have the same problem.
        throw problem
      // The server's answer to an invalid token says nothing about the password.
      default: return nil
      }
    }
  }
}
