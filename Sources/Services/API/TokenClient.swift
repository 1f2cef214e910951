import Crypto
import FoundationEssentials
import HTTP
import NatterCore

/// Requests, renews and revokes access tokens (RFC 6749, 7009, 7591, 7636, 8628): the calls of
/// `APIClient`, in the order and with the retries that each grant requires.
package struct TokenClient: TokenGranting {
  private let client: @Sendable (_ caFile: String?) -> APIClient
  private let now: @Sendable () -> Date
  private let instant: @Sendable () -> ContinuousClock.Instant
  private let sleep: @Sendable (Duration) async throws -> Void
  private let crypto: CryptoLibrary

  /// - Parameters:
  ///   - client: creates a client for the file of certificate authorities that the account trusts
  ///     in addition to the system's.
  ///   - now: the wall clock, for the expiry of tokens.
  ///   - instant: a monotonic clock, for the lifetime of a code.
  package init(
    client: @escaping @Sendable (_ caFile: String?) -> APIClient, crypto: CryptoLibrary,
    now: @escaping @Sendable () -> Date = { Date() },
    instant: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  ) {
    self.client = client
    self.crypto = crypto
    self.now = now
    self.instant = instant
    self.sleep = sleep
  }

  // MARK: - Password grant

  package func token(for user: String, password: String, at login: HTTPLogin) async throws
    -> AccessToken
  {
    let address = try endpoint(login.tokenEndpoint)
    let reply = try await grant(
      [
        ("grant_type", "password"), ("username", user), ("password", password),
        ("scope", login.scope),
      ], at: address, login)
    // ejabberd 23.01 closes the connection on a wrong password. The next request determines the
    // cause: if the server answers it, the server was available.
    if case .closed = reply, try await isAnswering(address, login) {
      throw ConnectionProblem(.wrongPassword, host: address.host)
    }
    return try token(reply.value(from: address, invalidGrant: .wrongPassword), login)
  }

  /// Returns whether the token endpoint answers a request that it can only refuse.
  private func isAnswering(_ address: WebAddress, _ login: HTTPLogin) async throws -> Bool {
    if case .closed = try await grant([("grant_type", "none")], at: address, login) { return false }
    return true
  }

  // MARK: - Device grant (RFC 8628)

  package func deviceRequest(at login: HTTPLogin) async throws -> DeviceRequest {
    let login = try await known(login)
    guard let address = login.deviceEndpoint.flatMap(WebAddress.init) else {
      throw ConnectionProblem(.notAuthorized, detail: "no device authorization")
    }
    let answer = try await asked(address, login) { client throws(APIError) in
      try await client.grant(
        [("client_id", login.clientID), ("scope", login.scope)], at: address, as: DeviceReply.self,
        now: now())
    }
    let deadline = instant()
    let reply = try answer.value(from: address, invalidGrant: .notAuthorized)
    guard let page = WebAddress(reply.address), page.isPermitted else {
      throw ConnectionProblem(
        .serverError, host: address.host, port: address.port, detail: "verification_uri")
    }
    // A URL of another server that contains the code could make the user open a foreign page.
    let complete = reply.completeAddress.flatMap(WebAddress.init)
      .flatMap { $0.hasSameOrigin(as: page) ? $0.description : nil }
    return DeviceRequest(
      address: page.description, completeAddress: complete, userCode: reply.userCode,
      deviceCode: reply.deviceCode, deadline: deadline + .seconds(reply.lifetime),
      interval: .seconds(reply.interval), login: login)
  }

  package func token(for request: DeviceRequest) async throws -> AccessToken {
    let login = request.login
    let address = try endpoint(login.tokenEndpoint)
    var patience = DevicePollingPolicy(interval: request.interval)
    while true {
      try await sleep(patience.interval)
      let answer = await client(login.caFile).outcome { client throws(APIError) in
        try await client.grant(
          [
            ("grant_type", HTTPLogin.Grant.deviceCode.rawValue),
            ("device_code", request.deviceCode), ("client_id", login.clientID),
          ], at: address, as: TokenReply.self, now: now())
      }
      if let reply = try patience.heard(answer, from: address) { return try token(reply, login) }
      guard instant() < request.deadline else {
        throw patience.trouble
          ?? ConnectionProblem(.codeExpired, host: address.host, port: address.port)
      }
    }
  }

  // MARK: - Authorization code (RFC 7636)

  package func browserRequest(at login: HTTPLogin, redirect: String) async throws -> BrowserRequest
  {
    let login = try await known(login, redirect: redirect)
    guard let page = login.authorizationEndpoint else {
      throw ConnectionProblem(.notAuthorized, detail: "no authorization endpoint")
    }
    let verifier = randomIdentifier(byteCount: 32)
    let state = randomIdentifier(byteCount: 16)
    let challenge: [UInt8]
    do { challenge = try crypto.hash(Array(verifier.utf8), by: .sha256) } catch {
      throw ConnectionProblem(.serverError, detail: "\(error)")
    }
    let query = HTTPRequest.formEncoded([
      ("response_type", "code"), ("client_id", login.clientID), ("redirect_uri", redirect),
      ("scope", login.scope), ("state", state), ("code_challenge", Self.base64URL(challenge)),
      ("code_challenge_method", "S256"),
    ])
    return BrowserRequest(
      address: page + (page.contains("?") ? "&" : "?") + query, redirect: redirect,
      verifier: verifier, state: state, login: login)
  }

  package func token(for request: BrowserRequest, code: String) async throws -> AccessToken {
    let login = request.login
    let address = try endpoint(login.tokenEndpoint)
    let reply = try await grant(
      [
        ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", request.redirect),
        ("client_id", login.clientID), ("code_verifier", request.verifier),
      ], at: address, login)
    return try token(reply.value(from: address, invalidGrant: .codeRefused), login)
  }

  package func code(in pasted: String, for request: BrowserRequest) -> String? {
    let text = pasted.filter { !$0.isWhitespace }
    if text.contains("?") { return BrowserAnswer(text, state: request.state)?.code }
    return text.isEmpty || text.utf8.count > 4096 ? nil : text
  }

  // MARK: - Renewal and withdrawal

  package func renewed(_ token: AccessToken) async throws -> AccessToken {
    guard let refresh = token.refreshToken else { throw ConnectionProblem(.tokenRefused) }
    let address = try endpoint(token.login.tokenEndpoint)
    let reply = try await grant(
      [
        ("grant_type", "refresh_token"), ("refresh_token", refresh),
        ("client_id", token.login.clientID),
      ], at: address, token.login)
    let new = try self.token(
      reply.value(from: address, invalidGrant: .tokenRefused), token.login)
    // Without a new refresh token, the old one remains valid (RFC 6749 §6).
    return AccessToken(
      value: new.value, expiresAt: new.expiresAt, refreshToken: new.refreshToken ?? refresh,
      scope: new.scope ?? token.scope, login: token.login)
  }

  package func revoke(_ token: AccessToken) async throws {
    guard let address = token.login.revocationEndpoint.flatMap(WebAddress.init) else { return }
    // The refresh token first: revoking it also revokes its access tokens (RFC 7009 §2.1).
    let words = [("refresh_token", token.refreshToken), ("access_token", token.value)]
    for (hint, value) in words {
      guard let value else { continue }
      let reply = try await asked(address, token.login) { client throws(APIError) in
        try await client.withdraw(
          value, hint: hint, clientID: token.login.clientID, at: address, now: now())
      }
      _ = try reply.value(from: address, invalidGrant: .notAuthorized)
    }
  }

  // MARK: - One request

  private func endpoint(_ text: String) throws(ConnectionProblem) -> WebAddress {
    guard let address = WebAddress(text), address.isPermitted else {
      throw ConnectionProblem(.serverError, detail: "no token endpoint")
    }
    return address
  }

  /// The only conversion of an error of the HTTP layer to an error of signing in.
  private func asked<Reply: Sendable>(
    _ address: WebAddress, _ login: HTTPLogin,
    _ call: (APIClient) async throws(APIError) -> Reply
  ) async throws -> Reply {
    try await client(login.caFile).outcome(call).mapError {
      $0.isCancellation
        ? CancellationError() as any Error
        : ConnectionProblem($0, host: address.host, port: address.port)
    }.get()
  }

  private func grant(
    _ fields: [(name: String, value: String)], at address: WebAddress, _ login: HTTPLogin
  ) async throws -> GrantReply<TokenReply> {
    try await asked(address, login) { client throws(APIError) in
      try await client.grant(fields, at: address, as: TokenReply.self, now: now())
    }
  }

  private func token(_ reply: TokenReply, _ login: HTTPLogin) throws(ConnectionProblem)
    -> AccessToken
  {
    if let scope = reply.scope, !Self.covers(scope, login.scope) {
      let address = WebAddress(login.tokenEndpoint)
      throw ConnectionProblem(
        .scopeMissing, host: address?.host ?? "", port: address?.port ?? 0)
    }
    return AccessToken(
      value: reply.accessToken,
      expiresAt: reply.lifetime.map { now().addingTimeInterval($0) },
      refreshToken: reply.refreshToken, scope: reply.scope, login: login)
  }

  private static func covers(_ granted: String, _ wanted: String) -> Bool {
    let words = Set(granted.split(separator: " "))
    return wanted.split(separator: " ").allSatisfy(words.contains)
  }

  /// Returns the login with a client id, which some servers issue only on registration (RFC 7591).
  package func known(_ login: HTTPLogin, redirect: String? = nil) async throws -> HTTPLogin {
    guard login.clientID == "natter",
      let address = login.registrationEndpoint.flatMap(WebAddress.init)
    else { return login }
    let metadata = ClientMetadata(
      redirect_uris: [redirect ?? "http://127.0.0.1/"],
      grant_types: login.grants.map(\.rawValue).sorted(), scope: login.scope)
    let name = try await asked(address, login) { client throws(APIError) in
      try await client.register(metadata, at: address)
    }
    var login = login
    login.clientID = name ?? login.clientID
    return login
  }

  private static func base64URL(_ bytes: [UInt8]) -> String {
    Base64.encode(bytes).replacing("+", with: "-").replacing("/", with: "_")
      .replacing("=", with: "")
  }
}
