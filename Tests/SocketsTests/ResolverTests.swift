import Foundation
import Glibc
import Synchronization
import Testing

@testable import Sockets

@Suite struct ResolverTests {
  private static func record(
    _ target: String, _ priority: Int = 0, _ weight: Int = 0, port: Int = 5222
  ) -> ServiceRecord {
    ServiceRecord(priority: priority, weight: weight, port: port, target: target)
  }

  /// A resolver whose name servers know these records, and that always draws the highest number.
  private func resolver(
    direct: ServiceAnswer = .none, start: ServiceAnswer = .none,
    asked: @escaping @Sendable (String) -> Void = { _ in },
    random: @escaping @Sendable (Int) -> Int = { $0 }
  ) -> Resolver {
    Resolver(
      query: { name, _ in
        asked(name)
        return name.hasPrefix("_xmpps-client") ? direct : start
      }, random: random)
  }

  @Test func `both services are asked for by absolute names`() async throws {
    let names = Mutex<Set<String>>([])
    let resolver = resolver(asked: { name in _ = names.withLock { $0.insert(name) } })
    _ = try await resolver.endpoints(for: "Bücher.example")
    #expect(
      names.withLock(\.self) == [
        "_xmpps-client._tcp.xn--bcher-kva.example.", "_xmpp-client._tcp.xn--bcher-kva.example.",
      ])
  }

  @Test(arguments: [ServiceAnswer.none, .failed])
  func `without records the domain itself is tried on the two ports`(
    answer: ServiceAnswer
  ) async throws {
    let endpoints = try await resolver(direct: answer, start: answer)
      .endpoints(for: "example.org")
    #expect(
      endpoints == [
        Endpoint(host: "example.org", port: 5222, mode: .startTLS),
        Endpoint(host: "example.org", port: 5223, mode: .directTLS),
      ])
  }

  @Test func `both services count as one set of records, lowest priority number first`()
    async throws
  {
    let resolver = resolver(
      direct: .records([Self.record("d1", 10, port: 443), Self.record("d2", 30, port: 5223)]),
      start: .records([Self.record("s1", 20), Self.record("s2", 5)]))
    let endpoints = try await resolver.endpoints(for: "example.org")
    #expect(endpoints.map(\.host) == ["s2", "d1", "s1", "d2"])
    #expect(endpoints.map(\.mode) == [.startTLS, .directTLS, .startTLS, .directTLS])
    #expect(endpoints.filter(\.fromSRV).count == 4)
    #expect(endpoints[1].port == 443)
  }

  @Test func `records of equal priority are drawn by weight`() async throws {
    let records = [Self.record("a", 0, 10), Self.record("b", 0, 30), Self.record("c", 0, 0)]
    let expected: [(drawn: Int, first: String)] = [
      (0, "c"), (1, "a"), (10, "a"), (11, "b"), (40, "b"),
    ]
    for (drawn, first) in expected {
      let resolver = resolver(start: .records(records), random: { min(drawn, $0) })
      let endpoints = try await resolver.endpoints(for: "example.org")
      #expect(endpoints.first?.host == first, "\(drawn)")
      #expect(Set(endpoints.map(\.host)) == ["a", "b", "c"])
    }
  }

  @Test func `the draw is from nothing to the sum of what is left`() async throws {
    let highest = Mutex<[Int]>([])
    let resolver = resolver(
      start: .records([Self.record("a", 0, 10), Self.record("b", 0, 30)]),
      random: { top in
        highest.withLock { $0.append(top) }
        return 0
      })
    _ = try await resolver.endpoints(for: "example.org")
    #expect(highest.withLock(\.self) == [40, 30])
  }

  @Test func `the same host twice is tried once`() async throws {
    let resolver = resolver(start: .records([Self.record("a"), Self.record("a")]))
    #expect(try await resolver.endpoints(for: "example.org").count == 1)
  }

  @Test func `a domain that offers no such service says so`() async throws {
    let no = ServiceAnswer.records([Self.record("", port: 0)])
    for (direct, start) in [(no, no), (.none, no), (.failed, no)] {
      let resolver = resolver(direct: direct, start: start)
      let error = await failure { () async throws(SocketError) in
        try await resolver.endpoints(for: "example.org")
      }
      #expect(error == .serviceNotOffered("example.org"))
    }
  }

  @Test func `one service that is not offered leaves the other one`() async throws {
    let no = ServiceAnswer.records([Self.record("", port: 0)])
    let onlyStart = resolver(direct: no, start: .records([Self.record("a")]))
    #expect(
      try await onlyStart.endpoints(for: "example.org")
        == [Endpoint(host: "a", port: 5222, mode: .startTLS, fromSRV: true)])
    let onlyDirect = resolver(direct: .records([Self.record("a")]), start: no)
    #expect(try await onlyDirect.endpoints(for: "example.org").map(\.mode) == [.directTLS])
    // XEP-0368 §3: the other service's fallback stays.
    let noDirect = resolver(direct: no)
    #expect(try await noDirect.endpoints(for: "example.org").first?.port == 5222)
  }

  @Test func `the choice of one way of TLS leaves the other one out`() async throws {
    let names = Mutex<[String]>([])
    let resolver = resolver(
      direct: .records([Self.record("d")]), start: .records([Self.record("s")]),
      asked: { name in names.withLock { $0.append(name) } })
    #expect(
      try await resolver.endpoints(for: "e.org", security: .direct).map(\.mode) == [.directTLS])
    #expect(
      try await resolver.endpoints(for: "e.org", security: .startTLS).map(\.mode) == [.startTLS])
    #expect(names.withLock(\.count) == 2)
    let nothing = self.resolver()
    #expect(try await nothing.endpoints(for: "e.org", security: .direct).map(\.port) == [5223])
    #expect(try await nothing.endpoints(for: "e.org", security: .startTLS).map(\.port) == [5222])
  }

  @Test func `what is given is not looked up`() async throws {
    let resolver = resolver(asked: { Issue.record("asked for \($0)") })
    func endpoints(_ server: String?, _ port: Int?, _ security: ConnectionSecurity) async throws
      -> [Endpoint]
    {
      try await resolver.endpoints(for: "e.org", server: server, port: port, security: security)
    }
    #expect(
      try await endpoints("h", 15222, .startTLS)
        == [Endpoint(host: "h", port: 15222, mode: .startTLS)])
    #expect(
      try await endpoints("h", nil, .direct) == [Endpoint(host: "h", port: 5223, mode: .directTLS)])
    #expect(
      try await endpoints("h", nil, .automatic) == [
        Endpoint(host: "h", port: 5222, mode: .startTLS),
        Endpoint(host: "h", port: 5223, mode: .directTLS),
      ])
    #expect(try await endpoints("h", 15222, .automatic).map(\.mode) == [.startTLS, .directTLS])
    #expect(try await endpoints("h", 5223, .automatic).map(\.mode) == [.directTLS, .startTLS])
    #expect(
      try await endpoints(nil, 443, .automatic).map(\.host) == ["e.org", "e.org"])
    #expect(
      try await endpoints("/run/s", nil, .off) == [
        Endpoint(host: "/run/s", port: 5222, mode: .plain)
      ])
    #expect(
      try await endpoints(nil, nil, .off) == [Endpoint(host: "e.org", port: 5222, mode: .plain)])
  }

  @Test(arguments: ["127.0.0.1", "::1", "[::1]", "localhost", "LOCALHOST", "a.localhost"])
  func `addresses in numbers and this machine are not looked up`(domain: String) async throws {
    let resolver = resolver(asked: { Issue.record("asked for \($0)") })
    let endpoints = try await resolver.endpoints(for: domain)
    #expect(endpoints.map(\.host) == [domain, domain])
  }

  @Test func `an empty domain is unknown`() async {
    let resolver = resolver()
    let error = await failure { () async throws(SocketError) in
      try await resolver.endpoints(for: "")
    }
    #expect(error == .unknownHost(""))
  }
}

