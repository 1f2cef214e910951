import Foundation
import Glibc
import TestSupport
import Testing

@testable import Sockets

@Suite struct PlainSocketTests {
  /// A client and the server's end of one TCP connection.
  private func connection(_ address: ListeningSocket.Address = .ipv4Loopback(port: 0)) async throws
    -> (client: PlainSocket, server: PlainSocket)
  {
    let listener = try ListeningSocket(address)
    defer { listener.close() }
    async let accepted = listener.accept()
    let client =
      switch address {
      case .ipv4Loopback: try await PlainSocket.connect(host: "127.0.0.1", port: listener.port)
      case .ipv6Loopback: try await PlainSocket.connect(host: "[::1]", port: listener.port)
      case .unix(let path): try await PlainSocket.connect(path: path)
      }
    return (client, try await accepted)
  }

  @Test(arguments: [ListeningSocket.Address.ipv4Loopback(port: 0), .ipv6Loopback(port: 0)])
  func `bytes come back from an echo over TCP`(address: ListeningSocket.Address) async throws {
    let (client, server) = try await connection(address)
    async let echoing: Void = echo(server)
    try await client.send(Array("<a/>".utf8))
    #expect(try await receive(4, from: client) == Array("<a/>".utf8))
    #expect(client.isLoopback)
    #expect(!client.isSecure)
    #expect(client.peerCredentials == nil)
    client.close()
    await echoing
  }

  @Test func `bytes come back from an echo over a Unix socket, whose peer is known`() async throws {
    let directory = try TemporaryDirectory()
    let (client, server) = try await connection(.unix(path: directory.file("s")))
    async let echoing: Void = echo(server)
    try await client.send([1, 2, 3])
    #expect(try await receive(3, from: client) == [1, 2, 3])
    let ourselves = PeerCredentials(processID: getpid(), userID: getuid())
    #expect(server.peerCredentials == ourselves)
    #expect(client.isLoopback)
    #expect(server.isLoopback)
    client.close()
    await echoing
  }

