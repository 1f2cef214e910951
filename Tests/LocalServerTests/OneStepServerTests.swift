import Crypto
import Foundation
import Sockets
import Testing
import XML
import XMPP

@testable import LocalServer

/// Signing in to the built-in server in one step, with tokens.
@Suite(.timeLimit(.minutes(6))) struct OneStepServerTests {
  static let agent = XEP0388UserAgent(
    id: "d4565fa7-4d72-4749-b3d3-740edbf87770", software: "Natter")

  private func socket(_ server: TestServer) async throws -> PlainSocket {
    try await PlainSocket.connect(host: "127.0.0.1", port: server.state.port)
  }

  private func options(
    _ secret: StreamSecret = .password("secret"), token: XEP0484Token? = nil
  ) -> StreamOptions {
    StreamOptions(
      domain: "localhost", user: "erin", secret: secret, token: token, userAgent: Self.agent,
      allowsPlaintext: true)
  }

  private func register(_ server: TestServer) async throws {
    try await XMPPStream.register(
      over: try await socket(server), options: options(), answers: [:], crypto: CryptoLibrary()
    ) { $0 }
  }

  private func open(
    _ server: TestServer, _ options: StreamOptions, resuming old: StreamResumption? = nil
  ) async throws -> XMPPStream {
    try await XMPPStream.open(
      over: try await socket(server), options: options, crypto: CryptoLibrary(),
      startTLS: { $0 }, resuming: old)
  }

  private func given(_ stream: XMPPStream) throws -> XEP0484Token {
    guard case .given(let token)? = stream.tokenNews else {
      throw TestServer.Unexpected.endedAtOnce
    }
    return token
  }

  @Test func `a password brings a token, the token the session that broke, and then a new one`()
    async throws
  {
    try await withServer { server in
      try await register(server)
      let first = try await open(server, options())
      #expect(first.mechanism == "SCRAM-SHA-256")
      #expect(first.session.hasCarbons)
      #expect(first.session.hasStreamManagement)
      #expect(first.session.jid.resource?.hasPrefix("Natter~") == true)
      let token = try given(first)
      let running = Task { await first.run() }
      try await first.probe(limit: .seconds(10))
      await first.drop()
      await running.value
      let resumption = try #require(await first.resumption)

      let second = try await open(
        server, options(.password("wrong"), token: token), resuming: resumption)
      #expect(second.mechanism == "HT-SHA-256-NONE")
      #expect(second.isResumed)
      let alive = Task { await second.run() }
      try await second.probe(limit: .seconds(10))
      await second.close()
      await alive.value

      let third = try await open(
        server, options(.password("wrong"), token: token), resuming: resumption)
      #expect(!third.isResumed)
      // The same client is called the same.
      #expect(third.session.jid == first.session.jid)
      let last = Task { await third.run() }
      let roster = try await third.request(
        Element("iq", Namespace.client, ["type": "get"], [Element("query", Namespace.roster)]))
      #expect(roster["type"] == "result")
      await third.close()
      await last.value
    }
  }

  @Test func `another client's token, or one that is none, gives way to the password`()
    async throws
  {
    try await withServer { server in
      try await register(server)
      let token = try given(try await open(server, options()))
      for wrong in [
        XEP0484Token(
          mechanism: token.mechanism, token: "nonsense", expiry: nil, clientID: token.clientID,
          offer: token.offer)
      ] {
        let stream = try await open(server, options(token: wrong))
        #expect(stream.mechanism == "SCRAM-SHA-256")
        _ = try given(stream)
        await stream.close()
      }
      await #expect(throws: StreamFailure.self) {
        _ = try await open(server, options(.password("wrong"), token: nil))
      }
    }
  }

  @Test func `a new password ends what came of the old one`() async throws {
    try await withServer { server in
      try await register(server)
      let first = try await open(server, options())
      let token = try given(first)
      let running = Task { await first.run() }
      _ = try await first.request(
        Element(
          "iq", Namespace.client, ["type": "set"],
          [XEP0077Registration.newPassword("other", username: "erin")]))
      await first.close()
      await running.value
      await #expect(throws: StreamFailure.self) {
        _ = try await open(server, options(token: token))
      }
      let again = try await open(server, options(.password("other"), token: token))
      #expect(again.tokenNews != nil)
      await again.close()
    }
  }

  @Test func `a token that was never given is refused with the reasons of RFC 7628`() async throws {
    try await withServer { server in
      try await register(server)
      do {
        _ = try await open(server, options(.accessToken("none")))
        Issue.record("signed in with nonsense")
      } catch StreamFailure.accessToken(let failure, let refusal) {
        #expect(failure.condition == .notAuthorized)
        #expect(refusal?.status == "invalid_token")
      }
    }
  }

  @Test func `long stanzas are taken once the client has signed in, and not before`() async throws {
    try await withServer { server in
      try await register(server)
      let stream = try await open(server, options())
      let running = Task { await stream.run() }
      let long = Element(
        "iq", Namespace.client, ["type": "set"],
        [
          Element(
            "query", "jabber:iq:private", [:],
            [Element("x", "natter:test", text: String(repeating: "x", count: 100_000))])
        ])
      #expect(try await stream.request(long)["type"] == "result")
      await stream.close()
      await running.value
    }
  }
}
