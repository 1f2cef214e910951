import Foundation
import Sockets
import TestSupport
import Testing

@testable import HTTP

/// HTTPS: HTTP/2 where the server has it, and certificates of all kinds.
@Suite(.requires(.openssl)) struct SecureTransportTests {
  private func address(_ peer: TLSWebPeer) throws -> WebAddress {
    try #require(WebAddress("https://localhost:\(peer.port)/"))
  }

  private func transport(_ authority: CertificateAuthority) -> CurlTransport {
    CurlTransport(trust: TrustOptions(caFile: authority.certificate))
  }

  private func text(_ response: HTTPResponse) -> String {
    String(decoding: response.body, as: UTF8.self)
  }

  // MARK: HTTP/2

  @Test func `where the server has HTTP 2 it is spoken, many requests on one connection`()
    async throws
  {
    let authority = try await CertificateAuthority()
    let peer = try await TLSWebPeer(try await authority.good(["localhost"]), offering: .http2)
    let transport = transport(authority)
    let url = try address(peer)
    let answers = try await withThrowingTaskGroup(of: HTTPResponse.self) { group in
      for _ in 0..<5 { group.addTask { try await transport.send(HTTPRequest(.get, url)) } }
      var answers: [HTTPResponse] = []
      for try await answer in group { answers.append(answer) }
      return answers
    }
    #expect(answers.allSatisfy { $0.status == 200 })
    let texts = answers.map(text)
    #expect(texts.allSatisfy { $0.hasPrefix("HTTP/2 connection ") }, "\(texts)")
    #expect(Set(texts.map { $0.split(separator: " ")[2] }).count == 1, "\(texts)")
    #expect(Set(texts.map { $0.split(separator: " ")[4] }).count == 5, "\(texts)")
    await peer.stop()
  }

  @Test func `a file goes up by HTTP 2`() async throws {
    let authority = try await CertificateAuthority()
    let peer = try await TLSWebPeer(try await authority.good(["localhost"]), offering: .http2)
    let folder = try TemporaryFolder("file")
    try Data(count: 1_000_000).write(to: folder.url("file"))
    let descriptor = open(folder.path("file"), O_RDONLY | O_CLOEXEC)
    defer { close(descriptor) }
    let response = try await transport(authority).send(
      HTTPRequest(
        .put, try address(peer), body: .file(descriptor: descriptor, byteCount: 1_000_000),
        redirects: .refused, timeLimits: .transfer))
    #expect(text(response).hasPrefix("HTTP/2 "))
    #expect(text(response).hasSuffix("bytes 1000000"))
    await peer.stop()
  }

  @Test(arguments: [TLSWebPeer.Offer.resettingStreams, .breakingRules])
  func `an HTTP 2 that breaks is a broken connection, not a strange reply`(
    offer: TLSWebPeer.Offer
  ) async throws {
    let authority = try await CertificateAuthority()
    let peer = try await TLSWebPeer(try await authority.good(["localhost"]), offering: offer)
    let transport = transport(authority)
    let request = HTTPRequest(.get, try address(peer))
    let error = await #expect(throws: HTTPError.self) { try await transport.send(request) }
    #expect(error == .broken(host: "localhost"))
    await peer.stop()
  }

  /// Endings of a connection during the TLS handshake.
  enum EarlyEnd: String, CaseIterable, Sendable { case closed, unread, cut }

  @Test(arguments: EarlyEnd.allCases)
  func `a connection that ends before it is safe is a broken one, and no trouble with TLS`(
    end: EarlyEnd
  ) async throws {
    let authority = try await CertificateAuthority()
    let peer = try await TLSWebPeer(try await authority.good(["localhost"]), offering: .http1)
    let relay = try FaultRelay(to: peer.port)
    relay.greet(with: .cut(.toClient, after: 300))
    let closing = try MisbehavingServer(end == .unread ? .closesAtOnce : .saysAndCloses([]))
    let port = end == .cut ? relay.port : closing.port
    let transport = transport(authority)
    let url = try #require(WebAddress("https://localhost:\(port)/"))
    let error = await #expect(throws: HTTPError.self) {
      try await transport.send(HTTPRequest(.get, url))
    }
    #expect(error == .handshakeBroken(host: "localhost"))
    await peer.stop()
  }

  @Test func `a server that speaks no TLS at all is trouble with TLS`() async throws {
    let other = try MisbehavingServer(.http)
    let authority = try await CertificateAuthority()
    let transport = transport(authority)
    let url = try #require(WebAddress("https://localhost:\(other.port)/"))
    let error = await #expect(throws: HTTPError.self) {
      try await transport.send(HTTPRequest(.get, url))
    }
    guard case .tls? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test func `elsewhere HTTP 1 does`() async throws {
    let authority = try await CertificateAuthority()
    let peer = try await TLSWebPeer(try await authority.good(["localhost"]), offering: .http1)
    let response = try await transport(authority).send(HTTPRequest(.get, try address(peer)))
    #expect(text(response).hasPrefix("HTTP/1.1 connection "))
    await peer.stop()
  }

  // MARK: Certificates

  enum Flaw: String, CaseIterable, Sendable {
    case untrusted, selfSigned, expired, notYetValid, wrongName

    func certificate(_ authority: CertificateAuthority) async throws
      -> CertificateAuthority.Certificate
    {
      switch self {
      case .untrusted: try await authority.untrusted("localhost")
      case .selfSigned: try await authority.selfSigned("localhost")
      case .expired: try await authority.expired("localhost")
      case .notYetValid: try await authority.notYetValid("localhost")
      case .wrongName: try await authority.wrongName()
      }
    }

    var problem: CertificateProblem {
      switch self {
      case .untrusted: .untrustedIssuer
      case .selfSigned: .selfSigned
      case .expired: .expired
      case .notYetValid: .notYetValid
      case .wrongName: .wrongName
      }
    }
  }

  @Test(arguments: Flaw.allCases)
  func `an invalid certificate is reported with what is wrong with it`(flaw: Flaw) async throws {
    let authority = try await CertificateAuthority()
    let peer = try await TLSWebPeer(try await flaw.certificate(authority), offering: .http2)
    let transport = transport(authority)
    let request = HTTPRequest(.get, try address(peer))
    let error = await #expect(throws: HTTPError.self) { try await transport.send(request) }
    guard case .certificate(let problem, "localhost", let detail)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(problem == flaw.problem, "\(detail)")
    #expect(!detail.isEmpty)
    await peer.stop()
  }

  @Test func `an invalid file of authorities is reported before anything is sent`() async throws {
    let folder = try TemporaryFolder("ca")
    try folder.write("no certificate\n", to: "ca.pem")
    let transport = CurlTransport(trust: TrustOptions(caFile: folder.path("ca.pem")))
    let request = HTTPRequest(.get, try #require(WebAddress("https://localhost:1/")))
    let error = await #expect(throws: HTTPError.self) { try await transport.send(request) }
    guard case .tls(let text)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(text.contains("ca.pem"))
  }

  @Test(arguments: [
    (0, false), (200, false), (301, true), (400, true), (403, true), (404, true), (405, true),
    (407, true), (408, false), (425, false), (429, false), (500, false), (501, true), (502, false),
    (503, false), (504, false), (511, true),
  ])
  func `an answer of a proxy is final, unless its status says that it may pass`(
    status: Int, isFinal: Bool
  ) {
    #expect(CurlExchange.isFinal(proxyStatus: status) == isFinal)
  }
}
