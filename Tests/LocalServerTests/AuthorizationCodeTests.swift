import Crypto
import Foundation
import TestSupport
import Testing
import XMPP

@testable import LocalServer

/// Signing in to the built-in server with a browser that comes back (RFC 6749 §4.1, RFC 7636), and
/// newcomers over HTTP.
@Suite(.timeLimit(.minutes(6))) struct AuthorizationCodeTests {
  private let talk = WebTalk()
  private static let redirect = "http://127.0.0.1:45678/back"
  private static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
  /// Of the verifier, by RFC 7636, appendix B.
  private static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"

  private static func query(
    client: String = "natter", redirect: String = redirect, _ more: [String] = []
  ) -> [String] {
    [
      "response_type=code", "client_id=\(client)", "redirect_uri=\(redirect)", "scope=xmpp",
      "state=s 1&", "code_challenge=\(challenge)", "code_challenge_method=S256",
    ] + more
  }

  /// Returns the answer to the request of a browser in which the user has filled in the page.
  private func decide(_ web: String, _ fields: [String]) async throws -> WebTalk.Answer {
    try await talk.ask(web + "/oauth/authorize", form: fields)
  }

  private func token(
    _ web: String, code: String, client: String = "natter", redirect: String = redirect,
    verifier: String = verifier
  ) async throws -> WebTalk.Answer {
    try await talk.post(
      "\(web)/oauth/token", "grant_type=authorization_code", "code=\(code)",
      "client_id=\(client)", "redirect_uri=\(redirect)", "code_verifier=\(verifier)")
  }

  @Test func `what a page's form brings back becomes a token, and a second use ends it`()
    async throws
  {
    try await withServer { server in
      let web = try await talk.web(server)
      let known = try await talk.post(
        "\(web)/oauth/register",
        json: #"{"client_name":"<b>Rose\"","redirect_uris":["http://127.0.0.1/back"]}"#)
      #expect(known.status == 201)
      struct Client: Decodable { let client_id: String }
      let client = try JSONDecoder().decode(Client.self, from: Data(known.body.utf8)).client_id

      let query = Self.query(client: client)
      let page = try await talk.get("\(web)/oauth/authorize", query)
      #expect(page.status == 200)
      #expect(page.body.contains("&lt;b&gt;Rose&quot; asks"))
      #expect(page.body.contains("name=\"state\" value=\"s 1&amp;\""))
      let wrong = try await decide(web, query + ["username=erin", "password=no"])
      #expect(wrong.status == 200 && wrong.body.contains("Wrong name or password"))
      let right = try await decide(web, query + ["username=erin", "password=secret"])
      #expect(right.status == 303)
      #expect(right.location.hasPrefix(Self.redirect + "?code="))
      #expect(right.field("state") == "s 1&")
      let code = try #require(right.field("code"))

      let granted = try await token(web, code: code, client: client)
      #expect(granted.status == 200)
      let access = try talk.tokens(granted.body).access_token
      #expect(await talk.failure(of: access, server) == nil)
      #expect(try await token(web, code: code, client: client).body.contains("invalid_grant"))
      #expect(await talk.failure(of: access, server) != nil)
    }
  }

  @Test(arguments: [
    ("natter", AuthorizationCodeTests.redirect, String(repeating: "x", count: 43)),
    ("natter", AuthorizationCodeTests.redirect, "short"),
    ("natter", "http://127.0.0.1:1/back", AuthorizationCodeTests.verifier),
    ("other", AuthorizationCodeTests.redirect, AuthorizationCodeTests.verifier),
  ])
  func `a code without its proof is none, and is spent`(
    client: String, redirect: String, verifier: String
  ) async throws {
    try await withServer { server in
      let web = try await talk.web(server)
      let right = try await decide(web, Self.query() + ["username=erin", "password=secret"])
      let code = try #require(right.field("code"))
      let stolen = try await token(
        web, code: code, client: client, redirect: redirect, verifier: verifier)
      #expect(stolen.status == 400 && stolen.body.contains("invalid_grant"))
      #expect(try await token(web, code: code).body.contains("invalid_grant"))
    }
  }

  @Test(arguments: [
    ("code_challenge=", "code_challenge_method=S256", "invalid_request"),
    (
      "code_challenge=\(AuthorizationCodeTests.challenge)", "code_challenge_method=plain",
      "invalid_request"
    ),
    ("response_type=token", "x=y", "unsupported_response_type"),
    ("scope=everything", "x=y", "invalid_scope"),
  ])
  func `a question that is not in order goes back with its reason`(
    field: String, other: String, error: String
  ) async throws {
    try await withServer { server in
      let web = try await talk.web(server)
      let names = [field, other].map { $0.prefix { $0 != "=" } + "=" }
      let query = Self.query().filter { known in !names.contains { known.hasPrefix($0) } }
      let answer = try await talk.get("\(web)/oauth/authorize", query + [field, other])
      #expect(answer.status == 303)
      #expect(answer.field("error") == error)
      #expect(answer.field("state") == "s 1&")
    }
  }

  @Test(arguments: [
    ("natter", "https://example.org/back"), ("natter", "http://127.0.0.1.example.org/"),
    ("natter", "http://127.0.0.1:1@example.org/"), ("natter", "javascript:alert(1)"),
    ("unknown", AuthorizationCodeTests.redirect), ("natter", ""),
  ])
  func `a browser is not sent to an address that is not the program's own`(
    client: String, redirect: String
  )
    async throws
  {
    try await withServer { server in
      let web = try await talk.web(server)
      let query = Self.query(client: client, redirect: redirect)
      let page = try await talk.get("\(web)/oauth/authorize", query)
      #expect(page.status == 400 && page.location.isEmpty && !page.body.contains("<form"))
      let form = try await decide(web, query + ["username=erin", "password=secret"])
      #expect(form.status == 400 && form.location.isEmpty)
    }
  }

  @Test func `a browser is sent back to the addresses that a program named, at whatever port`()
    async throws
  {
    try await withServer { server in
      let web = try await talk.web(server)
      let known = try await talk.post(
        "\(web)/oauth/register", json: #"{"redirect_uris":["http://127.0.0.1:1/back"]}"#)
      struct Client: Decodable { let client_id: String }
      let client = try JSONDecoder().decode(Client.self, from: Data(known.body.utf8)).client_id
      for (redirect, status) in [
        ("http://127.0.0.1:2/back", 200), ("http://127.0.0.1:2/other", 400),
      ] {
        let page = try await talk.get(
          "\(web)/oauth/authorize", Self.query(client: client, redirect: redirect))
        #expect(page.status == status, "\(redirect)")
      }
    }
  }

  @Test(arguments: [
    (#"{"redirect_uris":["https://example.org/"]}"#, "application/json", "invalid_redirect_uri"),
    (#"{"redirect_uris":"no list"}"#, "application/json", "invalid_client_metadata"),
    ("no JSON", "application/json", "invalid_client_metadata"),
    (#"{"redirect_uris":[]}"#, "text/plain", "invalid_client_metadata"),
  ])
  func `a program that says nothing of use of itself is refused`(
    json: String, type: String, error: String
  ) async throws {
    try await withServer { server in
      let web = try await talk.web(server)
      let answer = try await talk.post("\(web)/oauth/register", json: json, type: type)
      #expect(answer.status == 400)
      #expect(answer.body == "{\"error\":\"\(error)\"}")
    }
  }

  @Test func `a person's no goes back`() async throws {
    try await withServer { server in
      let web = try await talk.web(server)
      let answer = try await decide(web, Self.query() + ["deny=1"])
      #expect(answer.status == 303)
      #expect(answer.field("error") == "access_denied")
      #expect(answer.field("code") == nil)
    }
  }

  // MARK: Newcomers

  @Test func `a user makes an account on the page, and is signed in by the code`() async throws {
    try await withServer { server in
      let web = try await talk.web(server)
      let query = Self.query(["prompt=create"])
      let page = try await talk.get("\(web)/oauth/authorize", query)
      #expect(page.body.contains("name=create") && !page.body.contains("name=sign-in"))
      let taken = try await decide(
        web, query + ["username=erin", "password=mine", "create=1"])
      #expect(taken.status == 200 && taken.body.contains("of this name already"))
      let answer = try await decide(
        web, query + ["username=Rose@localhost", "password=thorn 1", "create=1"])
      let code = try #require(answer.field("code"), "\(answer)")
      let access = try talk.tokens(try await token(web, code: code).body).access_token
      #expect(await talk.failure(of: .accessToken(access), user: "rose", server) == nil)
      #expect(await talk.failure(of: .password("thorn 1"), user: "rose", server) == nil)
    }
  }

  @Test(arguments: [
    ("erin", "x", "of this name already"), ("", "x", "are needed"), ("rose", "", "are needed"),
    ("a/b", "x", "can have this name"), ("a b", "x", "can have this name"),
    ("rose@elsewhere", "x", "can have this name"),
  ])
  func `an impossible account is refused with an explanation`(
    name: String, password: String, text: String
  ) async throws {
    try await withServer { server in
      let web = try await talk.web(server)
      let answer = try await talk.post(
        "\(web)/register", "username=\(name)", "password=\(password)")
      #expect(answer.status == 200)
      #expect(answer.body.contains(text), "\(answer.body)")
      #expect(answer.body.contains("<form"))
    }
  }

  @Test func `the page for newcomers makes an account until there is no room`() async throws {
    try await withServer({ $0.accountLimit = 2 }) { server in
      let web = try await talk.web(server)
      #expect(try await talk.get("\(web)/register").body.contains("A new account on localhost"))
      let made = try await talk.post("\(web)/register", "username=rose", "password=thorn")
      #expect(made.status == 201 && made.body.contains("rose@localhost"))
      #expect(await talk.failure(of: .password("thorn"), user: "rose", server) == nil)
      let third = try await talk.post("\(web)/register", "username=ivy", "password=leaf")
      #expect(third.body.contains("no space"))
    }
  }

  @Test(arguments: [
    "Origin: http://example.org", "Origin: null", "Host: example.org",
  ])
  func `what another site's page sends is refused`(header: String) async throws {
    try await withServer { server in
      let web = try await talk.web(server)
      for path in ["/register", "/oauth/authorize", "/oauth/token", "/device"] {
        let answer = try await talk.post(
          web + path, "username=rose", "password=thorn", headers: [header])
        #expect(answer.status == 403, "\(path)")
      }
      let own = try await talk.post(
        "\(web)/register", "username=rose", "password=thorn", headers: ["Origin: \(web)"])
      #expect(own.status == 201)
    }
  }

  // MARK: Its parts

  @Test func `a code ends with its minute`() throws {
    let codes = AuthorizationCodes()
    let request = AuthorizationRequest(
      client: "natter", redirect: try #require(LoopbackAddress(Self.redirect)), state: "",
      challenge: Self.challenge, createsAccount: false)
    let code = codes.issue(to: "erin", for: request, at: 0)
    #expect(codes.redeem(code, at: 61) == .none)
    guard case .first(let grant) = codes.redeem(code, at: 59) else {
      Issue.record("it is not good")
      return
    }
    #expect(grant.account == "erin" && grant.request == request)
    #expect(codes.redeem(code, at: 59) == .again(family: grant.family))
    #expect(codes.redeem("other", at: 0) == .none)
  }

  @Test(arguments: [
    "http://127.0.0.1:1/", "http://[::1]:65535/a?b=c", "http://localhost", "http://127.0.0.1/a%20b",
  ])
  func `addresses on this machine are accepted`(address: String) {
    #expect(LoopbackAddress(address)?.text == address)
  }

  @Test(arguments: [
    "https://127.0.0.1/", "http://127.0.0.1:0/", "http://127.0.0.1:99999/", "http://127.0.0.1:x/",
    "http://localhost.example/", "http://127.0.0.1/#x", "http://127.0.0.1/a b",
    "http://127.0.0.1/\r\nX: y",
    "http://127.0.0.1:+1/", "//127.0.0.1/", "http://me@127.0.0.1/",
  ])
  func `other addresses are not`(address: String) {
    #expect(LoopbackAddress(address) == nil)
  }
}
