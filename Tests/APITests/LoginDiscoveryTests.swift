import HTTP
import NatterCore
import Sockets
import Synchronization
import Testing
import XMPP

@testable import API

@Suite struct LoginDiscoveryTests {
  static let metadata =
    #"{"issuer":"https://a.example","token_endpoint":"https://a.example/t","device_authorization_endpoint":"https://a.example/d","grant_types_supported":["password","urn:ietf:params:oauth:grant-type:device_code","authorization_code","implicit"],"scopes_supported":["xmpp","openid"]}"#

  private func find(
    _ account: Account? = nil, hint: String? = nil, in web: ScriptedWeb
  ) async -> HTTPLogin? {
    let account = account ?? Account(jid: JID(local: "alice", domain: "a.example"))
    // Nobody names an address here that cannot be asked.
    return try? await LoginDiscovery(client: { _ in APIClient(transport: web) }).login(
      of: account, hint: hint)
  }

  private static func web(_ pages: [String: (Int, String)]) -> ScriptedWeb {
    ScriptedWeb { asked, _ in .success(pages[asked.url] ?? (404, "<html>")) }
  }

  @Test func `the metadata at the domain is found`() async {
    let web = Self.web([
      "https://a.example/.well-known/oauth-authorization-server": (200, Self.metadata)
    ])
    let login = await find(in: web)
    #expect(login?.tokenEndpoint == "https://a.example/t")
    #expect(login?.deviceEndpoint == "https://a.example/d")
    // Named, and no page for it.
    #expect(login?.grants == [.password, .deviceCode])
    #expect(login?.scope == "xmpp")
    #expect(web.requests.count == 1)
  }

  @Test(arguments: ["oauth-authorization-server", "openid-configuration"])
  func `a website's own sign-in is offered no password`(name: String) async {
    let metadata =
      #"{"issuer":"https://a.example","token_endpoint":"https://a.example/t","authorization_endpoint":"https://a.example/a","grant_types_supported":["password","authorization_code"],"scopes_supported":["openid","email"]}"#
    let web = Self.web(["https://a.example/.well-known/\(name)": (200, metadata)])
    #expect(await find(in: web)?.grants == [.authorizationCode])
    let silent = metadata.replacing(#","scopes_supported":["openid","email"]"#, with: "")
    #expect(
      await find(in: Self.web(["https://a.example/.well-known/\(name)": (200, silent)]))?.grants
        == [.authorizationCode])
    // An address that the chat service or the user names is used as it is.
    let hint = "https://a.example/.well-known/\(name)"
    #expect(await find(hint: hint, in: web)?.grants.contains(.password) == true)
    var account = Account(jid: JID(local: "alice", domain: "b.example"))
    account.httpURL = "https://a.example/"
    #expect(await find(account, in: web)?.grants.contains(.password) == true)
  }

  static let elsewhere = [
    "https://evil.example/t", "https://a.example:8443/t", "https://chat.a.example/t",
    "http://a.example/t",
  ]

  @Test(arguments: elsewhere)
  func `endpoints are of the origin that was asked, however it was named`(candidate: String) async {
    let foreign = Self.metadata.replacing("https://a.example/t", with: candidate)
    let name = "https://a.example/.well-known/oauth-authorization-server"
    let web = Self.web([name: (200, foreign)])
    #expect(await find(in: web) == nil)
    #expect(await find(hint: name, in: web) == nil)
    var account = Account(jid: JID(local: "alice", domain: "b.example"))
    account.httpURL = "https://a.example/"
    #expect(await find(account, in: web) == nil)
    let device = Self.metadata.replacing("https://a.example/d", with: candidate)
    #expect(await find(in: Self.web([name: (200, device)]))?.deviceEndpoint == nil)
  }

  @Test func `the host's connection methods lead to a token endpoint without metadata`() async {
    let web = Self.web([
      "https://a.example/.well-known/openid-configuration": (
        200,
        #"{"issuer":"https://a.example","token_endpoint":"https://a.example/t","grant_types_supported":["password"]}"#
      ),
      "https://a.example/.well-known/host-meta.json": (
        200,
        #"{"links":[{"rel":"urn:xmpp:alt-connections:websocket","href":"wss://a.example/ws"}]}"#
      ),
      "https://a.example/oauth/token": (
        400, #"{"error":"unsupported_grant_type","error_description":"Unsupported grant type"}"#
      ),
    ])
    let login = await find(in: web)
    #expect(login?.tokenEndpoint == "https://a.example/oauth/token")
    #expect(login?.scope == "sasl_auth")
    #expect(login?.grants == [.password])
    // Nothing that is a secret, nor whose it is, was sent on the way.
    #expect(web.requests.allSatisfy { $0.form.isEmpty || $0.form == ["grant_type": "none"] })
  }

