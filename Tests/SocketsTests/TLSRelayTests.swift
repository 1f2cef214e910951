import Foundation
import Glibc
import Testing

@testable import Sockets

@Suite struct TLSRelayTests {
  /// A relay, the server's end of its connection, and a client of this process.
  private func relay() async throws -> (server: PlainSocket, client: PlainSocket) {
    let (near, server) = try PlainSocket.pair()
    let relay = try TLSRelay(remote: try #require(await near.detach()))
    let client = try await PlainSocket.connect(
      to: [.abstract(name: relay.name)], host: "relay", port: 0, limit: .seconds(10))
    return (server, client)
  }

  @Test func `bytes go through in both directions at once`() async throws {
    let (server, client) = try await relay()
    let sent = pattern(10_000_000)
    async let echoing: Void = echo(server)
    async let sending: Void = client.send(sent)
    let received = try await receive(sent.count, from: client)
    try await sending
    #expect(received == sent)
    client.close()
    await echoing
  }

  @Test func `what the client said last still arrives after it closed`() async throws {
    let (server, client) = try await relay()
    try await client.send(Array("</stream:stream>".utf8))
    client.close()
    #expect(try await receive(100, from: server) == Array("</stream:stream>".utf8))
  }

  @Test func `what the client said last arrives although it left the server's data unread`()
    async throws
  {
    for _ in 0..<20 {
      let (server, client) = try await relay()
      let flood = Task { try? await server.send(pattern(3_000_000)) }
      // Some of it has come, and the rest presses on.
      _ = try await client.receive()
      try await client.send(Array("</stream:stream>".utf8))
      client.close()
      #expect(try await receive(16, from: server) == Array("</stream:stream>".utf8))
      server.close()
      await flood.value
    }
  }

  @Test func `the server's end leaves the other way open`() async throws {
    let (near, far) = try PlainSocket.pair()
    let relay = try TLSRelay(remote: try #require(await near.detach()))
    let client = try await PlainSocket.connect(
      to: [.abstract(name: relay.name)], host: "relay", port: 0, limit: .seconds(10))
    let server = try #require(await far.detach())
    #expect(write(server, "bye", 3) == 3)
    shutdown(server, CInt(SHUT_WR))
    #expect(try await receive(100, from: client) == Array("bye".utf8))
    try await client.send([1])
    let rest = PlainSocket(descriptor: server)
    #expect(try await rest.receive() == [1])
    client.close()
    #expect(try await rest.receive() == nil)
  }

  @Test func `a second client finds no listener`() async throws {
    let (near, server) = try PlainSocket.pair()
    let relay = try TLSRelay(remote: try #require(await near.detach()))
    let address = SocketAddress.abstract(name: relay.name)
    let first = try await PlainSocket.connect(
      to: [address], host: "relay", port: 0, limit: .seconds(10))
    try await first.send([1])
    #expect(try await server.receive() == [1])
    let second = await failure { () async throws(SocketError) in
      let late = try await PlainSocket.connect(
        to: [address], host: "relay", port: 0, limit: .seconds(10))
      // A connection that was accepted before the listener closed is closed.
      if try await late.receive() == nil { throw .closed }
    }
    #expect(second != nil)
    try await first.send([2])
    #expect(try await server.receive() == [2])
  }

  @Test func `names differ and are long`() throws {
    var names: Set<String> = []
    for _ in 0..<20 {
      let (near, _) = try PlainSocket.pair()
      _ = near
      let descriptor = Descriptor.socket(family: AF_UNIX)
      let relay = try TLSRelay(remote: descriptor)
      #expect(relay.name.utf8.count > 40)
      names.insert(relay.name)
      relay.close()
    }
    #expect(names.count == 20)
  }

  @Test(
    .enabled(
      if: FileManager.default.isExecutableFile(atPath: "/usr/bin/python3"),
      "needs another process that connects: /usr/bin/python3"))
  func `another process is refused, and the rightful client still gets in`() async throws {
    let (near, server) = try PlainSocket.pair()
    let relay = try TLSRelay(remote: try #require(await near.detach()))
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/python3")
    process.arguments = [
      "-c",
      """
      import socket, sys
      s = socket.socket(socket.AF_UNIX)
      s.connect("\\0" + sys.argv[1])
      try:
          s.sendall(b"stolen")
          sys.exit(0 if s.recv(1) == b"" else 1)
      except OSError:
          sys.exit(0)
      """, relay.name,
    ]
    let status = await withCheckedContinuation { continuation in
      process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
      do { try process.run() } catch { continuation.resume(returning: -1) }
    }
    #expect(status == 0)
    let client = try await PlainSocket.connect(
      to: [.abstract(name: relay.name)], host: "relay", port: 0, limit: .seconds(10))
    try await client.send(Array("ours".utf8))
    #expect(try await server.receive() == Array("ours".utf8))
  }
}
