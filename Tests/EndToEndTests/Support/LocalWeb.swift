import Foundation
import TestSupport
import Testing

/// The built-in server that a `natter --local` has started, and its web side, as another program
/// finds them.
struct LocalWeb: Sendable {
  /// Where it speaks XMPP, in the clear.
  let port: UInt16
  /// `http://127.0.0.1:PORT` of its web side.
  let address: String
  /// The key for new accounts.
  let key: String

  /// - Parameter home: where the `natter --local` runs that started it.
  init(of home: Home) async throws {
    let state = try #require(home.localServer)
    port = state.port
    key = state.ownerKey ?? ""
    // Where the server says that its tokens come from (RFC 7628 §3.2.2).
    let url = try await Self.talk(
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
    address = String(url.split(separator: "/.well-known").first ?? "")
  }

  private static func talk(_ port: UInt16, _ script: String) async throws -> String {
    try await CommandRun.check("/usr/bin/python3", ["-c", script, String(port)]).text
  }

  /// Makes an account over XMPP.
  func register(_ name: String, _ password: String) async throws {
    _ = try await Self.talk(
      port,
      """
      import socket, sys
      s = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
      s.sendall(b"<stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams' to='localhost' version='1.0'><iq type='set' id='r'><query xmlns='jabber:iq:register'><username>\(name)</username><password>\(password)</password><key>\(key)</key></query></iq>")
      data = b""
      while b"id='r'" not in data and b'id="r"' not in data: data += s.recv(65536)
      """)
  }

  /// Sends a form as a browser or a program does.
  /// - Parameter more: more of curl's options.
  /// - Returns: what came back.
  @discardableResult
  func post(_ path: String, _ fields: [String], _ more: [String] = []) async throws -> String {
    try await CommandRun.check(
      "curl",
      ["-sS", "--noproxy", "*"] + more + [address + path]
        + fields.flatMap { ["--data-urlencode", $0] }
    ).text
  }

  /// Withdraws a token (RFC 7009).
  func revoke(_ token: String) async throws {
    try await post("/oauth/revoke", ["token=\(token)"], ["--fail"])
  }

  /// The token that Natter keeps in a home.
  static func token(keptIn home: Home) throws -> (access: String, refresh: String?) {
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
}
