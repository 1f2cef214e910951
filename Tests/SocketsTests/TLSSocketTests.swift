import Foundation
import Glibc
import TestSupport
import Testing

@testable import Sockets

@Suite(.enabled(if: OpenSSL.isThere, "needs the openssl command as the other end of TLS"))
struct TLSSocketTests {
  let authority: CertificateAuthority
  var trust: TrustOptions { TrustOptions(caFile: authority.file) }

  init() async throws {
    authority = try await CertificateAuthority()
    try await authority.sign(
      "good", for: "DNS:natter.test,DNS:xn--bcher-kva.test,IP:127.0.0.1,IP:::1")
  }

  func peer(
    _ manner: Manner, certificate: String = "good", arguments: [String] = [],
    at address: ListeningSocket.Address = .ipv4Loopback(port: 0)
  ) throws -> TLSPeer {
    try TLSPeer(
      authority, certificate: certificate, startTLS: manner == .startTLS, arguments: arguments,
      at: address)
  }

  @Test(arguments: Manner.allCases)
  func `bytes come back through TLS`(manner: Manner) async throws {
    let peer = try peer(manner)
    let client = try await manner.connect(to: peer, domain: "natter.test", trust: trust)
    #expect(client.isSecure)
    #expect(client.isLoopback)
    for text in ["<a/>", "ü", String(repeating: "x", count: 40_000)] {
      try await client.send(Array(text.utf8))
      #expect(try await receive(text.utf8.count, from: client) == Array(text.utf8))
    }
    client.close()
    #expect(await failure { () async throws(SocketError) in try await client.receive() } == .closed)
  }

  @Test(arguments: Manner.allCases)
  func `10 MB arrive unchanged in both directions at once`(manner: Manner) async throws {
    let peer = try peer(manner)
    let client = try await manner.connect(to: peer, domain: "natter.test", trust: trust)
    let sent = pattern(10_000_000)
    async let sending: Void = client.send(sent)
    let received = try await receive(sent.count, from: client)
    try await sending
    #expect(received == sent)
  }

  @Test(arguments: Manner.allCases)
  func `the server's farewell is the end of the stream`(manner: Manner) async throws {
    // As a web server it answers one request and says goodbye.
    let peer = try peer(manner, arguments: ["-www"])
    let client = try await manner.connect(to: peer, domain: "natter.test", trust: trust)
    try await client.send(Array("GET / HTTP/1.0\r\n\r\n".utf8))
    var page: [UInt8] = []
    while let bytes = try await client.receive() { page += bytes }
    #expect(String(decoding: page, as: UTF8.self).contains("HTTP/1.0 200"))
    #expect(try await client.receive() == nil)
  }

  @Test(arguments: Manner.allCases)
  func `a connection that is cut does not look alive`(manner: Manner) async throws {
    let peer = try peer(manner)
    let client = try await manner.connect(to: peer, domain: "natter.test", trust: trust)
    let receiving = Task { try? await client.receive() }
    peer.cut()
    #expect(await receiving.value == nil)
  }

  @Test(arguments: Manner.allCases)
  func `closing ends a waiting receive and a waiting send`(manner: Manner) async throws {
    let peer = try peer(manner)
    let client = try await manner.connect(to: peer, domain: "natter.test", trust: trust)
    let receiving = Task {
      await failure { () async throws(SocketError) in try await client.receive() }
    }
    client.close()
    #expect(await receiving.value == .closed)
    #expect(await failure { () async throws(SocketError) in try await client.send([1]) } == .closed)
  }

  @Test(arguments: Manner.allCases)
  func `a cancelled receive leaves the stream usable`(manner: Manner) async throws {
    let peer = try peer(manner)
    let client = try await manner.connect(to: peer, domain: "natter.test", trust: trust)
    for _ in 0..<20 {
      let receiving = Task {
        await failure { () async throws(SocketError) in try await client.receive() }
      }
      receiving.cancel()
      #expect(await receiving.value == .closed)
    }
    try await client.send([5])
    #expect(try await client.receive() == [5])
  }

  @Test(arguments: ["natter.test", "NATTER.test", "127.0.0.1", "::1", "[::1]", "bücher.test"])
  func `a certificate is checked against the domain, however it is written`(
    domain: String
  ) async throws {
    for manner in Manner.allCases {
      let peer = try peer(manner)
      let client = try await manner.connect(to: peer, domain: domain, trust: trust)
      try await client.send([1])
      #expect(try await client.receive() == [1])
    }
  }

