/// Finds out how an account's server signs people in over HTTP.
package protocol LoginDiscovering: Sendable {
  /// - Parameter hint: an address that the server named when it refused a token (RFC 7628 §3.2.2).
  /// - Returns: `nil`: not at all, as far as can be seen from here.
  /// - Throws: `ConnectionProblem` when the address that the person gave (`Account.httpURL`) could not be asked;
  ///   `CancellationError`.
  func login(of account: Account, hint: String?) async throws -> HTTPLogin?
}

/// What a person does in a browser so that this program is let in (RFC 8628 §3.2).
package struct DeviceRequest: Hashable, Sendable {
  /// The address to open; from outside, and checked to be one of the web.
  package let address: String
  /// The same with the code in it, for a QR code; `nil`: there is none.
  package let completeAddress: String?
  /// What to type there. From outside: to be shown made safe.
  package let userCode: String
  /// What this program asks with.
  package let deviceCode: String
  /// When it is worth nothing any more: counted from the server's reply on, whatever the calendar does meanwhile.
  package let deadline: ContinuousClock.Instant
  /// How long to wait between two questions.
  package let interval: Duration
  /// Where it was asked for.
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

/// A sign-in that goes on in a browser and comes back with a code (RFC 6749 §4.1, RFC 7636).
package struct BrowserRequest: Hashable, Sendable {
  /// The address to open.
  package let address: String
  /// Where the browser is sent with the code.
  package let redirect: String
  /// A shorter address that leads to the one to open.
  package var entrance: String
  /// What shows that who brings the code is who asked for it (RFC 7636 §4.1).
  package let verifier: String
  /// What comes back with the code, and with no other.
  package let state: String
  /// Where the code is turned into a token.
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

/// Gets access tokens, renews and withdraws them. What fails is a `ConnectionProblem`: `.wrongPassword`, `.tokenRefused`
/// (what was asked with is not taken any more), `.codeRefused` and `.codeExpired` (the same of a browser's code),
/// `.scopeMissing`, `.notAuthorized` with the server's words, `.serverError` for an answer that is none, and the kinds of the
/// network.
package protocol TokenGranting: Sendable {
  /// - Parameter user: the address.
  func token(for user: String, password: String, at login: HTTPLogin) async throws -> AccessToken
  func deviceRequest(at login: HTTPLogin) async throws -> DeviceRequest
  /// Asks again and again until the person has decided (RFC 8628 §3.5).
  func token(for request: DeviceRequest) async throws -> AccessToken
  /// - Parameter redirect: where the browser is sent.
  func browserRequest(at login: HTTPLogin, redirect: String) async throws -> BrowserRequest
  func token(for request: BrowserRequest, code: String) async throws -> AccessToken
  /// The code in what a person brought back by hand: itself, or the address that the browser was sent to; `nil`: there is none.
  func code(in pasted: String, for request: BrowserRequest) -> String?
  /// Another token for one that has a refresh token (RFC 6749 §6).
  func renewed(_ token: AccessToken) async throws -> AccessToken
  /// Withdraws it where the server can (RFC 7009).
  func revoke(_ token: AccessToken) async throws
}

/// A door on this machine through which a browser brings the code of a sign-in (RFC 8252 §7.3).
package protocol RedirectWaiting: Sendable {
  /// Where the browser has to be sent with the code.
  var address: String { get }
  /// What a person types to be led to the server's page. It leads to everything that the answer is known by, so nobody else on
  /// this machine may guess it.
  var entrance: String { get }
  /// Waits for the code that answers `request`; a browser that comes without one is led to its page.
  /// - Throws: `ConnectionProblem` when the person or the server said no.
  func code(for request: BrowserRequest) async throws -> String
  func close()
}

/// What a person has to do to sign in with a browser.
package enum BrowserStep: Hashable, Sendable {
  /// Open an address and type a code there, on any machine (RFC 8628).
  case device(DeviceRequest)
  /// Open an address in a browser on this machine, or bring back the code from another one (RFC 7636).
  case page(BrowserRequest)
}

/// Signs in with a browser.
package protocol BrowserSigning: Sendable {
  /// Asks the server of `account` what has to be done.
  /// - Throws: `ConnectionProblem`; `.browserNotOffered` where the server has nothing of the kind.
  func begin(_ account: Account) async throws -> BrowserStep
  /// Waits until it is done, then signs in and saves the account.
  /// - Parameter pasted: what the person brought back by hand: the code, or the address with it; `nil`: it comes by itself.
  func finish(
    _ step: BrowserStep, pasted: String?, account: Account, remembersCredential: Bool,
    progress: @escaping @Sendable (SignInProgress) -> Void) async throws
}
