import Crypto
import Foundation
import Sockets
import TestSupport
import XMPP

@testable import LocalServer

/// Talks to the web side of a built-in server as a program or a browser does, with curl.
struct WebTalk {
  struct Tokens: Decodable {
    let access_token: String
    let refresh_token: String
    let expires_in: Int
  }

  /// The answer to a request.
  struct Answer {
    let status: Int
    let body: String
    /// Where it leads on to; empty: nowhere.
    let location: String

    /// A field of the query there.
    func field(_ name: String) -> String? {
      URLComponents(string: location)?.queryItems?.first { $0.name == name }?.value
    }
  }

  private static func options(_ secret: StreamSecret, _ user: String = "erin") -> StreamOptions {
    StreamOptions(domain: "localhost", user: user, secret: secret, allowsPlaintext: true)
  }

  private func socket(_ server: TestServer) async throws -> PlainSocket {
    try await PlainSocket.connect(host: "127.0.0.1", port: server.state.port)
  }

  /// Makes the account, and finds the web side where a refused token says that it is.
  func web(_ server: TestServer) async throws -> String {
    try await XMPPStream.register(
      over: try await socket(server), options: Self.options(.password("secret")), answers: [:],
      crypto: CryptoLibrary()
    ) { $0 }
    let failure = await failure(of: "none", server)
    guard case .accessToken(_, let refusal?)? = failure,
      let position = refusal.configurationURL?.split(separator: "/.well-known").first
    else { throw TestServer.Unexpected.endedAtOnce }
    return String(position)
  }

  /// Why a token does not sign in; `nil`: it does.
  func failure(of token: String, _ server: TestServer) async -> StreamFailure? {
    await failure(of: .accessToken(token), user: "erin", server)
  }

  /// The same of any secret.
  func failure(of secret: StreamSecret, user: String, _ server: TestServer) async
    -> StreamFailure?
  {
    do {
      let stream = try await XMPPStream.open(
        over: try await socket(server), options: Self.options(secret, user),
        crypto: CryptoLibrary()
      ) { $0 }
      await stream.close()
      return nil
    } catch {
      return error as? StreamFailure
    }
  }

  /// Sends a form.
  func post(_ url: String, _ fields: String..., headers: [String] = []) async throws -> Answer {
    try await ask(url, fields.flatMap { ["--data-urlencode", $0] }, headers)
  }

  func ask(_ url: String, form fields: [String]) async throws -> Answer {
    try await ask(url, fields.flatMap { ["--data-urlencode", $0] }, [])
  }

  /// Sends JSON.
  func post(_ url: String, json: String, type: String = "application/json") async throws -> Answer {
    try await ask(url, ["-d", json], ["Content-Type: \(type)"])
  }

  /// Asks for a page; `fields` are those of the query.
  func get(_ url: String, _ fields: [String] = []) async throws -> Answer {
    try await ask(url, ["--get"] + fields.flatMap { ["--data-urlencode", $0] }, [])
  }

  private func ask(_ url: String, _ arguments: [String], _ headers: [String]) async throws -> Answer
  {
    let run = try await CommandRun.check(
      "curl",
      ["-sS", "--noproxy", "*", "-w", "\n%{redirect_url}\n%{http_code}", url] + arguments
        + headers.flatMap { ["-H", $0] })
    let lines = run.text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    return Answer(
      status: lines.last.flatMap { Int($0) } ?? 0,
      body: lines.dropLast(2).joined(separator: "\n"), location: lines.dropLast().last ?? "")
  }

  func tokens(_ body: String) throws -> Tokens {
    try JSONDecoder().decode(Tokens.self, from: Data(body.utf8))
  }
}
