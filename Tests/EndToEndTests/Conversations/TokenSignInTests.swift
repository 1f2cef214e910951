import Foundation
import TestSupport
import Testing

/// Signing in to ejabberd by token (its own `/oauth/token` and X-OAUTH2), the token's end, and what
/// becomes of a draft.
@Suite(.requires(.ejabberd), .timeLimit(.minutes(6))) struct TokenSignInTests {
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

  @Test func `natter login keeps the token and no password, and reports a wrong one as such`()
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

  @Test func `signing out of a server that withdraws no tokens says until when it is good`()
    async throws
  {
    let server = try await Self.server()
    let home = try Home()
    _ = try await Self.login("geheim", on: server, home)
    let logout = try await CommandRun(
      Programs.natter, ["logout", server.jid("alice")],
      environment: home.environment(terminal: "dumb", language: "C.UTF-8"))
    #expect(logout.status == .exited(0), "\(logout.errorText)")
    #expect(
      logout.errorText.contains(
        "The server of \(server.jid("alice")) cannot revoke the token"),
      "\(logout.errorText)")
    #expect(
      logout.errorText.firstMatch(of: /until ([A-Z][a-z]+ .*)?[0-9]+:[0-9][0-9]\./) != nil,
      "\(logout.errorText)")
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

  /// Indicates whether the server still accepts a token (X-OAUTH2), as another program finds out.
  private static func isAccepted(_ token: String, of user: String, by server: EjabberdServer)
    async throws -> Bool
  {
    let script = """
      import base64, os, socket, ssl, sys
      host, port, ca, user, domain = sys.argv[1:]
      stream = ("<stream:stream xmlns='jabber:client' version='1.0' to='%s' "
                "xmlns:stream='http://etherx.jabber.org/streams'>" % domain).encode()
      s = socket.create_connection((host, int(port)))
      def until(*ends):
          data = b""
          while not any(end in data for end in ends): data += s.recv(65536) or sys.exit("closed")
          return data
      s.sendall(stream)
      until(b"</stream:features>")
      s.sendall(b"<starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>")
      until(b"<proceed")
      s = ssl.create_default_context(cafile=ca).wrap_socket(s, server_hostname=domain)
      s.sendall(stream)
      until(b"</stream:features>")
      first = base64.b64encode(("\\0%s\\0%s" % (user, os.environ["TOKEN"])).encode())
      s.sendall(b"<auth xmlns='urn:ietf:params:xml:ns:xmpp-sasl' mechanism='X-OAUTH2'>" + first + b"</auth>")
      print("yes" if b"<success" in until(b"<success", b"</failure>") else "no")
      """
    let run = try await CommandRun.check(
      "/usr/bin/python3",
      [
        "-c", script, server.host, String(server.port), server.authority.certificate, user,
        server.domain,
      ], environment: ["TOKEN": token])
    return run.text.hasPrefix("yes")
  }

  @Test(.requires(.tmux))
  func
    `in tmux a newcomer signs in, the token's time ends over a draft, and the draft is sent after all`()
    async throws
  {
    let server = try await Self.server(tokenLifetime: 9)
    let home = try Home()
    let tmux = try await TmuxSession(
      Programs.natter,
      NatterRun.options(server.jid("alice"), on: server) + ["--http-url", server.webURL],
      environment: home.environment(language: "C.UTF-8"), rows: 36, columns: 100)
    let patience = Duration.seconds(60)
    try await tmux.shows("Sign in", "Password", server.jid("alice"), upTo: patience)
    try await tmux.type("geheim")
    try await tmux.press("Enter")
    try await tmux.expects("online", upTo: patience) { $0[0].contains("online") }
    let first = try LocalWeb.token(keptIn: home).access
    #expect(try await Self.isAccepted(first, of: "alice", by: server))
    try await tmux.type("/chat \(server.jid("bob"))")
    try await tmux.shows("/chat \(server.jid("bob"))", upTo: patience)
    try await tmux.press("Enter")
    try await tmux.expects("the conversation", upTo: patience) { $0[1].contains("bob") }
    try await tmux.type("half of a thou")
    try await tmux.shows("half of a thou", upTo: patience)

    // Nobody withdraws it: its time comes. A session that it opened goes on until the connection is
    // lost.
    let end = ContinuousClock.now + .seconds(120)
    while try await Self.isAccepted(first, of: "alice", by: server) {
      try #require(ContinuousClock.now < end, "the token does not expire")
      try await Task.sleep(for: .milliseconds(500))
    }
    try await tmux.expects("the draft", upTo: patience) { lines in
      lines[0].contains("online") && lines.contains { $0.contains("half of a thou") }
    }
    await server.stop()
    try await server.restart()
    try await tmux.shows(
      "The sign-in has expired", server.jid("alice"), "Password", upTo: patience)
    let peer = try await SlixmppPeer(server.jid("bob"), password: "geheim", server: server)
    try await tmux.type("geheim")
    try await tmux.press("Enter")
    try await tmux.expects("the place and the draft", upTo: patience) { lines in
      lines[0].contains("online") && lines[1].contains("bob")
        && lines.contains { $0.contains("half of a thou") }
        && !lines.contains { $0.contains("The sign-in has expired") }
    }
    #expect(try LocalWeb.token(keptIn: home).access != first)
    try await tmux.type("ght")
    try await tmux.shows("half of a thought", upTo: patience)
    try await tmux.press("Enter")
    try await peer.message { $0.body == "half of a thought" }
    try await tmux.expects("that it was sent", upTo: patience) { lines in
      lines.contains { $0.contains("half of a thought") && $0.contains("✓") }
    }
    try await tmux.press("C-q")
    #expect(try await tmux.waitsForEnd(upTo: patience) == 0)
    await tmux.stop()
    await peer.signOut()
    await server.stop()
  }
}
