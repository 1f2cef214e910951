import Foundation
import TestSupport
import Testing

/// Signing in with a browser, to Prosody with tokens of a web server of the test.
@Suite(.requires(.prosody), .timeLimit(.minutes(6))) struct BrowserSignInTests {
  /// A Prosody, and a good token that it issues.
  private static func server() async throws -> (ProsodyServer, token: String) {
    var options = XMPPServerOptions()
    options.hasTokens = true
    let server = try await ProsodyServer(options, users: ["alice": "geheim"])
    let answer = try await CommandRun.check(
      "curl",
      [
        "-sS", "--fail-with-body", "--noproxy", "*", "--cacert", server.authority.certificate,
        "--resolve", "natter.test:\(server.webPort):127.0.0.1",
        "https://natter.test:\(server.webPort)/oauth2/token", "-d",
        "grant_type=password&username=alice@natter.test&password=geheim",
      ])
    struct Answer: Decodable { let access_token: String }
    let token = try JSONDecoder().decode(Answer.self, from: Data(answer.output)).access_token
    return (server, token)
  }

  private static func web(
    _ token: String, grants: String, _ isApproved: @escaping @Sendable () -> Bool = { true }
  ) throws -> HTTPPeer {
    try HTTPPeer { request in
      let base = "http://\(request.headers["host"] ?? "")"
      switch request.target.prefix(while: { $0 != "?" }) {
      case "/.well-known/oauth-authorization-server":
        return .json(
          """
          {"issuer":"\(base)","token_endpoint":"\(base)/t",\
          "device_authorization_endpoint":"\(base)/d","authorization_endpoint":"\(base)/a",\
          "grant_types_supported":["\(grants)"],"scopes_supported":["xmpp"]}
          """)
      case "/d":
        return .json(
          """
          {"device_code":"dev","user_code":"WDJB-MJHT","verification_uri":"\(base)/go",\
          "verification_uri_complete":"\(base)/go?c=WDJB-MJHT","expires_in":600,"interval":1}
          """)
      case "/t":
        if request.text.contains("code=unknown") {
          return .json(
            #"{"error":"invalid_grant","error_description":"No such code"}"#, status: 400)
        }
        guard isApproved() else { return .json(#"{"error":"authorization_pending"}"#, status: 400) }
        return .json(#"{"access_token":"\#(token)","token_type":"bearer","expires_in":3600}"#)
      case "/a":
        // Says yes at once: the browser goes back with a code.
        let query = URLComponents(string: request.target)?.queryItems ?? []
        func value(_ name: String) -> String { query.first { $0.name == name }?.value ?? "" }
        let back = "\(value("redirect_uri"))?code=c-1&state=\(value("state"))"
        return .answer(302, headers: [("Location", back)])
      default: return .answer(404)
      }
    }
  }

  private static func form(_ server: ProsodyServer, _ web: HTTPPeer, columns: Int = 100)
    async throws -> NatterRun
  {
    let natter = try NatterRun(
      NatterRun.options(server.jid("alice"), on: server) + ["--http-url", web.address],
      home: try Home(), rows: 44, columns: columns)
    try await natter.shows("Sign in", "alice@natter.test", "Browser...")
    // From the password past two boxes to the second button.
    natter.terminal.press(.tab, .tab, .tab, .tab)
    try await natter.expects("the focus on the button") { $0.contains("[>Browser...") }
    natter.terminal.press(.enter)
    return natter
  }

  @Test(arguments: [100, 40])
  func `a code that is typed into a browser signs in`(columns: Int) async throws {
    let (server, token) = try await Self.server()
    let isApproved = Observed(false)
    let web = try Self.web(token, grants: "urn:ietf:params:oauth:grant-type:device_code") {
      isApproved.value
    }
    let natter = try await Self.form(server, web, columns: columns)
    try await natter.shows("WDJB-MJHT", "\(web.address)/go", "Waiting for your browser")
    if columns > 60 { try await natter.shows("██ ▄▄▄▄▄ █", "██ █▄▄▄█ █") }
    isApproved.update { $0 = true }
    try await natter.expects("online") { $0.text(row: 0).contains("online") || $0.contains("●") }
    let kept = try String(
      contentsOf: natter.home.data.appending(path: "credentials"), encoding: .utf8)
    #expect(kept.contains("\"token\""))
    #expect(await natter.quit() == .exited(0))
    await server.stop()
  }

  @Test func `natter login prints the code, waits as long as the server says, and signs in`()
    async throws
  {
    let (server, token) = try await Self.server()
    let asked = Observed(0)
    let web = try HTTPPeer { request in
      let base = "http://\(request.headers["host"] ?? "")"
      switch request.target.prefix(while: { $0 != "?" }) {
      case "/.well-known/oauth-authorization-server":
        return .json(
          """
          {"issuer":"\(base)","token_endpoint":"\(base)/t","device_authorization_endpoint":"\(base)/d",\
          "grant_types_supported":["urn:ietf:params:oauth:grant-type:device_code"],\
          "scopes_supported":["xmpp"]}
          """)
      case "/d":
        return .json(
          """
          {"device_code":"dev","user_code":"WDJB-MJHT","verification_uri":"\(base)/go",\
          "expires_in":600,"interval":1}
          """)
      case "/t":
        asked.update { $0 += 1 }
        switch asked.value {
        case 1: return .json(#"{"error":"authorization_pending"}"#, status: 400)
        case 2: return .json(#"{"error":"slow_down"}"#, status: 400)
        default:
          return .json(#"{"access_token":"\#(token)","token_type":"bearer","expires_in":3600}"#)
        }
      default: return .answer(404)
      }
    }
    let home = try Home()
    let options = NatterRun.options(server.jid("alice"), on: server).dropFirst(2)
    let run = try await CommandRun(
      Programs.natter,
      ["login", "--browser", server.jid("alice"), "--http-url", web.address] + options,
      environment: home.environment())
    #expect(run.status == .exited(0), "\(run.errorText)")
    #expect(run.text == "signed in as alice@natter.test\n")
    #expect(run.errorText.contains("WDJB-MJHT") && run.errorText.contains("\(web.address)/go"))
    #expect(!run.errorText.contains("█") && !run.errorText.contains(token))
    // A question that was lost on the way is asked again.
    #expect(asked.value >= 3)
    let kept = try String(contentsOf: home.data.appending(path: "credentials"), encoding: .utf8)
    #expect(kept.contains(token))
    await server.stop()
  }

  @Test func `a browser on this machine passes the code to Natter by itself`() async throws {
    let (server, token) = try await Self.server()
    let web = try Self.web(token, grants: "authorization_code")
    let natter = try await Self.form(server, web)
    try await natter.shows("Open this address in a browser on this computer", "Address or code")
    let line = try #require(
      natter.screen.lines.first { $0.contains(" http://127.0.0.1:") && !$0.contains("/a?") })
    let address = try #require(
      line.split(separator: " ").first { $0.hasPrefix("http://127.0.0.1:") })
    let page = try await CommandRun.check(
      "curl", ["-sSL", "--noproxy", "*", String(address)])
    #expect(page.text.contains("Natter is signed in"))
    try await natter.waitsOnline()
    let asked = try #require(web.requests.last { $0.target == "/t" })
    #expect(asked.text.contains("code=c-1"))
    #expect(asked.text.contains("code_verifier="))
    #expect(await natter.quit() == .exited(0))
    await server.stop()
  }

  @Test func `a code that was brought back by hand does as well, and a wrong one is reported`()
    async throws
  {
    let (server, token) = try await Self.server()
    let web = try Self.web(token, grants: "authorization_code")
    let natter = try await Self.form(server, web)
    try await natter.shows("Address or code")
    natter.terminal.type("http://127.0.0.1:1/?code=x&state=wrong")
    natter.terminal.press(.enter)
    try await natter.shows("no valid code")
    natter.terminal.press(.control("u"))
    // One that looks as it should, and that the server does not know.
    natter.terminal.type("unknown")
    natter.terminal.press(.enter)
    #expect(await web.hears { $0.text.contains("code=unknown") })
    try await natter.shows("no valid code")
    natter.terminal.press(.control("u"))
    natter.terminal.type("c-2")
    natter.terminal.press(.enter)
    try await natter.waitsOnline()
    #expect(web.requests.last { $0.target == "/t" }?.text.contains("code=c-2") == true)
    #expect(await natter.quit() == .exited(0))
    await server.stop()
  }

  @Test func `over ssh the command asks again for a code that is none, or that the server refuses`()
    async throws
  {
    let (server, token) = try await Self.server()
    let web = try Self.web(token, grants: "authorization_code")
    let home = try Home()
    let options = NatterRun.options(server.jid("alice"), on: server).dropFirst(2)
    let terminal = try PTYProcess(
      Programs.natter,
      ["login", "--browser", server.jid("alice"), "--http-url", web.address] + options,
      environment: home.environment(terminal: "xterm", ["SSH_CONNECTION": "::1 1 ::1 22"]),
      rows: 30, columns: 100)
    func asks(_ times: Int) async throws {
      try await terminal.expects("question \(times)", upTo: .seconds(60)) {
        let text = $0.lines.joined()
        let prompt = "paste the address of that page here:"
        return text.components(separatedBy: prompt).count == times + 1
          && text.components(separatedBy: "no valid code").count == times
      }
    }
    try await asks(1)
    terminal.send(Array("http://127.0.0.1:1/?code=x&state=wrong\r".utf8))
    try await asks(2)
    #expect(!web.requests.contains { $0.target == "/t" })
    terminal.send(Array("unknown\r".utf8))
    try await asks(3)
    #expect(web.requests.count { $0.target == "/t" } == 1)
    terminal.send(Array("c-3\r".utf8))
    #expect(
      await terminal.waitsForEnd(upTo: .seconds(60)) == .exited(0), "\(terminal.screen)")
    #expect(terminal.screen.contains("signed in as alice@natter.test"))
    let kept = try String(contentsOf: home.data.appending(path: "credentials"), encoding: .utf8)
    #expect(kept.contains(token))
    await server.stop()
  }

  @Test func `a server without such a sign-in is reported, and the form is there again`()
    async throws
  {
    let (server, token) = try await Self.server()
    let web = try Self.web(token, grants: "password")
    let natter = try await Self.form(server, web)
    try await natter.shows("No sign-in with a browser", "Password")
    #expect(await natter.quit() == .exited(0))
    await server.stop()
  }
}
