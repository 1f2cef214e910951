import NatterCore
import XMPP

/// Exchanges a password for a token over HTTP, where that is how an account is signed in to.
struct PasswordExchange: Sendable {
  let web: SignIn.Web
  let probe: any SessionProbing

  /// A token for the password, or why the login that there is gives none.
  /// - Returns: `nil`: the password goes to the chat server.
  /// - Throws: `ConnectionProblem` when the password is wrong, or the address that the user gave leads nowhere, or the chat
  ///   server does not answer either.
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
      // The chat server takes the password itself: what is wrong with the web is no reason to keep anybody out.
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
      // It is that of the address that was given: the chat server was not asked.
      if account.httpURL != nil { throw problem }
      switch problem.kind {
      case _ where problem.concernsCertificate, .unknownHost, .serviceNotOffered,
        .domainNotServed, .refused, .timedOut, .unreachable, .tlsFailed, .tlsUnavailable,
        .tlsRequired, .clearTextRefused, .notXMPP, .authoritiesUnusable:
        // It would not be another one with the password.
        throw problem
      // What the server thinks of a token that is none says nothing of the password.
      default: return nil
      }
    }
  }
}
