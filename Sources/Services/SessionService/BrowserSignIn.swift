import NatterCore
import XMPP

/// The sign-in with a browser: by a code that the user enters there (RFC 8628), or by a page that
/// sends its code back (RFC 7636).
package actor BrowserSignIn: BrowserSigning {
  private let search: LoginSearch
  private let tokens: any TokenGranting
  private let signIn: SignIn
  private let listen: @Sendable () throws -> any RedirectWaiting
  private let onGranted: @Sendable (SignInRequest) async -> Void
  /// The listener to which the browser delivers the code of the current step.
  private var redirect: (any RedirectWaiting)?

  /// - Parameters:
  ///   - probe: finds the authorization server of a server without its own metadata
  ///     (RFC 7628 §3.2.2).
  ///   - listen: opens a listener on this machine for the browser.
  ///   - onGranted: receives each sign-in that succeeded, with its token.
  package init(
    discovery: any LoginDiscovering, tokens: any TokenGranting, signIn: SignIn,
    probe: any SessionProbing, listen: @escaping @Sendable () throws -> any RedirectWaiting,
    onGranted: @escaping @Sendable (SignInRequest) async -> Void = { _ in }
  ) {
    search = LoginSearch(discovery: discovery, probe: probe)
    self.tokens = tokens
    self.signIn = signIn
    self.listen = listen
    self.onGranted = onGranted
  }

  package func begin(_ account: Account) async throws -> BrowserStep {
    redirect?.close()
    redirect = nil
    guard let login = try await search.browserLogin(of: account) else {
      throw ConnectionProblem(.browserNotOffered, host: account.jid.domain)
    }
    // A code can be entered on any machine; a page returns only to this one.
    if login.grants.contains(.deviceCode), login.deviceEndpoint != nil {
      return .device(try await tokens.deviceRequest(at: login))
    }
    guard login.grants.contains(.authorizationCode) else {
      throw ConnectionProblem(.browserNotOffered, host: account.jid.domain)
    }
    let redirect: any RedirectWaiting
    do { redirect = try listen() } catch {
      throw ConnectionProblem(.serverError, host: "127.0.0.1", detail: "\(error)")
    }
    self.redirect = redirect
    var request = try await tokens.browserRequest(at: login, redirect: redirect.address)
    request.entrance = redirect.entrance
    return .page(request)
  }

  package func finish(
    _ step: BrowserStep, pasted: String?, account: Account, remembersCredential: Bool,
    progress: @escaping @Sendable (SignInProgress) -> Void
  ) async throws {
    let token: AccessToken
    switch step {
    case .device(let request): token = try await tokens.token(for: request)
    case .page(let request):
      let code: String
      if let pasted {
        guard let found = tokens.code(in: pasted, for: request) else {
          throw ConnectionProblem(.codeRefused, host: account.jid.domain)
        }
        code = found
      } else if let redirect {
        code = try await redirect.code(for: request)
      } else {
        throw ConnectionProblem(.codeRefused, host: account.jid.domain)
      }
      token = try await tokens.token(for: request, code: code)
    }
    redirect?.close()
    redirect = nil
    progress(.authenticating)
    let request = SignInRequest(
      account: account, credential: Credential(.token(token)),
      remembersCredential: remembersCredential)
    let done: SignInRequest
    do { done = try await signIn.signedIn(request, progress: progress) } catch let problem
      as ConnectionProblem
      where problem.kind == .tokenRefused || problem.kind == .mechanismTooWeak
    {
      // It was issued just now: it has not expired, nor was it revoked.
      throw ConnectionProblem(
        .webTokenUseless, host: problem.host, port: problem.port, detail: problem.detail)
    }
    await onGranted(done)
  }
}
