import Foundation

/// A chat server without TLS that lets everyone in, and floods them on request (`flood_server.py`).
/// `bob@natter.test` is the only contact of its only account.
package final class FloodServer: Sendable {
  /// The kinds of floods; except for the archive, a message `the last one` follows.
  package enum Scene: String, Sendable {
    /// Messages with long texts.
    case bodies
    /// Messages with much beside their texts, after one that takes long to read.
    case stanzas
    /// An archive with messages like those.
    case archive
    /// Presences of strangers.
    case presences
  }

  /// The only account.
  package let account = "alice@natter.test"
  /// The password of the account.
  package let password = "secret"
  /// `127.0.0.1:PORT`, for `--server`.
  package let address: String
  private static let log = "flood.log"
  private let folder: TemporaryFolder
  private let run: ServerRun

  /// Starts it, and returns when it takes connections: without a flood until `begins`.
  /// - Parameters:
  ///   - count: how many messages or presences the flood has, numbered from 1.
  ///   - bytes: the length of each.
  /// - Throws: `ServerStartError`.
  package init(_ scene: Scene, count: Int, bytes: Int) async throws {
    let port = try LoopbackPort.free()
    address = "127.0.0.1:\(port)"
    folder = try TemporaryFolder("flood")
    let script = URL(filePath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Fixtures/flood_server.py").path
    let log = folder.path(Self.log)
    run = try ServerRun(
      "/usr/bin/python3", [script, String(port), scene.rawValue, String(count), String(bytes)],
      environment: ["PATH": Programs.searchPath, "HOME": folder.root.path],
      directory: folder.root.path, output: log)
    guard await run.waits(upTo: .seconds(20), until: { tail(log).contains("ready") }) else {
      throw ServerStartError(name: "the flood server", log: tail(log))
    }
  }

  /// Lets the flood begin: over the session that was opened last, or in the archive.
  /// - Throws: `TemporaryFolder.NeverHeld`.
  package func begins() async throws {
    run.child.signal(SIGUSR1)
    try await folder.holds(Self.log) { $0.contains("begins") }
  }

  /// Ends it.
  package func stop() async { await run.child.stop(SIGKILL) }
}
