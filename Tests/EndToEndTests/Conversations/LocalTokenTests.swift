import Foundation
import TestSupport
import Testing

/// Natter's own way over HTTP to the built-in server: found, granted, renewed, withdrawn.
@Suite(.timeLimit(.minutes(2))) struct LocalTokenTests {
  private struct State: Decodable { let port: Int }

  @Test func `a token is granted, renewed when it was withdrawn, and gone after signing out`()
    async throws
  {
    let home = try Home()
    let keeper = try NatterRun.local(account: "keeper", home: home)
    try await keeper.waitsOnline()
    let port = try await Self.port(home)
    let web = try await Self.web(port)
    try await Self.register("erin", "geheim", port)

    let own = try Home()
    try own.folder.write("geheim\n", to: "password")
    let place = ["--server", "127.0.0.1:\(port)", "--tls", "off"]
    func natter(_ arguments: [String]) async throws -> CommandRun {
      try await CommandRun(
        Programs.natter, arguments,
        environment: own.environment(terminal: "dumb", language: "C.UTF-8"))
    }
    let login = try await natter(
      ["login", "erin@localhost", "--http-url", web] + place
        + ["--password-file", own.folder.path("password")])
    #expect(login.status == .exited(0), "\(login.errorText)")
    let kept = try Self.token(of: own)
    #expect(kept.refresh != nil)

    // Withdrawn: it is refused, and renewed without a question.
    try await Self.revoke(kept.access, web)
    let send = try await natter([
      "send", "keeper@localhost", "hello", "--account", "erin@localhost",
    ])
    #expect(send.status == .exited(0), "\(send.errorText)")
    let renewed = try Self.token(of: own)
    #expect(renewed.access != kept.access)

    let logout = try await natter(["logout", "erin@localhost"])
    #expect(logout.status == .exited(0))
    let after = try await CommandRun.check(
      "curl",
      [
        "-sS", "--noproxy", "*", "\(web)/oauth/token", "-d", "grant_type=refresh_token", "-d",
        "refresh_token=\(renewed.refresh ?? "")",
      ])
    #expect(after.text.contains("invalid_grant"))
    #expect(await keeper.quit() == .exited(0))
  }

  // MARK: - Around it

  private static func port(_ home: Home) async throws -> Int {
    let file = home.data.appending(path: "local/server.json")
    return try JSONDecoder().decode(State.self, from: try Data(contentsOf: file)).port
  }

  private static func token(of home: Home) throws -> (access: String, refresh: String?) {
    struct Entry: Decodable {
      struct Token: Decodable {
        let value: String
        let refreshToken: String?
      }
      let token: Token
    }
    let data = try Data(contentsOf: home.data.appending(path: "credentials"))
    let entries = try JSONDecoder().decode([String: Entry].self, from: data)
    guard let token = entries.values.first?.token else { throw CocoaError(.coderValueNotFound) }
    return (token.value, token.refreshToken)
  }

  private static func revoke(_ token: String, _ web: String) async throws {
    try await CommandRun.check(
      "curl", ["-sS", "--fail", "--noproxy", "*", "\(web)/oauth/revoke", "-d", "token=\(token)"])
  }

  private static func talk(_ port: Int, _ script: String) async throws -> String {
    try await CommandRun.check("/usr/bin/python3", ["-c", script, String(port)]).text
  }

  /// Where the server says that its tokens come from (RFC 7628 §3.2.2).
  private static func web(_ port: Int) async throws -> String {
    let url = try await talk(
      port,
      """
      import socket, sys, base64, json, re
      s = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
      s.sendall(b"<stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams' to='localhost' version='1.0'><auth xmlns='urn:ietf:params:xml:ns:xmpp-sasl' mechanism='OAUTHBEARER'>" + base64.b64encode(b"n,,\\x01auth=Bearer none\\x01\\x01") + b"</auth>")
      data = b""
      while b"</challenge>" not in data: data += s.recv(65536)
      text = re.search(rb"<challenge[^>]*>([^<]*)<", data).group(1)
      print(json.loads(base64.b64decode(text))["openid-configuration"])
      """)
    return String(url.split(separator: "/.well-known").first ?? "")
  }

  private static func register(_ name: String, _ password: String, _ port: Int) async throws {
    _ = try await talk(
      port,
      """
      import socket, sys
      s = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
      s.sendall(b"<stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams' to='localhost' version='1.0'><iq type='set' id='r'><query xmlns='jabber:iq:register'><username>\(name)</username><password>\(password)</password></query></iq>")
      data = b""
      while b"id='r'" not in data and b'id="r"' not in data: data += s.recv(65536)
      """)
  }
}