  @Test func `a host that begins with a slash is a Unix socket`() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("s")
    let listener = try ListeningSocket(.unix(path: path))
    async let accepted = listener.accept()
    let client = try await PlainSocket.connect(host: path, port: 5222)
    #expect(client.isLoopback)
    try await accepted.close()
    #expect(try await client.receive() == nil)
    listener.close()
  }

  @Test func `50 MB arrive unchanged in both directions at once`() async throws {
    let (client, server) = try await connection()
    let sent = pattern(25_000_000)
    async let echoing: Void = echo(server)
    async let sending: Void = client.send(sent)
    let received = try await receive(sent.count, from: client)
    try await sending
    #expect(received == sent)
    client.close()
    await echoing
  }

  @Test func `a sender waits for a receiver that does not read`() async throws {
    let (left, right) = try PlainSocket.pair()
    let sent = pattern(4_000_000)
    let isSent = OneShot<Bool>()
    let sending = Task {
      try await left.send(sent)
      isSent.settle(true)
    }
    // The first bytes are there, and the rest cannot be: it is more than any socket buffer holds.
    let first = try #require(try await right.receive())
    #expect(!isSent.isSettled)
    let rest = try await receive(sent.count - first.count, from: right)
    try await sending.value
    #expect(first + rest == sent)
  }

  @Test func `sending nothing does nothing`() async throws {
    let (left, right) = try PlainSocket.pair()
    try await left.send([])
    left.close()
    #expect(try await right.receive() == nil)
  }

  @Test func `the end of the stream is nil, every time`() async throws {
    let (client, server) = try await connection()
    try await server.send([7])
    server.close()
    #expect(try await client.receive() == [7])
    #expect(try await client.receive() == nil)
    #expect(try await client.receive() == nil)
  }

  @Test func `a reset is reported as closed`() async throws {
    let (client, server) = try await connection()
    let descriptor = try #require(await server.detach())
    var linger = linger(l_onoff: 1, l_linger: 0)
    setsockopt(
      descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
    close(descriptor)
    #expect(await failure { () async throws(SocketError) in try await client.receive() } == .closed)
    let sending = await failure { () async throws(SocketError) in try await client.send([1]) }
    #expect(sending == .closed)
  }

  @Test func `writing to a peer that is gone is an error and not a signal`() async throws {
    let (left, right) = try PlainSocket.pair()
    right.close()
    #expect(try await left.receive() == nil)
    #expect(await failure { () async throws(SocketError) in try await left.send([1]) } == .closed)
  }

  @Test func `what the peer said before it went is received after a failed send`() async throws {
    let (left, right) = try PlainSocket.pair()
    try await right.send(Array("<conflict/>".utf8))
    right.close()
    var error: SocketError?
    while error == nil {
      error = await failure { () async throws(SocketError) in try await left.send([1]) }
    }
    #expect(error == .closed)
    #expect(try await left.receive() == Array("<conflict/>".utf8))
    // The end, or a reset where some of ours was left unread.
    let rest = try? await left.receive()
    #expect(rest == nil)
  }

  @Test func `closing ends a waiting receive and a waiting send`() async throws {
    let (left, _right) = try PlainSocket.pair()
    let receiving = Task {
      await failure { () async throws(SocketError) in try await left.receive() }
    }
    let sending = Task {
      await failure { () async throws(SocketError) in try await left.send(pattern(8_000_000)) }
    }
    _ = try await _right.receive()
    left.close()
    left.close()
    #expect(await receiving.value == .closed)
    #expect(await sending.value == .closed)
    #expect(await failure { () async throws(SocketError) in try await left.receive() } == .closed)
  }

  @Test func `a cancelled receive leaves the stream usable`() async throws {
    let (left, right) = try PlainSocket.pair()
    for _ in 0..<50 {
      let receiving = Task {
        await failure { () async throws(SocketError) in try await left.receive() }
      }
      receiving.cancel()
      #expect(await receiving.value == .closed)
    }
    try await right.send([5])
    #expect(try await left.receive() == [5])
  }

  @Test func `a cancelled send closes the stream, because a part may have left`() async throws {
    let (left, right) = try PlainSocket.pair()
    let sending = Task {
      await failure { () async throws(SocketError) in try await left.send(pattern(8_000_000)) }
    }
    _ = try await right.receive()
    sending.cancel()
    #expect(await sending.value == .closed)
    var isOver = false
    while !isOver { isOver = try await right.receive() == nil }
    #expect(await failure { () async throws(SocketError) in try await left.send([1]) } == .closed)
  }

  @Test func `a socket that is let go of closes itself`() async throws {
    let (left, right) = try PlainSocket.pair()
    func letGo(_ socket: consuming PlainSocket) {}
    var held: PlainSocket? = right
    #expect(held?.isLoopback == true)
    held = nil
    _ = consume right
    #expect(try await left.receive() == nil)
  }

  @Test func `a port without a listener refuses`() async throws {
    let refusing = try RefusingPort()
    let port = refusing.port
    let error = await failure { () async throws(SocketError) in
      try await PlainSocket.connect(host: "127.0.0.1", port: port)
    }
    #expect(error == .refused(host: "127.0.0.1", port: port))
    withExtendedLifetime(refusing) {}
  }

  @Test func `a Unix socket that is not there is unreachable`() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("nothing")
    let error = await failure { () async throws(SocketError) in
      try await PlainSocket.connect(path: path)
    }
    #expect(error == .unreachable(host: path, port: 0, errno: ENOENT))
  }

  @Test(arguments: ["", "host.invalid", "a b", "x\0y", String(repeating: "a", count: 2000)])
  func `a host without an address is unknown`(host: String) async throws {
    let error = await failure { () async throws(SocketError) in
      try await PlainSocket.connect(host: host, port: 5222)
    }
    #expect(error == .unknownHost(host))
  }

  @Test(arguments: [-1, 0, 65536]) func `a port out of range is never dialled`(port: Int) async {
    let error = await failure { () async throws(SocketError) in
      try await PlainSocket.connect(host: "127.0.0.1", port: port)
    }
    #expect(error == .unknownHost("127.0.0.1"))
  }

  @Test func `a host that never answers ends by the time limit`() async throws {
    let deaf = try DeafListener()
    let error = await failure { () async throws(SocketError) in
      try await PlainSocket.connect(host: "127.0.0.1", port: deaf.port, limit: .milliseconds(300))
    }
    #expect(error == .timedOut(host: "127.0.0.1", port: deaf.port))
    withExtendedLifetime(deaf) {}
  }

  @Test func `a cancelled attempt to connect ends at once`() async throws {
    let deaf = try DeafListener()
    let port = deaf.port
    let connecting = Task {
      await failure { () async throws(SocketError) in
        try await PlainSocket.connect(host: "127.0.0.1", port: port, limit: .seconds(600))
      }
    }
    connecting.cancel()
    #expect(await connecting.value == .closed)
    withExtendedLifetime(deaf) {}
  }

  @Test
  func `IPv4 and IPv6 raced (RFC 8305): a dead first address does not hold up a living second one`()
    async throws
  {
    let deaf = try DeafListener()
    let listener = try ListeningSocket(.ipv6Loopback(port: 0))
    async let accepted = listener.accept()
    let client = try await PlainSocket.connect(
      to: [.ipv4Loopback(port: deaf.port), .ipv6Loopback(port: listener.port)],
      host: "two.example", port: 5222, limit: .seconds(20))
    #expect(client.peerAddress?.port == listener.port)
    #expect(client.host == "two.example")
    try await accepted.close()
    #expect(try await client.receive() == nil)
  }

  @Test func `a refusing first address leads to the second one`() async throws {
    let dead = try RefusingPort()
    let listener = try ListeningSocket(.ipv4Loopback(port: 0))
    let client = try await PlainSocket.connect(
      to: [.ipv4Loopback(port: dead.port), .ipv4Loopback(port: listener.port)], host: "h", port: 1,
      limit: .seconds(20))
    #expect(client.peerAddress?.port == listener.port)
    withExtendedLifetime(dead) {}
  }

  @Test func `where every address refuses, the connection is refused`() async throws {
    let dead = try RefusingPort()
    let dead6 = try RefusingPort(AF_INET6)
    let error = await failure { () async throws(SocketError) in
      try await PlainSocket.connect(
        to: [.ipv4Loopback(port: dead.port), .ipv6Loopback(port: dead6.port)], host: "h",
        port: 1, limit: .seconds(20))
    }
    #expect(error == .refused(host: "h", port: 1))
    withExtendedLifetime((dead, dead6)) {}
  }

  @Test func `without TLS only addresses of this machine are dialled`() async throws {
    let error = await failure { () async throws(SocketError) in
      try await PlainSocket.connect(host: "192.0.2.1", port: 5222, onlyLoopback: true)
    }
    #expect(error == .clearTextRefused(host: "192.0.2.1"))
  }

  @Test func `no way of ending leaks a descriptor`() async throws {
    let deaf = try DeafListener()
    let deafPort = deaf.port
    let refusing = try RefusingPort()
    let port = refusing.port
    let before = openDescriptors()
    for round in 0..<200 {
      let (left, right) = try PlainSocket.pair()
      let receiving = Task { try? await left.receive() }
      switch round % 4 {
      case 0: receiving.cancel()
      case 1: left.close()
      case 2: right.close()
      default: _ = try? await right.send([1])
      }
      _ = await receiving.value
      _ = try? await PlainSocket.connect(host: "127.0.0.1", port: port)
      let connecting = Task { try? await PlainSocket.connect(host: "127.0.0.1", port: deafPort) }
      connecting.cancel()
      _ = await connecting.value
    }
    // Suites that run beside this one have some open too.
    try await until { openDescriptors() < before + 100 }
    withExtendedLifetime((deaf, refusing)) {}
  }
}
