import NatterCore
import XMPP

/// The discovery of a server's sign-in over HTTP: from the server's own metadata, or from the
/// address in its answer to an invalid token (RFC 7628 §3.2.2, XEP-0493).
struct LoginSearch: Sendable {
  let discovery: any LoginDiscovering
  let probe: any SessionProbing

  /// Returns the sign-in for a browser: no password passes through this program.
  /// - Returns: `nil` where there is no such sign-in.
  /// - Throws: `ConnectionProblem` when the server, or the address that the user gave, could not be
  ///   queried; `CancellationError`.
  func browserLogin(of account: Account) async throws -> HTTPLogin? {
    if account.httpURL != nil { return try await named(account) }
    let found = try await discovery.login(of: account, hint: nil)
    // A sign-in that accepts no password may be for the website only: the chat server's answer is
    // better.
    if let found, found.grants.contains(.password) { return found }
    do { return try await hinted(account) { _ in } ?? found } catch let problem
      as ConnectionProblem
    {
      guard let found else { throw problem }
      return found
    }
  }

  /// Returns the sign-in that may exchange the password for a token: at the address that the user
  /// gave, at the address that the chat server itself gives, and, for a server that would see the
  /// password anyway, at the address from its domain's website.
  ///
  /// The website of a domain is not its chat server: its operator, or an intruder, must not get a
  /// password that the chat server would never have seen.
  /// - Parameter progress: receives the progress of the query to the chat server, where it is
  ///   queried.
  /// - Returns: `nil` where the password goes to the chat server only.
  /// - Throws: as `browserLogin`.
  func passwordLogin(
    of account: Account, progress: @escaping @Sendable (SignInProgress) -> Void
  ) async throws -> HTTPLogin? {
    if account.httpURL != nil {
      guard let login = try await named(account), login.grants.contains(.password) else {
        // Never sign in by another method than the requested one.
        throw ConnectionProblem(.webSignInMissing, host: account.httpURL ?? "")
      }
      return login
    }
    let offer = try await probe.signInOffer(of: account, progress: progress)
    // Do not spend the password on a token that the chat server does not accept; and a password
    // that was never revealed is not revealed now.
    guard offer.takesTokens, !offer.hasHiddenPassword else { return nil }
    if let login = try await hinted(account, progress), login.grants.contains(.password) {
      return login
    }
    guard !offer.hidesPassword else { return nil }
    let login = try await discovery.login(of: account, hint: nil)
    return login?.grants.contains(.password) == true ? login : nil
  }

  private func named(_ account: Account) async throws -> HTTPLogin? {
    guard let given = account.httpURL else { return nil }
    guard let login = try await discovery.login(of: account, hint: nil) else {
      throw ConnectionProblem(.webSignInMissing, host: given)
    }
    return login
  }

  private func hinted(
    _ account: Account, _ progress: @escaping @Sendable (SignInProgress) -> Void
  ) async throws -> HTTPLogin? {
    // An invalid token is refused with the address of the authorization server.
    let nothing = Credential(
      .token(
        AccessToken(
          value: "none", login: HTTPLogin(tokenEndpoint: "", grants: [], scope: ""))))
    do {
      try await probe.verify(account, nothing, progress: progress)
    } catch let problem as ConnectionProblem {
      guard let hint = problem.loginURL else {
        if problem.kind == .tokenRefused || problem.kind == .mechanismTooWeak { return nil }
        throw problem
      }
      return try await discovery.login(of: account, hint: hint)
    }
    return nil
  }
}
