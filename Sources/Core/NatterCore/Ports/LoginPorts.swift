/// Discovers the endpoints of a server's sign-in over HTTP.
package protocol LoginDiscovering: Sendable {
  /// - Parameter hint: a URL that the server sent when it refused a token (RFC 7628 §3.2.2).
  /// - Returns: `nil` if none is found.
  /// - Throws: `ConnectionProblem` if the URL that the user configured (`Account.httpURL`) could
  ///   not be queried; `CancellationError`.
  func login(of account: Account, hint: String?) async throws -> HTTPLogin?
}

/// The device authorization that the user completes in a browser (RFC 8628 §3.2).
package struct DeviceRequest: Hashable, Sendable {
  /// The URL to open; untrusted, and checked to be a web address.
  package let address: String
  /// The URL with the code in it, for a QR code; `nil`: none.
  package let completeAddress: String?
  /// The code to enter there. Untrusted: it has to be made safe for display.
  package let userCode: String
  /// The code with which this program polls.
  package let deviceCode: String
  /// The expiry time: counted from the server's reply, independent of changes of the system clock.
  package let deadline: ContinuousClock.Instant
  /// The interval between two polls.
  package let interval: Duration
  /// The login that issued it.
  package let login: HTTPLogin

  package init(
    address: String, completeAddress: String?, userCode: String, deviceCode: String,
    deadline: ContinuousClock.Instant, interval: Duration, login: HTTPLogin
  ) {
    self.address = address
    self.completeAddress = completeAddress
    self.userCode = userCode
    self.deviceCode = deviceCode
    self.deadline = deadline
    self.interval = interval
    self.login = login
  }
}

/// A sign-in in a browser that returns a code (RFC 6749 §4.1, RFC 7636).
package struct BrowserRequest: Hashable, Sendable {
  /// The URL to open.
  package let address: String
  /// The URL to which the browser is redirected with the code.
  package let redirect: String
  /// A shorter URL that redirects to the one to open.
  package var entrance: String
  /// The secret that proves that the code is redeemed by the program that requested it
  /// (RFC 7636 §4.1).
  package let verifier: String
  /// The value that the redirect has to return with the code.
  package let state: String
  /// The login that exchanges the code for a token.
  package let login: HTTPLogin

  package init(
    address: String, redirect: String, verifier: String, state: String, login: HTTPLogin
  ) {
    self.address = address
    self.redirect = redirect
    entrance = redirect
    self.verifier = verifier
    self.state = state
    self.login = login
  }
}

/// Requests, renews and revokes access tokens. The errors are `ConnectionProblem`:
/// `.wrongPassword`, `.tokenRefused` (the refresh token is no longer accepted), `.codeRefused` and
/// `.codeExpired` (the same for the code of a browser), `.scopeMissing`, `.notAuthorized` with the
/// server's text, `.serverError` for an invalid response, and the kinds of the network.
package protocol TokenGranting: Sendable {
  /// - Parameter user: the account's address.
  func token(for user: String, password: String, at login: HTTPLogin) async throws -> AccessToken
  /// Requests a code for the user to enter in a browser (RFC 8628 §3.1).
  func deviceRequest(at login: HTTPLogin) async throws -> DeviceRequest
  /// Polls until the user has decided (RFC 8628 §3.5).
  func token(for request: DeviceRequest) async throws -> AccessToken
  /// - Parameter redirect: the URL to which the browser is redirected.
  func browserRequest(at login: HTTPLogin, redirect: String) async throws -> BrowserRequest
  /// Exchanges the code of a browser for a token (RFC 6749 §4.1.3).
  func token(for request: BrowserRequest, code: String) async throws -> AccessToken
  /// Returns the code in the text that the user pasted: the code itself, or the URL to which the
  /// browser was redirected; `nil` if there is none.
  func code(in pasted: String, for request: BrowserRequest) -> String?
  /// Renews a token that has a refresh token (RFC 6749 §6).
  func renewed(_ token: AccessToken) async throws -> AccessToken
  /// Revokes it, if the server supports that (RFC 7009).
  func revoke(_ token: AccessToken) async throws
}

/// A local HTTP listener that receives the code of a browser sign-in (RFC 8252 §7.3).
package protocol RedirectWaiting: Sendable {
  /// The URL to which the browser has to be redirected with the code.
  var address: String { get }
  /// The URL that the user enters to reach the server's page. It discloses all parameters that
  /// identify the answer, so it must not be guessable by other users of this machine.
  var entrance: String { get }
  /// Waits for the code that answers `request`; redirects a browser without one to the server's
  /// page.
  /// - Throws: `ConnectionProblem` if the user or the server declined.
  func code(for request: BrowserRequest) async throws -> String
  /// Stops listening.
  func close()
}

/// The action that the user has to take to sign in with a browser.
package enum BrowserStep: Hashable, Sendable {
  /// Open a URL and enter a code there, on any machine (RFC 8628).
  case device(DeviceRequest)
  /// Open a URL in a browser on this machine, or copy the code from another machine (RFC 7636).
  case page(BrowserRequest)
}

/// Signs in with a browser.
package protocol BrowserSigning: Sendable {
  /// Asks the server of `account` for the required action.
  /// - Throws: `ConnectionProblem`; `.browserNotOffered` if the server does not support it.
  func begin(_ account: Account) async throws -> BrowserStep
  /// Waits for its completion, then signs in and saves the account.
  /// - Parameter pasted: the code or the URL with it, as the user pasted it; `nil`: it arrives by
  ///   the redirect.
  func finish(
    _ step: BrowserStep, pasted: String?, account: Account, remembersCredential: Bool,
    progress: @escaping @Sendable (SignInProgress) -> Void) async throws
}
