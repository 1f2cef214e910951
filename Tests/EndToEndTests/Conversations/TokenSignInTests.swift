import Foundation
import TestSupport
import Testing

/// Signing in to ejabberd by token (its own `/oauth/token` and X-OAUTH2), the token's end, and what becomes of a draft.
@Suite(.requires(.ejabberd), .timeLimit(.minutes(3))) struct TokenSignInTests {
  private static func server(tokenLifetime: Int = 3600) async throws -> EjabberdServer {
    var options = XMPPServerOptions()
    options.hasTokens = true
    options.tokenLifetime = tokenLifetime
    return try await EjabberdServer(options, users: ["alice": "geheim", "bob": "geheim"])
  }

  private static func login(_ password: String, on server: EjabberdServer, _ home: Home)
    async throws -> CommandRun
  {
    try home.folder.write(password + "\n", to: "password")
    return try await CommandRun(
      Programs.natter,
      ["login", server.jid("alice"), "--http-url", server.webURL]
        + NatterRun.options(server.jid("alice"), on: server).dropFirst(2)
        + ["--password-file", home.folder.path("password")],
      environment: home.environment(terminal: "dumb", language: "C.UTF-8"))
  }

  private static func credentials(of home: Home) throws -> String {
    try String(contentsOf: home.data.appending(path: "credentials"), encoding: .utf8)
  }

  @Test func `natter login keeps the token and no password, and tells a wrong one as such`()
    async throws
  {
    let server = try await Self.server()
    let home = try Home()
    // ejabberd closes the connection without an answer.
    let wrong = try await Self.login("falsch", on: server, home)
    #expect(wrong.status == .exited(77))
    #expect(wrong.errorText.contains("Wrong password"))
    let right = try await Self.login("geheim", on: server, home)
    #expect(right.status == .exited(0))
    let kept = try Self.credentials(of: home)
    #expect(kept.contains("sasl_auth"))
    #expect(!kept.contains("geheim"))
    await server.stop()
  }

  @Test
  func
    `a token that ends while something is written is followed by the form, and the draft is sent`()
    async throws
  {
    let server = try await Self.server()
    let home = try Home()
    _ = try await Self.login("geheim", on: server, home)
    let natter = try NatterRun([], home: home, rows: 36)
    try await natter.waitsOnline()
    try await natter.open(chat: server.jid("bob"))
    natter.terminal.type("half of a thou")
    try await natter.shows("half of a thou")
    // Withdrawn, and the connection is gone: what is kept is refused.
    let kept = try Self.credentials(of: home)
    let token = try #require(
      kept.split(separator: "\"value\" : \"").dropFirst().first?.split(separator: "\"").first)
    try await server.revoke(String(token))
    await server.stop()
    try await server.restart()
    try await natter.shows("The sign-in has expired", "Password")
    natter.terminal.type("geheim")
    natter.terminal.press(.enter)
    try await natter.waitsOnline()
    try await natter.shows("half of a thou")
    natter.terminal.type("ght")
    natter.terminal.press(.enter)
    try await natter.shows("half of a thought", tick: "✓")
    #expect(await natter.quit() == .exited(0))
    #expect(try !Self.credentials(of: home).contains("geheim"))
    await server.stop()
  }
}