@Suite struct NameServersTests {
  /// A name server on loopback that gives each question to `answer`, whose result it sends back;
  /// none for `nil`.
  private func serve(
    questions: Int, _ answer: @escaping @Sendable ([UInt8]) -> [UInt8]?
  ) throws -> (servers: NameServers, done: OneShot<Void>) {
    let descriptor = socket(AF_INET, CInt(SOCK_DGRAM.rawValue), 0)
    let bound = SocketAddress.ipv4Loopback(port: 0).withPointer { bind(descriptor, $0, $1) }
    try #require(bound == 0)
    let port = try #require(SocketAddress.asked({ getsockname($0, $1, $2) }, of: descriptor)?.port)
    let queue = DispatchQueue(label: "name-server")
    let done = OneShot<Void>()
    queue.async {
      var block = [UInt8](repeating: 0, count: 4096)
      for _ in 0..<questions {
        var peer = sockaddr()
        var length = socklen_t(MemoryLayout<sockaddr>.size)
        let count = recvfrom(descriptor, &block, block.count, 0, &peer, &length)
        guard count > 12, let reply = answer(Array(block[..<count])) else { continue }
        _ = sendto(descriptor, reply, reply.count, 0, &peer, length)
      }
      close(descriptor)
      done.settle(())
    }
    return (NameServers(ipv4: [127, 0, 0, 1], port: port), done)
  }

