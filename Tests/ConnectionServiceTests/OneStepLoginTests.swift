import Crypto
import Diagnostics
import Foundation
import NatterCore
import Sockets
import Synchronization
import TestSupport
import Testing
import XMPP

@testable import ConnectionService

/// Signing in to a Prosody that offers everything in one step, and tokens.
@Suite(.timeLimit(.minutes(6)), .requires(.prosody)) struct OneStepLoginTests {
  static let agent = XEP0388UserAgent(
    id: "d4565fa7-4d72-4749-b3d3-740edbf87770", software: "Natter")

  private static func connector() -> StreamConnector {
    StreamConnector(
      crypto: CryptoLibrary(), resolver: Resolver(query: { _, _ in .none }), log: .none,
      userAgent: { _ in agent })
  }

  private static func account(_ server: ProsodyServer, _ security: Account.Security = .direct)
    -> Account
  {
    Account(
      jid: JID(local: "alice", domain: server.domain), server: server.host,
      port: Int(security == .direct ? server.directPort : server.port), security: security,
      caFile: server.authority.certificate)
  }

  private static func modern() async throws -> ProsodyServer {
    var options = XMPPServerOptions()
    options.hasOneStepLogin = true
    options.hasTokens = true
    return try await ProsodyServer(options, users: ["alice": "secret", "bob": "secret"])
  }

  private struct NoToken: Error {}

  private static func given(_ stream: any LiveStream) throws -> XEP0484Token {
    guard case .given(let token)? = stream.tokenNews else {
      throw NoToken()
    }
    return token
  }

  @Test(arguments: [Account.Security.direct, .startTLS])
  func `a login with the password brings a token, with which the next login resumes`(
    security: Account.Security
  ) async throws {
    let server = try await Self.modern()
    let account = Self.account(server, security)
    let first = try await Self.connector().connect(
      account, Credential(password: "secret"), resource: nil, resuming: nil, progress: { _ in })
    #expect(first.session.hasStreamManagement)
    #expect(first.session.hasCarbons)
    let mechanism = try #require((first as? XMPPStream)?.mechanism)
    #expect(mechanism.hasPrefix("SCRAM-"))
    let token = try Self.given(first)
    // It offers one that binds to the TLS connection too, and does not say to what.
    #expect(token.mechanism == "HT-SHA-256-NONE")

    let running = Task { await first.run() }
    await first.drop()
    await running.value
    let resumption = try #require(await first.resumption)

    // A wrong password shows that only the token counted.
    let credential = Credential(.password("wrong"), returning: token)
    let second = try await Self.connector().connect(
      account, credential, resource: nil, resuming: resumption, progress: { _ in })
    #expect((second as? XMPPStream)?.mechanism == "HT-SHA-256-NONE")
    #expect(second.isResumed)
    #expect(second.session.jid == first.session.jid)
    let alive = Task { await second.run() }
    try await second.probe(limit: .seconds(10))
    await second.close()
    await alive.value
    // The end in order has withdrawn the session.

    let third = try await Self.connector().connect(
      account, credential, resource: nil, resuming: resumption, progress: { _ in })
    #expect(!third.isResumed)
    #expect(third.session.hasStreamManagement)
    await third.close()
    await server.stop()
  }

  @Test func `the password is used when the server does not know the token`() async throws {
    let server = try await Self.modern()
    let account = Self.account(server)
    let first = try await Self.connector().connect(
      account, Credential(password: "secret"), resource: nil, resuming: nil, progress: { _ in })
    let token = try Self.given(first)
    await first.close()
    let wrong = XEP0484Token(
      mechanism: token.mechanism, token: "secret-token:fast-wrong", expiry: nil,
      clientID: token.clientID, offer: token.offer)
    let second = try await Self.connector().connect(
      account, Credential(.password("secret"), returning: wrong), resource: nil, resuming: nil,
      progress: { _ in })
    _ = try Self.given(second)
    await second.close()
    do {
      _ = try await Self.connector().connect(
        account, Credential(.password("wrong"), returning: wrong), resource: nil, resuming: nil,
        progress: { _ in })
      Issue.record("signed in with a wrong token and a wrong password")
    } catch let problem as ConnectionProblem {
      #expect(problem.kind == .wrongPassword)
    }
    await server.stop()
  }

  @Test func `a token that was withdrawn admits no one, and nothing else is used to withdraw it`()
    async throws
  {
    let server = try await Self.modern()
    let account = Self.account(server)
    let first = try await Self.connector().connect(
      account, Credential(password: "secret"), resource: nil, resuming: nil, progress: { _ in })
    let token = try Self.given(first)
    await first.close()
    let credential = Credential(.password("wrong"), returning: token)
    let second = try await Self.connector().connect(
      account, credential, resource: nil, resuming: nil, progress: { _ in })
    await second.close()

    try await Self.connector().withdraw(token, of: account)
    do {
      _ = try await Self.connector().connect(
        account, credential, resource: nil, resuming: nil, progress: { _ in })
      Issue.record("signed in with a token that was withdrawn")
    } catch let problem as ConnectionProblem {
      #expect(problem.kind == .wrongPassword)
    }
    // What is gone cannot be withdrawn once more.
    await #expect(throws: ConnectionProblem.self) {
      try await Self.connector().withdraw(token, of: account)
    }
    await server.stop()
  }

  @Test func `a good access token signs in by OAUTHBEARER, and a bad one is reported as such`()
    async throws
  {
    let server = try await Self.modern()
    let account = Self.account(server)
    let answer = try await CommandRun.check(
      "curl",
      [
        "-sS", "--fail-with-body", "--noproxy", "*", "--cacert", server.authority.certificate,
        "--resolve", "natter.test:\(server.webPort):127.0.0.1",
        "https://natter.test:\(server.webPort)/oauth2/token", "-d",
        "grant_type=password&username=alice@natter.test&password=secret",
      ])
    struct Answer: Decodable { let access_token: String }
    let value = try JSONDecoder().decode(Answer.self, from: Data(answer.output)).access_token
    let login = HTTPLogin(tokenEndpoint: "", grants: [], scope: "xmpp")
    let good = Credential(.token(AccessToken(value: value, login: login)))
    let stream = try await Self.connector().connect(
      account, good, resource: nil, resuming: nil, progress: { _ in })
    #expect((stream as? XMPPStream)?.mechanism == "OAUTHBEARER")
    _ = try Self.given(stream)
    await stream.close()
    do {
      _ = try await Self.connector().connect(
        account, Credential(.token(AccessToken(value: "bm9uc2Vuc2U=", login: login))),
        resource: nil, resuming: nil, progress: { _ in })
      Issue.record("signed in with nonsense")
    } catch let problem as ConnectionProblem {
      #expect(problem.kind == .tokenRefused)
      #expect(problem.asksForCredentials)
    }
    await server.stop()
  }
}