  @Test func `the domain is sent to the server (SNI)`() async throws {
    try await authority.sign("other", for: "DNS:other.test")
    let peer = try peer(
      .direct, certificate: "other",
      arguments: ["-servername", "natter.test", "-cert2", "good.crt", "-key2", "good.key"])
    let client = try await Manner.direct.connect(to: peer, domain: "natter.test", trust: trust)
    try await client.send([1])
    #expect(try await client.receive() == [1])
  }

  // MARK: Certificates to refuse

  enum Bad: String, CaseIterable, Sendable {
    case expired, notYetValid, wrongName, selfSigned, unknownAuthority, unknownAuthorityInChain

    var problem: CertificateProblem {
      switch self {
      case .expired: .expired
      case .notYetValid: .notYetValid
      case .wrongName: .wrongName
      case .selfSigned: .selfSigned
      case .unknownAuthority, .unknownAuthorityInChain: .untrustedIssuer
      }
    }
  }

  @Test(arguments: Bad.allCases, Manner.allCases)
  func `a bad certificate is refused, and the error says which check failed`(
    bad: Bad, manner: Manner
  ) async throws {
    var trust = trust
    var arguments: [String] = []
    switch bad {
    case .expired:
      try await authority.sign(
        "bad", for: "DNS:natter.test", validity: ("20200101000000Z", "20200201000000Z"))
    case .notYetValid:
      try await authority.sign(
        "bad", for: "DNS:natter.test", validity: ("20900101000000Z", "20900201000000Z"))
    case .wrongName:
      try await authority.sign("bad", for: "DNS:elsewhere.example")
    case .selfSigned:
      try await authority.signItself("bad", for: "DNS:natter.test")
    case .unknownAuthority, .unknownAuthorityInChain:
      try await authority.sign("bad", for: "DNS:natter.test")
      trust.caFile = nil
      if bad == .unknownAuthorityInChain { arguments = ["-cert_chain", "ca.crt"] }
    }
    let peer = try peer(manner, certificate: "bad", arguments: arguments)
    let error = await failure { () async throws(SocketError) in
      try await manner.connect(to: peer, domain: "natter.test", trust: trust)
    }
    guard case .certificate(let problem, host: let host, let detail) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(problem == bad.problem, "\(detail)")
    #expect(host == "natter.test")
    #expect(!detail.isEmpty)
  }

  @Test func `a certificate that signed itself can be trusted by name`() async throws {
    try await authority.signItself("own", for: "DNS:natter.test")
    let peer = try peer(.direct, certificate: "own")
    let client = try await Manner.direct.connect(
      to: peer, domain: "natter.test", trust: TrustOptions(caFile: authority.file("own.crt")))
    try await client.send([1])
    #expect(try await client.receive() == [1])
  }

  @Test(arguments: Manner.allCases)
  func `TLS before 1-2 is refused`(manner: Manner) async throws {
    let peer = try peer(manner, arguments: ["-tls1_1", "-cipher", "ALL:@SECLEVEL=0"])
    let error = await failure { () async throws(SocketError) in
      try await manner.connect(to: peer, domain: "natter.test", trust: trust)
    }
    guard case .tls(let detail) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(!detail.isEmpty)
  }

  @Test(arguments: Manner.allCases)
  func `authorities that cannot be read are an error that names the file`(
    manner: Manner
  ) async throws {
    let empty = authority.file("empty.pem")
    try Data("nothing\n".utf8).write(to: URL(filePath: empty))
    for file in [authority.file("missing.pem"), authority.path, empty] {
      let peer = try peer(manner)
      let error = await failure { () async throws(SocketError) in
        try await manner.connect(
          to: peer, domain: "natter.test", trust: TrustOptions(caFile: file))
      }
      guard case .authorities(let detail) = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(detail.hasPrefix(file))
    }
  }
}

/// Handshakes that need no TLS server at the other end.
@Suite struct TLSHandshakeTests {
  @Test(arguments: [
    "", "a/b", "a@b", "a#b", "a?b", "a b", "a\nb", "a\0b", "a%41", "a\\b",
    String(repeating: "a", count: 1024),
  ])
  func `a domain that would change the meaning of a URL is never asked for`(
    domain: String
  ) async throws {
    let listener = try ListeningSocket(.ipv4Loopback(port: 0))
    let error = await failure { () async throws(SocketError) in
      try await TLSSocket.connect(
        host: "127.0.0.1", port: listener.port, domain: domain, trust: TrustOptions())
    }
    #expect(error == .unknownHost(domain))
  }

  @Test func `a refusing port and an unknown host are reported as such`() async throws {
    let refusing = try RefusingPort()
    let port = refusing.port
    let refused = await failure { () async throws(SocketError) in
      try await TLSSocket.connect(
        host: "127.0.0.1", port: port, domain: "natter.test", trust: TrustOptions(),
        limit: .seconds(120))
    }
    #expect(refused == .refused(host: "127.0.0.1", port: port))
    let unknown = await failure { () async throws(SocketError) in
      try await TLSSocket.connect(
        host: "host.invalid", port: 5223, domain: "natter.test", trust: TrustOptions(),
        limit: .seconds(120))
    }
    #expect(unknown == .unknownHost("host.invalid"))
    withExtendedLifetime(refusing) {}
  }

