import NatterCore
import XMPP

/// Finds where a server signs people in over HTTP: where it describes that itself, or where it sends somebody whose token is
/// none (RFC 7628 §3.2.2, XEP-0493).
struct LoginSearch: Sendable {
  let discovery: any LoginDiscovering
  let probe: any SessionProbing

  /// Where a browser goes: no password passes through this program.
  /// - Returns: `nil` where there is no such sign-in.
  /// - Throws: `ConnectionProblem` when the server could not be asked, or the address that the user gave; `CancellationError`.
  func browserLogin(of account: Account) async throws -> HTTPLogin? {
    if account.httpURL != nil { return try await named(account) }
    let found = try await discovery.login(of: account, hint: nil)
    // One that takes no password may be there for the website only: the chat service knows better.
    if let found, found.grants.contains(.password) { return found }
    do { return try await hinted(account) { _ in } ?? found } catch let problem
      as ConnectionProblem
    {
      guard let found else { throw problem }
      return found
    }
  }

  /// Where the password may go in exchange for a token: where the user says, where the chat server itself points to, and, of a
  /// server that would see the password anyway, where its domain's website says.
  ///
  /// The website of a domain is not its chat server: whoever runs it, or has broken into it, must not get a password that the
  /// chat server would never have seen.
  /// - Parameter progress: told how far the question to the chat server has come, where it is asked.
  /// - Returns: `nil` where the password goes to the chat server only.
  /// - Throws: as `browserLogin`.
  func passwordLogin(
    of account: Account, progress: @escaping @Sendable (SignInProgress) -> Void
  ) async throws -> HTTPLogin? {
    if account.httpURL != nil {
      guard let login = try await named(account), login.grants.contains(.password) else {
        // Nobody is signed in in another way than the one that was asked for.
        throw ConnectionProblem(.webSignInMissing, host: account.httpURL ?? "")
      }
      return login
    }
    let offer = try await probe.signInOffer(of: account, progress: progress)
    // A token that the chat server does not take is worth no password; and one that was never shown is not shown now.
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
    // A token that is none is refused with the address of who gives them out.
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
