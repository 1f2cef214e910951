import Crypto
import Foundation
import HTTP
import NatterCore
import Sockets
import Synchronization
import TestSupport
import Testing
import XMPP

@testable import API

@Suite struct TokenClientTests: TokenClientTesting {
  static let login = HTTPLogin(
    tokenEndpoint: "https://a.example/token", deviceEndpoint: "https://a.example/device",
    authorizationEndpoint: "https://a.example/authorize",
    revocationEndpoint: "https://a.example/revoke",
    grants: [.password, .deviceCode, .authorizationCode, .refreshToken], scope: "xmpp")
  static let start = Date(timeIntervalSince1970: 1_000_000)

  let slept = Observations()

  final class Observations: Sendable {
    private let list = Mutex<[Duration]>([])
    var all: [Duration] { list.withLock { $0 } }
    func note(_ duration: Duration) { list.withLock { $0.append(duration) } }
    private let beginning = ContinuousClock.now
    /// By a clock that goes only while somebody sleeps.
    var instant: ContinuousClock.Instant { beginning + all.reduce(.zero, +) }
  }

  // MARK: - Password grant

  @Test func `a password becomes a token with its end and its renewal`() async throws {
    let web = ScriptedWeb { _, _ in
      .success(
        (
          200,
          #"{"access_token":"t","token_type":"Bearer","expires_in":60,"refresh_token":"r","scope":"xmpp openid"}"#
        ))
    }
    let token = try await client(web).token(
      for: "alice@a.example", password: "s&cret=ä", at: Self.login)
    #expect(token.value == "t")
    #expect(token.refreshToken == "r")
    #expect(token.expiresAt == Self.start.addingTimeInterval(60))
    #expect(token.login == Self.login)
    #expect(
      web.requests.first?.form == [
        "grant_type": "password", "username": "alice@a.example", "password": "s&cret=ä",
        "scope": "xmpp",
      ])
  }

  @Test(arguments: [
    (400, #"{"error":"invalid_grant","error_description":"Wrong"}"#, "wrongPassword"),
    (401, #"{"error":"invalid_grant"}"#, "wrongPassword"),
    (403, #"{"error":"invalid_grant"}"#, "wrongPassword"),
    (401, "", "serverError"), (401, "<html>", "serverError"), (403, "<html>", "serverError"),
    (403, #"{"error":"blocked by the gate"}"#, "serverError"),
    (429, #"{"error":"invalid_grant"}"#, "busy"), (429, "<html>", "busy"),
    (500, #"{"error":"invalid_grant"}"#, "serverError"),
    (502, #"{"error":"invalid_request"}"#, "serverError"),
    (400, "<html>", "serverError"), (400, #"{"error":"authorization_pending"}"#, "serverError"),
    (400, #"{"error":"invalid_grant","error_description":"Invalid scope"}"#, "scopeMissing"),
    (400, #"{"error":"invalid_scope"}"#, "scopeMissing"),
    (400, #"{"error":"unsupported_grant_type"}"#, "notAuthorized"),
    (503, #"{"error":"temporarily_unavailable"}"#, "serverError"),
    (500, "<html>Sorry</html>", "serverError"), (404, "", "serverError"),
    (200, "<html>Sign in here</html>", "serverError"), (200, "", "serverError"),
    (200, "[]", "serverError"), (200, "null", "serverError"), (200, "{}", "serverError"),
    (200, #"{"access_token":7}"#, "serverError"), (200, #"{"access_token":""}"#, "serverError"),
    (200, #"{"access_token":["t"]}"#, "serverError"),
    (200, #"{"access_token":"t","token_type":"mac"}"#, "serverError"),
    (200, #"{"access_token":"t\r\nX: y"}"#, "serverError"),
    (200, #"{"access_token":"t","scope":""}"#, "scopeMissing"),
    (200, #"{"access_token":"t","scope":"email"}"#, "scopeMissing"),
  ])
  func `every other answer says what is wrong`(status: Int, body: String, kind: String) async {
    let web = ScriptedWeb { _, _ in .success((status, body)) }
    let problem = await problem {
      try await client(web).token(for: "a@b", password: "hunter2", at: Self.login)
    }
    #expect(problem?.kind.rawValue == kind)
    #expect(problem?.detail.contains("hunter2") == false)
  }

  @Test(arguments: [
    #""expires_in":"3600""#, #""expires_in":3600.0"#, #""expires_in":3600,"refresh_token":9"#,
    #""expires_in":3600,"scope":null"#,
  ])
  func `odd types beside the token do no harm`(members: String) async throws {
    let web = ScriptedWeb { _, _ in .success((200, "{\"access_token\":\"t\",\(members)}")) }
    let token = try await client(web).token(for: "a@b", password: "x", at: Self.login)
    #expect(token.expiresAt == Self.start.addingTimeInterval(3600))
    #expect(token.refreshToken == nil)
  }

  @Test(arguments: [
    #""expires_in":-1"#, #""expires_in":{}"#, #""expires_in":"soon""#, #""expires_in":"nan""#,
  ])
  func `an invalid lifetime counts as absent`(members: String) async throws {
    let web = ScriptedWeb { _, _ in .success((200, "{\"access_token\":\"t\",\(members)}")) }
    let token = try await client(web).token(for: "a@b", password: "x", at: Self.login)
    #expect(token.expiresAt == nil)
  }

  @Test func `a token endpoint that answers without end is not read to it`() async throws {
    let body = Array(#"{"access_token":"t","more":""#.utf8) + [UInt8](repeating: 97, count: 8 << 20)
    let peer = try HTTPPeer { _ in
      .answer(200, headers: [("Content-Type", "application/json")], body: body)
    }
    let tokens = TokenClient(
      client: { _ in APIClient(transport: CurlTransport()) }, crypto: CryptoLibrary())
    var login = Self.login
    login.tokenEndpoint = peer.address + "/token"
    let problem = await problem {
      try await tokens.token(for: "a@b", password: "hunter2", at: login)
    }
    #expect(problem?.kind == .serverError)
    #expect(
      problem?.detail.contains("hunter2") == false && problem?.detail.contains("aaaa") == false)
  }

  @Test func `a life beyond the calendar is cut`() async throws {
    let web = ScriptedWeb { _, _ in .success((200, #"{"access_token":"t","expires_in":1e300}"#)) }
    let token = try await client(web).token(for: "a@b", password: "x", at: Self.login)
    #expect(token.expiresAt == Self.start.addingTimeInterval(315_360_000))
  }

  @Test
  func `a connection that is closed on a password is a wrong password where the server lives`()
    async
  {
    let ejabberd = ScriptedWeb { asked, _ in
      asked.form["grant_type"] == "password"
        ? .failure(.broken(host: "a.example"))
        : .success((400, #"{"error":"unsupported_grant_type"}"#))
    }
    let wrong = await problem {
      try await client(ejabberd).token(for: "a@b", password: "x", at: Self.login)
    }
    #expect(wrong?.kind == .wrongPassword)
    let dead = ScriptedWeb { _, _ in .failure(.broken(host: "a.example")) }
    let lost = await problem {
      try await client(dead).token(for: "a@b", password: "x", at: Self.login)
    }
    #expect(lost?.kind == .closed)
  }

  @Test func `a connection that ends before it is safe says nothing about a password`() async {
    // A second request gets an answer: that a server is there does not mean that the password is
    // wrong.
    let web = ScriptedWeb { asked, _ in
      asked.form["grant_type"] == "password"
        ? .failure(.handshakeBroken(host: "a.example"))
        : .success((400, #"{"error":"unsupported_grant_type"}"#))
    }
    let problem = await problem {
      try await client(web).token(for: "a@b", password: "x", at: Self.login)
    }
    #expect(problem?.kind == .closed)
    #expect(problem?.isPermanent == false && problem?.asksForCredentials == false)
    #expect(web.requests.count == 1)
  }

  @Test(arguments: [
    (HTTPError.unknownHost("a.example"), ConnectionProblem.ProblemKind.unknownHost),
    (.timedOut(host: "a.example"), .timedOut), (.stalled(host: "a.example"), .timedOut),
    (.refused(host: "a.example", port: 443), .refused),
    (.tooLarge(limit: 131_072), .serverError), (.incomplete(host: "a.example"), .closed),
    (.certificate(.expired, host: "a.example", detail: ""), .certificateExpired),
  ])
  func `a connection problem is distinguished from a refusal`(
    error: HTTPError, kind: ConnectionProblem.ProblemKind
  ) async {
    let web = ScriptedWeb { _, _ in .failure(error) }
    let problem = await problem {
      try await client(web).token(for: "a@b", password: "x", at: Self.login)
    }
    #expect(problem?.kind == kind)
    #expect(problem?.asksForCredentials == false)
  }

  @Test(arguments: [
    (HTTPError.tooLarge(limit: 131_072), "error.http.tooLarge"),
    (.proxy("CONNECT tunnel failed, response 403"), "error.http.proxy"),
    (.tooManyRedirects, "error.http.circle"),
    (.redirectRefused(to: "http://b.example/"), "error.http.redirect"),
    (.malformed("no HTTP"), "error.http.malformed"),
    (.unreachable(host: "a.example", port: 443, errno: 113), "error.ofSystem"),
  ])
  func `an HTTP failure is shown as a sentence, and not by the error's name`(
    error: HTTPError, key: String
  ) async {
    let problem = await problem {
      try await client(ScriptedWeb { _, _ in .failure(error) }).token(
        for: "a@b", password: "x", at: Self.login)
    }
    #expect(problem?.cause?.key == key)
    #expect(problem?.detail == "")
  }

  // MARK: - Renewal and withdrawal

  private func token(refresh: String? = "r") -> AccessToken {
    AccessToken(value: "t", refreshToken: refresh, scope: "xmpp", login: Self.login)
  }

  @Test func `a token is renewed, and what renews it stays where none comes along`() async throws {
    let web = ScriptedWeb { _, _ in .success((200, #"{"access_token":"t2"}"#)) }
    let new = try await client(web).renewed(token())
    #expect(new.value == "t2")
    #expect(new.refreshToken == "r")
    #expect(web.requests.first?.form["refresh_token"] == "r")
    let turning = ScriptedWeb { _, _ in
      .success((200, #"{"access_token":"t2","refresh_token":"r2"}"#))
    }
    #expect(try await client(turning).renewed(token()).refreshToken == "r2")
  }

  @Test func `a refused renewal is not a network's trouble`() async {
    let refused = ScriptedWeb { _, _ in .success((400, #"{"error":"invalid_grant"}"#)) }
    #expect(await problem { try await client(refused).renewed(token()) }?.kind == .tokenRefused)
    let away = ScriptedWeb { _, _ in .failure(.unknownHost("a.example")) }
    #expect(await problem { try await client(away).renewed(token()) }?.kind == .unknownHost)
    let none = ScriptedWeb { _, _ in .success((200, "{}")) }
    let kind = await problem { try await client(none).renewed(token(refresh: nil)) }?.kind
    #expect(kind == .tokenRefused)
    #expect(none.requests.isEmpty)
  }

  @Test func `both tokens are withdrawn, what renews first`() async throws {
    let web = ScriptedWeb { _, _ in .success((200, "")) }
    try await client(web).revoke(token())
    #expect(web.requests.map { $0.form["token"] } == ["r", "t"])
    #expect(web.requests.allSatisfy { $0.url == "https://a.example/revoke" })
  }

  // MARK: - Authorization code

  @Test func `the browser's address holds a challenge, and the token is asked for with its answer`()
    async throws
  {
    let web = ScriptedWeb { _, _ in .success((200, #"{"access_token":"t"}"#)) }
    let client = client(web)
    let request = try await client.browserRequest(
      at: Self.login, redirect: "http://127.0.0.1:1234/")
    let address = request.address
    #expect(address.hasPrefix("https://a.example/authorize?response_type=code&client_id=natter"))
    #expect(address.contains("redirect_uri=http%3A%2F%2F127.0.0.1%3A1234%2F"))
    #expect(address.contains("code_challenge_method=S256"))
    #expect(address.contains("state=\(request.state)"))
    #expect(!address.contains(request.verifier))
    #expect(try await client.token(for: request, code: "c o").value == "t")
    let form = try #require(web.requests.last?.form)
    #expect(form["code"] == "c o")
    #expect(form["code_verifier"] == request.verifier)
    #expect(form["redirect_uri"] == "http://127.0.0.1:1234/")
  }

  @Test func `RFC 7636's own example`() async throws {
    // The verifier is random here; the form of the challenge is what can be compared: 43 characters
    // of base64url.
    let web = ScriptedWeb { _, _ in .success((200, "{}")) }
    let request = try await client(web).browserRequest(at: Self.login, redirect: "x")
    let challenge = request.address.split(separator: "code_challenge=").last?
      .prefix { $0 != "&" }
    #expect(challenge?.count == 43)
    #expect((43...128).contains(request.verifier.count))
  }

  @Test func `a program that a server does not know makes itself known first`() async throws {
    var login = Self.login
    login.registrationEndpoint = "https://a.example/register"
    let web = ScriptedWeb { asked, _ in
      asked.url.hasSuffix("/register")
        ? .success((201, #"{"client_id":"c-17"}"#)) : .success((200, Self.device))
    }
    let request = try await client(web).deviceRequest(at: login)
    #expect(request.login.clientID == "c-17")
    #expect(web.requests.last?.form["client_id"] == "c-17")
  }

  @Test(arguments: [
    ("http://127.0.0.1:1/?code=a%20b&state=s", "a b"), ("/?state=s&code=a", "a"),
    ("/?code=a&state=other", nil as String?), ("/?code=a", nil), ("/", nil), ("/?state=s", nil),
    ("/?state=s&code=a#code=b", "a"), ("/?state=s&code=", nil),
  ])
  func `what a browser brings back counts only with what it was sent out with`(
    address: String, code: String?
  ) {
    #expect(BrowserAnswer(address, state: "s")?.code == code)
  }

  @Test func `a refusal in the browser is shown in its own text`() {
    let answer = BrowserAnswer(
      "/?error=access_denied&error_description=Not+now&state=s", state: "s")
    #expect(answer?.code == nil)
    #expect(answer?.error == "Not now")
  }
}