  @Test func `a server that never greets ends by the time limit`() async throws {
    let listener = try ListeningSocket(.ipv4Loopback(port: 0))
    let port = listener.port
    let direct = await failure { () async throws(SocketError) in
      try await TLSSocket.connect(
        host: "127.0.0.1", port: port, domain: "natter.test", trust: TrustOptions(),
        limit: .milliseconds(200))
    }
    #expect(direct == .timedOut(host: "127.0.0.1", port: port))
    let plain = try await PlainSocket.connect(host: "127.0.0.1", port: port)
    let upgrade = await failure { () async throws(SocketError) in
      try await TLSSocket.upgrade(
        plain, domain: "natter.test", trust: TrustOptions(), limit: .milliseconds(200))
    }
    #expect(upgrade == .timedOut(host: "127.0.0.1", port: port))
    listener.close()
  }

  @Test func `direct TLS goes to IPv6 addresses too`() async throws {
    let listener = try ListeningSocket(.ipv6Loopback(port: 0))
    async let greeted: Void = {
      let server = try await listener.accept()
      _ = try await server.receive()
      server.close()
    }()
    let port = listener.port
    let error = await failure { () async throws(SocketError) in
      try await TLSSocket.connect(
        host: "::1", port: port, domain: "natter.test", trust: TrustOptions(),
        limit: .seconds(120))
    }
    try await greeted
    guard case .tls = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test func `a cancelled handshake ends at once and gives its connection back`() async throws {
    for upgrades in [false, true] {
      let listener = try ListeningSocket(.ipv4Loopback(port: 0))
      let port = listener.port
      let connecting = Task {
        await failure { () async throws(SocketError) in
          if upgrades {
            let plain = try await PlainSocket.connect(host: "127.0.0.1", port: port)
            return try await TLSSocket.upgrade(
              plain, domain: "natter.test", trust: TrustOptions(), limit: .seconds(600))
          }
          return try await TLSSocket.connect(
            host: "127.0.0.1", port: port, domain: "natter.test", trust: TrustOptions(),
            limit: .seconds(600))
        }
      }
      // The greeting has arrived, so the handshake is under way.
      let server = try await listener.accept()
      #expect(try await server.receive() != nil)
      connecting.cancel()
      #expect(await connecting.value == .closed)
      var isOver = false
      while !isOver { isOver = (try? await server.receive()) == nil }
    }
  }

  @Test(arguments: ["<stream:stream", "HTTP/1.1 400 Bad Request\r\n\r\n", ""])
  func `a server that answers something else than TLS is an error of TLS`(
    answer: String
  ) async throws {
    let listener = try ListeningSocket(.ipv4Loopback(port: 0))
    async let served: Void = {
      let server = try await listener.accept()
      _ = try await server.receive()
      try await server.send(Array(answer.utf8))
      server.close()
    }()
    let port = listener.port
    let error = await failure { () async throws(SocketError) in
      try await TLSSocket.connect(
        host: "127.0.0.1", port: port, domain: "natter.test", trust: TrustOptions(),
        limit: .seconds(120))
    }
    try await served
    guard case .tls = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test func `no way of failing leaks a descriptor`() async throws {
    let refusing = try RefusingPort()
    let port = refusing.port
    let before = openDescriptors()
    for _ in 0..<25 {
      _ = try? await TLSSocket.connect(
        host: "127.0.0.1", port: port, domain: "natter.test", trust: TrustOptions(),
        limit: .seconds(120))
      let (left, right) = try PlainSocket.pair()
      right.close()
      _ = try? await TLSSocket.upgrade(
        left, domain: "natter.test", trust: TrustOptions(),
        limit: .seconds(120))
      let (plain, _) = try PlainSocket.pair()
      let missing = TrustOptions(caFile: "/nothing/here")
      _ = try? await TLSSocket.upgrade(plain, domain: "natter.test", trust: missing)
    }
    try await until { openDescriptors() < before + 50 }
    withExtendedLifetime(refusing) {}
  }

  @Test func `an upgrade of a closed connection is closed`() async throws {
    let (left, _) = try PlainSocket.pair()
    left.close()
    let error = await failure { () async throws(SocketError) in
      try await TLSSocket.upgrade(
        left, domain: "natter.test", trust: TrustOptions(),
        limit: .seconds(120))
    }
    #expect(error == .closed)
  }
}