  /// The question's message as an answer with these records.
  private static func reply(to question: [UInt8], _ records: [[UInt8]], code: UInt8 = 0) -> [UInt8]
  {
    var reply = question
    reply[2] = 0x84
    reply[3] = 0x80 | code
    reply[7] = UInt8(records.count)
    // No additional records (EDNS).
    reply[11] = 0
    let end = 12 + (question[12...].firstIndex(of: 0) ?? 12) - 12 + 5
    return Array(reply[..<end]) + records.flatMap(\.self)
  }

  @Test func `records come from the name server over the wire`() async throws {
    let (servers, done) = try serve(questions: 1) { question in
      Self.reply(
        to: question,
        [DNSAnswer.record(DNSAnswer.service(3, 4, 5269, DNSAnswer.name("x.example.org")))])
    }
    let answer = await servers.services("_xmpp-client._tcp.example.org.", limit: .seconds(20))
    await done.value()
    #expect(
      answer
        == .records([ServiceRecord(priority: 3, weight: 4, port: 5269, target: "x.example.org")]))
  }

  @Test(arguments: [UInt8(3), 0]) func `no such name, and no such records, are none`(
    code: UInt8
  ) async throws {
    let (servers, done) = try serve(questions: 1) { Self.reply(to: $0, [], code: code) }
    let answer = await servers.services("_xmpp-client._tcp.example.org.", limit: .seconds(20))
    await done.value()
    #expect(answer == .none)
  }

  @Test func `a name server that never answers ends by the time limit, and by cancellation`()
    async throws
  {
    let (servers, done) = try serve(questions: 2) { _ in nil }
    let late = await servers.services("_xmpp-client._tcp.a.org.", limit: .milliseconds(50))
    #expect(late == .failed)
    let asking = Task { await servers.services("_xmpp-client._tcp.b.org.", limit: .seconds(600)) }
    asking.cancel()
    #expect(await asking.value == .failed)
    await done.value()
  }

  @Test func `a name that is too long is a failure`() async {
    let name = String(repeating: "a.", count: 500)
    #expect(await NameServers().services(name, limit: .seconds(20)) != .records([]))
  }
}

