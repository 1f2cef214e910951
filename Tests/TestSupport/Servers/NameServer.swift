import Foundation

/// A name server on loopback that knows the chat servers of one domain (`name_server.py`).
package final class NameServer: Sendable {
  package let address: String
  package let port: UInt16
  private let folder: TemporaryFolder
  private let run: ServerRun

  /// Starts it, and returns when it can be asked.
  /// - Parameters:
  ///   - port: a free one where there is none; where `/etc/resolv.conf` names it, it is 53.
  ///   - servers: `HOST:PORT` in their order; with `tls:` before it, those that speak TLS from the
  ///     first byte (XEP-0368).
  /// - Throws: `ServerStartError`, also if its port is in use.
  package init(
    at address: String = "127.0.0.1", port: UInt16? = nil, of domain: String, servers: [String]
  ) async throws {
    let port = try port ?? LoopbackPort.free()
    (self.address, self.port) = (address, port)
    folder = try TemporaryFolder("names")
    let script = URL(filePath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Fixtures/name_server.py").path
    let log = folder.path("names.log")
    run = try ServerRun(
      "/usr/bin/python3", [script, address, String(port), domain] + servers,
      environment: ["PATH": Programs.searchPath, "HOME": folder.root.path],
      directory: folder.root.path, output: log)
    guard await run.waits(upTo: .seconds(20), until: { tail(log).contains("ready") }) else {
      throw ServerStartError(name: "the name server", log: tail(log))
    }
  }

  package func stop() async { await run.child.stop(SIGKILL) }
}
