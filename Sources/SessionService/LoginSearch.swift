import NatterCore
import XMPP

/// Finds where a server signs people in over HTTP: where it describes that itself, or where it sends somebody whose token is
/// none (RFC 7628 §3.2.2, XEP-0493).
struct LoginSearch: Sendable {
  let discovery: any LoginDiscovering
  let probe: any SessionProbing

  /// - Parameter progress: told how far the question to the chat server has come, where it is asked.
  /// - Returns: `nil` where there is no such sign-in.
  /// - Throws: `ConnectionProblem` when the server could not be asked, or the address that the person gave; `CancellationError`.
  func login(
    of account: Account, progress: @escaping @Sendable (SignInProgress) -> Void = { _ in }
  ) async throws -> HTTPLogin? {
    let found = try await discovery.login(of: account, hint: nil)
    // One that takes no password may be there for the website only: the chat service knows better.
    if let found, found.grants.contains(.password) || account.httpURL != nil { return found }
    // Nobody is signed in in another way than the one that was asked for.
    if let given = account.httpURL { throw ConnectionProblem(.webSignInMissing, host: given) }
    do { return try await hinted(account, progress) ?? found } catch let problem
      as ConnectionProblem
    {
      guard let found else { throw problem }
      return found
    }
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