@Suite struct DomainNameTests {
  @Test(arguments: [
    ("example.org", "example.org"), ("EXAMPLE.org", "example.org"),
    ("bücher.example", "xn--bcher-kva.example"), ("例え.テスト", "xn--r8jz45g.xn--zckzah"),
    ("münchen.ß.de", "xn--mnchen-3ya.xn--zca.de"),
    ("пример.испытание", "xn--e1afmkfd.xn--80akhbyknj4f"),
    ("☃.net", "xn--n3h.net"), ("a.", "a."),
  ])
  func `labels become A-labels`(name: String, ascii: String) {
    #expect(DomainName.ascii(name) == ascii)
  }

  @Test func `what makes one character with a dot is of a label of its own`() {
    #expect(DomainName.ascii("\u{D15}\u{D4E}.example")?.hasSuffix(".example") == true)
    #expect(DomainName.ascii("example.\u{301}")?.hasPrefix("example.xn--") == true)
  }

  @Test func `a label that gets too long and an empty name are nothing`() {
    #expect(DomainName.ascii(String(repeating: "ü", count: 70)) == nil)
    #expect(DomainName.ascii("") == nil)
  }

  @Test func `addresses are distinguished from names`() {
    for literal in ["127.0.0.1", "::1", "[::1]", "fe80::1%eth0", "/run/x"] {
      #expect(DomainName.isLiteral(literal))
    }
    for name in ["example.org", "1.2.3", "1.2.3.4.5", "1.2.3.256", "a.b.c.d", ""] {
      #expect(!DomainName.isLiteral(name))
    }
  }
}

@Suite struct SocketAddressTests {
  @Test func `loopback is distinguished from everything else`() async throws {
    let yes = ["127.0.0.1", "127.255.255.254", "::1", "::ffff:127.0.0.1"]
    let no = ["128.0.0.1", "126.255.255.255", "0.0.0.0", "::", "::2", "::ffff:192.0.2.1", "1::1"]
    for (hosts, expected) in [(yes, true), (no, false)] {
      for host in hosts {
        let address = try #require(
          try await AddressLookup.addresses(of: host, port: 1, limit: .seconds(20)).first)
        #expect(address.isLoopback == expected, "\(host)")
      }
    }
    #expect(SocketAddress.unix(path: "/x")?.isLoopback == true)
  }

  @Test func `IPv6 and IPv4 addresses of a host alternate`() {
    let four = (1...3).map { SocketAddress.ipv4Loopback(port: $0) }
    let six = (1...2).map { SocketAddress.ipv6Loopback(port: $0) }
    #expect(
      AddressLookup.interleaved(six + four) == [six[0], four[0], six[1], four[1], four[2]])
    #expect(AddressLookup.interleaved(four) == four)
    #expect(AddressLookup.interleaved([]) == [])
  }
}

@Suite struct ConnectorTests {
  @Test func `each mode gives its stream`() async throws {
    let listener = try ListeningSocket(.ipv4Loopback(port: 0))
    for mode in [Endpoint.Mode.plain, .startTLS] {
      let endpoint = Endpoint(host: "127.0.0.1", port: listener.port, mode: mode)
      let stream = try await Connector().connect(to: endpoint, domain: "natter.test")
      #expect(stream is PlainSocket)
      #expect(!stream.isSecure)
      #expect(stream.isLoopback)
      try await listener.accept().close()
    }
    let endpoint = Endpoint(host: "127.0.0.1", port: listener.port, mode: .directTLS)
    let error = await failure { () async throws(SocketError) in
      try await Connector().connect(
        to: endpoint, domain: "natter.test", limit: .milliseconds(100))
    }
    #expect(error == .timedOut(host: "127.0.0.1", port: listener.port))
  }

  @Test func `no TLS means no other machine`() async {
    let endpoint = Endpoint(host: "192.0.2.1", port: 5222, mode: .plain)
    let error = await failure { () async throws(SocketError) in
      try await Connector().connect(to: endpoint, domain: "natter.test")
    }
    #expect(error == .clearTextRefused(host: "192.0.2.1"))
  }
}
