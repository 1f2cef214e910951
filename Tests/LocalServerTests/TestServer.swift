import Foundation
import Sockets
import Testing

@testable import LocalServer

/// A server in this process, in a directory of its own.
struct TestServer {
  let state: ServerState
  let directory: URL
  private let end: AsyncStream<Int32>.Continuation
  private let running: Task<LocalServerProcess.Outcome, any Error>

  static func settings() throws -> ServerSettings {
    var settings = ServerSettings(texts: EnglishTexts.lookup(in: try EnglishTexts.load()))
    // Tests end it themselves.
    settings.linger = .seconds(600)
    settings.patience = .seconds(600)
    settings.farewell = .milliseconds(500)
    return settings
  }

  static func temporaryDirectory() -> URL {
    FileManager.default.temporaryDirectory.appending(
      path: "natter-server-\(UUID().uuidString.prefix(8))")
  }

  static func start(in directory: URL, _ settings: ServerSettings, fresh: Bool = false) async throws
    -> TestServer
  {
    let (ends, end) = AsyncStream<Int32>.makeStream()
    let (states, report) = AsyncStream<ServerState>.makeStream()
    let process = LocalServerProcess(directory: directory, fresh: fresh, settings: settings)
    let running = Task {
      defer { report.finish() }
      return try await process.serve(until: ends) { report.yield($0) }
    }
    for await state in states {
      return TestServer(state: state, directory: directory, end: end, running: running)
    }
    _ = try await running.value
    throw Unexpected.endedAtOnce
  }

  enum Unexpected: Error { case endedAtOnce }

  func stop() async throws {
    end.yield(SIGTERM)
    _ = try await running.value
  }

  /// The outcome of a server that ends by itself.
  func outcome() async throws -> LocalServerProcess.Outcome { try await running.value }

  func connect() async throws -> RawXMPPClient {
    RawXMPPClient(try await PlainSocket.connect(host: "127.0.0.1", port: state.port))
  }

  /// A client with an account of its own, available.
  func client(
    _ name: String, resource: String = "test", registering: Bool = true, available: Bool = true
  ) async throws -> RawXMPPClient {
    let client = try await connect()
    try await client.signIn(name, resource: resource, registering: registering)
    if available { try await client.becomeAvailable() }
    return client
  }
}

/// Runs `body` with a server, and ends it and removes its data afterwards.
func withServer(
  _ change: (inout ServerSettings) -> Void = { _ in },
  _ body: (TestServer) async throws -> Void
) async throws {
  var settings = try TestServer.settings()
  change(&settings)
  let directory = TestServer.temporaryDirectory()
  defer { try? FileManager.default.removeItem(at: directory) }
  let server = try await TestServer.start(in: directory, settings)
  do {
    try await body(server)
  } catch {
    try await server.stop()
    throw error
  }
  try await server.stop()
}
