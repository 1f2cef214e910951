import Crypto
import FoundationEssentials
import HTTP
import NatterCore
import Sockets

/// Gets access tokens, renews and withdraws them (RFC 6749, 7009, 7591, 7636, 8628).
package struct TokenClient: TokenGranting {
  private let client: @Sendable (_ caFile: String?) -> APIClient
  private let now: @Sendable () -> Date
  private let sleep: @Sendable (Duration) async throws -> Void
  private let crypto: CryptoLibrary

  /// - Parameter client: by the file of certificate authorities that the account trusts beside the system's.
  package init(
    client: @escaping @Sendable (_ caFile: String?) -> APIClient, crypto: CryptoLibrary,
    now: @escaping @Sendable () -> Date = { Date() },
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  ) {
    self.client = client
    self.crypto = crypto
    self.now = now
    self.sleep = sleep
  }

  // MARK: - Grants

  package func token(for user: String, password: String, at login: HTTPLogin) async throws
    -> AccessToken
  {
    do {
      return try await token(
        [
          ("grant_type", "password"), ("username", user), ("password", password),
          ("scope", login.scope),
        ], at: login, invalidGrant: .wrongPassword)
    } catch is GrantRefusal {
      throw Self.notAsked(login)
    } catch let closed as ClosedWithoutReply {
      // ejabberd 23.01 closes the connection on a wrong password. Whether it was that, the next question tells: a server that
      // answers it was there all along.
      guard try await isAnswering(login) else { throw closed.problem }
      throw ConnectionProblem(.wrongPassword, host: closed.problem.host)
    }
  }

  package func deviceRequest(at login: HTTPLogin) async throws -> DeviceRequest {
    let login = try await known(login)
    guard let address = login.deviceEndpoint.flatMap(WebAddress.init) else {
      throw ConnectionProblem(.notAuthorized, detail: "no device authorization")
    }
    let response = try await reply(
      to: .form(address, [("client_id", login.clientID), ("scope", login.scope)]), login)
    guard response.isSuccess else {
      throw refusal(response, at: address, invalidGrant: .notAuthorized)
    }
    guard let reply = APIClient.json(response.body, as: DeviceReply.self),
      let page = WebAddress(reply.address), page.isPermitted
    else { throw GrantRefusal.malformed(response, at: address, now: now()) }
    // A code in an address of another server would be a way to have somebody else's page opened.
    let complete = reply.completeAddress.flatMap(WebAddress.init)
      .flatMap { $0.hasSameOrigin(as: page) ? $0.description : nil }
    return DeviceRequest(
      address: page.description, completeAddress: complete, userCode: reply.userCode,
      deviceCode: reply.deviceCode, expiresAt: now().addingTimeInterval(reply.lifetime),
      interval: .milliseconds(Int(reply.interval * 1000)), login: login)
  }

  package func token(for request: DeviceRequest) async throws -> AccessToken {
    let login = request.login
    var interval = request.interval
    // Its time is counted in waits: a clock that jumps ends nothing early, and keeps nothing alive for ever.
    var left = max(request.expiresAt.timeIntervalSince(now()), 1)
    while true {
      try await sleep(interval)
      left -= interval / .seconds(1)
      do {
        return try await token(
          [
            ("grant_type", HTTPLogin.Grant.deviceCode.rawValue),
            ("device_code", request.deviceCode), ("client_id", login.clientID),
          ], at: login, invalidGrant: .tokenRefused)
      } catch let pending as GrantRefusal {
        // RFC 8628 §3.5: five seconds more, for this and all further questions.
        if case .slowDown = pending { interval += .seconds(5) }
      } catch let problem as ConnectionProblem where !problem.isPermanent {
        // No answer this time: twice as long until the next question (RFC 8628 §3.5), and as long as the server says.
        let wish = Duration.milliseconds(Int(min(problem.retryAfter ?? 0, 300) * 1000))
        interval = max(min(interval * 2, .seconds(60)), wish)
      } catch is ClosedWithoutReply {
        interval = min(interval * 2, .seconds(60))
      }
      guard left > 0 else { throw ConnectionProblem(.tokenRefused, detail: "expired_token") }
    }
  }

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
    do {
      return try await token(
        [
          ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", request.redirect),
          ("client_id", login.clientID), ("code_verifier", request.verifier),
        ], at: login, invalidGrant: .tokenRefused)
    } catch is GrantRefusal {
      throw Self.notAsked(login)
    } catch let closed as ClosedWithoutReply {
      throw closed.problem
    }
  }

  /// The answer to another question: nothing was asked of a person.
  private static func notAsked(_ login: HTTPLogin) -> ConnectionProblem {
    let address = WebAddress(login.tokenEndpoint)
    return ConnectionProblem(
      .serverError, host: address?.host ?? "", port: address?.port ?? 0,
      detail: "authorization_pending")
  }

  package func code(in pasted: String, for request: BrowserRequest) -> String? {
    let text = pasted.filter { !$0.isWhitespace }
    if text.contains("?") { return BrowserAnswer(text, state: request.state)?.code }
    return text.isEmpty || text.utf8.count > 4096 ? nil : text
  }

  package func renewed(_ token: AccessToken) async throws -> AccessToken {
    guard let refresh = token.refreshToken else { throw ConnectionProblem(.tokenRefused) }
    do {
      let new = try await self.token(
        [
          ("grant_type", "refresh_token"), ("refresh_token", refresh),
          ("client_id", token.login.clientID),
        ], at: token.login, invalidGrant: .tokenRefused)
      // Where none comes along the old one goes on (RFC 6749 §6).
      return AccessToken(
        value: new.value, expiresAt: new.expiresAt, refreshToken: new.refreshToken ?? refresh,
        scope: new.scope ?? token.scope, login: token.login)
    } catch let closed as ClosedWithoutReply {
      throw closed.problem
    } catch is GrantRefusal {
      throw ConnectionProblem(.tokenRefused)
    }
  }

  package func revoke(_ token: AccessToken) async throws {
    guard let address = token.login.revocationEndpoint.flatMap(WebAddress.init) else { return }
    // The refresh token first: with it goes what was made of it (RFC 7009 §2.1).
    let words = [("refresh_token", token.refreshToken), ("access_token", token.value)]
    for (hint, value) in words {
      guard let value else { continue }
      let response = try await reply(
        to: .form(
          address,
          [("token", value), ("token_type_hint", hint), ("client_id", token.login.clientID)]),
        token.login)
      guard response.isSuccess else {
        throw refusal(response, at: address, invalidGrant: .notAuthorized)
      }
    }
  }

  // MARK: - One question

  /// The server closed the connection in place of an answer.
  private struct ClosedWithoutReply: Error { let problem: ConnectionProblem }

  private func token(
    _ fields: [(name: String, value: String)], at login: HTTPLogin,
    invalidGrant: ConnectionProblem.Kind
  ) async throws -> AccessToken {
    guard let address = WebAddress(login.tokenEndpoint), address.isPermitted else {
      throw ConnectionProblem(.serverError, detail: "no token endpoint")
    }
    let response = try await reply(to: .form(address, fields), login)
    guard response.isSuccess else {
      throw refusal(response, at: address, invalidGrant: invalidGrant)
    }
    guard let reply = APIClient.json(response.body, as: TokenReply.self) else {
      throw GrantRefusal.malformed(response, at: address, now: now())
    }
    if let scope = reply.scope, !Self.covers(scope, login.scope) {
      throw ConnectionProblem(.scopeMissing, host: address.host, port: address.port)
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

  /// How long an answer may take from its question to its end.
  private static let replyLimit = Duration.seconds(20)

  private func reply(to request: HTTPRequest, _ login: HTTPLogin) async throws -> HTTPResponse {
    var request = request
    request.sizeLimit = 1 << 17
    // Somebody sits and waits for it, however busily a server says little.
    request.timeLimits.total = Self.replyLimit
    request.headers["Accept"] = "application/json"
    do {
      return try await client(login.caFile).reply(to: request)
    } catch {
      if error.isCancellation { throw CancellationError() }
      let problem = ConnectionProblem(error, host: request.address.host, port: request.address.port)
      if case .transport(.broken) = error { throw ClosedWithoutReply(problem: problem) }
      throw problem
    }
  }

  /// Whether the token endpoint answers a question that it can only refuse.
  private func isAnswering(_ login: HTTPLogin) async throws -> Bool {
    guard let address = WebAddress(login.tokenEndpoint) else { return false }
    do {
      return try await reply(to: .form(address, [("grant_type", "none")]), login).status > 0
    } catch is ClosedWithoutReply { return false }
  }

  /// What is thrown for an answer that says no.
  private func refusal(
    _ response: HTTPResponse, at address: WebAddress, invalidGrant: ConnectionProblem.Kind
  ) -> any Error {
    let refusal = GrantRefusal(response, at: address, invalidGrant: invalidGrant, now: now())
    return if case .problem(let problem) = refusal { problem } else { refusal }
  }

  // MARK: - Clients

  /// The login with a name for this program, which some servers give only to who asks (RFC 7591).
  package func known(_ login: HTTPLogin, redirect: String? = nil) async throws -> HTTPLogin {
    guard login.clientID == "natter",
      let address = login.registrationEndpoint.flatMap(WebAddress.init)
    else { return login }
    struct Metadata: Encodable {
      let client_name = "Natter"
      let client_uri = "https://natter.invalid/"
      let application_type = "native"
      let token_endpoint_auth_method = "none"
      let redirect_uris: [String]
      let grant_types: [String]
      let response_types = ["code"]
      let scope: String
    }
    let metadata = Metadata(
      redirect_uris: [redirect ?? "http://127.0.0.1/"],
      grant_types: login.grants.map(\.rawValue).sorted(), scope: login.scope)
    guard let body = try? JSONEncoder().encode(metadata) else { return login }
    let response = try await reply(
      to: HTTPRequest(
        .post, address, headers: ["Content-Type": "application/json"],
        body: .bytes(Array(body)), redirects: .refused), login)
    guard response.isSuccess, let name = APIClient.json(response.body, as: ClientReply.self) else {
      return login
    }
    var login = login
    login.clientID = name.clientID
    return login
  }

  private static func base64URL(_ bytes: [UInt8]) -> String {
    Base64.encode(bytes).replacing("+", with: "-").replacing("/", with: "_")
      .replacing("=", with: "")
  }
}

extension ConnectionProblem {
  /// What a person is told when a web service was not reached, or did not answer as it should.
  init(_ error: APIError, host: String, port: Int) {
    switch error {
    case .status(let refusal):
      self.init(
        .serverError, host: host, port: port,
        detail: refusal.words ?? "HTTP \(refusal.status)")
    case .malformed(let detail):
      self.init(.serverError, host: host, port: port, detail: detail)
    case .transport(let error): self.init(error, host: host, port: port)
    }
  }

  private init(_ error: HTTPError, host: String, port: Int) {
    let kind: Kind
    var detail = ""
    switch error {
    case .unknownHost: kind = .unknownHost
    case .refused: kind = .refused
    case .unreachable: kind = .unreachable
    case .timedOut, .stalled: kind = .timedOut
    case .broken, .incomplete: kind = .closed
    case .clearTextRefused: kind = .tlsUnavailable
    case .tls(let text): (kind, detail) = (.tlsFailed, text)
    case .certificate(let problem, _, let text):
      detail = text
      kind =
        switch problem {
        case .untrustedIssuer: .certificateUntrusted
        case .selfSigned: .certificateSelfSigned
        case .expired: .certificateExpired
        case .notYetValid: .certificateNotYetValid
        case .wrongName: .certificateWrongName
        case .revoked, .other: .certificateOther
        }
    default: (kind, detail) = (.serverError, "\(error)")
    }
    self.init(kind, host: host, port: port, detail: detail)
  }
}
