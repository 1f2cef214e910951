import Foundation
import Glibc
import TestSupport
import Testing

@testable import Sockets

@Suite struct ListeningSocketTests {
  @Test func `connections are accepted one after the other, also those that came early`()
    async throws
  {
    let listener = try ListeningSocket(.ipv4Loopback(port: 0))
    #expect(listener.port > 0)
    var clients: [PlainSocket] = []
    for number in 0..<10 {
      let client = try await PlainSocket.connect(host: "127.0.0.1", port: listener.port)
      try await client.send([UInt8(number)])
      clients.append(client)
    }
    for number in 0..<10 {
      let server = try await listener.accept()
      #expect(server.isLoopback)
      #expect(try await server.receive() == [UInt8(number)])
    }
  }

  @Test func `a port that is taken says so`() throws {
    let listener = try ListeningSocket(.ipv4Loopback(port: 0))
    #expect(throws: SocketError.system(errno: EADDRINUSE)) {
      try ListeningSocket(.ipv4Loopback(port: listener.port))
    }
  }

  @Test func `closing ends a waiting accept and frees the port`() async throws {
    let listener = try ListeningSocket(.ipv4Loopback(port: 0))
    let accepting = Task {
      await failure { () async throws(SocketError) in try await listener.accept() }
    }
    listener.close()
    listener.close()
    #expect(await accepting.value == .closed)
    #expect(
      await failure { () async throws(SocketError) in try await listener.accept() } == .closed)
    try await until { (try? ListeningSocket(.ipv4Loopback(port: listener.port))) != nil }
  }

  @Test func `a cancelled accept leaves the listener usable`() async throws {
    let listener = try ListeningSocket(.ipv4Loopback(port: 0))
    let accepting = Task {
      await failure { () async throws(SocketError) in try await listener.accept() }
    }
    accepting.cancel()
    #expect(await accepting.value == .closed)
    let client = try await PlainSocket.connect(host: "127.0.0.1", port: listener.port)
    try await listener.accept().close()
    #expect(try await client.receive() == nil)
  }

  @Test func `a Unix socket is its owner's alone and goes with its listener`() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("s")
    let listener = try ListeningSocket(.unix(path: path))
    #expect(listener.port == 0)
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    listener.close()
    try await until { !FileManager.default.fileExists(atPath: path) }
  }

  @Test func `a Unix socket in use is not taken over`() throws {
    let directory = try TemporaryDirectory()
    let listener = try ListeningSocket(.unix(path: directory.file("s")))
    #expect(throws: SocketError.system(errno: EADDRINUSE)) {
      try ListeningSocket(.unix(path: directory.file("s")))
    }
    listener.close()
  }

  @Test func `a Unix socket that a dead process left is replaced`() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("s")
    let address = try #require(SocketAddress.unix(path: path))
    let left = Descriptor.socket(family: AF_UNIX)
    #expect(address.withPointer { bind(left, $0, $1) } == 0)
    close(left)
    let listener = try ListeningSocket(.unix(path: path))
    let client = try await PlainSocket.connect(path: path)
    try await listener.accept().close()
    #expect(try await client.receive() == nil)
  }

  @Test func `a file that is no socket is left alone`() throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("s")
    try Data("mine".utf8).write(to: URL(filePath: path))
    #expect(throws: SocketError.system(errno: EADDRINUSE)) {
      try ListeningSocket(.unix(path: path))
    }
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "mine")
  }

  @Test(arguments: ["", "x\0", "/" + String(repeating: "x", count: 107)])
  func `a path that no socket can have is an error`(path: String) {
    #expect(throws: SocketError.system(errno: ENAMETOOLONG)) {
      try ListeningSocket(.unix(path: path))
    }
  }
}