  @Test(arguments: [
    "wss://evil.example/ws", "wss://a.example:5443/ws", "https://chat.a.example/bosh",
  ])
  func `the host's other ways at another origin are not asked`(link: String) async {
    let json = #"{"links":[{"rel":"urn:xmpp:alt-connections:websocket","href":"\#(link)"}]}"#
    let web = ScriptedWeb { asked, _ in
      asked.url.hasSuffix("/host-meta.json")
        ? .success((200, json))
        : asked.url.hasSuffix("/token")
          ? .success((400, #"{"error":"unsupported_grant_type"}"#)) : .success((404, ""))
    }
    #expect(await find(in: web) == nil)
    #expect(web.requests.allSatisfy { $0.url.hasPrefix("https://a.example/.well-known/") })
  }

  @Test func `a hint that leads nowhere does not lead to the domain's website`() async {
    let web = Self.web([
      "https://a.example/.well-known/oauth-authorization-server": (200, Self.metadata)
    ])
    #expect(await find(hint: "https://sso.example/config", in: web) == nil)
    #expect(await find(hint: "no address", in: web) == nil)
  }

  @Test func `the XML form of the host's description does as well`() {
    let xml = """
      <?xml version='1.0'?><XRD xmlns='http://docs.oasis-open.org/ns/xri/xrd-1.0'>\
      <Link rel="urn:xmpp:alt-connections:websocket" href="wss://a.example/ws?a=1&amp;b=2"/>\
      <Link rel='lrdd' href='https://b.example/'/><Link href='https://c.example/' \
      rel='urn:xmpp:alt-connections:xbosh' /></XRD>
      """
    #expect(
      LoginDiscovery.links(inXRD: xml)
        == ["wss://a.example/ws?a=1&b=2", "https://c.example/"])
    #expect(LoginDiscovery.links(inXRD: "<Link rel='urn:xmpp:alt-connections:x' href='") == [""])
  }

  @Test(arguments: [500, 502, 503, 429])
  func `a configured address that is in trouble is not one without a sign-in`(status: Int)
    async throws
  {
    var account = Account(jid: JID(local: "alice", domain: "a.example"))
    account.httpURL = "https://b.example/"
    let web = ScriptedWeb { _, _ in .success((status, "<html>")) }
    let discovery = LoginDiscovery(client: { _ in APIClient(transport: web) })
    let problem = await #expect(throws: ConnectionProblem.self) {
      try await discovery.login(of: account, hint: nil)
    }
    #expect(problem?.kind == .serverError)
    #expect(problem?.isPermanent == false)
    #expect(problem?.asksForCredentials == false)
    // A part of it that is in trouble does not hide the rest.
    let partly = ScriptedWeb { asked, _ in
      asked.url.hasSuffix("/oauth/token")
        ? .success((400, #"{"error":"unsupported_grant_type"}"#)) : .success((status, "<html>"))
    }
    #expect(await find(account, in: partly)?.tokenEndpoint == "https://b.example/oauth/token")
  }

  @Test func `a base that the user names is asked, below its path too`() async {
    var account = Account(jid: JID(local: "alice", domain: "a.example"), server: "127.0.0.1")
    account.httpURL = "https://b.example/sub/"
    let web = Self.web([
      "https://b.example/sub/oauth2/token": (400, #"{"error":"unsupported_grant_type"}"#)
    ])
    let login = await find(account, in: web)
    #expect(login?.tokenEndpoint == "https://b.example/sub/oauth2/token")
    #expect(login?.revocationEndpoint == "https://b.example/sub/oauth2/revoke")
    #expect(
      web.requests.first?.url == "https://b.example/.well-known/oauth-authorization-server/sub")
  }

  @Test func `where a server was named by hand, or is this machine's own, nothing is looked for`()
    async
  {
    let web = Self.web([:])
    let jid = JID(local: "alice", domain: "a.example")
    #expect(await find(Account(jid: jid, server: "127.0.0.1"), in: web) == nil)
    #expect(await find(Account(jid: jid, isLocal: true), in: web) == nil)
    #expect(web.requests.isEmpty)
  }

  @Test(arguments: [
    "<html>", "[]", "{}", #"{"token_endpoint":5}"#, #"{"token_endpoint":"ftp://a.example/"}"#,
    #"{"token_endpoint":"http://a.example/t"}"#,
    #"{"issuer":"https://evil.example","token_endpoint":"https://evil.example/t"}"#,
  ])
  func `a description of no use, or of another server, is none`(body: String) async {
    let web = Self.web([
      "https://a.example/.well-known/oauth-authorization-server": (200, body)
    ])
    #expect(await find(in: web) == nil)
  }

  @Test func `the address that a refused token brought along goes first`() async {
    let web = Self.web([
      "https://sso.example/config": (
        200, #"{"issuer":"https://sso.example","token_endpoint":"https://sso.example/t"}"#
      )
    ])
    let login = await find(hint: "https://sso.example/config", in: web)
    #expect(login?.tokenEndpoint == "https://sso.example/t")
    #expect(await find(hint: "http://sso.example/config", in: Self.web([:])) == nil)
  }

  @Test func `a server that cannot be reached has no such login`() async {
    let web = ScriptedWeb { _, _ in .failure(.timedOut(host: "a.example")) }
    #expect(await find(in: web) == nil)
    // Each further question would wait as long.
    #expect(web.requests.count == 1)
  }

  @Test(arguments: [
    (HTTPError.unknownHost("b.example"), ConnectionProblem.ProblemKind.unknownHost),
    (.refused(host: "b.example", port: 443), .refused),
    (.certificate(.untrustedIssuer, host: "b.example", detail: ""), .certificateUntrusted),
    (.clearTextRefused(host: "b.example"), .tlsUnavailable),
  ])
  func `the user is shown why an address they gave could not be asked`(
    error: HTTPError, kind: ConnectionProblem.ProblemKind
  ) async {
    var account = Account(jid: JID(local: "alice", domain: "a.example"))
    account.httpURL = "https://b.example/"
    let web = ScriptedWeb { _, _ in .failure(error) }
    let discovery = LoginDiscovery(client: { _ in APIClient(transport: web) })
    let problem = await #expect(throws: ConnectionProblem.self) {
      try await discovery.login(of: account, hint: nil)
    }
    #expect(problem?.kind == kind)
    #expect(problem?.host == "b.example")
  }

  @Test func `given up, the address that was given has no fault`() async {
    var account = Account(jid: JID(local: "alice", domain: "a.example"))
    account.httpURL = "https://b.example/"
    let web = ScriptedWeb { _, _ in .failure(.cancelled) }
    await #expect(throws: CancellationError.self) {
      try await LoginDiscovery(client: { _ in APIClient(transport: web) }).login(
        of: account, hint: nil)
    }
  }

