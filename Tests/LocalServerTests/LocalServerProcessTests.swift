import Foundation
import Glibc
import SQLite
import Sockets
import Testing
import XML
import XMPP

@testable import LocalServer

@Suite struct LocalServerProcessTests {
  private func inDirectory(_ body: (URL) async throws -> Void) async throws {
    let directory = TestServer.temporaryDirectory()
    defer { try? FileManager.default.removeItem(at: directory) }
    try await body(directory)
  }

  private func mode(_ path: String) -> mode_t {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_mode & 0o777 : 0
  }

  @Test func `it says where it listens while it does, in a file for its owner`() async throws {
    try await inDirectory { directory in
      let server = try await TestServer.start(in: directory, try TestServer.settings())
      #expect(ServerState.read(in: directory) == server.state)
      #expect(server.state.pid == getpid() && server.state.domain == "localhost")
      #expect(mode(directory.path) == 0o700)
      for name in ["server.json", "server.db", "server.lock"] {
        #expect(mode(directory.appending(path: name).path) == 0o600, "\(name)")
      }
      let path = try #require(server.state.socket)
      #expect(mode(path) == 0o600)
      let client = RawXMPPClient(try await PlainSocket.connect(path: path))
      try await client.signIn("alice", resource: "unix", registering: true)
      try await server.stop()
      #expect(ServerState.read(in: directory) == nil)
      #expect(!FileManager.default.fileExists(atPath: path))
    }
  }

  @Test func `accounts, messages and the port are the same after a restart`() async throws {
    try await inDirectory { directory in
      var server = try await TestServer.start(in: directory, try TestServer.settings())
      let port = server.state.port
      let alice = try await server.client("alice")
      _ = try await server.client("bob", available: false)
      try await alice.say("kept", to: "bob@localhost")
      try await alice.catchUp()
      try await server.stop()
      server = try await TestServer.start(in: directory, try TestServer.settings())
      #expect(server.state.port == port)
      let bob = try await server.client("bob", registering: false)
      _ = try await bob.message(body: "kept")
      #expect(try await bob.roster()["alice@localhost"] == "both")
      try await server.stop()
    }
  }

  @Test func `a second one finds the first and leaves`() async throws {
    try await inDirectory { directory in
      let settings = try TestServer.settings()
      let server = try await TestServer.start(in: directory, settings)
      let second = LocalServerProcess(directory: directory, settings: settings)
      let outcome = try await second.serve(until: AsyncStream { _ in }) { _ in
        Issue.record("it served")
      }
      #expect(outcome == .alreadyRunning(server.state))
      let fresh = LocalServerProcess(directory: directory, fresh: true, settings: settings)
      await #expect(throws: LocalServerProcess.Failure.inUse(pid: getpid())) {
        try await fresh.serve(until: AsyncStream { _ in }) { _ in }
      }
      try await server.stop()
    }
  }

  @Test func `a killed one whose number is another program's now does not seem to run`()
    async throws
  {
    try await inDirectory { directory in
      try PrivatePath.makeDirectory(directory.path)
      // What it leaves behind; the number is that of a program that lives.
      let left = ServerState(pid: getpid(), port: 1, socket: nil, domain: "localhost")
      try left.write(in: directory)
      #expect(!left.isRunning(in: directory))
      try Data("\(getpid())\n".utf8).write(to: directory.appending(path: "server.lock"))
      #expect(!left.isRunning(in: directory))
      let server = try await TestServer.start(in: directory, try TestServer.settings(), fresh: true)
      #expect(server.state.isRunning(in: directory))
      let other = ServerState(pid: getppid(), port: 1, socket: nil, domain: "localhost")
      #expect(!other.isRunning(in: directory))
      try await server.stop()
      #expect(!server.state.isRunning(in: directory))
    }
  }

  @Test func `a fresh start has no accounts`() async throws {
    try await inDirectory { directory in
      var server = try await TestServer.start(in: directory, try TestServer.settings())
      _ = try await server.client("alice")
      try await server.stop()
      server = try await TestServer.start(in: directory, try TestServer.settings(), fresh: true)
      let client = try await server.connect()
      try await client.open()
      #expect(try await client.authenticate("alice") == "not-authorized")
      #expect(try await client.register("alice")["type"] == "result")
      try await server.stop()
    }
  }

  @Test func `it ends by itself when its last client has left`() async throws {
    try await inDirectory { directory in
      var settings = try TestServer.settings()
      settings.linger = .milliseconds(50)
      let server = try await TestServer.start(in: directory, settings)
      let alice = try await server.client("alice")
      let bob = try await server.client("bob")
      alice.close()
      _ = try await bob.presence("unavailable", from: "alice@localhost/test")
      try await bob.catchUp()
      bob.close()
      #expect(try await server.outcome() == .ended)
      #expect(ServerState.read(in: directory) == nil)
    }
  }

  @Test func `it reports to a client that asks whether it has clients`() async throws {
    try await inDirectory { directory in
      #expect(ServerState.hasClients(in: directory) == nil)
      let server = try await TestServer.start(in: directory, try TestServer.settings())
      let alice = try await server.client("alice")
      func waits(for answer: Bool?) async throws {
        while ServerState.hasClients(in: directory) != answer {
          try Task.checkCancellation()
          await Task.yield()
        }
      }
      try await waits(for: true)
      alice.close()
      try await waits(for: false)
      try await server.stop()
    }
  }

  @Test func `it ends by itself when no client comes`() async throws {
    try await inDirectory { directory in
      var settings = try TestServer.settings()
      settings.patience = .milliseconds(50)
      let server = try await TestServer.start(in: directory, settings)
      #expect(try await server.outcome() == .ended)
    }
  }

  @Test func `when it ends it reports the reason to its clients`() async throws {
    try await inDirectory { directory in
      let server = try await TestServer.start(in: directory, try TestServer.settings())
      let alice = try await server.client("alice")
      async let stopped: Void = server.stop()
      #expect(try await alice.streamError().condition == .systemShutdown)
      _ = try await alice.drain()
      try await stopped
    }
  }

  @Test func `a damaged database is an error and stays as it is`() async throws {
    try await inDirectory { directory in
      try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
      let file = directory.appending(path: "server.db")
      try Data("this is not a database, but somebody's letter".utf8).write(to: file)
      await #expect(throws: SQLiteError.self) {
        _ = try await TestServer.start(in: directory, try TestServer.settings())
      }
      #expect(try String(contentsOf: file, encoding: .utf8).hasPrefix("this is not"))
    }
  }

  @Test func `a port that another program has taken is replaced by another`() async throws {
    try await inDirectory { directory in
      var server = try await TestServer.start(in: directory, try TestServer.settings())
      let port = server.state.port
      try await server.stop()
      let thief = try ListeningSocket(.ipv4Loopback(port: port))
      server = try await TestServer.start(in: directory, try TestServer.settings())
      #expect(server.state.port != port)
      _ = try await server.client("alice")
      try await server.stop()
      thief.close()
    }
  }
}