  @Test func `why the domain's own could not be asked is noted, and sign-in goes on`() async throws
  {
    let noted = Mutex<[APIError]>([])
    let web = ScriptedWeb { _, _ in .failure(.timedOut(host: "a.example")) }
    let discovery = LoginDiscovery(
      client: { _ in APIClient(transport: web) },
      onTrouble: { _, error in noted.withLock { $0.append(error) } })
    let account = Account(jid: JID(local: "alice", domain: "a.example"))
    #expect(try await discovery.login(of: account, hint: nil) == nil)
    #expect(noted.withLock { $0 } == [.transport(.timedOut(host: "a.example"))])
  }

  @Test(arguments: [
    ("https://b.example/one", true), ("https://b.example/one/", true),
    ("https://b.example:443/one", true), ("https://b.example/two", false),
    ("https://b.example", false), ("https://b.example/one/more", false),
  ])
  func `of several issuers at one host only the one that was asked for counts`(
    issuer: String, counts: Bool
  ) async {
    var account = Account(jid: JID(local: "alice", domain: "a.example"))
    account.httpURL = "https://b.example/one"
    let metadata = "{\"issuer\":\"\(issuer)\",\"token_endpoint\":\"https://b.example/t\"}"
    for candidate in [
      "https://b.example/.well-known/oauth-authorization-server/one",
      "https://b.example/.well-known/openid-configuration/one",
    ] {
      let login = await find(account, in: Self.web([candidate: (200, metadata)]))
      #expect((login != nil) == counts)
    }
    let hint = "https://b.example/one/.well-known/openid-configuration"
    let hinted = await find(hint: hint, in: Self.web([hint: (200, metadata)]))
    #expect((hinted != nil) == counts)
  }
}
